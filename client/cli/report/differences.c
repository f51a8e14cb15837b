/* SPDX-License-Identifier: MIT */
/* Completes the result of compare. Called by table.c. */
#include "differences.h"

#include <math.h>

#include "protocol/base/dtype.h"

static void add_channel(struct gf_differences *d, const gpufilter_result *results, uint64_t channel)
{
    const char *counts = (const char *)results[0].view.data + channel * results[0].view.pitch;
    const char *errors = (const char *)results[1].view.data + channel * results[1].view.pitch;
    const uint64_t *n = (const uint64_t *)(const void *)counts;
    const double *e = (const double *)(const void *)errors;
    d->equal += n[0];
    d->different += n[1];
    d->max = isnan(d->max) || e[0] <= d->max ? d->max : e[0];
    d->mae += e[1];
    d->mse += e[2];
}

void gf_differences_init(struct gf_differences *d, const gpufilter_result *results, uint32_t dtype, uint64_t channel)
{
    uint64_t n = results[0].view.height;
    double peak = gf_dtype_kind(dtype) == GF_KIND_FLOAT ? 1.0 : ldexp(1.0, 8 * (int)gf_dtype_size(dtype)) - 1.0;
    *d = (struct gf_differences){.equal = 0};
    if (channel < n) {
        add_channel(d, results, channel);
    } else {
        for (uint64_t i = 0; i < n; i++)
            add_channel(d, results, i);
        d->mae /= (double)n;
        d->mse /= (double)n;
    }
    d->psnr = d->mse == 0 ? (double)INFINITY : 20.0 * log10(peak) - 10.0 * log10(d->mse);
}
