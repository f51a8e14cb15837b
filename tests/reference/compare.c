/* SPDX-License-Identifier: MIT */
/* compare, docs/numerics.md, "compare". */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/compare.h"
#include "reference_ops.h"
#include "reference_reduce.h"

/* a becomes a - b; gives how many elements differ. */
static uint64_t subtract(struct gf_reference_sequence *a, const struct gf_reference_sequence *b, bool omit)
{
    bool real = gf_dtype_kind(a->dtype) == GF_KIND_FLOAT;
    uint64_t different = 0;
    for (uint64_t i = 0; i < a->n; i++) {
        double d = a->x[i] - b->x[i];
        if (!real)
            d = (double)(a->whole[i] - b->whole[i]);
        else if (a->x[i] == b->x[i] || (isnan(a->x[i]) && isnan(b->x[i])))
            d = 0.0;
        different += d != 0.0;
        a->x[i] = d;
        a->there[i] = !(omit && isnan(d));
    }
    return different;
}

static void put_channel(const struct gf_reference_sequence *d, uint64_t different, uint64_t channel,
                        struct gf_reference_buf *out)
{
    uint64_t present = 0;
    double most = 0.0;
    for (uint64_t i = 0; i < d->n; i++) {
        if (!d->there[i])
            continue;
        present++;
        most = isnan(d->x[i]) || fabs(d->x[i]) > most ? fabs(d->x[i]) : most;
    }
    double n = (double)present;
    gf_reference_put(&out[0], 0, channel, d->n - different);
    gf_reference_put(&out[0], 1, channel, different);
    gf_reference_put(&out[1], 0, channel, gf_reference_f64_bits(most));
    gf_reference_put(&out[1], 1, channel, gf_reference_f64_bits(gf_reference_tree(d, GF_REFERENCE_ABS, NULL) / n));
    gf_reference_put(&out[1], 2, channel, gf_reference_f64_bits(gf_reference_tree(d, GF_REFERENCE_SQUARES, NULL) / n));
}

GF_REFERENCE(compare)
{
    (void)op;
    for (uint32_t c = 0; c < in[0].view.channels; c++) {
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) a = {0};
        struct gf_reference_sequence gf_cleanup(gf_reference_sequence_deinit) b = {0};
        enum gf_status status = gf_reference_sequence_init(&in[0], GF_AXIS_ALL, c, false, &a, err);
        if (status == GF_OK)
            status = gf_reference_sequence_init(&in[1], GF_AXIS_ALL, c, false, &b, err);
        if (status != GF_OK)
            return status;
        uint64_t different = subtract(&a, &b, gf_compare_params_get(params).nan == GF_NAN_OMIT);
        put_channel(&a, different, c, out);
    }
    return GF_OK;
}
