#include "conformance/report/waivers.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "conformance/text/file.h"
#include "conformance/text/format.h"
#include "conformance/text/one_line.h"
#include "conformance/text/sha256.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/wildcard.h"

namespace ropeproof::conformance::report {
namespace {

constexpr const char* kFormat = "ropeproof-waivers/1";
constexpr std::uintmax_t kMaxWaiverBytes = std::uintmax_t{1} << 20;
constexpr std::size_t kMaxTextBytes = 500;

// One line that says something.
std::string line_of(text::StrictObject& object, const char* key) {
  const std::string text = object.text(key);
  const bool is_line = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
  if (text.empty() || text.size() > kMaxTextBytes || !is_line) {
    object.fail(key, "expected one line of 1 to " +
                         std::to_string(kMaxTextBytes) + " bytes");
  }
  return text;
}

Waiver waiver_of(const nlohmann::json& node, const std::string& where) {
  text::StrictObject object(node, where);
  Waiver waiver;
  waiver.id = line_of(object, "id");
  waiver.engine = line_of(object, "engine");
  waiver.reason = line_of(object, "reason");
  waiver.link = line_of(object, "link");
  if (!waiver.link.starts_with("https://") &&
      !waiver.link.starts_with("http://")) {
    object.fail("link", "expected an address that begins with https://");
  }
  try {
    waiver.expires = parse_date(object.text("expires"));
  } catch (const std::invalid_argument& error) {
    object.fail("expires", error.what());
  }
  const auto line_if_any = [&](const char* key) {
    return object.find(key) == nullptr ? "" : line_of(object, key);
  };
  waiver.version = line_if_any("version");
  waiver.asked = line_if_any("asked");
  if (object.find("kind") != nullptr) {
    waiver.kind = object.word("kind", kWaiverKindWords);
  }
  waiver.where = line_if_any("where");
  waiver.smallest = line_if_any("case");
  waiver.fix = line_if_any("fix");
  if (waiver.kind == WaiverKind::kDefect) {
    for (const char* key : {"where", "case", "fix"}) {
      if (object.find(key) == nullptr)
        object.fail(key, "missing; a defect has where, case and fix");
    }
  }
  object.finish();
  return waiver;
}

}  // namespace

Waivers parse_waivers(const std::string& text, const std::string& file) {
  try {
    const nlohmann::json document = text::parse_json(text, file);
    text::StrictObject object(document, file);
    object.expect("format", kFormat);
    Waivers waivers{file, text::sha256(text), {}};
    const nlohmann::json& list = object.array("waivers");
    for (std::size_t i = 0; i < list.size(); ++i) {
      waivers.entries.push_back(waiver_of(
          list[i], object.at("waivers") + "[" + std::to_string(i) + "]"));
    }
    object.finish();
    return waivers;
  } catch (const text::FileError& error) {
    throw std::invalid_argument(text::one_line(error.what()));
  }
}

Waivers read_waivers(const std::string& file) {
  try {
    return parse_waivers(text::read_file(file, kMaxWaiverBytes), file);
  } catch (const text::FileError& error) {
    throw std::invalid_argument(error.what());
  }
}

bool is_expired(const Waiver& waiver, const Date& today) {
  return waiver.expires < today;
}

void check_patterns(const Waivers& waivers,
                    const std::vector<std::string>& ids) {
  for (const Waiver& waiver : waivers.entries) {
    if (std::none_of(ids.begin(), ids.end(), [&](const std::string& id) {
          return text::matches(waiver.id, id);
        })) {
      throw std::invalid_argument(
          waivers.file + ": the waiver of \"" + waiver.id + "\" for " +
          waiver.engine + " matches no case; `ropeproof list` names them all");
    }
  }
}

Date today() {
  return Date(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
}

std::string date_text(const Date& date) {
  return text::format("%04d-%02u-%02u", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()),
                      static_cast<unsigned>(date.day()));
}

Date parse_date(std::string_view text) {
  const auto number = [&](std::size_t at, std::size_t length) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + length, value);
    return value;
  };
  bool is_form = text.size() == 10;
  for (std::size_t i = 0; is_form && i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    is_form = i == 4 || i == 7 ? text[i] == '-' : is_digit;
  }
  if (!is_form) throw std::invalid_argument("expected a day as 2027-03-31");
  const Date date{std::chrono::year(static_cast<int>(number(0, 4))),
                  std::chrono::month(number(5, 2)),
                  std::chrono::day(number(8, 2))};
  if (!date.ok()) throw std::invalid_argument("no calendar has this day");
  return date;
}

}  // namespace ropeproof::conformance::report
