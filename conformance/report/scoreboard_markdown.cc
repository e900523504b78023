#include <string_view>

#include "conformance/report/scoreboard.h"
#include "conformance/text/markup.h"

namespace ropeproof::conformance::report {
namespace {

// Text from elsewhere, without a meaning in Markdown, in tables too.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text::escaped(text)) {
    if (std::string_view("\\`*_[]#|~").find(c) != std::string_view::npos) {
      result += '\\';
    }
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string link(const std::string& address) {
  std::string target;
  for (const char c : address) {
    target += c == '<'   ? "%3C"
              : c == '>' ? "%3E"
              : c == ' ' ? "%20"
              : c == '|' ? "%7C"
                         : std::string(1, c);
  }
  return "[link](<" + target + ">)";
}

std::string cell_text(const Scoreboard& board,
                      const std::optional<Cell>& cell) {
  if (!cell) return "";
  std::string text = cell->kind == Cell::Kind::kRed
                         ? "**" + verdict_text(*cell) + "**"
                         : verdict_text(*cell);
  text += "<br>" + figures_text(*cell);
  const std::string on = plain(backend_text(*cell));
  if (!on.empty()) text += "<br>" + on;
  for (const std::size_t cause : cell->causes) {
    const std::string number = std::to_string(cause + 1);
    text += "<br>" + kind_text(board.causes[cause]) + " [" + number +
            "](#cause-" + number + ")";
  }
  if (cell->expired > 0) text += "<br>**cause expired**";
  if (cell->unexplained > 0) text += "<br>**unexplained**";
  return text;
}

std::string markdown_table(const Scoreboard& board) {
  bool has_speed = false;
  for (const EngineRow& row : board.rows) has_speed |= row.speed.has_value();
  std::string head = "| engine | judged |", line = "|---|---|";
  if (has_speed) head += " speed |", line += "---|";
  for (const Column& column : board.columns) {
    head += " " + plain(heading_text(column)) + " |";
    line += "---|";
  }
  std::string text = head + "\n" + line + "\n";
  for (const EngineRow& row : board.rows) {
    text += "| " + plain(row.engine.name) + " " + plain(row.engine.version) +
            " | " + plain(origin_text(row.origin, board)) + " |";
    if (has_speed) {
      text += " " + (row.speed ? speed_text(*row.speed) : "") + " |";
    }
    for (const std::optional<Cell>& cell : row.cells) {
      text += " " + cell_text(board, cell) + " |";
    }
    text += "\n";
  }
  return text;
}

// " Fix: round up."
std::string sentence(const std::string& label, const std::string& text) {
  if (text.empty()) return "";
  return " " + label + plain(text) + (text.ends_with('.') ? "" : ".");
}

std::string cause_text(const Cause& cause, std::size_t number) {
  const Waiver& waiver = cause.waiver;
  const std::string anchor = std::to_string(number);
  return anchor + ". <a id=\"cause-" + anchor + "\"></a>**" +
         plain(place_text(cause)) + "**: " + kind_text(cause) + ", " +
         state_text(cause) + "." + sentence("", waiver.reason) +
         sentence("Where: ", waiver.where) +
         sentence("Smallest case: ", waiver.smallest) +
         sentence("Fix: ", waiver.fix) + " " + link(waiver.link) + "\n";
}

}  // namespace

std::string scoreboard_markdown(const Scoreboard& board) {
  std::string text =
      "# Engines, judged\n\n![" + count_text(board) + "](badge.svg)\n\n" +
      "By ropeproof " + plain(board.origin.suite_version) + ", vectors " +
      plain(board.origin.vectors_version) + ", on " +
      date_text(board.origin.date) +
      ". Written by `ropeproof matrix`; nobody edits it. In colour: "
      "[scoreboard.html](scoreboard.html).\n\n" +
      markdown_table(board) +
      "\nA cell says the level, then the claimed class of angles, the largest "
      "error over its bound, and rho, the\nlargest phase error over that of an "
      "f32 frequency rounded once "
      "([levels](../README.md#levels-and-profiles)).\n"
      "Bold does not conform; the number is its cause. An empty cell was not "
      "asked. Speed is the time of the\nmachine's limit over the engine's "
      "([bench](../bench/README.md)).\n";
  if (!board.backends.empty()) {
    text +=
        "\n## Stand-ins for a device\n\nA verdict on one of these covers:\n\n";
  }
  for (const auto& [name, covers] : board.backends) {
    text += "- " + plain(name) + ": " + plain(covers) + "\n";
  }
  if (!board.causes.empty()) text += "\n## Causes\n\n";
  for (std::size_t i = 0; i < board.causes.size(); ++i) {
    text += cause_text(board.causes[i], i + 1);
  }
  const std::vector<std::string> open = open_points(board);
  if (!open.empty()) text += "\n## Open\n\n";
  for (const std::string& point : open) text += "- " + plain(point) + "\n";
  return text;
}

}  // namespace ropeproof::conformance::report
