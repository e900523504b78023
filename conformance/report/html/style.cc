#include "conformance/report/html/style.h"

#include "conformance/report/html/figures.h"
#include "conformance/text/markup.h"

namespace ropeproof::conformance::report {
namespace {

constexpr const char* kPageStyle = R"(
:root { color-scheme: light dark; --page: #ffffff; --ink: #1f2328;
  --soft: #59636e; --line: #d1d9e0; --grid: #e3e6ea; --zero: #ffffff;
  --panel: #f6f8fa; --low: #0b5cad; --high: #b3261e; --c0: #0969da;
  --c1: #c2560c; --c2: #6e7781; --c3: #8250df; --good: #116329;
  --part: #7d4e00; --red: #a40e26; --good-page: #dafbe1;
  --part-page: #fff8c5; --red-page: #ffebe9; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --ink: #e6edf3; --soft: #9da7b3; --line: #30363d;
    --grid: #21262d; --zero: #161b22; --panel: #161b22; --low: #58a6ff;
    --high: #ff7b72; --c0: #58a6ff; --c1: #f0883e; --c2: #9da7b3;
    --c3: #bc8cff; --good: #56d364; --part: #e3b341; --red: #ff938a;
    --good-page: #12261e; --part-page: #272115; --red-page: #2d1618; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
nav { padding: 8px 16px; border-bottom: 1px solid var(--line); }
nav a { color: inherit; margin-right: 16px; display: inline-block; }
main { max-width: 1240px; margin: 0 auto; padding: 16px 16px 64px; }
header { padding: 16px 20px; border-radius: 8px; border: 1px solid; }
.good { background: var(--good-page); border-color: var(--good); }
.part { background: var(--part-page); border-color: var(--part); }
.red { background: var(--red-page); border-color: var(--red); }
.good h1 { color: var(--good); } .part h1 { color: var(--part); }
.red h1 { color: var(--red); }
h1 { font-size: 25px; line-height: 1.25; margin: 0 0 10px; }
h2 { font-size: 20px; margin: 40px 0 10px; }
h3 { font-size: 16px; margin: 18px 0 6px; }
p, dd, li, summary, h1, h3, figcaption { overflow-wrap: anywhere; }
p { margin: 6px 0; max-width: 84ch; }
ul { margin: 6px 0; padding-left: 20px; max-width: 84ch; }
.kernel { font-weight: 600; }
.statement, .soft, figcaption, caption { color: var(--soft); }
dl { margin: 6px 0; display: grid; gap: 2px 14px;
  grid-template-columns: max-content minmax(0, 1fr); }
dt { color: var(--soft); grid-column: 1; } dd { margin: 0; grid-column: 2; }
code, pre { font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; }
pre { background: var(--panel); border: 1px solid var(--line); margin: 10px 0;
  border-radius: 6px; padding: 10px 12px; overflow-x: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 8px 0; }
caption { text-align: left; padding: 0 0 6px; font-size: 14px; }
caption { max-width: calc(100vw - 48px); }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 8px;
  border: 1px solid var(--line); font-size: 14px; }
thead th { background: var(--panel); font-size: 13px; }
tbody th { font-weight: 500; white-space: nowrap; }
td { min-width: 56px; }
details td:last-child { min-width: 240px; }
.number, td[class^=heat] { font-variant-numeric: tabular-nums; }
.number { text-align: right; }
.classes caption { min-width: 290px; }
.classes td span { display: block; font-size: 12px; color: var(--soft); }
td.heat5, td.heat6, td.heat7 { font-weight: 600; }
td.none { color: var(--soft); font-size: 12.5px; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 10px;
  padding: 8px 14px; }
summary { cursor: pointer; } summary b { margin-left: 6px; }
.fault { border-left: 4px solid var(--red); padding: 0 0 0 14px;
  margin: 0 0 16px; }
.fault h3 { margin-top: 0; }
.figures { columns: 2 500px; column-gap: 20px; }
figure, .absent { margin: 0 0 20px; padding: 12px 14px; break-inside: avoid;
  border: 1px solid var(--line); border-radius: 8px; }
figure h3, .absent h3 { margin: 0 0 8px; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { margin: 8px 0 0; font-size: 14px; }
:focus-visible { outline: 3px solid var(--c0); outline-offset: 2px; }
.label { font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif;
  fill: var(--ink); }
.label.soft { fill: var(--soft); }
.upright { transform: rotate(-90deg); transform-box: fill-box;
  transform-origin: center; }
.power { font-size: 9px; }
.rule { stroke: var(--grid); } .axis { stroke: var(--soft); }
.curve { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.fill0 { fill: var(--c0); } .fill1 { fill: var(--c1); }
.fill2 { fill: var(--c2); } .fill3 { fill: var(--c3); }
.stroke0 { stroke: var(--c0); } .stroke1 { stroke: var(--c1); }
.stroke2 { stroke: var(--c2); }
.nothing { fill: var(--page); stroke: var(--line); }
.unjudged { fill: var(--panel); }
.cross { stroke: var(--ink); stroke-width: 0.7; opacity: 0.55; }
.hatch { stroke: var(--soft); stroke-width: 0.6; opacity: 0.6; }
@media (max-width: 520px) {
  .label { font-size: 15px; } .power { font-size: 11px; }
  h1 { font-size: 21px; } dl { display: block; } dt { margin-top: 6px; }
}
@media print { nav { display: none; } }
)";

}  // namespace

std::string page_start(const std::string& title, bool has_since) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta "
         "charset=\"utf-8\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<title>" +
         text::escaped(title) + "</title>\n<style>" + kPageStyle +
         figure_style() +
         "</style>\n</head>\n<body>\n<nav aria-label=\"Sections\">" +
         (has_since ? "<a href=\"#since\">Since</a>" : "") +
         "<a href=\"#judged\">Judged</a><a href=\"#diagnosis\">Diagnosis</a><a "
         "href=\"#failures\">Failures</a><a href=\"#pictures\">Pictures</a>"
         "</nav>\n";
}

}  // namespace ropeproof::conformance::report
