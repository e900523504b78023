#include <algorithm>

#include "conformance/report/failure_text.h"
#include "conformance/report/scoreboard.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::report {
namespace {

std::string name_of(const EngineRow& row, const Column& column) {
  return row.engine.name + " " + row.engine.version + ", " + column.asked;
}

}  // namespace

std::vector<std::string> open_points(const Scoreboard& board) {
  std::vector<std::string> points;
  for (const EngineRow& row : board.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::optional<Cell>& cell = row.cells[i];
      if (!cell || cell->unexplained == 0) continue;
      points.push_back(
          name_of(row, board.columns[i]) + ": unexplained, " +
          text::part_of(cell->unexplained, cell->failed + cell->lacking) +
          " that are red");
    }
  }
  for (const Cause& cause : board.causes) {
    if (cause.state == Cause::State::kInForce) continue;
    points.push_back("the cause for " + place_text(cause) + ": " +
                     state_text(cause));
  }
  return points;
}

std::string count_text(const Scoreboard& board) {
  const auto conforming = std::ranges::count_if(
      board.rows, [](const EngineRow& row) { return row.conforms(); });
  const std::size_t all = board.rows.size();
  return std::to_string(all) + (all == 1 ? " engine, " : " engines, ") +
         std::to_string(conforming) +
         (conforming == 1 ? " conforms" : " conform");
}

std::string heading_text(const Column& column) {
  return column.profile.empty() ? column.asked : column.profile;
}

std::string verdict_text(const Cell& cell) {
  if (cell.kind == Cell::Kind::kConforms) return cell.level;
  if (cell.kind == Cell::Kind::kInPart) return cell.level + " in part";
  if (cell.failed + cell.lacking == 0) return "nothing judged";
  if (cell.lacking == cell.asked) return "not offered";
  const std::string of = " of " + std::to_string(cell.asked);
  std::string text = cell.level + ": ";
  if (cell.failed > 0) text += std::to_string(cell.failed) + of + " fail";
  if (cell.failed > 0 && cell.lacking > 0) text += ", ";
  if (cell.lacking > 0) {
    text += std::to_string(cell.lacking) + (cell.failed > 0 ? "" : of) +
            " not offered";
  }
  return text;
}

std::string figures_text(const Cell& cell) {
  std::string text = cell.claim;
  if (cell.worst >= 0) text += ", worst " + ratio_text(cell.worst);
  if (cell.phase_rho >= 0) text += ", rho " + ratio_text(cell.phase_rho);
  return text;
}

std::string backend_text(const Cell& cell) {
  return cell.backend.empty() ? "" : "on " + cell.backend;
}

std::string kind_text(const Cause& cause) {
  return text::word(cause.waiver.kind);
}

std::string place_text(const Cause& cause) {
  const Waiver& waiver = cause.waiver;
  std::string text = waiver.engine;
  if (!waiver.version.empty()) text += " " + waiver.version;
  if (!waiver.asked.empty() && waiver.asked != "*") text += ", " + waiver.asked;
  if (waiver.id != "*") text += ", " + waiver.id;
  return text;
}

std::string speed_text(const SpeedRange& speed) {
  const std::string least = format("%.2g", speed.least);
  const std::string most = format("%.2g", speed.most);
  return least == most ? least : least + " to " + most;
}

std::string origin_text(const Origin& origin, const Scoreboard& board) {
  std::string text = date_text(origin.date);
  if (origin.suite_version != board.origin.suite_version) {
    text += ", ropeproof " + origin.suite_version;
  }
  if (origin.manifest_sha256 != board.origin.manifest_sha256) {
    text += ", other vectors (" + origin.manifest_sha256.substr(0, 12) + ")";
  }
  return text;
}

std::string state_text(const Cause& cause) {
  const std::string day = date_text(cause.waiver.expires);
  switch (cause.state) {
    case Cause::State::kInForce:
      return "until " + day;
    case Cause::State::kExpired:
      return "expired on " + day + "; check it again";
    case Cause::State::kStale:
      return "stale: nothing fails any more; remove it";
    case Cause::State::kOtherVersion:
      return "about a version that was not judged; check it again";
  }
  return "";
}

}  // namespace ropeproof::conformance::report
