/* SPDX-License-Identifier: MIT */
/* Bins, range and channels of a histogram, from its parameters and input. Shared by shapes and backends. */
#ifndef GF_PROTOCOL_OUTPUTS_HISTOGRAM_H
#define GF_PROTOCOL_OUTPUTS_HISTOGRAM_H

#include "op_params.h"
#include "op_table.h"
#include "protocol/base/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of bins: by the edges, the parameter, or the dtype; 0 where none of them gives it. `in` are both inputs.
 */
uint32_t gf_histogram_bins(const struct gf_histogram_params *p, const struct gf_view *in);
/* What the bins cover: GF_HIST_RANGE_GIVEN, _DATA, or _AUTO, which is all values of u8 or u16. */
uint32_t gf_histogram_range(const struct gf_histogram_params *p, uint32_t dtype);
/* How many channels are counted: the first so many, or one of luma. */
uint32_t gf_histogram_planes(const struct gf_histogram_params *p, uint32_t channels);

/* One side of the pairs of histogram2d. */
struct gf_pair_axis {
    uint32_t input, channel; /* from 0 */
    uint32_t bins, range;    /* bins 0: neither parameter nor dtype gives them; range as gf_histogram_range */
    double lo, hi;           /* unless the range is that of the data */
};

/* Side 0 or 1; `in` are both inputs, of which the second may not be given. */
struct gf_pair_axis gf_histogram2d_axis(const struct gf_histogram2d_params *p, const struct gf_view *in, uint32_t axis);

#ifdef __cplusplus
}
#endif
#endif
