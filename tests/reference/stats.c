/* SPDX-License-Identifier: MIT */
/* stats, docs/numerics.md, "stats": what reduce gives, side by side. */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/stats.h"
#include "reference_ops.h"
#include "reference_reduce.h"

/* Which reductions stand in a row of each output; 255 is the number of NaN. */
#define NANS 255u
static const struct {
    uint32_t n;
    uint32_t reductions[6];
} rows[] = {
    {4, {GF_REDUCTION_COUNT, GF_REDUCTION_ARGMIN, GF_REDUCTION_ARGMAX, NANS}},
    {2, {GF_REDUCTION_MIN, GF_REDUCTION_MAX}},
    {1, {GF_REDUCTION_SUM}},
    {6, {GF_REDUCTION_MEAN, GF_REDUCTION_VAR, GF_REDUCTION_STD, GF_REDUCTION_L1, GF_REDUCTION_L2, GF_REDUCTION_LINF}},
};

static uint64_t count_nan(const struct gf_reference_sequence *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < s->n; i++)
        n += isnan(s->x[i]) != 0;
    return n;
}

GF_REFERENCE(stats)
{
    const struct gf_stats_params p = gf_stats_params_get(params);
    for (uint32_t c = 0; c < in[0].view.channels; c++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) s = {0};
        enum gf_status status = gf_reference_sequence_init(&in[0], GF_AXIS_ALL, c, p.nan == GF_NAN_OMIT, &s, err);
        if (status != GF_OK)
            return status;
        for (uint32_t k = 0; k < GF_ARRAY_LEN(rows); k++)
            for (uint32_t i = 0; i < rows[k].n; i++) {
                uint64_t bits = count_nan(&s);
                if (rows[k].reductions[i] != NANS &&
                    !gf_reference_reduce_one(&s, rows[k].reductions[i], p.ddof, p.overflow == GF_OVERFLOW_WRAP, &bits))
                    return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: 64 bits are too few", op->name);
                gf_reference_put(&out[k], i, c, bits);
            }
    }
    return GF_OK;
}
