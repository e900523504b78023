#include <algorithm>

#include "conformance/report/scoreboard.h"
#include "conformance/text/markup.h"

namespace ropeproof::conformance::report {
namespace {

using text::escaped;

// A table where there is room for one, of a dozen profiles on 1440 pixels; else
// each engine is a card, and each cell begins with the name of its column. Text
// says what colours say.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --page: #ffffff; --ink: #1f2328; )"
                               R"(--soft: #59636e;
  --line: #d1d9e0; --good: #dafbe1; --good-ink: #116329; --part: #fff8c5;
  --part-ink: #7d4e00; --red: #ffebe9; --red-ink: #a40e26; --head: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --ink: #e6edf3; --soft: #9da7b3; --line: #30363d;
    --good: #12261e; --good-ink: #56d364; --part: #272115; --part-ink: #e3b341;
    --red: #2d1618; --red-ink: #ff938a; --head: #161b22; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 1440px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 26px; margin: 0 0 12px; }
h2 { font-size: 19px; margin: 32px 0 8px; }
p { margin: 8px 0; max-width: 76ch; }
.soft, .figures { color: var(--soft); }
.table { overflow-x: auto; margin: 16px 0; border: 1px solid var(--line);
  border-radius: 6px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 6px 5px;
  border-bottom: 1px solid var(--line); }
tr:last-child > * { border-bottom: 0; }
td + td, th + th, th + td { border-left: 1px solid var(--line); }
thead th { background: var(--head); font-size: 12px; vertical-align: bottom;
  min-width: 70px; overflow-wrap: anywhere; }
tbody th { position: sticky; left: 0; background: var(--page); )"
                               R"(white-space: nowrap;
  font-size: 14px; }
.version, .figures, .cause { display: block; font-size: 12.5px; )"
                               R"(font-weight: 400; }
.version { color: var(--soft); }
.figures { font-size: 11.5px; font-variant-numeric: tabular-nums; }
.verdict { font-weight: 600; }
.good { background: var(--good); } .good .verdict { color: var(--good-ink); }
.part { background: var(--part); } .part .verdict { color: var(--part-ink); }
.red { background: var(--red); } .red .verdict, .open { color: var(--red-ink); }
.open { display: block; font-weight: 600; }
a { color: inherit; }
.causes li { margin: 0 0 14px; max-width: 76ch; overflow-wrap: anywhere; }
.causes li:target { outline: 2px solid var(--soft); outline-offset: 4px; }
dl { margin: 2px 0 0; display: grid; grid-template-columns: )"
                               R"(max-content 1fr; gap: 0 12px; }
dt { color: var(--soft); } dd { margin: 0; }
@media (max-width: 760px) {
  .table { border: 0; }
  table, tbody, tr, td, tbody th { display: block; width: 100%; }
  thead { display: none; }
  tr { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 )"
                               R"(14px; overflow: hidden; }
  tbody th { position: static; white-space: normal; background: var(--head); }
  td + td, th + td { border-left: 0; }
  tr > *:last-child { border-bottom: 0; }
  td.none { display: none; }
  td::before { content: attr(data-column); display: block; font-size: 12.5px;
    color: var(--soft); }
}
)";

// A line breaks behind a comma alone.
std::string figures_html(const Cell& cell) {
  std::string html;
  char before = 0;
  for (const char c : escaped(figures_text(cell))) {
    html += c == ' ' && before != ',' ? "&#160;" : std::string(1, c);
    before = c;
  }
  return html;
}

std::string cell_html(const Scoreboard& board, const std::optional<Cell>& cell,
                      const Column& column) {
  if (!cell) return "<td class=\"none\"></td>";
  const char* const kind = cell->kind == Cell::Kind::kConforms ? "good"
                           : cell->kind == Cell::Kind::kInPart ? "part"
                                                               : "red";
  std::string html =
      std::string("<td class=\"") + kind + "\" data-column=\"" +
      escaped(heading_text(column)) + "\"><span class=\"verdict\">" +
      escaped(verdict_text(*cell)) + "</span><span class=\"figures\">" +
      figures_html(*cell) + "</span>";
  const std::string on = escaped(backend_text(*cell));
  if (!on.empty()) html += "<span class=\"figures\">" + on + "</span>";
  for (const std::size_t cause : cell->causes) {
    const std::string number = std::to_string(cause + 1);
    html += "<span class=\"cause\">" + kind_text(board.causes[cause]) +
            " <a href=\"#cause-" + number + "\">" + number + "</a></span>";
  }
  if (cell->expired > 0) html += "<span class=\"open\">cause expired</span>";
  if (cell->unexplained > 0) html += "<span class=\"open\">unexplained</span>";
  return html + "</td>";
}

std::string html_table(const Scoreboard& board) {
  const bool has_speed = std::ranges::any_of(
      board.rows, [](const EngineRow& row) { return row.speed.has_value(); });
  std::string html =
      "<div class=\"table\"><table>\n<thead><tr><th "
      "scope=\"col\">engine</th>";
  const auto head = [&](const std::string& text) {
    html += "<th scope=\"col\">" + escaped(text) + "</th>";
  };
  head("judged");
  if (has_speed) head("speed");
  for (const Column& column : board.columns) head(heading_text(column));
  html += "</tr></thead>\n<tbody>\n";
  for (const EngineRow& row : board.rows) {
    html += "<tr><th scope=\"row\">" + escaped(row.engine.name) +
            "<span class=\"version\">" + escaped(row.engine.version) +
            "</span></th><td data-column=\"judged\">" +
            escaped(origin_text(row.origin, board)) + "</td>";
    if (row.speed) {
      html += "<td data-column=\"speed\">" + speed_text(*row.speed) + "</td>";
    } else if (has_speed) {
      html += "<td class=\"none\"></td>";
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      html += cell_html(board, row.cells[i], board.columns[i]);
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string cause_html(const Cause& cause, std::size_t number) {
  const Waiver& waiver = cause.waiver;
  std::string html = "<li id=\"cause-" + std::to_string(number) + "\"><b>" +
                     escaped(place_text(cause)) + "</b>: " + kind_text(cause) +
                     ". " + escaped(waiver.reason) + "\n<dl>\n";
  const auto add = [&](const char* label, const std::string& value) {
    if (value.empty()) return;
    html += std::string("<dt>") + label + "</dt><dd>" + value + "</dd>\n";
  };
  add("where", escaped(waiver.where));
  add("smallest", escaped(waiver.smallest));
  add("fix", escaped(waiver.fix));
  add("link", "<a href=\"" + escaped(waiver.link) + "\">" +
                  escaped(waiver.link) + "</a>");
  const bool holds = cause.state == Cause::State::kInForce;
  add("holds", (holds ? "" : "<span class=\"open\">") +
                   escaped(state_text(cause)) + (holds ? "" : "</span>"));
  return html + "</dl></li>\n";
}

}  // namespace

std::string scoreboard_html(const Scoreboard& board) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>RoPE engines, judged</title>\n<style>" +
      std::string(kStyle) + "</style>\n</head>\n<body>\n<main>\n" +
      "<h1>RoPE engines, judged</h1>\n<p>" + scoreboard_badge(board) +
      "</p>\n<p class=\"soft\">ropeproof " +
      escaped(board.origin.suite_version) + ", vectors " +
      escaped(board.origin.vectors_version) + ", " +
      date_text(board.origin.date) + "</p>\n" + html_table(board) +
      "<p class=\"soft\">A cell says the level that the engine reaches, then "
      "the "
      "class of angles that it claims, its largest error over the bound of "
      "that "
      "claim, and rho, its largest phase error over that of an f32 frequency "
      "rounded once. Red does not conform, yellow leaves something that is "
      "declared unjudged; an empty cell was not asked. Speed is the time of "
      "the "
      "machine's limit over the engine's.</p>\n";
  if (!board.backends.empty()) {
    html +=
        "<h2>Stand-ins for a device</h2>\n<p>A verdict on one of these "
        "covers:</p>\n<ul>\n";
    for (const auto& [name, covers] : board.backends) {
      html +=
          "<li><b>" + escaped(name) + "</b>: " + escaped(covers) + "</li>\n";
    }
    html += "</ul>\n";
  }
  if (!board.causes.empty()) {
    html += "<h2>Causes</h2>\n<ol class=\"causes\">\n";
    for (std::size_t i = 0; i < board.causes.size(); ++i) {
      html += cause_html(board.causes[i], i + 1);
    }
    html += "</ol>\n";
  }
  const std::vector<std::string> open = open_points(board);
  if (!open.empty()) html += "<h2>Open</h2>\n<ul>\n";
  for (const std::string& point : open) {
    html += "<li>" + escaped(point) + "</li>\n";
  }
  if (!open.empty()) html += "</ul>\n";
  return html + "</main>\n</body>\n</html>\n";
}

std::string scoreboard_badge(const Scoreboard& board) {
  const std::string label = "ropeproof " + board.origin.suite_version;
  const std::string message = count_text(board);
  // The width in DejaVu Sans at 11 pixels; textLength makes other fonts fit.
  const auto width = [](const std::string& text) {
    return static_cast<int>(text.size()) * 13 / 2;
  };
  const int left = width(label) + 14, right = width(message) + 14;
  const auto number = [](int x) { return std::to_string(x); };
  const auto word = [&](const std::string& text, int x) {
    return "<text x=\"" + number(x) + "\" y=\"14\" textLength=\"" +
           number(width(text)) + "\">" + escaped(text) + "</text>";
  };
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" +
         number(left + right) + "\" height=\"20\" aria-label=\"" +
         escaped(label + ": " + message) + "\"><title>" +
         escaped(label + ": " + message) + "</title><rect width=\"" +
         number(left + right) +
         "\" height=\"20\" rx=\"3\" fill=\"#3b434b\"/><path fill=\"" +
         (open_points(board).empty() ? "#0969da" : "#a40e26") + "\" d=\"M" +
         number(left) + " 0h" + number(right - 3) +
         "a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-" + number(right - 3) +
         "z\"/><g fill=\"#fff\" font-family=\"DejaVu Sans, Verdana, "
         "sans-serif\" font-size=\"11\">" +
         word(label, 7) + word(message, left + 7) + "</g></svg>\n";
}

}  // namespace ropeproof::conformance::report
