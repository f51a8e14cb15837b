/* SPDX-License-Identifier: MIT */
/* protocol/op_shapes and op_checks: inputs, outputs, and refusals with their messages. */
#include "protocol/ops/op_shapes.h"

#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/gaussian.h"
#include "tests/unit/unit.h"

/* One call of gf_op_infer: the defaults, overridden by parameters given as text. */
struct call {
    const char *op;
    struct gf_view in[4];
    const char *params[4][2]; /* name, text */
};

static enum gf_status infer(const struct call *call, struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_op *op = gf_op_by_name(call->op);
    assert_non_null(op);
    union gf_params params;
    gf_op_params_default(op, &params);
    for (size_t i = 0; i < 4 && call->params[i][0] != NULL; i++) {
        const struct gf_param_desc *param = gf_op_param(op, call->params[i][0]);
        assert_non_null(param);
        assert_int_equal(gf_op_param_parse(op, param, call->params[i][1], &params, NULL), GF_OK);
    }
    return gf_op_infer(op, call->in, op->n_inputs, &params, ret_out, err);
}

static void assert_refused(const struct call *call, enum gf_status status, const char *says)
{
    struct gf_view out = {.dtype = 77};
    struct gf_error err = {0};
    assert_int_equal(infer(call, &out, &err), status);
    assert_int_equal(err.status, status);
    if (strstr(err.text, says) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, says);
    assert_int_equal(out.dtype, 77);
    assert_int_equal(infer(call, &out, NULL), status);
}

static void assert_gives(const struct call *call, struct gf_view expected)
{
    struct gf_view out[GF_MAX_OUTPUTS] = {{0}};
    struct gf_error err = {0};
    if (infer(call, out, &err) != GF_OK)
        fail_msg("%s", err.text);
    assert_true(gf_view_same_shape(&out[0], &expected));
    assert_int_equal(out[0].pitch, expected.pitch);
}

#define IMAGE(dtype, w, h, c)                                                                                          \
    {                                                                                                                  \
        dtype, c, w, h, (uint64_t)(w) * (c) * ((dtype) == GF_U8 ? 1 : (dtype) == GF_U16 ? 2 : 4)                       \
    }
#define MASK(w, h) IMAGE(GF_F32, w, h, 1)

static void outputs_are_tight_and_as_the_input(void **state)
{
    UNUSED(state);
    struct call call = {"gaussian", {IMAGE(GF_U16, 100, 50, 3)}, {{NULL}}};
    call.in[0].pitch = 1024;
    assert_gives(&call, gf_view_tight(GF_U16, 100, 50, 3));
    assert_gives(&(struct call){"box", {IMAGE(GF_F32, 1, 1, 4)}, {{NULL}}}, gf_view_tight(GF_F32, 1, 1, 4));
    assert_gives(&(struct call){"correlate", {IMAGE(GF_U8, 9, 9, 1), MASK(255, 255)}, {{NULL}}},
                 gf_view_tight(GF_U8, 9, 9, 1));
}

#define ARRAY(dtype, w, h, c, size)                                                                                    \
    {                                                                                                                  \
        dtype, c, w, h, (uint64_t)(w) * (c) * (size)                                                                   \
    }

static void reductions_leave_one_value_per_sequence(void **state)
{
    UNUSED(state);
    struct call call = {"reduce", {ARRAY(GF_I16, 10, 7, 3, 2)}, {{"op", "sum"}}};
    assert_gives(&call, gf_view_tight(GF_I64, 1, 1, 3));
    call.params[1][0] = "axis";
    call.params[1][1] = "rows";
    assert_gives(&call, gf_view_tight(GF_I64, 1, 7, 3));
    call.params[1][1] = "cols";
    assert_gives(&call, gf_view_tight(GF_I64, 10, 1, 3));
    call.params[0][1] = "min";
    assert_gives(&call, gf_view_tight(GF_I16, 10, 1, 3));
    call.params[0][1] = "argmax";
    assert_gives(&call, gf_view_tight(GF_U64, 10, 1, 3));
    call.params[0][1] = "any";
    assert_gives(&call, gf_view_tight(GF_U8, 10, 1, 3));
    call.params[0][1] = "std";
    assert_gives(&call, gf_view_tight(GF_F64, 10, 1, 3));
}

static void segments_have_a_value_each(void **state)
{
    UNUSED(state);
    struct call call = {"reduce", {ARRAY(GF_I16, 10, 7, 3, 2), ARRAY(GF_U32, 6, 1, 1, 4)}, {{"op", "sum"}}};
    assert_gives(&call, gf_view_tight(GF_I64, 5, 1, 3));
    call.params[1][0] = "axis";
    call.params[1][1] = "channels";
    assert_gives(&call, gf_view_tight(GF_I64, 5, 1, 3));
    call.params[1][1] = "cols";
    assert_refused(&call, GF_E_BAD_PARAM, "reduce: axis=cols cannot be used with segments; use axis=all");
    call.params[1][1] = "all";
    call.in[1] = (struct gf_view)ARRAY(GF_U64, 1, 1, 1, 8);
    assert_refused(&call, GF_E_BAD_PARAM, "reduce: segments has 1 number; it must have 2 or more");
    call.in[1] = (struct gf_view)ARRAY(GF_F64, 6, 1, 1, 8);
    assert_refused(&call, GF_E_BAD_DTYPE, "allowed: u32, i32, u64 or i64");
    call.in[1] = (struct gf_view)ARRAY(GF_U32, 6, 1, 1, 4);
    call.params[0][1] = "matmul2";
    assert_refused(&call, GF_E_BAD_DTYPE, "op=matmul2 takes f32 or f64, not i16");
    call.in[0] = (struct gf_view)ARRAY(GF_F32, 10, 7, 4, 4);
    assert_gives(&call, gf_view_tight(GF_F64, 5, 1, 4));
}

static void quantiles_are_a_side_of_their_own(void **state)
{
    UNUSED(state);
    struct call call = {"quantile", {ARRAY(GF_I16, 10, 7, 3, 2)}, {{"q", "0,0.5,1"}}};
    assert_gives(&call, gf_view_tight(GF_F64, 3, 1, 3));
    call.params[1][0] = "axis";
    call.params[1][1] = "rows";
    assert_gives(&call, gf_view_tight(GF_F64, 3, 7, 3));
    call.params[1][1] = "cols";
    assert_gives(&call, gf_view_tight(GF_F64, 10, 3, 3));
    call.in[1] = (struct gf_view)ARRAY(GF_U32, 6, 1, 1, 4);
    assert_refused(&call, GF_E_BAD_PARAM, "quantile: axis=cols cannot be used with segments; use axis=all");
    call.params[1][1] = "all";
    assert_gives(&call, gf_view_tight(GF_F64, 5, 3, 3));
    call.in[1].width = 1;
    assert_refused(&call, GF_E_BAD_PARAM, "quantile: segments has 1 number; it must have 2 or more");
    call = (struct call){"quantile", {ARRAY(GF_F16, 10, 7, 3, 2)}, {{"q", "1"}}};
    assert_refused(&call, GF_E_BAD_DTYPE, "quantile: src is f16; allowed: ");
}

static void pairs_have_two_sides(void **state)
{
    UNUSED(state);
    struct call call = {"histogram2d", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{"bins", "4,5"}}};
    assert_gives(&call, gf_view_tight(GF_U64, 5, 4, 1));
    struct gf_view out[GF_MAX_OUTPUTS];
    assert_int_equal(infer(&call, out, NULL), GF_OK);
    assert_true(out[1].dtype == GF_U64 && out[1].width == 2 && out[1].height == 1);
    assert_true(out[2].dtype == GF_F64 && out[2].width == 5);
    assert_true(out[3].dtype == GF_F64 && out[3].width == 6);
    call.params[0][0] = "channels";
    call.params[0][1] = "3,4";
    assert_refused(&call, GF_E_BAD_PARAM, "histogram2d: channels: the second is 4, but src has 3");
    call = (struct call){"histogram2d", {ARRAY(GF_U8, 10, 7, 1, 1)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_VIEW, "histogram2d: src has 1 channel, but pairs need two; give a second picture");
    call.in[1] = (struct gf_view)ARRAY(GF_U8, 7, 10, 1, 1);
    assert_refused(&call, GF_E_BAD_VIEW,
                   "histogram2d: src is 10x7 and src2 is 7x10; both must have the same size, because pairs are pixels "
                   "at the same");
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 10, 7, 2, 4);
    assert_refused(&call, GF_E_BAD_PARAM, "for f32 (the second) give a number, such as bins=64");
    call.params[0][0] = "bins";
    call.params[0][1] = "0,9";
    assert_gives(&call, gf_view_tight(GF_U64, 9, 256, 1));
    call.params[1][0] = "lo";
    call.params[1][1] = "0,2";
    call.params[2][0] = "hi";
    call.params[2][1] = "9,1.5";
    assert_refused(&call, GF_E_BAD_PARAM, "histogram2d: lo=2 is not below hi=1.5 for the second");
    call = (struct call){"histogram2d", {ARRAY(GF_U16, 10, 7, 2, 2)}, {{NULL}}};
    assert_refused(&call, GF_E_TOO_LARGE, "65536 x 65536 bins; allowed: up to 16777216 in total, such as bins=256");
}

static void dot_wants_equal_operands(void **state)
{
    UNUSED(state);
    struct call call = {"dot", {ARRAY(GF_F32, 10, 7, 1, 4), ARRAY(GF_F32, 10, 7, 1, 4)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F64, 1, 1, 1));
    call.in[1].pitch += 4;
    assert_gives(&call, gf_view_tight(GF_F64, 1, 1, 1));
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 7, 10, 1, 4);
    assert_refused(&call, GF_E_BAD_VIEW, "a is 10x7x1 f32 and b is 7x10x1 f32");
    call.in[1] = (struct gf_view)ARRAY(GF_F64, 10, 7, 1, 8);
    assert_refused(&call, GF_E_BAD_DTYPE, "same shape and dtype");
    call.in[0] = (struct gf_view)ARRAY(GF_I32, 10, 7, 1, 4);
    assert_refused(&call, GF_E_BAD_DTYPE, "allowed: f32 or f64");
}

static void matrices_have_to_match(void **state)
{
    UNUSED(state);
    struct call call = {"matmul", {ARRAY(GF_F32, 10, 7, 1, 4), ARRAY(GF_F32, 3, 10, 1, 4)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F32, 3, 7, 1));
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 10, 3, 1, 4);
    assert_refused(&call, GF_E_BAD_VIEW, "matmul: a is 10x7x1 f32 and b is 10x3x1 f32; the width of a");
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 3, 10, 2, 4);
    assert_refused(&call, GF_E_BAD_VIEW, "matmul: b has 2 channels; allowed: 1");
    call.in[1] = (struct gf_view)ARRAY(GF_F64, 3, 10, 1, 8);
    assert_refused(&call, GF_E_BAD_DTYPE, "same dtype");
    call.in[0] = (struct gf_view)ARRAY(GF_I8, 10, 7, 1, 1);
    call.in[1] = (struct gf_view)ARRAY(GF_I8, 3, 10, 1, 1);
    assert_gives(&call, gf_view_tight(GF_I64, 3, 7, 1));
    call.in[0] = (struct gf_view)ARRAY(GF_U8, 10, 7, 1, 1);
    assert_refused(&call, GF_E_BAD_DTYPE, "matmul: a is u8; allowed: i8, i16, i32, f32 or f64");
    call.in[0] = (struct gf_view)ARRAY(GF_F32, 1, 1ull << 36, 1, 4);
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 1ull << 36, 1, 1, 4);
    assert_refused(&call, GF_E_TOO_LARGE, "matmul: the product");
}

static void kernels_have_to_fit_their_lines(void **state)
{
    UNUSED(state);
    struct call call = {"convolve1d", {ARRAY(GF_F32, 10, 7, 2, 4), ARRAY(GF_F32, 3, 1, 1, 4)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F32, 10, 7, 2));
    call.params[0][0] = "mode";
    call.params[0][1] = "full";
    assert_gives(&call, gf_view_tight(GF_F32, 12, 7, 2));
    call.params[1][0] = "axis";
    call.params[1][1] = "cols";
    assert_gives(&call, gf_view_tight(GF_F32, 10, 9, 2));
    call.params[0][1] = "valid";
    assert_gives(&call, gf_view_tight(GF_F32, 10, 5, 2));
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 8, 1, 1, 4);
    assert_refused(&call, GF_E_BAD_VIEW, "convolve1d: mode=valid leaves nothing of 7 elements under 8 taps");
    call.params[1][1] = "all";
    assert_refused(&call, GF_E_BAD_PARAM, "convolve1d: axis=all would continue from one row into the next");
    call.params[1][1] = "rows";
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 3, 2, 1, 4);
    assert_refused(&call, GF_E_BAD_VIEW, "kernel is 3x2x1 f32; it must be one row");
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 3, 1, 2, 4);
    assert_refused(&call, GF_E_BAD_VIEW, "convolve1d: kernel has 2 channels; allowed: 1");
    call.in[1] = (struct gf_view)ARRAY(GF_F64, 3, 1, 1, 8);
    assert_refused(&call, GF_E_BAD_DTYPE, "src is f32 and kernel is f64; both must have the same dtype");
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 65536, 1, 1, 4);
    assert_refused(&call, GF_E_TOO_LARGE, "allowed: up to 65535 taps");
    call.in[0] = (struct gf_view)ARRAY(GF_U64, 10, 7, 2, 8);
    assert_refused(&call, GF_E_BAD_DTYPE, "convolve1d: src is u64");
}

static void constants_of_a_line_are_of_its_dtype(void **state)
{
    UNUSED(state);
    struct call call = {"correlate1d",
                        {ARRAY(GF_U8, 10, 7, 2, 1), ARRAY(GF_U8, 3, 1, 1, 1)},
                        {{"border", "constant"}, {"border_value", "255"}, {"anchor", "2"}}};
    assert_gives(&call, gf_view_tight(GF_I64, 10, 7, 2));
    call.params[1][1] = "256";
    assert_refused(&call, GF_E_BAD_PARAM, "border_value=256 for u8; allowed: whole numbers 0..255");
    call.params[1][1] = "0.5";
    assert_refused(&call, GF_E_BAD_PARAM, "border_value=0.5 for u8");
    call.params[0][1] = "wrap";
    assert_gives(&call, gf_view_tight(GF_I64, 10, 7, 2));
    call.params[2][1] = "3";
    assert_refused(&call, GF_E_BAD_PARAM, "anchor=3 outside the kernel; allowed: 0..2");
    call.params[0][1] = "constant";
    call.params[1][1] = "1e39";
    call.params[2][1] = "0";
    call.in[0] = (struct gf_view)ARRAY(GF_F32, 10, 7, 2, 4);
    call.in[1] = (struct gf_view)ARRAY(GF_F32, 3, 1, 1, 4);
    assert_refused(&call, GF_E_BAD_PARAM, "correlate1d: border_value=1e+39 for f32");
}

static void copy_gives_all_channels_or_one(void **state)
{
    UNUSED(state);
    struct call call = {"copy", {ARRAY(GF_I64, 10, 7, 3, 8)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_I64, 10, 7, 3));
    call.params[0][0] = "channel";
    call.params[0][1] = "3";
    assert_gives(&call, gf_view_tight(GF_I64, 10, 7, 1));
    call.params[0][1] = "4";
    assert_refused(&call, GF_E_BAD_PARAM, "copy: channel=4 of src with 3 channels; allowed: 1..3, or 0 for all");
    call.in[0] = (struct gf_view)ARRAY(GF_F32, 10, 7, 1, 4);
    assert_refused(&call, GF_E_BAD_PARAM, "copy: channel=4 of src with 1 channel; allowed: 1..1, or 0 for all");
}

static void windows_lie_inside(void **state)
{
    UNUSED(state);
    struct call call = {"crop", {ARRAY(GF_I64, 10, 7, 3, 8)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_I64, 10, 7, 3));
    call.params[0][0] = "at";
    call.params[0][1] = "9,6";
    assert_gives(&call, gf_view_tight(GF_I64, 1, 1, 3));
    call.params[0][1] = "2";
    assert_gives(&call, gf_view_tight(GF_I64, 8, 5, 3));
    call.params[1][0] = "size";
    call.params[1][1] = "8x5";
    assert_gives(&call, gf_view_tight(GF_I64, 8, 5, 3));
    call.params[1][1] = "4";
    assert_gives(&call, gf_view_tight(GF_I64, 4, 4, 3));
    call.params[1][1] = "9x5";
    assert_refused(&call, GF_E_BAD_PARAM,
                   "crop: size=9x5 at=2,2 goes beyond the picture of 10x7; at most 8x5 fit there; pad adds a margin");
    call.params[1][1] = "8x6";
    assert_refused(&call, GF_E_BAD_PARAM, "goes beyond the picture of 10x7; at most 8x5 fit there");
    call.params[0][1] = "0,7";
    assert_refused(&call, GF_E_BAD_PARAM, "crop: at=0,7 lies outside the picture of 10x7; allowed: 0..9,0..6");
    call.params[0][1] = "4294967294,0";
    assert_refused(&call, GF_E_BAD_PARAM, "crop: at=4294967294,0 lies outside");
    union gf_params params;
    struct gf_error err;
    const struct gf_op *op = gf_op_by_name("crop");
    gf_op_params_default(op, &params);
    assert_int_equal(gf_op_param_parse(op, gf_op_param(op, "size"), "0x5", &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "crop: size=0 outside 1..4294967294");
    assert_int_equal(gf_op_param_parse(op, gf_op_param(op, "at"), "-1,0", &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "crop: at=-1 outside 0..4294967294");
}

static void orders_keep_shapes_and_refuse_what_is_too_many(void **state)
{
    UNUSED(state);
    struct call call = {"sort", {ARRAY(GF_F16, 10, 7, 3, 2)}, {{"axis", "cols"}}};
    assert_gives(&call, gf_view_tight(GF_F16, 10, 7, 3));
    call.op = "argsort";
    assert_gives(&call, gf_view_tight(GF_U64, 10, 7, 3));
    call = (struct call){"topk", {ARRAY(GF_I16, 10, 7, 3, 2)}, {{"k", "7"}, {"axis", "cols"}}};
    assert_gives(&call, gf_view_tight(GF_I16, 10, 7, 3));
    call.params[0][1] = "4";
    assert_gives(&call, gf_view_tight(GF_I16, 10, 4, 3));
    call.params[0][1] = "8";
    assert_refused(&call, GF_E_BAD_PARAM, "topk: k=8, but its columns have 7 samples; allowed: 1..7");
    call.params[1][1] = "rows";
    assert_gives(&call, gf_view_tight(GF_I16, 8, 7, 3));
    call.params[1][1] = "all";
    assert_gives(&call, gf_view_tight(GF_I16, 8, 1, 3));
    call.params[0][1] = "71";
    assert_refused(&call, GF_E_BAD_PARAM, "topk: k=71, but its channels have 70 samples; allowed: 1..70");
    call = (struct call){"sort", {ARRAY(GF_U8, 65536, 65536, 1, 1)}, {{NULL}}};
    assert_refused(&call, GF_E_TOO_LARGE, "sort: its channels have 4294967296 samples; allowed: up to 4294967295");
    call.params[0][0] = "axis";
    call.params[0][1] = "rows";
    assert_gives(&call, gf_view_tight(GF_U8, 65536, 65536, 1));
}

static void margins_are_added(void **state)
{
    UNUSED(state);
    struct call call = {"pad", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_PARAM, "pad: margin is not given; give one number, x,y or left,top,right,bottom");
    call.params[0][0] = "margin";
    call.params[0][1] = "1,2,3";
    assert_refused(&call, GF_E_BAD_PARAM, "pad: margin has 3 values; give one number, x,y or left,top,right,bottom");
    call.params[0][1] = "5";
    assert_gives(&call, gf_view_tight(GF_U8, 20, 17, 3));
    call.params[0][1] = "5,1";
    assert_gives(&call, gf_view_tight(GF_U8, 20, 9, 3));
    call.params[0][1] = "1,2,30,400";
    assert_gives(&call, gf_view_tight(GF_U8, 41, 409, 3));
    call.params[0][1] = "4294967294";
    assert_refused(&call, GF_E_TOO_LARGE, "pad: dst: 8589934598x8589934595x3 is more than 1099511627776 elements");
}

static void constants_of_a_margin_are_of_its_dtype(void **state)
{
    UNUSED(state);
    static const struct {
        struct gf_view in;
        const char *value, *says; /* NULL: taken */
    } rows[] = {
        {ARRAY(GF_U8, 4, 4, 3, 1), "255", NULL},
        {ARRAY(GF_U8, 4, 4, 3, 1), "1,2,3", NULL},
        {ARRAY(GF_U8, 4, 4, 3, 1), "1,2",
         "pad: border_value has 2 values for 3 channels; give one, or one per channel"},
        {ARRAY(GF_U8, 4, 4, 3, 1), "256", "pad: border_value=256 for u8; allowed: whole numbers 0..255"},
        {ARRAY(GF_U8, 4, 4, 3, 1), "0,1,0.5", "pad: border_value=0.5 for u8; allowed: whole numbers 0..255"},
        {ARRAY(GF_I16, 4, 4, 1, 2), "-32769", "pad: border_value=-32769 for i16; allowed: whole numbers -32768..32767"},
        {ARRAY(GF_U64, 4, 4, 1, 8), "9007199254740991", NULL},
        {ARRAY(GF_U64, 4, 4, 1, 8), "9007199254740993",
         "pad: border_value=9007199254740992 for u64; allowed: whole numbers 0..9007199254740991"},
        {ARRAY(GF_I64, 4, 4, 1, 8), "-9007199254740992", "allowed: whole numbers -9007199254740991..9007199254740991"},
        {ARRAY(GF_F32, 4, 4, 1, 4), "1e39",
         "pad: border_value=1e+39 for f32; allowed: -3.40282347e+38..3.40282347e+38"},
        {ARRAY(GF_F64, 4, 4, 1, 8), "1e39", NULL},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++) {
        struct call call = {"pad", {rows[i].in}, {{"margin", "1"}, {"border_value", rows[i].value}}};
        if (rows[i].says == NULL)
            assert_gives(&call, gf_view_tight(rows[i].in.dtype, 6, 6, rows[i].in.channels));
        else
            assert_refused(&call, GF_E_BAD_PARAM, rows[i].says);
        call.params[2][0] = "border";
        call.params[2][1] = "reflect"; /* where it has no effect */
        if (rows[i].in.channels != 3 || i != 2)
            assert_gives(&call, gf_view_tight(rows[i].in.dtype, 6, 6, rows[i].in.channels));
    }
}

static void sides_change_places(void **state)
{
    UNUSED(state);
    struct call call = {"rotate", {ARRAY(GF_F32, 10, 7, 3, 4)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F32, 7, 10, 3));
    call.params[0][0] = "angle";
    call.params[0][1] = "180";
    assert_gives(&call, gf_view_tight(GF_F32, 10, 7, 3));
    call.params[0][1] = "270";
    assert_gives(&call, gf_view_tight(GF_F32, 7, 10, 3));
    call = (struct call){"transpose", {ARRAY(GF_F32, 10, 7, 3, 4)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F32, 7, 10, 3));
    call = (struct call){"flip", {ARRAY(GF_F32, 10, 7, 3, 4)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F32, 10, 7, 3));
    call.in[0].pitch = 1u << 20; /* a result has no padding */
    assert_gives(&call, gf_view_tight(GF_F32, 10, 7, 3));
    union gf_params params;
    struct gf_error err;
    const struct gf_op *op = gf_op_by_name("rotate");
    gf_op_params_default(op, &params);
    assert_int_equal(gf_op_param_parse(op, gf_op_param(op, "angle"), "45", &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "rotate: angle=45; allowed: 90, 180 or 270");
}

static void threshold_makes_colours_one(void **state)
{
    UNUSED(state);
    static const uint32_t left[] = {1, 2, 1, 2}; /* of 1 to 4 channels: one, and alpha */
    for (uint32_t c = 1; c <= GF_MAX_CHANNELS; c++) {
        struct call call = {"threshold", {IMAGE(GF_U16, 10, 7, c)}, {{NULL}}};
        call.in[0] = gf_view_tight(GF_U16, 10, 7, c);
        assert_gives(&call, gf_view_tight(GF_U16, 10, 7, left[c - 1]));
        call.params[0][0] = "value";
        call.params[0][1] = "0";
        assert_gives(&call, gf_view_tight(GF_U16, 10, 7, left[c - 1]));
        call.params[1][0] = "channels";
        call.params[1][1] = "each";
        assert_gives(&call, gf_view_tight(GF_U16, 10, 7, c));
    }
}

static void threshold_has_a_limit_or_finds_it(void **state)
{
    UNUSED(state);
    struct call call = {"threshold", {IMAGE(GF_U8, 10, 7, 3)}, {{"mode", "fixed"}}};
    assert_refused(&call, GF_E_BAD_PARAM,
                   "threshold: mode=fixed needs a value; give one, or mode=otsu, which finds it");
    call.params[1][0] = "value";
    call.params[1][1] = "0";
    assert_gives(&call, gf_view_tight(GF_U8, 10, 7, 1));
    call.params[0][1] = "otsu";
    assert_refused(&call, GF_E_BAD_PARAM, "threshold: value=0 cannot be used with mode=otsu; leave one of them out");
    call.params[0][1] = "auto";
    assert_gives(&call, gf_view_tight(GF_U8, 10, 7, 1));
    call.params[2][0] = "alpha";
    call.params[2][1] = "straight"; /* of 3 channels there is none */
    assert_gives(&call, gf_view_tight(GF_U8, 10, 7, 1));
    call.in[0] = gf_view_tight(GF_U8, 10, 7, 4);
    assert_refused(&call, GF_E_BAD_PARAM,
                   "threshold: alpha=straight cannot be used with channels=luma; give channels=each too");
}

static void select_has_a_row_per_channel(void **state)
{
    UNUSED(state);
    struct call call = {"select", {ARRAY(GF_I16, 10, 7, 3, 2)}, {{"lo", "-3"}, {"hi", "-3"}}};
    struct gf_view out[GF_MAX_OUTPUTS];
    assert_int_equal(infer(&call, out, NULL), GF_OK);
    assert_true(gf_view_same_shape(&out[0], &(struct gf_view){GF_I16, 1, 70, 3, 0}));
    assert_true(gf_view_same_shape(&out[1], &(struct gf_view){GF_U64, 1, 70, 3, 0}));
    assert_true(gf_view_same_shape(&out[2], &(struct gf_view){GF_U64, 1, 1, 3, 0}));
    call.params[2][0] = "capacity";
    call.params[2][1] = "69";
    assert_gives(&call, gf_view_tight(GF_I16, 69, 3, 1));
    call.params[2][1] = "4294967295";
    assert_gives(&call, gf_view_tight(GF_I16, 70, 3, 1));
    call.params[1][1] = "-3.0000000000000004";
    assert_refused(&call, GF_E_BAD_PARAM, "select: lo=-3 is above hi=-3.0000000000000004");
    call = (struct call){"select", {ARRAY(GF_U8, 1ull << 40, 1, 1, 1)}, {{NULL}}};
    assert_refused(&call, GF_E_TOO_LARGE, "select: indices");
    call.params[0][0] = "capacity";
    call.params[0][1] = "1000";
    assert_gives(&call, gf_view_tight(GF_U8, 1000, 1, 1));
}

static void pyramids_halve_and_double(void **state)
{
    UNUSED(state);
    struct call call = {"pyramid", {ARRAY(GF_I16, 11, 7, 3, 2)}, {{"level", "1"}, {"direction", "down"}}};
    assert_gives(&call, gf_view_tight(GF_I16, 6, 4, 3));
    call.params[0][1] = "3";
    assert_gives(&call, gf_view_tight(GF_I16, 2, 1, 3));
    call.params[0][1] = "16";
    assert_gives(&call, gf_view_tight(GF_I16, 1, 1, 3));
    call.params[1][1] = "up";
    assert_refused(&call, GF_E_TOO_LARGE, "pyramid: dst: image of 720896x458752; allowed: sides up to 65535");
    call.params[0][1] = "2";
    assert_gives(&call, gf_view_tight(GF_I16, 44, 28, 3));
    call.params[2][0] = "border";
    call.params[2][1] = "wrap";
    assert_refused(&call, GF_E_BAD_PARAM,
                   "pyramid: border=wrap cannot be used with direction=up; leave it out for reflect101");
    call.params[1][1] = "down";
    assert_gives(&call, gf_view_tight(GF_I16, 3, 2, 3));
    call.params[2][1] = "constant";
    assert_refused(
        &call, GF_E_BAD_PARAM,
        "pyramid: border=constant; allowed: replicate, wrap, reflect and reflect101; pad adds a constant margin");
}

static void label_has_room_for_parts(void **state)
{
    UNUSED(state);
    struct call call = {"label", {ARRAY(GF_U8, 11, 7, 1, 1)}, {{"connectivity", "4"}}};
    struct gf_view out[GF_MAX_OUTPUTS];
    assert_int_equal(infer(&call, out, NULL), GF_OK);
    assert_true(gf_view_same_shape(&out[0], &(struct gf_view){GF_U32, 1, 11, 7, 0}));
    assert_true(gf_view_same_shape(&out[1], &(struct gf_view){GF_U32, 1, 39, 1, 0}));
    assert_true(gf_view_same_shape(&out[2], &(struct gf_view){GF_U32, 4, 39, 1, 0}));
    assert_true(gf_view_same_shape(&out[3], &(struct gf_view){GF_U64, 1, 1, 1, 0}));
    call.params[0][1] = "8";
    call.params[1][0] = "capacity";
    call.params[1][1] = "25";
    assert_int_equal(infer(&call, out, NULL), GF_OK);
    assert_int_equal(out[1].width, 24);
    call.params[1][1] = "23";
    assert_int_equal(infer(&call, out, NULL), GF_OK);
    assert_int_equal(out[2].width, 23);
    call.in[0] = gf_view_tight(GF_U8, 11, 7, 3);
    assert_refused(&call, GF_E_BAD_VIEW,
                   "label: src has 3 channels; allowed: 1; gray, threshold or copy channel=1 makes one");
}

static void squares_of_distances_fit(void **state)
{
    UNUSED(state);
    struct call call = {"distance", {ARRAY(GF_U8, 60001, 20001, 1, 1)}, {{"squared", "1"}}};
    assert_gives(&call, gf_view_tight(GF_U32, 60001, 20001, 1));
    call.in[0] = gf_view_tight(GF_U8, 65535, 700, 1);
    assert_refused(&call, GF_E_TOO_LARGE,
                   "distance: squares of distances in a picture of 65535x700 go up to 4295193757; allowed: below "
                   "4294967295; leave squared out");
    call.params[0][1] = "0";
    assert_gives(&call, gf_view_tight(GF_F32, 65535, 700, 1));
    call.in[0] = gf_view_tight(GF_F32, 11, 7, 4);
    assert_refused(&call, GF_E_BAD_VIEW, "distance: src has 4 channels; allowed: 1");
}

static void edges_are_one_channel_of_bytes(void **state)
{
    UNUSED(state);
    struct call call = {"canny", {IMAGE(GF_I16, 11, 7, 4)}, {{"low", "1.5"}, {"high", "1.5"}}};
    assert_gives(&call, gf_view_tight(GF_U8, 11, 7, 1));
    call.params[1][1] = "1.25";
    assert_refused(&call, GF_E_BAD_PARAM, "canny: low=1.5 is above high=1.25");
    call.params[1][0] = NULL;
    call.in[0] = gf_view_tight(GF_F32, 11, 7, 1);
    assert_refused(&call, GF_E_BAD_DTYPE, "canny: src is f32; allowed: u8, u16");
}

static void a_template_fits_into_the_picture(void **state)
{
    UNUSED(state);
    struct call call = {"match", {IMAGE(GF_U8, 100, 70, 3), IMAGE(GF_U8, 9, 4, 3)}, {{"peaks", "17"}}};
    struct gf_view out[GF_MAX_OUTPUTS];
    assert_int_equal(infer(&call, out, NULL), GF_OK);
    assert_true(gf_view_same_shape(&out[0], &(struct gf_view){GF_F32, 1, 92, 67, 0}));
    assert_true(gf_view_same_shape(&out[1], &(struct gf_view){GF_F64, 3, 17, 1, 0}));
    assert_true(gf_view_same_shape(&out[2], &(struct gf_view){GF_U64, 1, 1, 1, 0}));
    call.in[1] = call.in[0];
    assert_gives(&call, gf_view_tight(GF_F32, 1, 1, 1));
    call.in[1] = gf_view_tight(GF_U8, 9, 71, 3);
    assert_refused(&call, GF_E_BAD_VIEW, "match: templ is 9x71, larger than src with 100x70; it must fit inside");
    call.in[1] = gf_view_tight(GF_U8, 9, 4, 1);
    assert_refused(&call, GF_E_BAD_VIEW, "match: templ has 1 channels and src 3; both must have the same number");
    call.in[1] = gf_view_tight(GF_U16, 9, 4, 3);
    assert_refused(&call, GF_E_BAD_DTYPE, "match: templ is u16; allowed: u8; map dtype=u8 converts");
    call.in[0] = gf_view_tight(GF_U8, 5000, 5000, 1);
    call.in[1] = gf_view_tight(GF_U8, 4096, 2048, 1);
    assert_gives(&call, gf_view_tight(GF_F32, 905, 2953, 1));
    call.in[1] = gf_view_tight(GF_U8, 4097, 2048, 1);
    assert_refused(&call, GF_E_TOO_LARGE, "match: templ has 8390656 samples; allowed: up to 8388608");
}

static void valid_leaves_what_the_mask_fits_into(void **state)
{
    UNUSED(state);
    struct call call = {"correlate", {IMAGE(GF_U8, 10, 7, 3), MASK(3, 4)}, {{"size", "valid"}}};
    assert_gives(&call, gf_view_tight(GF_U8, 8, 4, 3));
    call.op = "convolve";
    assert_gives(&call, gf_view_tight(GF_U8, 8, 4, 3));
    call.in[1] = (struct gf_view)MASK(10, 7);
    assert_gives(&call, gf_view_tight(GF_U8, 1, 1, 3));
    call.in[1] = (struct gf_view)MASK(11, 1);
    assert_refused(&call, GF_E_BAD_VIEW, "convolve: size=valid leaves nothing of a 10x7 image under a 11x1 mask");
    call.in[1] = (struct gf_view)MASK(1, 8);
    assert_refused(&call, GF_E_BAD_VIEW, "under a 1x8 mask");
}

static void inputs_are_checked_against_the_descriptor(void **state)
{
    UNUSED(state);
    struct call call = {"correlate", {IMAGE(GF_U8, 10, 7, 3), MASK(3, 3)}, {{NULL}}};
    call.in[0].dtype = GF_I8;
    assert_refused(&call, GF_E_BAD_DTYPE,
                   "correlate: src is i8; allowed: u8, u16, i16, f32 or f16; no operation converts i8");
    call.in[0] = (struct gf_view)IMAGE(GF_U8, 10, 0, 3);
    assert_refused(&call, GF_E_BAD_VIEW, "correlate: src: 10x0 is empty");
    call.in[0] = (struct gf_view)IMAGE(GF_U8, 65536, 1, 1);
    assert_refused(&call, GF_E_TOO_LARGE, "correlate: src: image of 65536x1");
    call.in[0] = (struct gf_view)IMAGE(GF_U8, 10, 7, 3);
    call.in[1] = (struct gf_view)IMAGE(GF_U8, 3, 3, 1);
    assert_refused(&call, GF_E_BAD_DTYPE, "correlate: mask is u8; allowed: f32");
    call.in[1] = (struct gf_view)IMAGE(GF_F32, 3, 3, 2);
    assert_refused(&call, GF_E_BAD_VIEW, "correlate: mask has 2 channels; coefficients must have 1");
    call.in[1] = (struct gf_view)MASK(256, 1);
    assert_refused(&call, GF_E_TOO_LARGE, "correlate: mask is 256x1; allowed: sides up to 255");
    call.in[1] = (struct gf_view)MASK(1, 256);
    assert_refused(&call, GF_E_TOO_LARGE, "1x256");
    call.in[1] = (struct gf_view)MASK(3, 3);
    call.in[1].pitch = 11;
    assert_refused(&call, GF_E_BAD_VIEW, "correlate: mask: pitch=11");
    call.in[1].dtype = 0;
    assert_refused(&call, GF_E_BAD_DTYPE, "correlate: mask: dtype 0");
}

static void the_number_of_inputs_must_be_right(void **state)
{
    UNUSED(state);
    const struct gf_op *op = gf_op_by_name("correlate");
    const struct gf_view in[] = {IMAGE(GF_U8, 4, 4, 1), MASK(3, 3), MASK(3, 3)};
    union gf_params params;
    struct gf_view out;
    struct gf_error err = {0};
    gf_op_params_default(op, &params);
    assert_int_equal(gf_op_infer(op, in, 1, &params, &out, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "correlate: 1 inputs given; it takes 2");
    assert_int_equal(gf_op_infer(op, in, 3, &params, &out, &err), GF_E_BAD_REQUEST);
    assert_int_equal(gf_op_infer(op, in, 0, &params, &out, NULL), GF_E_BAD_REQUEST);
    assert_int_equal(gf_op_infer(op, in, 2, &params, &out, &err), GF_OK);
}

static void anchors_lie_inside_the_mask(void **state)
{
    UNUSED(state);
    struct call call = {"correlate", {IMAGE(GF_U8, 4, 4, 1), MASK(5, 2)}, {{"anchor", "4,1"}}};
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 1));
    call.params[0][1] = "5,1";
    assert_refused(&call, GF_E_BAD_PARAM, "correlate: anchor=5,1 outside the mask; allowed: 0..4,0..1");
    call.params[0][1] = "4,2";
    assert_refused(&call, GF_E_BAD_PARAM, "anchor=4,2 outside");
    call.op = "convolve";
    call.params[0][1] = "1";
    assert_refused(&call, GF_E_BAD_PARAM, "convolve: anchor has 1 value; give two: x,y");
}

static void results_have_the_type_that_is_asked_for(void **state)
{
    UNUSED(state);
    struct call call = {"correlate", {IMAGE(GF_U8, 4, 4, 4), MASK(3, 3)}, {{"dtype", "i16"}, {"alpha", "straight"}}};
    assert_gives(&call, gf_view_tight(GF_I16, 4, 4, 4));
    call.params[0][1] = "same";
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 4));
    call.op = "sobel";
    assert_gives(&call, gf_view_tight(GF_F32, 4, 4, 4));
    call.params[0][1] = "u16";
    assert_gives(&call, gf_view_tight(GF_U16, 4, 4, 4));
    call.params[0][1] = "i32";
    assert_refused(&call, GF_E_BAD_PARAM, "sobel: dtype=i32; allowed: u8, u16, i16, f32 or f16");
    call.params[0][1] = "u8";
    call.params[1][1] = "premultiplied";
    assert_refused(&call, GF_E_BAD_PARAM, "sobel: alpha=premultiplied is for weighted means");
    call.op = "correlate";
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 4));
    call.params[0][1] = "f32";
    assert_refused(&call, GF_E_BAD_PARAM, "alpha=premultiplied of u8 cannot be used with dtype=f32");
    call.params[1][0] = "light";
    call.params[1][1] = "linear";
    assert_refused(&call, GF_E_BAD_PARAM, "light=linear of u8 cannot be used with dtype=f32");
    call = (struct call){"map", {IMAGE(GF_F32, 4, 4, 1)}, {{"dtype", "i16"}, {"range", "full"}}};
    assert_refused(&call, GF_E_BAD_PARAM, "map: range=full cannot be used with dtype=i16");
}

static void halves_are_read_and_stored(void **state)
{
    UNUSED(state);
    struct call call = {"gaussian", {IMAGE(GF_F16, 4, 4, 3)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F16, 4, 4, 3));
    call = (struct call){"map", {IMAGE(GF_F16, 4, 4, 1)}, {{"dtype", "u8"}, {"range", "full"}}};
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 1));
    call = (struct call){"correlate", {IMAGE(GF_U8, 4, 4, 4), MASK(3, 3)}, {{"dtype", "f16"}}};
    assert_gives(&call, gf_view_tight(GF_F16, 4, 4, 4));
    call = (struct call){"copy", {ARRAY(GF_F16, 4, 4, 1, 2)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F16, 4, 4, 1));
    call = (struct call){"threshold", {IMAGE(GF_F16, 4, 4, 1)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_DTYPE,
                   "threshold: src is f16; allowed: u8, u16, i16 or f32; map dtype=f32 converts");
    call.op = "equalize";
    assert_refused(&call, GF_E_BAD_DTYPE, "src is f16; allowed: u8, u16 or i16; map dtype=u16 range=full converts");
    call = (struct call){"reduce", {ARRAY(GF_F16, 4, 4, 1, 2)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_DTYPE, "reduce: src is f16; allowed: ");
    call = (struct call){"map", {IMAGE(GF_F16, 4, 4, 1), ARRAY(GF_F32, 256, 1, 1, 4)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_DTYPE, "map: a table has one entry per value, too many for f16");
}

static void signed_pictures_have_no_white(void **state)
{
    UNUSED(state);
    struct call call = {"map", {IMAGE(GF_I16, 4, 4, 1)}, {{"dtype", "u8"}, {"range", "full"}}};
    assert_refused(&call, GF_E_BAD_PARAM,
                   "map: range=full cannot be used with a picture of i16, which has no white level");
    call.params[1][1] = "value";
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 1));
    call = (struct call){
        "gaussian", {IMAGE(GF_I16, 4, 4, 3)}, {{"light", "linear"}, {"border", "constant"}, {"border_value", "-0.5"}}};
    assert_gives(&call, gf_view_tight(GF_I16, 4, 4, 3)); /* linear already */
    call = (struct call){"map", {IMAGE(GF_I16, 4, 4, 1), ARRAY(GF_I16, 256, 1, 1, 2)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_VIEW, "map: table has 256 numbers; pictures of i16 need 65536");
    call.in[1] = (struct gf_view)ARRAY(GF_I16, 65536, 1, 1, 2);
    assert_gives(&call, gf_view_tight(GF_I16, 4, 4, 1));
    call = (struct call){"combine", {IMAGE(GF_I16, 4, 4, 1), IMAGE(GF_U8, 4, 4, 1)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_DTYPE,
                   "other is 4x4x1 u8; both must have the same shape and dtype; map converts by dtype");
    call = (struct call){"integral", {IMAGE(GF_I16, 4, 4, 1)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_DTYPE, "integral: src is i16; allowed: u8, u16 or f32; map dtype=f32 converts");
}

static void combined_pictures_are_alike(void **state)
{
    UNUSED(state);
    struct call call = {"combine", {IMAGE(GF_U8, 4, 4, 3), IMAGE(GF_U8, 4, 4, 3)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 3));
    call.in[1].height = 5;
    assert_refused(&call, GF_E_BAD_VIEW,
                   "combine: src is 4x4x3 u8, other is 4x5x3 u8; both must have the same shape and dtype");
    call.in[1] = (struct gf_view)IMAGE(GF_U16, 4, 4, 3);
    assert_refused(&call, GF_E_BAD_DTYPE, "other is 4x4x3 u16");
}

static void colours_become_other_channels(void **state)
{
    UNUSED(state);
    struct call call = {"gray", {IMAGE(GF_U16, 5, 4, 3)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_U16, 5, 4, 1));
    call.in[0] = (struct gf_view)IMAGE(GF_U8, 5, 4, 4);
    assert_gives(&call, gf_view_tight(GF_U8, 5, 4, 2));
    call.params[0][0] = "alpha";
    call.params[0][1] = "drop";
    assert_gives(&call, gf_view_tight(GF_U8, 5, 4, 1));
    call.op = "ycbcr";
    assert_gives(&call, gf_view_tight(GF_U8, 5, 4, 3));
    call.op = "hsv";
    assert_gives(&call, gf_view_tight(GF_U8, 5, 4, 3));
    call = (struct call){"rgb", {IMAGE(GF_F32, 5, 4, 4)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_F32, 5, 4, 4));
    call = (struct call){"flatten", {IMAGE(GF_U8, 5, 4, 2)}, {{"colour", "255"}}};
    assert_gives(&call, gf_view_tight(GF_U8, 5, 4, 1));
    call.in[0].channels = 3;
    call.in[0].pitch = 15;
    assert_gives(&call, gf_view_tight(GF_U8, 5, 4, 3));
    call = (struct call){"normalize", {IMAGE(GF_U8, 5, 4, 3)}, {{"mean", "1,2,3"}}};
    assert_gives(&call, gf_view_tight(GF_F32, 5, 4, 3));
    call = (struct call){"matrix", {IMAGE(GF_U8, 5, 4, 3), MASK(4, 2)}, {{"dtype", "i16"}}};
    assert_gives(&call, gf_view_tight(GF_I16, 5, 4, 2));
}

static void colour_ops_refuse_what_has_no_meaning(void **state)
{
    UNUSED(state);
    struct call call = {"gray", {IMAGE(GF_U8, 4, 4, 3)}, {{"weights", "1,2"}}};
    assert_refused(&call, GF_E_BAD_PARAM, "gray: weights has 2 values; give three: for red, green and blue");
    call.params[0][1] = "1,2,3";
    call.params[1][0] = "standard";
    call.params[1][1] = "bt709";
    assert_refused(&call, GF_E_BAD_PARAM, "gray: weights cannot be used with standard=bt709; leave one of them out");
    call.params[1][1] = "bt601";
    call.in[0] = (struct gf_view)IMAGE(GF_U8, 4, 4, 1);
    assert_refused(
        &call, GF_E_BAD_VIEW,
        "gray: weights cannot be used with a grey picture of 1 channel; scale it with map, as in map scale=0.5");
    call = (struct call){"ycbcr", {IMAGE(GF_U8, 4, 4, 2)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_VIEW, "ycbcr: src has 2 channels; allowed: 3, or 4 with alpha");
    call = (struct call){"hsv", {IMAGE(GF_U8, 4, 4, 3)}, {{"turn", "257"}}};
    assert_refused(&call, GF_E_BAD_PARAM, "hsv: turn=257 for u8; allowed: 1..256, or 0 for 180");
    call.in[0] = (struct gf_view)IMAGE(GF_U16, 4, 4, 3);
    assert_gives(&call, gf_view_tight(GF_U16, 4, 4, 3));
    call.in[0] = (struct gf_view)IMAGE(GF_U16, 4, 4, 1);
    assert_refused(&call, GF_E_BAD_VIEW, "hsv: src has 1 channel; allowed: 3, or 4 with alpha");
    call = (struct call){"rgb", {IMAGE(GF_U8, 4, 4, 3)}, {{"turn", "90"}}};
    assert_refused(&call, GF_E_BAD_PARAM, "rgb: turn=90 cannot be used with model=ycbcr; leave it out");
    call = (struct call){"rgb", {IMAGE(GF_U8, 4, 4, 3)}, {{"model", "hsv"}, {"range", "video"}}};
    assert_refused(&call, GF_E_BAD_PARAM, "rgb: standard and range cannot be used with model=hsv; leave them out");
    call = (struct call){"flatten", {IMAGE(GF_U8, 4, 4, 4)}, {{"colour", "256"}}};
    assert_refused(&call, GF_E_BAD_PARAM, "flatten: colour=256 is not a u8 sample; allowed: whole numbers 0..255");
    call.params[0][1] = "0.5";
    assert_refused(&call, GF_E_BAD_PARAM, "colour=0.5 is not a u8 sample");
    call.params[0][1] = "1,2";
    assert_refused(&call, GF_E_BAD_PARAM, "flatten: colour has 2 values for 3 channels; give one, or one per channel");
    call.in[0] = (struct gf_view)IMAGE(GF_U8, 4, 4, 2);
    assert_refused(&call, GF_E_BAD_PARAM, "flatten: colour has 2 values for 1 channel; give one");
    call = (struct call){"normalize", {IMAGE(GF_U8, 4, 4, 3)}, {{"std", "1,2"}}};
    assert_refused(&call, GF_E_BAD_PARAM, "normalize: std has 2 values for 3 channels; give one, or one per channel");
}

static void a_matrix_has_a_row_per_result_and_a_column_per_channel(void **state)
{
    UNUSED(state);
    struct call call = {"matrix", {IMAGE(GF_U8, 4, 4, 3), MASK(3, 5)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_VIEW, "matrix: coefs has 5 rows; allowed: 1..4, one per channel of dst");
    call.in[1] = (struct gf_view)MASK(2, 1);
    assert_refused(&call, GF_E_BAD_VIEW, "matrix: coefs has 2 columns for 3 channels; allowed: 3, or 4 with offsets");
    call.in[1] = (struct gf_view)MASK(3, 1);
    call.params[0][0] = "dtype";
    call.params[0][1] = "u32";
    assert_refused(&call, GF_E_BAD_PARAM, "matrix: dtype=u32; allowed: u8, u16, i16, f32 or f16");
    call = (struct call){"matrix", {IMAGE(GF_U8, 65535, 32768, 1), MASK(1, 2)}, {{NULL}}};
    assert_refused(&call, GF_E_TOO_LARGE,
                   "matrix: the result would have 4294901760 samples; allowed: up to 2147483648");
}

static void pictures_are_joined(void **state)
{
    UNUSED(state);
    struct call call = {"merge", {IMAGE(GF_U8, 4, 4, 1), IMAGE(GF_U8, 4, 4, 2), {0}, IMAGE(GF_U8, 4, 4, 1)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 4));
    call.in[2] = (struct gf_view)IMAGE(GF_U8, 4, 4, 1);
    assert_refused(&call, GF_E_BAD_VIEW, "merge: the pictures have 5 channels in total; allowed: up to 4");
    call.in[2] = (struct gf_view)IMAGE(GF_U8, 4, 5, 1);
    assert_refused(&call, GF_E_BAD_VIEW,
                   "merge: src is 4x4x1 u8, src3 is 4x5x1 u8; all must have the same size and type");
    call.in[2] = (struct gf_view)IMAGE(GF_U16, 4, 4, 1);
    assert_refused(&call, GF_E_BAD_DTYPE, "src3 is 4x4x1 u16; all must have the same size and type; map converts");
    call = (struct call){"merge", {IMAGE(GF_U8, 4, 4, 3)}, {{"order", "3,2,1,0"}}};
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 4));
    call.params[0][1] = "2";
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 1));
    call.params[0][1] = "1,4";
    assert_refused(&call, GF_E_BAD_PARAM,
                   "merge: order has channel 4 of 3; allowed: 1..3, or 0 for the greatest sample");
}

static void planes_of_video_have_half_the_sides(void **state)
{
    UNUSED(state);
    struct call call = {"nv12", {IMAGE(GF_U8, 5, 3, 3)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_U8, 5, 3, 1));
    call.in[0] = (struct gf_view)IMAGE(GF_U8, 5, 3, 4);
    assert_refused(
        &call, GF_E_BAD_VIEW,
        "nv12: src has 4 channels; allowed: 3; the planes have no alpha; flatten puts a colour behind the picture");
    call = (struct call){"i420", {IMAGE(GF_U16, 5, 3, 1)}, {{NULL}}};
    assert_refused(&call, GF_E_BAD_VIEW, "i420: src has 1 channel; allowed: 3; merge order=1,1,1 makes three of grey");
    call = (struct call){"rgb420", {IMAGE(GF_U8, 5, 3, 1), IMAGE(GF_U8, 3, 2, 2)}, {{NULL}}};
    assert_gives(&call, gf_view_tight(GF_U8, 5, 3, 3));
    call.in[1].width = 2;
    assert_refused(&call, GF_E_BAD_VIEW, "rgb420: chroma is 2x2, src 5x3; it must be half of that, rounded up: 3x2");
    call.in[1] = (struct gf_view)IMAGE(GF_U8, 3, 2, 1);
    assert_refused(&call, GF_E_BAD_VIEW,
                   "rgb420: chroma has 1 channel; allowed: 2 (Cb and Cr), or 1 (Cb) if cr is given");
    call.in[2] = (struct gf_view)IMAGE(GF_U8, 3, 2, 1);
    assert_gives(&call, gf_view_tight(GF_U8, 5, 3, 3));
    call.in[2] = (struct gf_view)IMAGE(GF_U8, 3, 2, 2);
    assert_refused(&call, GF_E_BAD_VIEW, "rgb420: cr has 2 channels; allowed: 1, because Cb and Cr each have a plane");
    call.in[2] = (struct gf_view)IMAGE(GF_U16, 3, 2, 1);
    assert_refused(&call, GF_E_BAD_DTYPE, "rgb420: src is u8, cr is u16; all must have the same type; map converts");
    call.in[0] = (struct gf_view)IMAGE(GF_U8, 5, 3, 3);
    assert_refused(&call, GF_E_BAD_VIEW, "rgb420: src has 3 channels; it is Y and must have 1");
}

static void border_values_are_one_or_one_per_channel(void **state)
{
    UNUSED(state);
    static const char *const ops[] = {"gaussian", "box", "correlate", "convolve"};
    for (size_t i = 0; i < 4; i++) {
        struct call call = {ops[i], {IMAGE(GF_U8, 4, 4, 3), MASK(3, 3)}, {{"border_value", "7"}}};
        assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 3));
        call.params[0][1] = "1,2,3";
        assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 3));
        call.params[0][1] = "1,2";
        assert_refused(&call, GF_E_BAD_PARAM, "border_value has 2 values for 3 channels; give one, or one per channel");
        call.params[0][1] = "1,2,3,4";
        assert_refused(&call, GF_E_BAD_PARAM, "border_value has 4 values for 3 channels");
    }
}

static void linear_light_needs_whole_colours_outside(void **state)
{
    UNUSED(state);
    struct call call = {"gaussian",
                        {IMAGE(GF_U8, 4, 4, 4)},
                        {{"light", "linear"}, {"border", "constant"}, {"border_value", "0,1,255,0.5"}}};
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 4)); /* alpha is not decoded */
    call.params[2][1] = "0,1,255.5,0";
    assert_refused(&call, GF_E_BAD_PARAM, "gaussian: border_value=255.5 is not a u8 sample");
    assert_refused(&call, GF_E_BAD_PARAM, "whole numbers 0..255");
    call.params[2][1] = "0,0.5,0,0";
    assert_refused(&call, GF_E_BAD_PARAM, "border_value=0.5");
    call.params[2][1] = "-1";
    assert_refused(&call, GF_E_BAD_PARAM, "border_value=-1");
    call.params[2][1] = "256";
    assert_refused(&call, GF_E_BAD_PARAM, "border_value=256");
    call.in[0] = (struct gf_view)IMAGE(GF_U16, 4, 4, 3);
    assert_gives(&call, gf_view_tight(GF_U16, 4, 4, 3));
    call.params[2][1] = "0,0,65536";
    assert_refused(&call, GF_E_BAD_PARAM, "whole numbers 0..65535");
    call.in[0] = (struct gf_view)IMAGE(GF_F32, 4, 4, 3); /* linear already */
    assert_gives(&call, gf_view_tight(GF_F32, 4, 4, 3));
    call.in[0] = (struct gf_view)IMAGE(GF_U16, 4, 4, 3);
    call.params[1][1] = "wrap"; /* the value is not used */
    assert_gives(&call, gf_view_tight(GF_U16, 4, 4, 3));
    call.params[0][1] = "encoded";
    call.params[1][1] = "constant";
    assert_gives(&call, gf_view_tight(GF_U16, 4, 4, 3));
}

static void gaussian_radius_rounds_half_up(void **state)
{
    UNUSED(state);
    assert_int_equal(gf_gaussian_radius(2.0f, 4.0f), 8);
    assert_int_equal(gf_gaussian_radius(0.0f, 4.0f), 0);
    assert_int_equal(gf_gaussian_radius(0.125f, 4.0f), 1);
    assert_int_equal(gf_gaussian_radius(0.124f, 4.0f), 0);
    assert_int_equal(gf_gaussian_radius(2047.0f, 64.0f), 131008);
    /* the product of f32 numbers is exact in f64: 0.1f * 5 is above one half */
    assert_int_equal(gf_gaussian_radius(0.1f, 5.0f), 1);
    assert_int_equal(gf_gaussian_radius(-3.0f, 4.0f), 0);
    assert_true(gf_gaussian_radius(NAN, 4.0f) == UINT32_MAX);
    assert_true(gf_gaussian_radius(INFINITY, 4.0f) == UINT32_MAX);
}

static void gaussian_taps_have_a_limit(void **state)
{
    UNUSED(state);
    struct call call = {"gaussian", {IMAGE(GF_U8, 4, 4, 1)}, {{"sigma", "2047"}, {"truncate", "1"}}};
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 1));
    call.params[1][1] = "1.0002";
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 1)); /* radius floor(2047.9094) */
    call.params[1][1] = "1.0003";
    assert_refused(&call, GF_E_BAD_PARAM, "has radius 2048; allowed: up to 2047");
    call.params[0][1] = "1,600";
    call.params[1][1] = "4";
    assert_refused(&call, GF_E_BAD_PARAM, "gaussian: sigma=600 with truncate=4 has radius 2400; allowed: up to 2047");
    call.params[0][1] = "0,0";
    assert_gives(&call, gf_view_tight(GF_U8, 4, 4, 1));
}

static void axes_are_one_or_two(void **state)
{
    UNUSED(state);
    const struct gf_view in = IMAGE(GF_U8, 4, 4, 1);
    union gf_params params;
    struct gf_view out;
    struct gf_error err = {0};
    gf_op_params_default(gf_op_by_name("box"), &params);
    GF_SET_PARAM(&params, box, size.n, 0);
    assert_int_equal(gf_op_infer(gf_op_by_name("box"), &in, 1, &params, &out, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "box: size has 0 values; give one, or x,y");
    gf_op_params_default(gf_op_by_name("gaussian"), &params);
    GF_SET_PARAM(&params, gaussian, sigma.n, 3);
    assert_int_equal(gf_op_infer(gf_op_by_name("gaussian"), &in, 1, &params, &out, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "gaussian: sigma has 3 values; give one, or x,y");
}

static void ranks_lie_within_the_window(void **state)
{
    UNUSED(state);
    static const struct {
        struct call call;
        const char *says; /* NULL: it is taken */
    } rows[] = {
        {{"rank", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{NULL}}},
         "rank: index is not given; give a whole number: 0 is the smallest sample of a window, -1 the greatest"},
        {{"rank", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{"index", "9"}}},
         "rank: index=9 for a window of 3x3; allowed: whole numbers -9..8"},
        {{"rank", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{"index", "-10"}}}, "rank: index=-10 for a window of 3x3"},
        {{"rank", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{"index", "1.5"}}}, "rank: index=1.5 for a window of 3x3"},
        {{"rank", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{"index", "9"}, {"size", "2x5"}}}, NULL},
        {{"rank", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{"index", "-65025"}, {"size", "255"}}}, NULL},
        {{"rank", {ARRAY(GF_U8, 10, 7, 3, 1)}, {{"index", "0"}, {"border_value", "1,2"}}},
         "rank: border_value has 2 values for 3 channels; give one, or one per channel"},
        {{"percentile", {ARRAY(GF_U16, 10, 7, 1, 2)}, {{NULL}}},
         "percentile: percent is not given; give a number 0..100, such as percent=25"},
        {{"median", {ARRAY(GF_U16, 10, 7, 1, 2)}, {{"border_value", "0.5"}}}, NULL},
        {{"median", {ARRAY(GF_U16, 10, 7, 1, 2)}, {{"border_value", "0.5"}, {"border", "constant"}}},
         "median: border_value=0.5 for u16; allowed: whole numbers 0..65535"},
        {{"median", {ARRAY(GF_F16, 10, 7, 1, 2)}, {{"border_value", "65505"}, {"border", "constant"}}},
         "median: border_value=65505 for f16; allowed: -65504..65504"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].says != NULL)
            assert_refused(&rows[i].call, GF_E_BAD_PARAM, rows[i].says);
        else
            assert_gives(&rows[i].call, gf_view_tight(rows[i].call.in[0].dtype, 10, 7, rows[i].call.in[0].channels));
    const struct gf_op *op = gf_op_by_name("median");
    union gf_params params;
    struct gf_error err;
    gf_op_params_default(op, &params);
    assert_int_equal(gf_op_param_parse(op, gf_op_param(op, "size"), "256", &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "median: size=256 outside 1..255");
    assert_int_equal(gf_op_param_parse(op, gf_op_param(op, "size"), "0x3", &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "median: size=0 outside 1..255");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_tight_and_as_the_input),
        cmocka_unit_test(reductions_leave_one_value_per_sequence),
        cmocka_unit_test(segments_have_a_value_each),
        cmocka_unit_test(quantiles_are_a_side_of_their_own),
        cmocka_unit_test(pairs_have_two_sides),
        cmocka_unit_test(dot_wants_equal_operands),
        cmocka_unit_test(matrices_have_to_match),
        cmocka_unit_test(kernels_have_to_fit_their_lines),
        cmocka_unit_test(constants_of_a_line_are_of_its_dtype),
        cmocka_unit_test(copy_gives_all_channels_or_one),
        cmocka_unit_test(windows_lie_inside),
        cmocka_unit_test(orders_keep_shapes_and_refuse_what_is_too_many),
        cmocka_unit_test(margins_are_added),
        cmocka_unit_test(constants_of_a_margin_are_of_its_dtype),
        cmocka_unit_test(sides_change_places),
        cmocka_unit_test(threshold_makes_colours_one),
        cmocka_unit_test(threshold_has_a_limit_or_finds_it),
        cmocka_unit_test(select_has_a_row_per_channel),
        cmocka_unit_test(pyramids_halve_and_double),
        cmocka_unit_test(label_has_room_for_parts),
        cmocka_unit_test(a_template_fits_into_the_picture),
        cmocka_unit_test(squares_of_distances_fit),
        cmocka_unit_test(edges_are_one_channel_of_bytes),
        cmocka_unit_test(valid_leaves_what_the_mask_fits_into),
        cmocka_unit_test(inputs_are_checked_against_the_descriptor),
        cmocka_unit_test(the_number_of_inputs_must_be_right),
        cmocka_unit_test(anchors_lie_inside_the_mask),
        cmocka_unit_test(results_have_the_type_that_is_asked_for),
        cmocka_unit_test(signed_pictures_have_no_white),
        cmocka_unit_test(halves_are_read_and_stored),
        cmocka_unit_test(combined_pictures_are_alike),
        cmocka_unit_test(colours_become_other_channels),
        cmocka_unit_test(colour_ops_refuse_what_has_no_meaning),
        cmocka_unit_test(a_matrix_has_a_row_per_result_and_a_column_per_channel),
        cmocka_unit_test(pictures_are_joined),
        cmocka_unit_test(planes_of_video_have_half_the_sides),
        cmocka_unit_test(ranks_lie_within_the_window),
        cmocka_unit_test(border_values_are_one_or_one_per_channel),
        cmocka_unit_test(linear_light_needs_whole_colours_outside),
        cmocka_unit_test(gaussian_radius_rounds_half_up),
        cmocka_unit_test(gaussian_taps_have_a_limit),
        cmocka_unit_test(axes_are_one_or_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
