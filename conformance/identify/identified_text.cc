#include <algorithm>

#include "conformance/identify/identify.h"
#include "conformance/plugin/description_json.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::identify {
namespace {

struct Heading {
  Standing standing;
  const char* key;
  const char* words;
};
constexpr Heading kHeadings[] = {
    {Standing::kDiffers, "differs", "contradicts what is declared or asked"},
    {Standing::kDeclared, "declared", "as declared"},
    {Standing::kMeasured, "measured",
     "measured: no declaration says how it should be"},
    {Standing::kUnseen, "unseen", "could not be seen"}};

std::string list_text(const std::vector<Finding>& findings, Standing standing) {
  std::string text, subject;
  for (const Finding& f : findings) {
    if (f.standing != standing) continue;
    constexpr std::size_t kIndent = 19;
    text += report::paragraph(
        f.subject == subject ? "" : f.subject,
        f.seen + (f.evidence.empty() ? "" : "; " + f.evidence), kIndent);
    subject = f.subject;
  }
  return text;
}

std::string brief(const Identified& found) {
  const auto differing = std::ranges::count_if(
      found.findings,
      [](const Finding& f) { return f.standing == Standing::kDiffers; });
  std::string text = found.kernel.name + " " + found.kernel.version + ": ";
  if (found.is_as_declared()) {
    text += "as declared in all that was seen";
  } else if (differing > 0) {
    text += std::to_string(differing) + " finding" +
            (differing == 1 ? " contradicts" : "s contradict") +
            " what is declared or asked";
  } else if (found.right < found.asked) {
    text += "wrong answers";
  } else {
    text += "not all could be seen";
  }
  text += "\n" + std::to_string(found.calls) + " calls to read it";
  if (found.asked > 0) {
    text += ", " + text::part_of(found.right, found.asked) +
            " other answers within bounds";
  }
  return text + "\n";
}

}  // namespace

std::string identified_text(const Identified& found) {
  std::string text = brief(found);
  if (!found.trouble.empty()) {
    text += "\ntrouble\n" + report::paragraph("call", found.trouble);
  }
  for (const auto& [standing, key, words] : kHeadings) {
    const std::string list = list_text(found.findings, standing);
    if (!list.empty()) text += std::string("\n") + words + "\n" + list;
    if (standing == Standing::kDiffers && !found.diagnoses.empty()) {
      text += "\nexplains the wrong answers\n" +
              report::diagnoses_text(found.diagnoses, false);
      text.pop_back();
    }
  }
  return text;
}

std::string identified_json(const Identified& found) {
  using plugin::Json;
  Json json;
  json["format"] = "ropeproof-identified/1";
  json["kernel"] = plugin::description_json(found.kernel);
  json["as_declared"] = found.is_as_declared();
  json["calls"] = found.calls;
  json["trouble"] = found.trouble;
  json["judged"] = found.asked;
  json["within_bounds"] = found.right;
  json["findings"] = Json::array();
  for (const Finding& f : found.findings) {
    const auto* heading =
        std::ranges::find(kHeadings, f.standing, &Heading::standing);
    json["findings"].push_back({{"standing", heading->key},
                                {"subject", f.subject},
                                {"seen", f.seen},
                                {"evidence", f.evidence}});
  }
  json["diagnoses"] = Json::array();
  for (const explain::Diagnosis& d : found.diagnoses) {
    json["diagnoses"].push_back({{"what", d.what},
                                 {"aliases", d.aliases},
                                 {"where", d.where.word()},
                                 {"bug", d.bug.key()},
                                 {"equation", d.equation},
                                 {"advice", d.advice},
                                 {"checks", d.checks},
                                 {"tried", d.tried}});
  }
  json["spectra"] = Json::array();
  for (const Spectrum& spectrum : found.spectra) {
    Json pairs = Json::array();
    for (const PairFrequency& p : spectrum.pairs) {
      pairs.push_back({{"pair", p.pair},
                       {"due", p.due},
                       {"measured", p.measured},
                       {"error", p.error}});
    }
    json["spectra"].push_back({{"problem", spectrum.title}, {"pairs", pairs}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ropeproof::conformance::identify
