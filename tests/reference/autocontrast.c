/* SPDX-License-Identifier: MIT */
/* autocontrast, docs/numerics.md, "equalize, threshold, autocontrast". */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/autocontrast.h"
#include "reference_image.h"
#include "reference_intensity.h"
#include "reference_ops.h"

struct contrast {
    uint32_t dtype;
    struct {
        bool any, nan;
        double lo, hi;
    } range[GF_MAX_CHANNELS];
};

static bool less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static double tone(const void *context, uint32_t c, double v)
{
    const struct contrast *k = context;
    double lo = k->range[c].lo, hi = k->range[c].hi, d = hi - lo;
    if (k->range[c].nan)
        return (double)NAN;
    if (!k->range[c].any || lo == hi)
        return v;
    if (k->dtype != GF_F32) {
        uint64_t whole = (uint64_t)d, max = (uint64_t)gf_reference_max(k->dtype);
        return (double)(((uint64_t)(v - lo) * max + whole / 2) / whole);
    }
    float difference = (float)v - (float)lo;
    return (double)(difference * (float)(1.0 / d));
}

GF_REFERENCE(autocontrast)
{
    struct contrast k = {.dtype = in->view.dtype};
    (void)op, (void)err;
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            for (uint32_t c = 0; c < in->view.channels; c++) {
                double v = gf_reference_intensity_at(in, y, x, c);
                if (isnan(v)) {
                    k.range[c].nan = gf_autocontrast_params_get(params).nan == GF_NAN_PROPAGATE;
                    continue;
                }
                if (!k.range[c].any || less(v, k.range[c].lo))
                    k.range[c].lo = v;
                if (!k.range[c].any || less(k.range[c].hi, v))
                    k.range[c].hi = v;
                k.range[c].any = true;
            }
    gf_reference_intensity(in, out, gf_autocontrast_params_get(params).alpha, tone, &k);
    return GF_OK;
}
