#include "conformance/gallery/page.h"

#include "conformance/gallery/pictures.h"
#include "conformance/models/spectrum_svg.h"
#include "conformance/text/markup.h"

namespace ropeproof::conformance::gallery {
namespace {

using text::escaped;

constexpr const char* kStyle = R"(
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 1360px; margin: 0 auto; padding: 28px 16px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 20px; margin: 40px 0 12px; }
p { margin: 0 0 8px; max-width: 72ch; }
.cards { display: grid; gap: 20px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); }
figure { margin: 0; padding: 14px; background: var(--card); min-width: 0;
  border: 1px solid var(--line); border-radius: 8px; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { margin: 10px 0 0; font-size: 14.5px; color: var(--soft); )"
                               R"(max-width: 72ch; }
figcaption b { color: var(--ink); font-weight: 600; }
.models figure { padding: 6px; scroll-margin-top: 12px; }
.scroll { overflow-x: auto; }
.models svg { min-width: 600px; }
nav { font-size: 14px; columns: 15em; column-gap: 20px; margin: 0 0 20px; }
nav a { display: block; color: var(--ink); text-underline-offset: 3px;
  padding: 2px 0; overflow-wrap: anywhere; break-inside: avoid; }
code { font-size: 0.92em; }
@media (max-width: 520px) { .label { font-size: 15px; } .models svg { )"
                               R"(min-width: 520px; } }
)";

std::string card(const std::string& svg, const std::string& name,
                 const std::string& words) {
  return "<figure>\n" + svg + "<figcaption><b>" + name + ".</b> " + words +
         "</figcaption>\n</figure>\n";
}

}  // namespace

std::string gallery_page(const std::vector<models::Model>& models) {
  std::string links, spectra;
  for (const models::Model& model : models) {
    if (!model.ropes.front().has_frequencies) continue;
    const std::string id = escaped(model.id);
    links += "<a href=\"#" + id + "\">" +
             escaped(model.title.empty() ? model.id : model.title) + "</a>\n";
    spectra += "<figure id=\"" + id + "\"><div class=\"scroll\">\n" +
               models::spectrum_svg(model) + "</div></figure>\n";
  }
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta "
         "charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\">\n<title>ropeproof: position encodings</title>\n"
         "<style>" +
         gallery_style() + kStyle +
         "</style>\n</head>\n<body>\n<main>\n<h1>Position encodings</h1>\n"
         "<p>Drawn by <code>ropeproof gallery</code>. Every value of an "
         "encoding "
         "is correct to its last digit; <code>ropeproof encode</code> prints "
         "them.</p>\n<h2>Before RoPE</h2>\n<div class=\"cards\">\n" +
         card(binary_picture(), "Binary",
              "A position as its binary digits, a row each. The low digits "
              "change "
              "fast, the high ones slowly; neighbours such as 31 and 32 differ "
              "in "
              "all of them.") +
         card(sinusoidal_picture(), "Sinusoidal",
              "The same idea with waves: sine and cosine in turn, 64 channels "
              "downwards, each pair slower than the one above. A shift by k is "
              "one "
              "linear map for all positions.") +
         "</div>\n<h2>RoPE</h2>\n<div class=\"cards\">\n" +
         card(rotation_picture(), "Three tokens",
              "Queries and keys of two channels, rotated counter-clockwise by "
              "10, 20 "
              "and 30 degrees. Lengths stay; the angle between a query and a "
              "key "
              "changes by the difference of their positions.") +
         card(decay_picture(), "Long-range decay",
              "The mean of cos(p θ) over all pairs: the score of one query "
              "and the same key at the distance p, as far as both have equal "
              "shares in every pair. It is printed as an upper bound of scores "
              "and is none: with two channels and p = 3 it is −0.99, where two "
              "unit vectors can score 1.") +
         "</div>\n<h2>Frequencies of models</h2>\n"
         "<p>How many positions a full circle takes, for each pair; dashed "
         "before "
         "the scaling.</p>\n<nav>\n" +
         links + "</nav>\n<div class=\"cards models\">\n" + spectra +
         "</div>\n</main>\n</body>\n</html>\n";
}

}  // namespace ropeproof::conformance::gallery
