/* SPDX-License-Identifier: MIT */
/*
 * Completes the result of compare for display: the peak signal-to-noise ratio, and all channels combined. Used by
 * table.c.
 */
#ifndef GF_CLI_DIFFERENCES_H
#define GF_CLI_DIFFERENCES_H

#include "gpufilter/client.h"

/* Of one channel, or of all. */
struct gf_differences {
    uint64_t equal, different;
    double max, mae, mse;
    double psnr; /* in dB: 10 log10(peak^2 / mse); infinite where mse is 0 */
};

/* Channel `channel` of the outputs of compare, or all of them where there is no such channel: the greatest max, the
 * means of mae and mse. `dtype` is that of what was compared: the peak is the width of an integer's range (255, 65535),
 * and 1 of floats. */
void gf_differences_init(struct gf_differences *d, const gpufilter_result *results, uint32_t dtype, uint64_t channel);

#endif
