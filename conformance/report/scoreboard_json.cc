// The rows of a scoreboard as JSON, written and read by one list of members.
#include "conformance/report/json_codec.h"
#include "conformance/report/report_reader.h"
#include "conformance/report/scoreboard.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::report {

static constexpr const char* kBoardFormat = "ropeproof-scoreboard/1";
static constexpr text::Words<Cell::Kind, 3> kKindWords{
    {{Cell::Kind::kConforms, "conforms"},
     {Cell::Kind::kInPart, "in part"},
     {Cell::Kind::kRed, "red"}}};

struct KeptCell {
  Column column;
  Cell cell;
  std::vector<std::string> reasons;
};

template <class Codec>
void members(Codec& c, Is<KeptCell> auto& kept) {
  auto& [column, cell, reasons] = kept;
  c.value("asked", column.asked);
  c.optional("profile", column.profile);
  c.word("verdict", cell.kind, kKindWords);
  c.value("level", cell.level);
  c.value("claim", cell.claim);
  c.optional("backend", cell.backend);
  c.optional("covers", cell.covers);
  c.number("worst", cell.worst);
  c.number("rho", cell.phase_rho);
  if (c.has("checks", cell.kind == Cell::Kind::kRed)) {
    c.value("checks", cell.asked);
    c.value("failed", cell.failed);
    c.value("lacking", cell.lacking);
  }
  c.optional("causes", reasons);
  if (c.has("unexplained", cell.unexplained > 0)) {
    c.value("unexplained", cell.unexplained);
  }
}

template <class Codec>
void members(Codec& c, Is<SpeedRange> auto& speed) {
  c.number("least", speed.least);
  c.number("most", speed.most);
}

template <class Codec>
void members(Codec& c, Is<KeptRow> auto& kept) {
  auto& [row, columns, reasons] = kept;
  std::string day;
  std::vector<KeptCell> cells;
  if constexpr (!Codec::kReads) {
    day = date_text(row.origin.date);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      cells.push_back({columns[i], *row.cells[i], reasons[i]});
    }
  }
  c.value("engine", row.engine.name);
  c.value("version", row.engine.version);
  c.value("date", day);
  c.value("ropeproof", row.origin.suite_version);
  c.value("vectors", row.origin.vectors_version);
  c.value("manifest", row.origin.manifest_sha256);
  if (c.has("speed", row.speed.has_value())) {
    SpeedRange speed = row.speed.value_or(SpeedRange{});
    c.object("speed", speed);
    if constexpr (Codec::kReads) row.speed = speed;
  }
  c.list("cells", cells);
  if constexpr (Codec::kReads) {
    row.origin.date = parse_date(day);
    for (KeptCell& cell : cells) {
      columns.push_back(cell.column);
      row.cells.emplace_back(cell.cell);
      reasons.push_back(cell.reasons);
    }
  }
}

// A row is a line, so that those that change are seen.
static std::string text_of(const std::vector<KeptRow>& rows) {
  std::string text;
  for (const KeptRow& row : rows) {
    Writer out;
    members(out, row);
    text += (text.empty() ? "  " : ",\n  ") + out.json.dump();
  }
  return std::string("{\"format\": \"") + kBoardFormat + "\",\n \"rows\": [\n" +
         text + "\n]}\n";
}

std::string scoreboard_json(const Scoreboard& board) {
  std::vector<KeptRow> rows;
  for (const EngineRow& row : board.rows) {
    KeptRow& kept = rows.emplace_back();
    kept.row = {row.engine, row.origin, {}, row.speed};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i]) continue;
      kept.row.cells.push_back(row.cells[i]);
      kept.columns.push_back(board.columns[i]);
      std::vector<std::string>& reasons = kept.reasons.emplace_back();
      for (const std::size_t cause : row.cells[i]->causes) {
        reasons.push_back(board.causes[cause].waiver.reason);
      }
    }
  }
  return text_of(rows);
}

std::vector<KeptRow> read_kept(const std::string& text,
                               const std::string& file) {
  std::vector<KeptRow> rows;
  try {
    const Json json = Json::parse(text);
    Reader{json}.list("rows", rows);
    if (text_of(rows) == text) return rows;
  } catch (const std::exception&) {
    // A member is missing or of another type.
  }
  throw ReportError(text::one_line(
      file + ": no rows as `ropeproof matrix` writes them in scoreboard.json"));
}

}  // namespace ropeproof::conformance::report
