/* SPDX-License-Identifier: MIT */
/* equalize, docs/numerics.md, "equalize, threshold, autocontrast". */
#include "protocol/ops/params/equalize.h"
#include "reference_image.h"
#include "reference_intensity.h"
#include "reference_ops.h"

struct equalize {
    double min; /* what entry 0 is for */
    double *tables[GF_MAX_CHANNELS];
};

static void equalize_deinit(struct equalize *e)
{
    for (uint32_t c = 0; c < GF_MAX_CHANNELS; c++)
        free(e->tables[c]);
}

static double tone(const void *context, uint32_t c, double v)
{
    const struct equalize *e = context;
    return e->tables[c][(size_t)(v - e->min)];
}

static enum gf_status make_table(const struct gf_reference_buf *in, uint32_t c, double **ret, struct gf_error *err)
{
    double min = (double)gf_reference_min(in->view.dtype);
    uint64_t max = (uint64_t)gf_reference_max(in->view.dtype), n = in->view.width * in->view.height;
    uint64_t levels = max + 1 + (uint64_t)-min;
    uint64_t *gf_cleanup(gf_freep) counts = NULL;
    enum gf_status status = gf_reference_intensity_counts(in, c, &counts, err);
    if (status != GF_OK)
        return status;
    *ret = malloc(levels * sizeof(**ret));
    if (*ret == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a table");
    uint64_t first = 0;
    while (counts[first] == 0)
        first++;
    uint64_t cmin = counts[first], d = n - cmin, cdf = 0;
    for (uint64_t v = 0; v < levels; v++) {
        cdf += counts[v];
        (*ret)[v] = d == 0 ? (double)v + min : v < first ? 0.0 : (double)(((cdf - cmin) * max + d / 2) / d);
    }
    return GF_OK;
}

GF_REFERENCE(equalize)
{
    struct equalize gf_cleanup(equalize_deinit) e = {.min = (double)gf_reference_min(in->view.dtype)};
    (void)op;
    for (uint32_t c = 0; c < in->view.channels; c++) {
        enum gf_status status = make_table(in, c, &e.tables[c], err);
        if (status != GF_OK)
            return status;
    }
    gf_reference_intensity(in, out, gf_equalize_params_get(params).alpha, tone, &e);
    return GF_OK;
}
