// page.h -- the pictures on one page.
#ifndef ROPEPROOF_CONFORMANCE_GALLERY_PAGE_H_
#define ROPEPROOF_CONFORMANCE_GALLERY_PAGE_H_

#include <string>
#include <vector>

#include "conformance/models/preset.h"

namespace ropeproof::conformance::gallery {

// Returns a self-contained HTML document without a script: encodings, RoPE, the
// spectrum of every model whose frequencies are known. Cost: a few seconds.
std::string gallery_page(const std::vector<models::Model>& models);

}  // namespace ropeproof::conformance::gallery

#endif  // ROPEPROOF_CONFORMANCE_GALLERY_PAGE_H_
