/* SPDX-License-Identifier: MIT */
/* Bins, range and channels of a histogram, from its parameters and input. Shared by shapes and backends. */
#ifndef GF_PROTOCOL_OUTPUTS_HISTOGRAM_H
#define GF_PROTOCOL_OUTPUTS_HISTOGRAM_H

#include "op_table.h"
#include "protocol/base/view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_histogram_params;
struct gf_histogram2d_params;

/* The number of bins, from the edges, the parameter or the dtype; 0 if none of them gives it. `in` has both inputs. */
uint32_t gf_histogram_bins(const struct gf_histogram_params *p, const struct gf_view *in);
/* The range of the bins: GF_HIST_RANGE_GIVEN, _DATA, or _AUTO, which means all values of u8 or u16. */
uint32_t gf_histogram_range(const struct gf_histogram_params *p, uint32_t dtype);
/* The number of channels that are counted, from the first; 1 for luma. */
uint32_t gf_histogram_planes(const struct gf_histogram_params *p, uint32_t channels);

/* One axis of the pairs of histogram2d. */
struct gf_pair_axis {
    uint32_t input, channel; /* from 0 */
    uint32_t bins, range;    /* bins 0: neither parameter nor dtype gives them; range as in gf_histogram_range */
    double lo, hi;           /* unless the range is that of the data */
};

/* Axis 0 or 1; `in` has both inputs, the second of which may not be given. */
struct gf_pair_axis gf_histogram2d_axis(const struct gf_histogram2d_params *p, const struct gf_view *in, uint32_t axis);

#ifdef __cplusplus
}
#endif
#endif
