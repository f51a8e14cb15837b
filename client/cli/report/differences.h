/* SPDX-License-Identifier: MIT */
/*
 * Completes the result of compare for display: the peak signal-to-noise ratio, and figures for all channels together.
 * Used by table.c.
 */
#ifndef GF_CLI_DIFFERENCES_H
#define GF_CLI_DIFFERENCES_H

#include "gpufilter/client.h"

/* Figures of one channel, or of all. */
struct gf_differences {
    uint64_t equal, different;
    double max, mae, mse;
    double psnr; /* in dB: 10 log10(peak^2 / mse); infinite if mse is 0 */
};

/* Reads channel `channel` of the outputs of compare. If there is no such channel, combines all channels: the greatest
 * max, the means of mae and mse. `dtype` is the type of the compared samples; the peak is the greatest value of an
 * integer type (255, 65535), and 1 for floats. */
void gf_differences_init(struct gf_differences *d, const gpufilter_result *results, uint32_t dtype, uint64_t channel);

#endif
