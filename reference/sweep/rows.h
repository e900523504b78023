// rows.h -- double-double arithmetic on one row of pairs, compiled for the
// processor at hand.
#ifndef ROPEPROOF_REFERENCE_SWEEP_ROWS_H_
#define ROPEPROOF_REFERENCE_SWEEP_ROWS_H_

#include <span>

#include "reference/sweep/double_double.h"

namespace ropeproof::reference::sweep {

// row[j] = row[j] * factor[j].
void multiply_row(std::span<CosSin> row, const CosSin* factor);

// The unrounded rotations: y_u = x_u c - x_v s, y_v = x_u s + x_v c.
void rotate_row(std::span<const CosSin> row, const double* x_u,
                const double* x_v, DoubleDouble* y_u, DoubleDouble* y_v);

}  // namespace ropeproof::reference::sweep

#endif  // ROPEPROOF_REFERENCE_SWEEP_ROWS_H_
