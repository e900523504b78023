// case_words.h -- the words of storages and defects.
#pragma once

#include "conformance/cases/case.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {

inline constexpr text::Words<Storage, 4> kStorageWords{
    {{kDense, "dense"},
     {kInPlace, "in_place"},
     {kStrided, "strided"},
     {kStridedInPlace, "strided_in_place"}}};

inline constexpr text::Words<DimensionOrder, 4> kOrderWords{
    {{DimensionOrder::kBshd, "bshd"},
     {DimensionOrder::kBhsd, "bhsd"},
     {DimensionOrder::kSbhd, "sbhd"},
     {DimensionOrder::kPacked, "packed"}}};
constexpr const auto& table_of(DimensionOrder) { return kOrderWords; }

inline constexpr text::Words<Spacing, 10> kSpacingWords{
    {{Spacing::kDense, "dense"},
     {Spacing::kGaps, "gaps"},
     {Spacing::kQueriesApart, "q_apart"},
     {Spacing::kKeysApart, "k_apart"},
     {Spacing::kKeyCache, "k_cache"},
     {Spacing::kOutputsApart, "outputs_apart"},
     {Spacing::kBroadcast, "broadcast"},
     {Spacing::kKeysBroadcast, "k_broadcast"},
     {Spacing::kWide, "wide"},
     {Spacing::kFar, "far"}}};
constexpr const auto& table_of(Spacing) { return kSpacingWords; }

inline constexpr text::Words<RowSpacing, 5> kRowSpacingWords{
    {{RowSpacing::kDense, "dense"},
     {RowSpacing::kGaps, "gaps"},
     {RowSpacing::kShared, "shared"},
     {RowSpacing::kWide, "wide"},
     {RowSpacing::kFar, "far"}}};
constexpr const auto& table_of(RowSpacing) { return kRowSpacingWords; }

inline constexpr text::Words<InPlace, 4> kInPlaceWords{
    {{InPlace::kNone, "out"},
     {InPlace::kBoth, "in"},
     {InPlace::kQueries, "q_in"},
     {InPlace::kKeys, "k_in"}}};
constexpr const auto& table_of(InPlace) { return kInPlaceWords; }

inline constexpr text::Words<BufferEdge, 3> kEdgeWords{
    {{BufferEdge::kEnd, "end"},
     {BufferEdge::kStart, "start"},
     {BufferEdge::kUnaligned, "unaligned"}}};
constexpr const auto& table_of(BufferEdge) { return kEdgeWords; }

inline constexpr text::Words<Defect, 14> kDefectWords{
    {{Defect::kOddRotaryDim, "odd_rotary_dim"},
     {Defect::kRotaryDimAboveHeadDim, "rotary_dim_above_head_dim"},
     {Defect::kZeroRotaryDim, "zero_rotary_dim"},
     {Defect::kWindowBeyondHead, "window_beyond_head"},
     {Defect::kNegativeBatch, "negative_batch"},
     {Defect::kZeroDirection, "zero_direction"},
     {Defect::kNonFiniteBase, "non_finite_base"},
     {Defect::kNullInput, "null_input"},
     {Defect::kNullOutput, "null_output"},
     {Defect::kNullPositions, "null_positions"},
     {Defect::kOverlappingTensors, "overlapping_tensors"},
     {Defect::kOverlappingRows, "overlapping_rows"},
     {Defect::kIdOutOfRange, "id_out_of_range"},
     {Defect::kNegativeId, "negative_id"}}};
constexpr const auto& table_of(Defect) { return kDefectWords; }

}  // namespace ropeproof::conformance::cases
