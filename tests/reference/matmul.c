/* SPDX-License-Identifier: MIT */
/* matmul, docs/numerics.md, "matmul". */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/matmul.h"
#include "reference_ops.h"
#include "reference_scan.h"

static void *element(const struct gf_reference_buf *buf, uint64_t y, uint64_t x)
{
    return gf_reference_element(buf, GF_AXIS_ROWS, y, x);
}

static double float_cell(const struct gf_reference_buf *in, uint64_t y, uint64_t x)
{
    uint32_t dtype = in[0].view.dtype;
    double acc = 0.0;
    for (uint64_t k = 0; k < in[0].view.width; k++) {
        double a = gf_reference_get_float(element(&in[0], y, k), dtype),
               b = gf_reference_get_float(element(&in[1], k, x), dtype);
        acc = dtype == GF_F32 ? (double)fmaf((float)a, (float)b, (float)acc) : fma(a, b, acc);
    }
    return acc;
}

static gf_reference_int whole_cell(const struct gf_reference_buf *in, uint64_t y, uint64_t x)
{
    gf_reference_int acc = 0;
    for (uint64_t k = 0; k < in[0].view.width; k++)
        acc += gf_reference_get_int(element(&in[0], y, k), in[0].view.dtype) *
               gf_reference_get_int(element(&in[1], k, x), in[1].view.dtype);
    return acc;
}

static gf_reference_int greatest(const struct gf_reference_buf *in)
{
    gf_reference_int max = 0;
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++) {
            gf_reference_int v = gf_reference_get_int(element(in, y, x), in->view.dtype);
            v = v < 0 ? -v : v;
            max = v > max ? v : max;
        }
    return max;
}

GF_REFERENCE(matmul)
{
    bool is_float = gf_dtype_kind(in[0].view.dtype) == GF_KIND_FLOAT;
    bool refuses = !is_float && gf_matmul_params_get(params).overflow == GF_OVERFLOW_ERROR;
    if (refuses && greatest(&in[0]) * greatest(&in[1]) * (gf_reference_int)in[0].view.width > INT64_MAX)
        return gf_error_set(err, GF_E_RESULT_OVERFLOW, "%s: sums may not fit i64", op->name);
    for (uint64_t y = 0; y < out->view.height; y++)
        for (uint64_t x = 0; x < out->view.width; x++)
            if (is_float)
                gf_reference_put_float(element(out, y, x), out->view.dtype, float_cell(in, y, x));
            else
                gf_reference_put_int(element(out, y, x), out->view.dtype, (uint64_t)whole_cell(in, y, x));
    return GF_OK;
}
