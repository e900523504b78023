#include "conformance/text/nearest.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::text {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view given, std::vector<std::string> names,
                    std::size_t most) {
  given = given.substr(0, 200);  // the cost is a product
  std::map<std::string, std::size_t> far;
  for (const std::string& name : names) far[name] = distance(given, name);
  std::ranges::stable_sort(
      names, {}, [&](const std::string& name) { return far.at(name); });
  names.resize(std::min(names.size(), most));
  return joined(names, ", ");
}

std::string suggestion(std::string_view given,
                       const std::vector<std::string>& names) {
  const std::string name = nearest(given, names, 1);
  const std::size_t most = std::max(given.size(), name.size()) / 2;
  const bool is_near = given.size() <= 200 && distance(given, name) <= most;
  return is_near ? "; nearest is " + name : "";
}

}  // namespace ropeproof::conformance::text
