// test_formed.h -- a plain kernel and a selection that forms few cases for it.
#pragma once

#include <memory>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/runner.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {

inline plugin::Description plain() {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_OUT_OF_PLACE;
  d.scalings = d.axis_maps = d.caches = 0;
  d.max_position = 1 << 20;
  return d;
}

// The core tier without the prompts of models: nearly all elements are theirs.
inline Selection core(std::uint64_t seed = 0) {
  static const auto kArrays = [] {
    cover::Arrays arrays = cover::load_arrays(cases::kVectors);
    std::erase_if(arrays.shapes, [](const cover::Shape& shape) {
      constexpr std::int64_t kMostElements = 1 << 14;
      const cover::Sizes& n = shape.sizes;
      return n.at("batch") * n.at("seq") * n.at("q_heads") * n.at("pairs") * 2 >
             kMostElements;
    });
    return std::make_shared<const cover::Arrays>(std::move(arrays));
  }();
  Selection selection;
  selection.arrays = kArrays;
  selection.seed = seed;
  return selection;
}

// The committed cases of one family: the formed ones are what is looked at
// here.
inline const cases::Corpus& few() {
  static const cases::Corpus kFew = [] {
    cases::Corpus corpus = cases::committed();
    corpus.groups.resize(1);
    return corpus;
  }();
  return kFew;
}

}  // namespace ropeproof::conformance::check
