// page.h -- the pictures on one page.
#pragma once

#include <string>
#include <vector>

#include "conformance/models/preset.h"

namespace ropeproof::conformance::gallery {

// Returns a self-contained HTML document without a script: encodings, RoPE, the
// spectrum of every model whose frequencies are known. Cost: a few seconds.
std::string gallery_page(const std::vector<models::Model>& models);

}  // namespace ropeproof::conformance::gallery
