/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: sizes and shapes against an oracle that counts in 128 bits or walks over all samples: views, the checked
 * arithmetic, parts of resident buffers, and the shapes of results.
 */
#include "fuzz.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/convolve.h"
#include "protocol/ops/params/convolve1d.h"
#include "protocol/ops/params/correlate.h"
#include "protocol/ops/params/crop.h"
#include "protocol/ops/params/integral.h"
#include "protocol/ops/params/pad.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/rotate.h"
#include "protocol/ops/program.h"

__extension__ typedef unsigned __int128 wide;

static void must(bool holds)
{
    if (!holds)
        abort();
}

static wide saturated(wide v)
{
    return v > UINT64_MAX ? UINT64_MAX : v;
}

static struct gf_view take_view(struct gf_input *in)
{
    struct gf_view v = {.dtype = gf_input_below(in, 13), .channels = gf_input_below(in, 7)};
    v.width = gf_input_size(in);
    v.height = gf_input_size(in);
    uint8_t how = gf_input_byte(in);
    if (how < 128)
        v.pitch = gf_view_tight(v.dtype, v.width, v.height, v.channels).pitch + how % 32;
    else
        v.pitch = gf_input_size(in);
    return v;
}

/* What gf_view_check says, from exact numbers. */
static enum gf_status view_status(const struct gf_view *v)
{
    wide element = gf_dtype_size(v->dtype), samples = (wide)v->width * v->channels;
    wide row = samples * element;
    if (v->dtype < GF_U8 || v->dtype > GF_F16)
        return GF_E_BAD_DTYPE;
    if (v->channels == 0 || v->channels > 4 || v->width == 0 || v->height == 0)
        return GF_E_BAD_VIEW;
    if (samples > (wide)1 << 40 || samples * v->height > (wide)1 << 40 || row > (wide)1 << 40 || v->pitch > 1ull << 40)
        return GF_E_TOO_LARGE;
    if (v->pitch < row || v->pitch % element != 0)
        return GF_E_BAD_VIEW;
    return (wide)(v->height - 1) * v->pitch + row > (wide)1 << 48 ? GF_E_TOO_LARGE : GF_OK;
}

static void test_view(struct gf_input *in)
{
    struct gf_view v = take_view(in);
    struct gf_error err = {0};
    wide row = (wide)v.width * v.channels * gf_dtype_size(v.dtype), samples = (wide)v.width * v.channels;
    must(gf_view_row_bytes(&v) == saturated(row));
    must(gf_view_samples(&v) == (v.height == 0          ? 0
                                 : samples > UINT64_MAX ? UINT64_MAX
                                                        : saturated(samples * v.height)));
    wide before = v.height == 0 ? 0 : (wide)(v.height - 1) * v.pitch;
    bool fits = v.height > 0 && row <= UINT64_MAX && before <= UINT64_MAX && before + row <= UINT64_MAX;
    must(gf_view_bytes(&v) == (fits ? before + row : 0));

    enum gf_status status = gf_view_check(&v, "view", &err), expected = view_status(&v);
    must(status == expected && (status == GF_OK || (err.status == status && err.text[0] != '\0')));
    if (status == GF_OK && v.dtype != GF_U8 && v.dtype != GF_U16 && v.dtype != GF_I16 && v.dtype != GF_F32 &&
        v.dtype != GF_F16)
        expected = GF_E_BAD_DTYPE;
    else if (status == GF_OK && (v.width > 65535 || v.height > 65535 || samples * v.height > 1ull << 31))
        expected = GF_E_TOO_LARGE;
    must(gf_view_check_image(&v, "view", &err) == expected);
}

static void test_arithmetic(struct gf_input *in)
{
    uint64_t a = gf_input_size(in), b = gf_input_size(in), to = 1ull << gf_input_below(in, 40), r = 7;
    must(gf_add_u64(a, b, &r) == ((wide)a + b <= UINT64_MAX));
    must(r == ((wide)a + b <= UINT64_MAX ? a + b : 7));
    r = 7;
    must(gf_mul_u64(a, b, &r) == ((wide)a * b <= UINT64_MAX));
    must(r == ((wide)a * b <= UINT64_MAX ? (wide)a * b : 7));
    r = 7;
    wide aligned = ((wide)a + to - 1) / to * to;
    bool done = gf_align_u64(a, to, &r);
    must(done ? r == aligned : r == 7 && (wide)a + to - 1 > UINT64_MAX);
}

/* Whether every pixel of the operand is a pixel of the buffer, and successive rows lie in successive rows of it. */
static bool lies_inside(const struct gf_operand *o, const struct gf_view *buffer, uint64_t *ret_x, uint64_t *ret_y)
{
    uint64_t pixel = gf_dtype_size(buffer->dtype) * buffer->channels, row = buffer->width * pixel;
    *ret_y = o->offset / row;
    *ret_x = o->offset % row / pixel;
    for (uint64_t y = 0; y < o->view.height; y++)
        for (uint64_t x = 0; x < o->view.width; x++) {
            wide at = (wide)o->offset + (wide)y * o->view.pitch + (wide)x * pixel;
            if (at % pixel != 0 || at / row != *ret_y + y || at % row / pixel != *ret_x + x ||
                at / row >= buffer->height)
                return false;
        }
    return true;
}

static void test_place(struct gf_input *in)
{
    struct gf_view buffer = gf_view_tight(GF_U8 + gf_input_below(in, 10), 1 + gf_input_below(in, 40),
                                          1 + gf_input_below(in, 40), 1 + gf_input_below(in, 4));
    struct gf_operand o = {.way = GF_WAY_HANDLE, .offset = gf_input_size(in)};
    o.view = gf_view_tight(buffer.dtype, 1 + gf_input_below(in, 44), 1 + gf_input_below(in, 44), buffer.channels);
    uint8_t how = gf_input_byte(in);
    if (how & 1)
        o.view.pitch = buffer.pitch;
    if (how & 2)
        o.offset = o.offset % buffer.height * buffer.pitch + gf_input_below(in, 64);
    if (how & 4)
        o.view.pitch = gf_input_size(in);
    if (how & 8)
        o.view.channels = 1 + gf_input_below(in, 4);
    if (how & 16)
        o.view.dtype = GF_U8 + gf_input_below(in, 10);
    struct gf_error err;
    uint64_t x = 0, y = 0, is_x, is_y;
    if (gf_view_check(&o.view, "operand", &err) != GF_OK)
        return; /* refused before */
    enum gf_status status = gf_operand_place(&o, &buffer, &x, &y, &err);
    must((o.view.dtype != buffer.dtype) == (status == GF_E_BAD_DTYPE));
    if (status == GF_E_BAD_DTYPE)
        return;
    bool inside = o.view.channels == buffer.channels && lies_inside(&o, &buffer, &is_x, &is_y);
    must(status == (inside ? GF_OK : GF_E_BAD_VIEW));
    must(!inside || (x == is_x && y == is_y));
}

/* The sides of output 0 by docs/numerics.md, in signed 128 bits. False for an op that this function does not know. */
static bool expected_sides(const struct gf_op *op, const struct gf_view *in, const union gf_params *p, wide *ret_w,
                           wide *ret_h)
{
    wide w = in[0].width, h = in[0].height;
    switch (op->index) {
    case GF_INDEX_correlate:
    case GF_INDEX_convolve: {
        uint32_t size =
            op->index == GF_INDEX_correlate ? gf_correlate_params_get(p).size : gf_convolve_params_get(p).size;
        *ret_w = size == GF_SIZE_VALID ? w + 1 - in[1].width : w;
        *ret_h = size == GF_SIZE_VALID ? h + 1 - in[1].height : h;
        return true;
    }
    case GF_INDEX_integral:
        *ret_w = w + gf_integral_params_get(p).pad;
        *ret_h = h + gf_integral_params_get(p).pad;
        return true;
    case GF_INDEX_matmul:
        *ret_w = in[1].width;
        *ret_h = h;
        return true;
    case GF_INDEX_reduce:
        *ret_w = gf_view_given(&in[1]) ? in[1].width - 1 : gf_reduce_params_get(p).axis == GF_AXIS_COLS ? w : 1;
        *ret_h = gf_view_given(&in[1]) || gf_reduce_params_get(p).axis != GF_AXIS_ROWS ? 1 : h;
        return true;
    case GF_INDEX_convolve1d: {
        const struct gf_convolve1d_params c = gf_convolve1d_params_get(p);
        wide *along = c.axis == GF_AXIS_COLS ? &h : &w, taps = in[1].width;
        *along = c.mode == GF_CONVOLUTION_FULL    ? *along + taps - 1
                 : c.mode == GF_CONVOLUTION_VALID ? *along + 1 - taps
                                                  : *along;
        *ret_w = w;
        *ret_h = h;
        return true;
    }
    case GF_INDEX_crop:
        *ret_w = gf_crop_params_get(p).size.n == 0 ? w - GF_PICK(gf_crop_params_get(p).at, 0)
                                                   : GF_PICK(gf_crop_params_get(p).size, 0);
        *ret_h = gf_crop_params_get(p).size.n == 0 ? h - GF_PICK(gf_crop_params_get(p).at, 1)
                                                   : GF_PICK(gf_crop_params_get(p).size, 1);
        return true;
    case GF_INDEX_pad: {
        const struct gf_u32v m = gf_pad_params_get(p).margin;
        *ret_w = w + m.v[0] + m.v[m.n == 4 ? 2 : 0];
        *ret_h = h + m.v[m.n == 1 ? 0 : 1] + m.v[m.n == 4 ? 3 : m.n == 2 ? 1 : 0];
        return true;
    }
    case GF_INDEX_rotate:
    case GF_INDEX_transpose: {
        bool half = op->index == GF_INDEX_rotate && gf_rotate_params_get(p).angle == GF_ROTATE_HALF;
        *ret_w = half ? w : h;
        *ret_h = half ? h : w;
        return true;
    }
    case GF_INDEX_flip:
        *ret_w = w;
        *ret_h = h;
        return true;
    default:
        *ret_w = w;
        *ret_h = h;
        return op->outputs[0].shape == GF_SHAPE_SAME_SHAPE || op->outputs[0].shape == GF_SHAPE_BRIGHTNESS ||
               op->outputs[0].shape == GF_SHAPE_CHANNELS;
    }
}

/* Mostly one of the few values that mean something. */
static uint64_t take_value(struct gf_input *in, uint32_t kind)
{
    static const double numbers[] = {0.0, 1.0, -1.0, 0.5, 2.0, 255.0, 1e30, -0.0};
    uint8_t how = gf_input_byte(in);
    uint64_t v = gf_input_byte(in) % 8;
    if (how >= 224)
        return gf_input_number(in, 8);
    if (kind == GF_PARAM_F64)
        memcpy(&v, &numbers[v], sizeof v);
    else if (kind == GF_PARAM_F32) {
        float f = (float)numbers[v];
        v = 0;
        memcpy(&v, &f, sizeof f);
    }
    return v;
}

/* One of a few, since characters have to outlive this. */
static void take_text(struct gf_input *in, const struct gf_op *op, const struct gf_param_desc *param,
                      union gf_params *params)
{
    static const char *const texts[] = {"a", "a[0]", "a, a", "x", "b + a", "k = 2; a * k", "g=1.5", ""};
    gf_op_param_parse(op, param, texts[gf_input_below(in, sizeof texts / sizeof *texts)], params, NULL);
}

static void take_params(struct gf_input *in, const struct gf_op *op, union gf_params *params)
{
    gf_op_params_default(op, params);
    for (uint32_t n = gf_input_below(in, 6); n > 0 && op->n_params > 0; n--) {
        const struct gf_param_desc *param = &op->params[gf_input_below(in, op->n_params)];
        if (param->kind == GF_PARAM_TEXT) {
            take_text(in, op, param, params);
            continue;
        }
        uint8_t values[GF_MAX_VALUES * 8] = {0};
        uint32_t count = 1 + gf_input_below(in, param->max);
        size_t size = gf_op_param_size(param);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t v = take_value(in, param->kind);
            memcpy(values + i * size, &v, size);
        }
        gf_op_param_set(op, param, values, count * size, params, NULL);
    }
}

/* Mostly one that the op may take. */
static struct gf_view take_input(struct gf_input *in, const struct gf_input_desc *input)
{
    uint8_t how = gf_input_byte(in);
    if (how >= 200)
        return take_view(in);
    bool copied = input->kind == GF_INPUT_COEFS || input->kind == GF_INPUT_LIST;
    uint32_t dtype = GF_U8 + how % 10;
    while ((GF_DT(dtype) & input->dtypes) == 0)
        dtype = dtype == GF_F64 ? GF_U8 : dtype + 1;
    return gf_view_tight(dtype, 1 + gf_input_below(in, 64),
                         input->kind == GF_INPUT_LIST ? 1 : 1 + gf_input_below(in, 64),
                         copied ? 1 : 1 + gf_input_below(in, 4));
}

static void test_op(struct gf_input *in)
{
    const struct gf_op *op = &gf_ops[gf_input_below(in, GF_N_OPS)];
    struct gf_view views[GF_MAX_INPUTS] = {{0}}, out[GF_MAX_OUTPUTS];
    union gf_params params;
    struct gf_error err = {0};
    wide w, h;
    take_params(in, op, &params);
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        uint8_t how = gf_input_byte(in);
        if (how < 96 && i > 0)
            views[i] = views[0];
        else if (how < 192 || !op->inputs[i].optional)
            views[i] = take_input(in, &op->inputs[i]);
    }
    enum gf_status status = gf_op_infer(op, views, op->n_inputs, &params, out, &err);
    if (status != GF_OK) {
        must(err.status == status && err.text[0] != '\0');
        return;
    }
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        struct gf_view tight = gf_view_tight(out[i].dtype, out[i].width, out[i].height, out[i].channels);
        must(gf_dtype_known(out[i].dtype) && out[i].width > 0 && out[i].height > 0 && out[i].channels > 0 &&
             out[i].channels <= GF_MAX_CHANNELS && out[i].pitch == tight.pitch);
        must((wide)out[i].width * out[i].height * out[i].channels < (wide)1 << 45); /* no byte count comes near 2^64 */
    }
    if (expected_sides(op, views, &params, &w, &h))
        must(out[0].width == w && out[0].height == h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tests[])(struct gf_input *) = {test_view, test_arithmetic, test_place, test_op};
    struct gf_input in = {data, size};
    while (in.size > 0)
        tests[gf_input_below(&in, GF_ARRAY_LEN(tests))](&in);
    return 0;
}
