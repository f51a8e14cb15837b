/* SPDX-License-Identifier: MIT */
/* protocol/op_shapes and op_checks: inputs, outputs, and refusals with their messages. */
#include "protocol/ops/op_shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/gaussian.h"
#include "tests/unit/unit.h"

/* One call of gf_op_infer, and what it gives. */
struct row {
    const char *op;
    struct gf_view in[4];
    const char *params; /* "name=value name=value"; all others have their defaults */
    enum gf_status status;
    const char *says;                   /* of a refusal: part of its message */
    struct gf_view out[GF_MAX_OUTPUTS]; /* the first results; the others are not checked */
};

#define ROW(op, in, params, result)                                                                                    \
    {                                                                                                                  \
        op, in, params, result                                                                                         \
    }
#define IN(...)                                                                                                        \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define GIVES(...)                                                                                                     \
    GF_OK, NULL,                                                                                                       \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define REFUSED(status, says)                                                                                          \
    GF_E_##status, says,                                                                                               \
    {                                                                                                                  \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

/* Rows without gaps. */
#define VIEW(dtype, size, w, h, c)                                                                                     \
    {                                                                                                                  \
        dtype, c, w, h, (uint64_t)(w) * (c) * (size)                                                                   \
    }
#define U8(w, h, c) VIEW(GF_U8, 1, w, h, c)
#define I8(w, h, c) VIEW(GF_I8, 1, w, h, c)
#define U16(w, h, c) VIEW(GF_U16, 2, w, h, c)
#define I16(w, h, c) VIEW(GF_I16, 2, w, h, c)
#define F16(w, h, c) VIEW(GF_F16, 2, w, h, c)
#define U32(w, h, c) VIEW(GF_U32, 4, w, h, c)
#define I32(w, h, c) VIEW(GF_I32, 4, w, h, c)
#define F32(w, h, c) VIEW(GF_F32, 4, w, h, c)
#define U64(w, h, c) VIEW(GF_U64, 8, w, h, c)
#define I64(w, h, c) VIEW(GF_I64, 8, w, h, c)
#define F64(w, h, c) VIEW(GF_F64, 8, w, h, c)

static void set_params(const struct gf_op *op, const char *text, union gf_params *ret_params)
{
    char name[32], value[64];
    gf_op_params_default(op, ret_params);
    for (int n = 0; sscanf(text, " %31[^=]=%63s%n", name, value, &n) == 2; text += n) {
        assert_non_null(gf_op_param(op, name));
        assert_int_equal(gf_op_param_parse(op, gf_op_param(op, name), value, ret_params, NULL), GF_OK);
    }
    assert_string_equal(text, "");
}

static void check_refused(const struct row *row, const struct gf_op *op, const union gf_params *params)
{
    struct gf_view out = {.dtype = 77};
    struct gf_error err = {0};
    if (gf_op_infer(op, row->in, op->n_inputs, params, &out, &err) != row->status || !strstr(err.text, row->says))
        fail_msg("%s %s: '%s' does not say '%s'", row->op, row->params, err.text, row->says);
    assert_int_equal(err.status, row->status);
    assert_int_equal(out.dtype, 77);
    assert_int_equal(gf_op_infer(op, row->in, op->n_inputs, params, &out, NULL), row->status);
}

static void check_given(const struct row *row, const struct gf_op *op, const union gf_params *params)
{
    struct gf_view out[GF_MAX_OUTPUTS] = {{0}};
    struct gf_error err = {0};
    if (gf_op_infer(op, row->in, op->n_inputs, params, out, &err) != GF_OK)
        fail_msg("%s %s: %s", row->op, row->params, err.text);
    for (uint32_t i = 0; i < GF_MAX_OUTPUTS && row->out[i].dtype != 0; i++)
        if (!gf_view_same_shape(&out[i], &row->out[i]) || out[i].pitch != row->out[i].pitch)
            fail_msg("%s %s: result %u is %llux%llux%u", row->op, row->params, i, (unsigned long long)out[i].width,
                     (unsigned long long)out[i].height, out[i].channels);
}

struct rows {
    const struct row *list;
    size_t n;
};

static void check_rows(void **state)
{
    const struct rows *rows = *state;
    for (size_t i = 0; i < rows->n; i++) {
        const struct gf_op *op = gf_op_by_name(rows->list[i].op);
        union gf_params params;
        assert_non_null(op);
        set_params(op, rows->list[i].params, &params);
        (rows->list[i].status == GF_OK ? check_given : check_refused)(&rows->list[i], op, &params);
    }
}

static const struct row outputs_are_tight_and_as_the_input[] = {
    ROW("gaussian", IN({GF_U16, 3, 100, 50, 1024}), "", GIVES(U16(100, 50, 3))),
    ROW("box", IN(F32(1, 1, 4)), "", GIVES(F32(1, 1, 4))),
    ROW("correlate", IN(U8(9, 9, 1), F32(255, 255, 1)), "", GIVES(U8(9, 9, 1))),
};

static const struct row reductions_leave_one_value_per_sequence[] = {
    ROW("reduce", IN(I16(10, 7, 3)), "op=sum", GIVES(I64(1, 1, 3))),
    ROW("reduce", IN(I16(10, 7, 3)), "op=sum axis=rows", GIVES(I64(1, 7, 3))),
    ROW("reduce", IN(I16(10, 7, 3)), "op=sum axis=cols", GIVES(I64(10, 1, 3))),
    ROW("reduce", IN(I16(10, 7, 3)), "op=min axis=cols", GIVES(I16(10, 1, 3))),
    ROW("reduce", IN(I16(10, 7, 3)), "op=argmax axis=cols", GIVES(U64(10, 1, 3))),
    ROW("reduce", IN(I16(10, 7, 3)), "op=any axis=cols", GIVES(U8(10, 1, 3))),
    ROW("reduce", IN(I16(10, 7, 3)), "op=std axis=cols", GIVES(F64(10, 1, 3))),
};

static const struct row segments_have_a_value_each[] = {
    ROW("reduce", IN(I16(10, 7, 3), U32(6, 1, 1)), "op=sum", GIVES(I64(5, 1, 3))),
    ROW("reduce", IN(I16(10, 7, 3), U32(6, 1, 1)), "op=sum axis=channels", GIVES(I64(5, 1, 3))),
    ROW("reduce", IN(I16(10, 7, 3), U32(6, 1, 1)), "op=sum axis=cols",
        REFUSED(BAD_PARAM, "reduce: axis=cols cannot be used with segments; use axis=all")),
    ROW("reduce", IN(I16(10, 7, 3), U64(1, 1, 1)), "op=sum axis=all",
        REFUSED(BAD_PARAM, "reduce: segments has 1 number; it must have 2 or more")),
    ROW("reduce", IN(I16(10, 7, 3), F64(6, 1, 1)), "op=sum axis=all",
        REFUSED(BAD_DTYPE, "allowed: u32, i32, u64 or i64")),
    ROW("reduce", IN(I16(10, 7, 3), U32(6, 1, 1)), "op=matmul2 axis=all",
        REFUSED(BAD_DTYPE, "op=matmul2 takes f32 or f64, not i16")),
    ROW("reduce", IN(F32(10, 7, 4), U32(6, 1, 1)), "op=matmul2 axis=all", GIVES(F64(5, 1, 4))),
};

static const struct row quantiles_are_a_side_of_their_own[] = {
    ROW("quantile", IN(I16(10, 7, 3)), "q=0,0.5,1", GIVES(F64(3, 1, 3))),
    ROW("quantile", IN(I16(10, 7, 3)), "q=0,0.5,1 axis=rows", GIVES(F64(3, 7, 3))),
    ROW("quantile", IN(I16(10, 7, 3)), "q=0,0.5,1 axis=cols", GIVES(F64(10, 3, 3))),
    ROW("quantile", IN(I16(10, 7, 3), U32(6, 1, 1)), "q=0,0.5,1 axis=cols",
        REFUSED(BAD_PARAM, "quantile: axis=cols cannot be used with segments; use axis=all")),
    ROW("quantile", IN(I16(10, 7, 3), U32(6, 1, 1)), "q=0,0.5,1 axis=all", GIVES(F64(5, 3, 3))),
    ROW("quantile", IN(I16(10, 7, 3), U32(1, 1, 1)), "q=0,0.5,1 axis=all",
        REFUSED(BAD_PARAM, "quantile: segments has 1 number; it must have 2 or more")),
    ROW("quantile", IN(F16(10, 7, 3)), "q=1", REFUSED(BAD_DTYPE, "quantile: src is f16; allowed: ")),
};

static const struct row pairs_have_two_sides[] = {
    ROW("histogram2d", IN(U8(10, 7, 3)), "bins=4,5", GIVES(U64(5, 4, 1), U64(2, 1, 1), F64(5, 1, 1), F64(6, 1, 1))),
    ROW("histogram2d", IN(U8(10, 7, 3)), "channels=3,4",
        REFUSED(BAD_PARAM, "histogram2d: channels: the second is 4, but src has 3")),
    ROW("histogram2d", IN(U8(10, 7, 1)), "",
        REFUSED(BAD_VIEW, "histogram2d: src has 1 channel, but pairs need two; give a second picture")),
    ROW("histogram2d", IN(U8(10, 7, 1), U8(7, 10, 1)), "",
        REFUSED(BAD_VIEW, "histogram2d: src is 10x7 and src2 is 7x10; both must have the same size, because pairs are "
                          "pixels at the same")),
    ROW("histogram2d", IN(U8(10, 7, 1), F32(10, 7, 2)), "",
        REFUSED(BAD_PARAM, "for f32 (the second) give a number, such as bins=64")),
    ROW("histogram2d", IN(U8(10, 7, 1), F32(10, 7, 2)), "bins=0,9", GIVES(U64(9, 256, 1))),
    ROW("histogram2d", IN(U8(10, 7, 1), F32(10, 7, 2)), "bins=0,9 lo=0,2 hi=9,1.5",
        REFUSED(BAD_PARAM, "histogram2d: lo=2 is not below hi=1.5 for the second")),
    ROW("histogram2d", IN(U16(10, 7, 2)), "",
        REFUSED(TOO_LARGE, "65536 x 65536 bins; allowed: up to 16777216 in total, such as bins=256")),
};

static const struct row dot_wants_equal_operands[] = {
    ROW("dot", IN(F32(10, 7, 1), F32(10, 7, 1)), "", GIVES(F64(1, 1, 1))),
    ROW("dot", IN(F32(10, 7, 1), {GF_F32, 1, 10, 7, 44}), "", GIVES(F64(1, 1, 1))),
    ROW("dot", IN(F32(10, 7, 1), F32(7, 10, 1)), "", REFUSED(BAD_VIEW, "a is 10x7x1 f32 and b is 7x10x1 f32")),
    ROW("dot", IN(F32(10, 7, 1), F64(10, 7, 1)), "", REFUSED(BAD_DTYPE, "same shape and dtype")),
    ROW("dot", IN(I32(10, 7, 1), F64(10, 7, 1)), "", REFUSED(BAD_DTYPE, "allowed: f32 or f64")),
};

static const struct row matrices_have_to_match[] = {
    ROW("matmul", IN(F32(10, 7, 1), F32(3, 10, 1)), "", GIVES(F32(3, 7, 1))),
    ROW("matmul", IN(F32(10, 7, 1), F32(10, 3, 1)), "",
        REFUSED(BAD_VIEW, "matmul: a is 10x7x1 f32 and b is 10x3x1 f32; the width of a")),
    ROW("matmul", IN(F32(10, 7, 1), F32(3, 10, 2)), "", REFUSED(BAD_VIEW, "matmul: b has 2 channels; allowed: 1")),
    ROW("matmul", IN(F32(10, 7, 1), F64(3, 10, 1)), "", REFUSED(BAD_DTYPE, "same dtype")),
    ROW("matmul", IN(I8(10, 7, 1), I8(3, 10, 1)), "", GIVES(I64(3, 7, 1))),
    ROW("matmul", IN(U8(10, 7, 1), I8(3, 10, 1)), "",
        REFUSED(BAD_DTYPE, "matmul: a is u8; allowed: i8, i16, i32, f32 or f64")),
    ROW("matmul", IN(F32(1, 1ull << 36, 1), F32(1ull << 36, 1, 1)), "", REFUSED(TOO_LARGE, "matmul: the product")),
};

static const struct row kernels_have_to_fit_their_lines[] = {
    ROW("convolve1d", IN(F32(10, 7, 2), F32(3, 1, 1)), "", GIVES(F32(10, 7, 2))),
    ROW("convolve1d", IN(F32(10, 7, 2), F32(3, 1, 1)), "mode=full", GIVES(F32(12, 7, 2))),
    ROW("convolve1d", IN(F32(10, 7, 2), F32(3, 1, 1)), "mode=full axis=cols", GIVES(F32(10, 9, 2))),
    ROW("convolve1d", IN(F32(10, 7, 2), F32(3, 1, 1)), "mode=valid axis=cols", GIVES(F32(10, 5, 2))),
    ROW("convolve1d", IN(F32(10, 7, 2), F32(8, 1, 1)), "mode=valid axis=cols",
        REFUSED(BAD_VIEW, "convolve1d: mode=valid leaves nothing of 7 elements under 8 taps")),
    ROW("convolve1d", IN(F32(10, 7, 2), F32(8, 1, 1)), "mode=valid axis=all",
        REFUSED(BAD_PARAM, "convolve1d: axis=all would continue from one row into the next")),
    ROW("convolve1d", IN(F32(10, 7, 2), F32(3, 2, 1)), "mode=valid axis=rows",
        REFUSED(BAD_VIEW, "kernel is 3x2x1 f32; it must be one row")),
    ROW("convolve1d", IN(F32(10, 7, 2), F32(3, 1, 2)), "mode=valid axis=rows",
        REFUSED(BAD_VIEW, "convolve1d: kernel has 2 channels; allowed: 1")),
    ROW("convolve1d", IN(F32(10, 7, 2), F64(3, 1, 1)), "mode=valid axis=rows",
        REFUSED(BAD_DTYPE, "src is f32 and kernel is f64; both must have the same dtype")),
    ROW("convolve1d", IN(F32(10, 7, 2), F32(65536, 1, 1)), "mode=valid axis=rows",
        REFUSED(TOO_LARGE, "allowed: up to 65535 taps")),
    ROW("convolve1d", IN(U64(10, 7, 2), F32(65536, 1, 1)), "mode=valid axis=rows",
        REFUSED(BAD_DTYPE, "convolve1d: src is u64")),
};

static const struct row constants_of_a_line_are_of_its_dtype[] = {
    ROW("correlate1d", IN(U8(10, 7, 2), U8(3, 1, 1)), "border=constant border_value=255 anchor=2",
        GIVES(I64(10, 7, 2))),
    ROW("correlate1d", IN(U8(10, 7, 2), U8(3, 1, 1)), "border=constant border_value=256 anchor=2",
        REFUSED(BAD_PARAM, "border_value=256 for u8; allowed: whole numbers 0..255")),
    ROW("correlate1d", IN(U8(10, 7, 2), U8(3, 1, 1)), "border=constant border_value=0.5 anchor=2",
        REFUSED(BAD_PARAM, "border_value=0.5 for u8")),
    ROW("correlate1d", IN(U8(10, 7, 2), U8(3, 1, 1)), "border=wrap border_value=0.5 anchor=2", GIVES(I64(10, 7, 2))),
    ROW("correlate1d", IN(U8(10, 7, 2), U8(3, 1, 1)), "border=wrap border_value=0.5 anchor=3",
        REFUSED(BAD_PARAM, "anchor=3 outside the kernel; allowed: 0..2")),
    ROW("correlate1d", IN(F32(10, 7, 2), F32(3, 1, 1)), "border=constant border_value=1e39 anchor=0",
        REFUSED(BAD_PARAM, "correlate1d: border_value=1e+39 for f32")),
};

static const struct row copy_gives_all_channels_or_one[] = {
    ROW("copy", IN(I64(10, 7, 3)), "", GIVES(I64(10, 7, 3))),
    ROW("copy", IN(I64(10, 7, 3)), "channel=3", GIVES(I64(10, 7, 1))),
    ROW("copy", IN(I64(10, 7, 3)), "channel=4",
        REFUSED(BAD_PARAM, "copy: channel=4 of src with 3 channels; allowed: 1..3, or 0 for all")),
    ROW("copy", IN(F32(10, 7, 1)), "channel=4",
        REFUSED(BAD_PARAM, "copy: channel=4 of src with 1 channel; allowed: 1..1, or 0 for all")),
};

static const struct row windows_lie_inside[] = {
    ROW("crop", IN(I64(10, 7, 3)), "", GIVES(I64(10, 7, 3))),
    ROW("crop", IN(I64(10, 7, 3)), "at=9,6", GIVES(I64(1, 1, 3))),
    ROW("crop", IN(I64(10, 7, 3)), "at=2", GIVES(I64(8, 5, 3))),
    ROW("crop", IN(I64(10, 7, 3)), "at=2 size=8x5", GIVES(I64(8, 5, 3))),
    ROW("crop", IN(I64(10, 7, 3)), "at=2 size=4", GIVES(I64(4, 4, 3))),
    ROW("crop", IN(I64(10, 7, 3)), "at=2 size=9x5",
        REFUSED(BAD_PARAM,
                "crop: size=9x5 at=2,2 goes beyond the picture of 10x7; at most 8x5 fit there; pad adds a margin")),
    ROW("crop", IN(I64(10, 7, 3)), "at=2 size=8x6",
        REFUSED(BAD_PARAM, "goes beyond the picture of 10x7; at most 8x5 fit there")),
    ROW("crop", IN(I64(10, 7, 3)), "at=0,7 size=8x6",
        REFUSED(BAD_PARAM, "crop: at=0,7 lies outside the picture of 10x7; allowed: 0..9,0..6")),
    ROW("crop", IN(I64(10, 7, 3)), "at=4294967294,0 size=8x6",
        REFUSED(BAD_PARAM, "crop: at=4294967294,0 lies outside")),
};

static const struct row orders_keep_shapes_and_refuse_what_is_too_many[] = {
    ROW("sort", IN(F16(10, 7, 3)), "axis=cols", GIVES(F16(10, 7, 3))),
    ROW("argsort", IN(F16(10, 7, 3)), "axis=cols", GIVES(U64(10, 7, 3))),
    ROW("topk", IN(I16(10, 7, 3)), "k=7 axis=cols", GIVES(I16(10, 7, 3))),
    ROW("topk", IN(I16(10, 7, 3)), "k=4 axis=cols", GIVES(I16(10, 4, 3))),
    ROW("topk", IN(I16(10, 7, 3)), "k=8 axis=cols",
        REFUSED(BAD_PARAM, "topk: k=8, but its columns have 7 samples; allowed: 1..7")),
    ROW("topk", IN(I16(10, 7, 3)), "k=8 axis=rows", GIVES(I16(8, 7, 3))),
    ROW("topk", IN(I16(10, 7, 3)), "k=8 axis=all", GIVES(I16(8, 1, 3))),
    ROW("topk", IN(I16(10, 7, 3)), "k=71 axis=all",
        REFUSED(BAD_PARAM, "topk: k=71, but its channels have 70 samples; allowed: 1..70")),
    ROW("sort", IN(U8(65536, 65536, 1)), "",
        REFUSED(TOO_LARGE, "sort: its channels have 4294967296 samples; allowed: up to 4294967295")),
    ROW("sort", IN(U8(65536, 65536, 1)), "axis=rows", GIVES(U8(65536, 65536, 1))),
};

static const struct row margins_are_added[] = {
    ROW("pad", IN(U8(10, 7, 3)), "",
        REFUSED(BAD_PARAM, "pad: margin is not given; give one number, x,y or left,top,right,bottom")),
    ROW("pad", IN(U8(10, 7, 3)), "margin=1,2,3",
        REFUSED(BAD_PARAM, "pad: margin has 3 values; give one number, x,y or left,top,right,bottom")),
    ROW("pad", IN(U8(10, 7, 3)), "margin=5", GIVES(U8(20, 17, 3))),
    ROW("pad", IN(U8(10, 7, 3)), "margin=5,1", GIVES(U8(20, 9, 3))),
    ROW("pad", IN(U8(10, 7, 3)), "margin=1,2,30,400", GIVES(U8(41, 409, 3))),
    ROW("pad", IN(U8(10, 7, 3)), "margin=4294967294",
        REFUSED(TOO_LARGE, "pad: dst: 8589934598x8589934595x3 is more than 1099511627776 elements")),
};

/* With border=reflect the value has no effect. */
static const struct row constants_of_a_margin_are_of_its_dtype[] = {
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=255", GIVES(U8(6, 6, 3))),
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=255 border=reflect", GIVES(U8(6, 6, 3))),
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=1,2,3", GIVES(U8(6, 6, 3))),
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=1,2,3 border=reflect", GIVES(U8(6, 6, 3))),
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=1,2",
        REFUSED(BAD_PARAM, "pad: border_value has 2 values for 3 channels; give one, or one per channel")),
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=256",
        REFUSED(BAD_PARAM, "pad: border_value=256 for u8; allowed: whole numbers 0..255")),
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=256 border=reflect", GIVES(U8(6, 6, 3))),
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=0,1,0.5",
        REFUSED(BAD_PARAM, "pad: border_value=0.5 for u8; allowed: whole numbers 0..255")),
    ROW("pad", IN(U8(4, 4, 3)), "margin=1 border_value=0,1,0.5 border=reflect", GIVES(U8(6, 6, 3))),
    ROW("pad", IN(I16(4, 4, 1)), "margin=1 border_value=-32769",
        REFUSED(BAD_PARAM, "pad: border_value=-32769 for i16; allowed: whole numbers -32768..32767")),
    ROW("pad", IN(I16(4, 4, 1)), "margin=1 border_value=-32769 border=reflect", GIVES(I16(6, 6, 1))),
    ROW("pad", IN(U64(4, 4, 1)), "margin=1 border_value=9007199254740991", GIVES(U64(6, 6, 1))),
    ROW("pad", IN(U64(4, 4, 1)), "margin=1 border_value=9007199254740991 border=reflect", GIVES(U64(6, 6, 1))),
    ROW("pad", IN(U64(4, 4, 1)), "margin=1 border_value=9007199254740993",
        REFUSED(BAD_PARAM, "pad: border_value=9007199254740992 for u64; allowed: whole numbers 0..9007199254740991")),
    ROW("pad", IN(U64(4, 4, 1)), "margin=1 border_value=9007199254740993 border=reflect", GIVES(U64(6, 6, 1))),
    ROW("pad", IN(I64(4, 4, 1)), "margin=1 border_value=-9007199254740992",
        REFUSED(BAD_PARAM, "allowed: whole numbers -9007199254740991..9007199254740991")),
    ROW("pad", IN(I64(4, 4, 1)), "margin=1 border_value=-9007199254740992 border=reflect", GIVES(I64(6, 6, 1))),
    ROW("pad", IN(F32(4, 4, 1)), "margin=1 border_value=1e39",
        REFUSED(BAD_PARAM, "pad: border_value=1e+39 for f32; allowed: -3.40282347e+38..3.40282347e+38")),
    ROW("pad", IN(F32(4, 4, 1)), "margin=1 border_value=1e39 border=reflect", GIVES(F32(6, 6, 1))),
    ROW("pad", IN(F64(4, 4, 1)), "margin=1 border_value=1e39", GIVES(F64(6, 6, 1))),
    ROW("pad", IN(F64(4, 4, 1)), "margin=1 border_value=1e39 border=reflect", GIVES(F64(6, 6, 1))),
};

static const struct row sides_change_places[] = {
    ROW("rotate", IN(F32(10, 7, 3)), "", GIVES(F32(7, 10, 3))),
    ROW("rotate", IN(F32(10, 7, 3)), "angle=180", GIVES(F32(10, 7, 3))),
    ROW("rotate", IN(F32(10, 7, 3)), "angle=270", GIVES(F32(7, 10, 3))),
    ROW("transpose", IN(F32(10, 7, 3)), "", GIVES(F32(7, 10, 3))),
    ROW("flip", IN(F32(10, 7, 3)), "", GIVES(F32(10, 7, 3))),
    ROW("flip", IN({GF_F32, 3, 10, 7, 1 << 20}), "", GIVES(F32(10, 7, 3))), /* a result has no gaps */
};

static const struct row threshold_makes_colours_one[] = {
    ROW("threshold", IN(U16(10, 7, 1)), "", GIVES(U16(10, 7, 1))),
    ROW("threshold", IN(U16(10, 7, 1)), "value=0", GIVES(U16(10, 7, 1))),
    ROW("threshold", IN(U16(10, 7, 1)), "value=0 channels=each", GIVES(U16(10, 7, 1))),
    ROW("threshold", IN(U16(10, 7, 2)), "alpha=auto", GIVES(U16(10, 7, 2))),
    ROW("threshold", IN(U16(10, 7, 2)), "value=0 alpha=auto", GIVES(U16(10, 7, 2))),
    ROW("threshold", IN(U16(10, 7, 2)), "value=0 channels=each", GIVES(U16(10, 7, 2))),
    ROW("threshold", IN(U16(10, 7, 3)), "", GIVES(U16(10, 7, 1))),
    ROW("threshold", IN(U16(10, 7, 3)), "value=0", GIVES(U16(10, 7, 1))),
    ROW("threshold", IN(U16(10, 7, 3)), "value=0 channels=each", GIVES(U16(10, 7, 3))),
    ROW("threshold", IN(U16(10, 7, 4)), "alpha=auto", GIVES(U16(10, 7, 2))),
    ROW("threshold", IN(U16(10, 7, 4)), "value=0 alpha=ignore", GIVES(U16(10, 7, 2))),
    ROW("threshold", IN(U16(10, 7, 4)), "value=0 channels=each", GIVES(U16(10, 7, 4))),
};

static const struct row threshold_has_a_limit_or_finds_it[] = {
    ROW("threshold", IN(U8(10, 7, 3)), "mode=fixed",
        REFUSED(BAD_PARAM, "threshold: mode=fixed needs a value; give one, or mode=otsu, which finds it")),
    ROW("threshold", IN(U8(10, 7, 3)), "mode=fixed value=0", GIVES(U8(10, 7, 1))),
    ROW("threshold", IN(U8(10, 7, 3)), "mode=otsu value=0",
        REFUSED(BAD_PARAM, "threshold: value=0 cannot be used with mode=otsu; leave one of them out")),
    ROW("threshold", IN(U8(10, 7, 3)), "mode=auto value=0", GIVES(U8(10, 7, 1))),
    ROW("threshold", IN(U8(10, 7, 3)), "mode=auto value=0 alpha=straight", GIVES(U8(10, 7, 1))),
    ROW("threshold", IN(U8(10, 7, 4)), "mode=auto value=0",
        REFUSED(BAD_PARAM,
                "threshold: channels=luma needs alpha in the last of 4 channels, and alpha=straight says that "
                "it is not; give alpha=ignore or channels=each")),
};

static const struct row select_has_a_row_per_channel[] = {
    ROW("select", IN(I16(10, 7, 3)), "lo=-3 hi=-3", GIVES(I16(70, 3, 1), U64(70, 3, 1), U64(1, 3, 1))),
    ROW("select", IN(I16(10, 7, 3)), "lo=-3 hi=-3 capacity=69", GIVES(I16(69, 3, 1))),
    ROW("select", IN(I16(10, 7, 3)), "lo=-3 hi=-3 capacity=4294967295", GIVES(I16(70, 3, 1))),
    ROW("select", IN(I16(10, 7, 3)), "lo=-3 hi=-3.0000000000000004 capacity=4294967295",
        REFUSED(BAD_PARAM, "select: lo=-3 is above hi=-3.0000000000000004")),
    ROW("select", IN(U8(1ull << 40, 1, 1)), "", REFUSED(TOO_LARGE, "select: indices")),
    ROW("select", IN(U8(1ull << 40, 1, 1)), "capacity=1000", GIVES(U8(1000, 1, 1))),
};

static const struct row pyramids_halve_and_double[] = {
    ROW("pyramid", IN(I16(11, 7, 3)), "level=1 direction=down", GIVES(I16(6, 4, 3))),
    ROW("pyramid", IN(I16(11, 7, 3)), "level=3 direction=down", GIVES(I16(2, 1, 3))),
    ROW("pyramid", IN(I16(11, 7, 3)), "level=16 direction=down", GIVES(I16(1, 1, 3))),
    ROW("pyramid", IN(I16(11, 7, 3)), "level=16 direction=up",
        REFUSED(TOO_LARGE, "pyramid: dst: image of 720896x458752; allowed: sides up to 65535")),
    ROW("pyramid", IN(I16(11, 7, 3)), "level=2 direction=up", GIVES(I16(44, 28, 3))),
    ROW("pyramid", IN(I16(11, 7, 3)), "level=2 direction=up border=wrap",
        REFUSED(BAD_PARAM, "pyramid: border=wrap cannot be used with direction=up; leave it out for reflect101")),
    ROW("pyramid", IN(I16(11, 7, 3)), "level=2 direction=down border=wrap", GIVES(I16(3, 2, 3))),
    ROW("pyramid", IN(I16(11, 7, 3)), "level=2 direction=down border=constant",
        REFUSED(
            BAD_PARAM,
            "pyramid: border=constant; allowed: replicate, wrap, reflect and reflect101; pad adds a constant margin")),
    ROW("pyramid", IN(I16(11, 7, 4)), "alpha=premultiplied", GIVES(I16(6, 4, 4))),
    ROW("pyramid", IN(I16(11, 7, 3)), "alpha=ignore", GIVES(I16(6, 4, 3))),
    ROW("pyramid", IN(I16(11, 7, 4)), "alpha=ignore",
        REFUSED(BAD_PARAM,
                "pyramid: alpha=ignore would keep the alpha of each pixel, but resized pixels are different ones; give "
                "premultiplied or straight")),
};

static const struct row label_has_room_for_parts[] = {
    ROW("label", IN(U8(11, 7, 1)), "connectivity=4", GIVES(U32(11, 7, 1), U32(39, 1, 1), U32(39, 1, 4), U64(1, 1, 1))),
    ROW("label", IN(U8(11, 7, 1)), "connectivity=8 capacity=25",
        GIVES(U32(11, 7, 1), U32(24, 1, 1), U32(24, 1, 4), U64(1, 1, 1))),
    ROW("label", IN(U8(11, 7, 1)), "connectivity=8 capacity=23",
        GIVES(U32(11, 7, 1), U32(23, 1, 1), U32(23, 1, 4), U64(1, 1, 1))),
    ROW("label", IN(U8(11, 7, 3)), "connectivity=8 capacity=23",
        REFUSED(BAD_VIEW, "label: src has 3 channels; allowed: 1; gray, threshold or copy channel=1 makes one")),
};

static const struct row squares_of_distances_fit[] = {
    ROW("distance", IN(U8(60001, 20001, 1)), "squared=1", GIVES(U32(60001, 20001, 1))),
    ROW("distance", IN(U8(65535, 700, 1)), "squared=1",
        REFUSED(TOO_LARGE, "distance: squares of distances in a picture of 65535x700 go up to 4295193757; allowed: "
                           "below 4294967295; leave squared out")),
    ROW("distance", IN(U8(65535, 700, 1)), "squared=0", GIVES(F32(65535, 700, 1))),
    ROW("distance", IN(F32(11, 7, 4)), "squared=0", REFUSED(BAD_VIEW, "distance: src has 4 channels; allowed: 1")),
};

static const struct row edges_are_one_channel_of_bytes[] = {
    ROW("canny", IN(I16(11, 7, 4)), "low=1.5 high=1.5", GIVES(U8(11, 7, 1))),
    ROW("canny", IN(I16(11, 7, 4)), "low=1.5 high=1.25", REFUSED(BAD_PARAM, "canny: low=1.5 is above high=1.25")),
    ROW("canny", IN(F32(11, 7, 1)), "low=1.5", REFUSED(BAD_DTYPE, "canny: src is f32; allowed: u8, u16")),
};

static const struct row a_template_fits_into_the_picture[] = {
    ROW("match", IN(U8(100, 70, 3), U8(9, 4, 3)), "peaks=17", GIVES(F32(92, 67, 1), F64(17, 1, 3), U64(1, 1, 1))),
    ROW("match", IN(U8(100, 70, 3), U8(100, 70, 3)), "peaks=17", GIVES(F32(1, 1, 1))),
    ROW("match", IN(U8(100, 70, 3), U8(9, 71, 3)), "peaks=17",
        REFUSED(BAD_VIEW, "match: templ is 9x71, larger than src with 100x70; it must fit inside")),
    ROW("match", IN(U8(100, 70, 3), U8(9, 4, 1)), "peaks=17",
        REFUSED(BAD_VIEW, "match: templ has 1 channels and src 3; both must have the same number")),
    ROW("match", IN(U8(100, 70, 3), U16(9, 4, 3)), "peaks=17",
        REFUSED(BAD_DTYPE, "match: templ is u16; allowed: u8; map dtype=u8 converts")),
    ROW("match", IN(U8(5000, 5000, 1), U8(4096, 2048, 1)), "peaks=17", GIVES(F32(905, 2953, 1))),
    ROW("match", IN(U8(5000, 5000, 1), U8(4097, 2048, 1)), "peaks=17",
        REFUSED(TOO_LARGE, "match: templ has 8390656 samples; allowed: up to 8388608")),
};

static const struct row valid_leaves_what_the_mask_fits_into[] = {
    ROW("correlate", IN(U8(10, 7, 3), F32(3, 4, 1)), "size=valid", GIVES(U8(8, 4, 3))),
    ROW("convolve", IN(U8(10, 7, 3), F32(3, 4, 1)), "size=valid", GIVES(U8(8, 4, 3))),
    ROW("convolve", IN(U8(10, 7, 3), F32(10, 7, 1)), "size=valid", GIVES(U8(1, 1, 3))),
    ROW("convolve", IN(U8(10, 7, 3), F32(11, 1, 1)), "size=valid",
        REFUSED(BAD_VIEW, "convolve: size=valid leaves nothing of a 10x7 image under a 11x1 mask")),
    ROW("convolve", IN(U8(10, 7, 3), F32(1, 8, 1)), "size=valid", REFUSED(BAD_VIEW, "under a 1x8 mask")),
};

static const struct row inputs_are_checked_against_the_descriptor[] = {
    ROW("correlate", IN(I8(10, 7, 3), F32(3, 3, 1)), "",
        REFUSED(BAD_DTYPE,
                "correlate: src is i8; allowed: u8, u16, i16, f32 or f16; expr expression=a dtype=f32 converts")),
    ROW("correlate", IN(U8(10, 0, 3), F32(3, 3, 1)), "", REFUSED(BAD_VIEW, "correlate: src: 10x0 is empty")),
    ROW("correlate", IN(U8(65536, 1, 1), F32(3, 3, 1)), "", REFUSED(TOO_LARGE, "correlate: src: image of 65536x1")),
    ROW("correlate", IN(U8(10, 7, 3), U8(3, 3, 1)), "", REFUSED(BAD_DTYPE, "correlate: mask is u8; allowed: f32")),
    ROW("correlate", IN(U8(10, 7, 3), F32(3, 3, 2)), "",
        REFUSED(BAD_VIEW, "correlate: mask has 2 channels; coefficients must have 1")),
    ROW("correlate", IN(U8(10, 7, 3), F32(256, 1, 1)), "",
        REFUSED(TOO_LARGE, "correlate: mask is 256x1; allowed: sides up to 255")),
    ROW("correlate", IN(U8(10, 7, 3), F32(1, 256, 1)), "", REFUSED(TOO_LARGE, "1x256")),
    ROW("correlate", IN(U8(10, 7, 3), {GF_F32, 1, 3, 3, 11}), "", REFUSED(BAD_VIEW, "correlate: mask: pitch=11")),
    ROW("correlate", IN(U8(10, 7, 3), {0, 1, 3, 3, 11}), "", REFUSED(BAD_DTYPE, "correlate: mask: dtype 0")),
};

static void the_number_of_inputs_must_be_right(void **state)
{
    UNUSED(state);
    const struct gf_op *op = gf_op_by_name("correlate");
    const struct gf_view in[] = {U8(4, 4, 1), F32(3, 3, 1), F32(3, 3, 1)};
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

static const struct row anchors_lie_inside_the_mask[] = {
    ROW("correlate", IN(U8(4, 4, 1), F32(5, 2, 1)), "anchor=4,1", GIVES(U8(4, 4, 1))),
    ROW("correlate", IN(U8(4, 4, 1), F32(5, 2, 1)), "anchor=5,1",
        REFUSED(BAD_PARAM, "correlate: anchor=5,1 outside the mask; allowed: 0..4,0..1")),
    ROW("correlate", IN(U8(4, 4, 1), F32(5, 2, 1)), "anchor=4,2", REFUSED(BAD_PARAM, "anchor=4,2 outside")),
    ROW("convolve", IN(U8(4, 4, 1), F32(5, 2, 1)), "anchor=1",
        REFUSED(BAD_PARAM, "convolve: anchor has 1 value; give two: x,y")),
};

static const struct row results_have_the_type_that_is_asked_for[] = {
    ROW("correlate", IN(U8(4, 4, 4), F32(3, 3, 1)), "dtype=i16 alpha=straight", GIVES(I16(4, 4, 4))),
    ROW("correlate", IN(U8(4, 4, 4), F32(3, 3, 1)), "dtype=same alpha=straight", GIVES(U8(4, 4, 4))),
    ROW("sobel", IN(U8(4, 4, 4)), "dtype=same alpha=straight", GIVES(F32(4, 4, 4))),
    ROW("sobel", IN(U8(4, 4, 4)), "dtype=u16 alpha=straight", GIVES(U16(4, 4, 4))),
    ROW("sobel", IN(U8(4, 4, 4)), "dtype=i32 alpha=straight",
        REFUSED(BAD_PARAM, "sobel: dtype=i32; allowed: u8, u16, i16, f32 or f16")),
    ROW("sobel", IN(U8(4, 4, 4)), "dtype=u8 alpha=premultiplied",
        REFUSED(BAD_PARAM, "sobel: alpha=premultiplied is for weighted means")),
    ROW("correlate", IN(U8(4, 4, 4), F32(3, 3, 1)), "dtype=u8 alpha=premultiplied", GIVES(U8(4, 4, 4))),
    ROW("correlate", IN(U8(4, 4, 4), F32(3, 3, 1)), "dtype=f32 alpha=premultiplied",
        REFUSED(BAD_PARAM, "alpha=premultiplied of u8 cannot be used with dtype=f32")),
    ROW("correlate", IN(U8(4, 4, 4), F32(3, 3, 1)), "dtype=f32 light=linear",
        REFUSED(BAD_PARAM, "light=linear of u8 cannot be used with dtype=f32")),
    ROW("map", IN(F32(4, 4, 1)), "dtype=i16 range=full",
        REFUSED(BAD_PARAM, "map: range=full cannot be used with dtype=i16")),
};

static const struct row halves_are_read_and_stored[] = {
    ROW("gaussian", IN(F16(4, 4, 3)), "", GIVES(F16(4, 4, 3))),
    ROW("map", IN(F16(4, 4, 1)), "dtype=u8 range=full", GIVES(U8(4, 4, 1))),
    ROW("correlate", IN(U8(4, 4, 4), F32(3, 3, 1)), "dtype=f16", GIVES(F16(4, 4, 4))),
    ROW("copy", IN(F16(4, 4, 1)), "", GIVES(F16(4, 4, 1))),
    ROW("threshold", IN(F16(4, 4, 1)), "",
        REFUSED(BAD_DTYPE, "threshold: src is f16; allowed: u8, u16, i16 or f32; map dtype=f32 converts")),
    ROW("equalize", IN(F16(4, 4, 1)), "",
        REFUSED(BAD_DTYPE, "src is f16; allowed: u8, u16 or i16; map dtype=u16 range=full converts")),
    ROW("reduce", IN(F16(4, 4, 1)), "", REFUSED(BAD_DTYPE, "reduce: src is f16; allowed: ")),
    ROW("map", IN(F16(4, 4, 1), F32(256, 1, 1)), "",
        REFUSED(BAD_DTYPE, "map: a table has one entry per value, too many for f16")),
};

static const struct row signed_pictures_have_no_white[] = {
    ROW("map", IN(I16(4, 4, 1)), "dtype=u8 range=full",
        REFUSED(BAD_PARAM, "map: range=full cannot be used with a picture of i16, which has no white level")),
    ROW("map", IN(I16(4, 4, 1)), "dtype=u8 range=value", GIVES(U8(4, 4, 1))),
    ROW("gaussian", IN(I16(4, 4, 3)), "light=linear border=constant border_value=-0.5",
        GIVES(I16(4, 4, 3))), /* linear already */
    ROW("map", IN(I16(4, 4, 1), I16(256, 1, 1)), "",
        REFUSED(BAD_VIEW, "map: table has 256 numbers; pictures of i16 need 65536")),
    ROW("map", IN(I16(4, 4, 1), I16(65536, 1, 1)), "", GIVES(I16(4, 4, 1))),
    ROW("combine", IN(I16(4, 4, 1), U8(4, 4, 1)), "",
        REFUSED(BAD_DTYPE, "other is 4x4x1 u8; both must have the same shape and dtype; map converts by dtype")),
    ROW("integral", IN(I16(4, 4, 1)), "",
        REFUSED(BAD_DTYPE, "integral: src is i16; allowed: u8, u16 or f32; map dtype=f32 converts")),
};

static const struct row combined_pictures_are_alike[] = {
    ROW("combine", IN(U8(4, 4, 3), U8(4, 4, 3)), "", GIVES(U8(4, 4, 3))),
    ROW("combine", IN(U8(4, 4, 3), U8(4, 5, 3)), "",
        REFUSED(BAD_VIEW, "combine: src is 4x4x3 u8, other is 4x5x3 u8; both must have the same shape and dtype")),
    ROW("combine", IN(U8(4, 4, 3), U16(4, 4, 3)), "", REFUSED(BAD_DTYPE, "other is 4x4x3 u16")),
};

static const struct row colours_become_other_channels[] = {
    ROW("gray", IN(U16(5, 4, 3)), "", GIVES(U16(5, 4, 1))),
    ROW("gray", IN(U8(5, 4, 4)), "", GIVES(U8(5, 4, 2))),
    ROW("gray", IN(U8(5, 4, 4)), "alpha=drop", GIVES(U8(5, 4, 1))),
    ROW("ycbcr", IN(U8(5, 4, 4)), "alpha=drop", GIVES(U8(5, 4, 3))),
    ROW("hsv", IN(U8(5, 4, 4)), "alpha=drop", GIVES(U8(5, 4, 3))),
    ROW("rgb", IN(F32(5, 4, 4)), "", GIVES(F32(5, 4, 4))),
    ROW("flatten", IN(U8(5, 4, 2)), "colour=255", GIVES(U8(5, 4, 1))),
    ROW("flatten", IN(U8(5, 4, 3)), "colour=255", GIVES(U8(5, 4, 3))),
    ROW("normalize", IN(U8(5, 4, 3)), "mean=1,2,3", GIVES(F32(5, 4, 3))),
    ROW("matrix", IN(U8(5, 4, 3), F32(4, 2, 1)), "dtype=i16", GIVES(I16(5, 4, 2))),
};

static const struct row colour_ops_refuse_what_has_no_meaning[] = {
    ROW("gray", IN(U8(4, 4, 3)), "weights=1,2",
        REFUSED(BAD_PARAM, "gray: weights has 2 values; give three: for red, green and blue")),
    ROW("gray", IN(U8(4, 4, 3)), "weights=1,2,3 standard=bt709",
        REFUSED(BAD_PARAM, "gray: weights cannot be used with standard=bt709; leave one of them out")),
    ROW("gray", IN(U8(4, 4, 1)), "weights=1,2,3 standard=bt601",
        REFUSED(
            BAD_VIEW,
            "gray: weights cannot be used with a grey picture of 1 channel; scale it with map, as in map scale=0.5")),
    ROW("ycbcr", IN(U8(4, 4, 2)), "", REFUSED(BAD_VIEW, "ycbcr: src has 2 channels; allowed: 3, or 4 with alpha")),
    ROW("hsv", IN(U8(4, 4, 3)), "turn=257", REFUSED(BAD_PARAM, "hsv: turn=257 for u8; allowed: 1..256, or 0 for 180")),
    ROW("hsv", IN(U16(4, 4, 3)), "turn=257", GIVES(U16(4, 4, 3))),
    ROW("hsv", IN(U16(4, 4, 1)), "turn=257", REFUSED(BAD_VIEW, "hsv: src has 1 channel; allowed: 3, or 4 with alpha")),
    ROW("rgb", IN(U8(4, 4, 3)), "turn=90",
        REFUSED(BAD_PARAM, "rgb: turn=90 cannot be used with model=ycbcr; leave it out")),
    ROW("rgb", IN(U8(4, 4, 3)), "model=hsv range=video",
        REFUSED(BAD_PARAM, "rgb: standard and range cannot be used with model=hsv; leave them out")),
    ROW("flatten", IN(U8(4, 4, 4)), "colour=256",
        REFUSED(BAD_PARAM, "flatten: colour=256 is not a u8 sample; allowed: whole numbers 0..255")),
    ROW("flatten", IN(U8(4, 4, 4)), "colour=0.5", REFUSED(BAD_PARAM, "colour=0.5 is not a u8 sample")),
    ROW("flatten", IN(U8(4, 4, 4)), "colour=1,2",
        REFUSED(BAD_PARAM, "flatten: colour has 2 values for 3 channels; give one, or one per channel")),
    ROW("flatten", IN(U8(4, 4, 2)), "colour=1,2",
        REFUSED(BAD_PARAM, "flatten: colour has 2 values for 1 channel; give one")),
    ROW("normalize", IN(U8(4, 4, 3)), "std=1,2",
        REFUSED(BAD_PARAM, "normalize: std has 2 values for 3 channels; give one, or one per channel")),
};

static const struct row a_matrix_has_a_row_per_result_and_a_column_per_channel[] = {
    ROW("matrix", IN(U8(4, 4, 3), F32(3, 5, 1)), "",
        REFUSED(BAD_VIEW, "matrix: coefs has 5 rows; allowed: 1..4, one per channel of dst")),
    ROW("matrix", IN(U8(4, 4, 3), F32(2, 1, 1)), "",
        REFUSED(BAD_VIEW, "matrix: coefs has 2 columns for 3 channels; allowed: 3, or 4 with offsets")),
    ROW("matrix", IN(U8(4, 4, 3), F32(3, 1, 1)), "dtype=u32",
        REFUSED(BAD_PARAM, "matrix: dtype=u32; allowed: u8, u16, i16, f32 or f16")),
    ROW("matrix", IN(U8(65535, 32768, 1), F32(1, 2, 1)), "",
        REFUSED(TOO_LARGE, "matrix: the result would have 4294901760 samples; allowed: up to 2147483648")),
};

static const struct row pictures_are_joined[] = {
    ROW("merge", IN(U8(4, 4, 1), U8(4, 4, 2), {0}, U8(4, 4, 1)), "", GIVES(U8(4, 4, 4))),
    ROW("merge", IN(U8(4, 4, 1), U8(4, 4, 2), U8(4, 4, 1), U8(4, 4, 1)), "",
        REFUSED(BAD_VIEW, "merge: the pictures have 5 channels in total; allowed: up to 4")),
    ROW("merge", IN(U8(4, 4, 1), U8(4, 4, 2), U8(4, 5, 1), U8(4, 4, 1)), "",
        REFUSED(BAD_VIEW, "merge: src is 4x4x1 u8, src3 is 4x5x1 u8; all must have the same size and type")),
    ROW("merge", IN(U8(4, 4, 1), U8(4, 4, 2), U16(4, 4, 1), U8(4, 4, 1)), "",
        REFUSED(BAD_DTYPE, "src3 is 4x4x1 u16; all must have the same size and type; map converts")),
    ROW("merge", IN(U8(4, 4, 3)), "order=3,2,1,0", GIVES(U8(4, 4, 4))),
    ROW("merge", IN(U8(4, 4, 3)), "order=2", GIVES(U8(4, 4, 1))),
    ROW("merge", IN(U8(4, 4, 3)), "order=1,4",
        REFUSED(BAD_PARAM, "merge: order has channel 4 of 3; allowed: 1..3, or 0 for the greatest sample")),
};

static const struct row planes_of_video_have_half_the_sides[] = {
    ROW("nv12", IN(U8(5, 3, 3)), "", GIVES(U8(5, 3, 1))),
    ROW("nv12", IN(U8(5, 3, 4)), "",
        REFUSED(BAD_VIEW, "nv12: src has 4 channels; allowed: 3; the planes have no alpha; flatten puts a colour "
                          "behind the picture")),
    ROW("i420", IN(U16(5, 3, 1)), "",
        REFUSED(BAD_VIEW, "i420: src has 1 channel; allowed: 3; merge order=1,1,1 makes three of grey")),
    ROW("rgb420", IN(U8(5, 3, 1), U8(3, 2, 2)), "", GIVES(U8(5, 3, 3))),
    ROW("rgb420", IN(U8(5, 3, 1), U8(2, 2, 2)), "",
        REFUSED(BAD_VIEW, "rgb420: chroma is 2x2, src 5x3; it must be half of that, rounded up: 3x2")),
    ROW("rgb420", IN(U8(5, 3, 1), U8(3, 2, 1)), "",
        REFUSED(BAD_VIEW, "rgb420: chroma has 1 channel; allowed: 2 (Cb and Cr), or 1 (Cb) if cr is given")),
    ROW("rgb420", IN(U8(5, 3, 1), U8(3, 2, 1), U8(3, 2, 1)), "", GIVES(U8(5, 3, 3))),
    ROW("rgb420", IN(U8(5, 3, 1), U8(3, 2, 1), U8(3, 2, 2)), "",
        REFUSED(BAD_VIEW, "rgb420: cr has 2 channels; allowed: 1, because Cb and Cr each have a plane")),
    ROW("rgb420", IN(U8(5, 3, 1), U8(3, 2, 1), U16(3, 2, 1)), "",
        REFUSED(BAD_DTYPE, "rgb420: src is u8, cr is u16; all must have the same type; map converts")),
    ROW("rgb420", IN(U8(5, 3, 3), U8(3, 2, 1), U16(3, 2, 1)), "",
        REFUSED(BAD_VIEW, "rgb420: src has 3 channels; it is Y and must have 1")),
};

static const struct row border_values_are_one_or_one_per_channel[] = {
    ROW("gaussian", IN(U8(4, 4, 3)), "border_value=7", GIVES(U8(4, 4, 3))),
    ROW("gaussian", IN(U8(4, 4, 3)), "border_value=1,2,3", GIVES(U8(4, 4, 3))),
    ROW("gaussian", IN(U8(4, 4, 3)), "border_value=1,2",
        REFUSED(BAD_PARAM, "border_value has 2 values for 3 channels; give one, or one per channel")),
    ROW("gaussian", IN(U8(4, 4, 3)), "border_value=1,2,3,4",
        REFUSED(BAD_PARAM, "border_value has 4 values for 3 channels")),
    ROW("box", IN(U8(4, 4, 3)), "border_value=7", GIVES(U8(4, 4, 3))),
    ROW("box", IN(U8(4, 4, 3)), "border_value=1,2,3", GIVES(U8(4, 4, 3))),
    ROW("box", IN(U8(4, 4, 3)), "border_value=1,2",
        REFUSED(BAD_PARAM, "border_value has 2 values for 3 channels; give one, or one per channel")),
    ROW("box", IN(U8(4, 4, 3)), "border_value=1,2,3,4", REFUSED(BAD_PARAM, "border_value has 4 values for 3 channels")),
    ROW("correlate", IN(U8(4, 4, 3), F32(3, 3, 1)), "border_value=7", GIVES(U8(4, 4, 3))),
    ROW("correlate", IN(U8(4, 4, 3), F32(3, 3, 1)), "border_value=1,2,3", GIVES(U8(4, 4, 3))),
    ROW("correlate", IN(U8(4, 4, 3), F32(3, 3, 1)), "border_value=1,2",
        REFUSED(BAD_PARAM, "border_value has 2 values for 3 channels; give one, or one per channel")),
    ROW("correlate", IN(U8(4, 4, 3), F32(3, 3, 1)), "border_value=1,2,3,4",
        REFUSED(BAD_PARAM, "border_value has 4 values for 3 channels")),
    ROW("convolve", IN(U8(4, 4, 3), F32(3, 3, 1)), "border_value=7", GIVES(U8(4, 4, 3))),
    ROW("convolve", IN(U8(4, 4, 3), F32(3, 3, 1)), "border_value=1,2,3", GIVES(U8(4, 4, 3))),
    ROW("convolve", IN(U8(4, 4, 3), F32(3, 3, 1)), "border_value=1,2",
        REFUSED(BAD_PARAM, "border_value has 2 values for 3 channels; give one, or one per channel")),
    ROW("convolve", IN(U8(4, 4, 3), F32(3, 3, 1)), "border_value=1,2,3,4",
        REFUSED(BAD_PARAM, "border_value has 4 values for 3 channels")),
};

static const struct row linear_light_needs_whole_colours_outside[] = {
    ROW("gaussian", IN(U8(4, 4, 4)), "light=linear border=constant border_value=0,1,255,0.5",
        GIVES(U8(4, 4, 4))), /* alpha is not decoded */
    ROW("gaussian", IN(U8(4, 4, 4)), "light=linear border=constant border_value=0,1,255.5,0",
        REFUSED(BAD_PARAM, "gaussian: border_value=255.5 is not a u8 sample")),
    ROW("gaussian", IN(U8(4, 4, 4)), "light=linear border=constant border_value=0,1,255.5,0",
        REFUSED(BAD_PARAM, "whole numbers 0..255")),
    ROW("gaussian", IN(U8(4, 4, 4)), "light=linear border=constant border_value=0,0.5,0,0",
        REFUSED(BAD_PARAM, "border_value=0.5")),
    ROW("gaussian", IN(U8(4, 4, 4)), "light=linear border=constant border_value=-1",
        REFUSED(BAD_PARAM, "border_value=-1")),
    ROW("gaussian", IN(U8(4, 4, 4)), "light=linear border=constant border_value=256",
        REFUSED(BAD_PARAM, "border_value=256")),
    ROW("gaussian", IN(U16(4, 4, 3)), "light=linear border=constant border_value=256", GIVES(U16(4, 4, 3))),
    ROW("gaussian", IN(U16(4, 4, 3)), "light=linear border=constant border_value=0,0,65536",
        REFUSED(BAD_PARAM, "whole numbers 0..65535")),
    ROW("gaussian", IN(F32(4, 4, 3)), "light=linear border=constant border_value=0,0,65536",
        GIVES(F32(4, 4, 3))), /* linear already */
    ROW("gaussian", IN(U16(4, 4, 3)), "light=linear border=wrap border_value=0,0,65536",
        GIVES(U16(4, 4, 3))), /* the value is not used */
    ROW("gaussian", IN(U16(4, 4, 3)), "light=encoded border=constant border_value=0,0,65536", GIVES(U16(4, 4, 3))),
};

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

static const struct row gaussian_taps_have_a_limit[] = {
    ROW("gaussian", IN(U8(4, 4, 1)), "sigma=2047 truncate=1", GIVES(U8(4, 4, 1))),
    ROW("gaussian", IN(U8(4, 4, 1)), "sigma=2047 truncate=1.0002", GIVES(U8(4, 4, 1))), /* radius floor(2047.9094) */
    ROW("gaussian", IN(U8(4, 4, 1)), "sigma=2047 truncate=1.0003",
        REFUSED(BAD_PARAM, "has radius 2048; allowed: up to 2047")),
    ROW("gaussian", IN(U8(4, 4, 1)), "sigma=1,600 truncate=4",
        REFUSED(BAD_PARAM, "gaussian: sigma=600 with truncate=4 has radius 2400; allowed: up to 2047")),
    ROW("gaussian", IN(U8(4, 4, 1)), "sigma=0,0 truncate=4", GIVES(U8(4, 4, 1))),
};

static void axes_are_one_or_two(void **state)
{
    UNUSED(state);
    const struct gf_view in = U8(4, 4, 1);
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

static const struct row ranks_lie_within_the_window[] = {
    ROW("rank", IN(U8(10, 7, 3)), "",
        REFUSED(
            BAD_PARAM,
            "rank: index is not given; give a whole number: 0 is the smallest sample of a window, -1 the greatest")),
    ROW("rank", IN(U8(10, 7, 3)), "index=9",
        REFUSED(BAD_PARAM, "rank: index=9 for a window of 3x3; allowed: whole numbers -9..8")),
    ROW("rank", IN(U8(10, 7, 3)), "index=-10", REFUSED(BAD_PARAM, "rank: index=-10 for a window of 3x3")),
    ROW("rank", IN(U8(10, 7, 3)), "index=1.5", REFUSED(BAD_PARAM, "rank: index=1.5 for a window of 3x3")),
    ROW("rank", IN(U8(10, 7, 3)), "index=9 size=2x5", GIVES(U8(10, 7, 3))),
    ROW("rank", IN(U8(10, 7, 3)), "index=-65025 size=255", GIVES(U8(10, 7, 3))),
    ROW("rank", IN(U8(10, 7, 3)), "index=0 border_value=1,2",
        REFUSED(BAD_PARAM, "rank: border_value has 2 values for 3 channels; give one, or one per channel")),
    ROW("percentile", IN(U16(10, 7, 1)), "",
        REFUSED(BAD_PARAM, "percentile: percent is not given; give a number 0..100, such as percent=25")),
    ROW("median", IN(U16(10, 7, 1)), "border_value=0.5", GIVES(U16(10, 7, 1))),
    ROW("median", IN(U16(10, 7, 1)), "border_value=0.5 border=constant",
        REFUSED(BAD_PARAM, "median: border_value=0.5 for u16; allowed: whole numbers 0..65535")),
    ROW("median", IN(F16(10, 7, 1)), "border_value=65505 border=constant",
        REFUSED(BAD_PARAM, "median: border_value=65505 for f16; allowed: -65504..65504")),
};

/* Values of a parameter that its descriptor excludes. */
static void values_outside_a_range_are_refused(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op, *param, *value, *text;
    } rows[] = {
        {"crop", "size", "0x5", "crop: size=0 outside 1..4294967294"},
        {"crop", "at", "-1,0", "crop: at=-1 outside 0..4294967294"},
        {"rotate", "angle", "45", "rotate: angle=45; allowed: 90, 180 or 270"},
        {"median", "size", "256", "median: size=256 outside 1..255"},
        {"median", "size", "0x3", "median: size=0 outside 1..255"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++) {
        const struct gf_op *op = gf_op_by_name(rows[i].op);
        union gf_params params;
        struct gf_error err;
        gf_op_params_default(op, &params);
        assert_int_equal(gf_op_param_parse(op, gf_op_param(op, rows[i].param), rows[i].value, &params, &err),
                         GF_E_BAD_PARAM);
        assert_string_equal(err.text, rows[i].text);
    }
}

#define ROWS(table)                                                                                                    \
    {                                                                                                                  \
        .name = #table, .test_func = check_rows, .initial_state = &(struct rows)                                       \
        {                                                                                                              \
            table, GF_ARRAY_LEN(table)                                                                                 \
        }                                                                                                              \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROWS(outputs_are_tight_and_as_the_input),
        ROWS(reductions_leave_one_value_per_sequence),
        ROWS(segments_have_a_value_each),
        ROWS(quantiles_are_a_side_of_their_own),
        ROWS(pairs_have_two_sides),
        ROWS(dot_wants_equal_operands),
        ROWS(matrices_have_to_match),
        ROWS(kernels_have_to_fit_their_lines),
        ROWS(constants_of_a_line_are_of_its_dtype),
        ROWS(copy_gives_all_channels_or_one),
        ROWS(windows_lie_inside),
        ROWS(orders_keep_shapes_and_refuse_what_is_too_many),
        ROWS(margins_are_added),
        ROWS(constants_of_a_margin_are_of_its_dtype),
        ROWS(sides_change_places),
        ROWS(threshold_makes_colours_one),
        ROWS(threshold_has_a_limit_or_finds_it),
        ROWS(select_has_a_row_per_channel),
        ROWS(pyramids_halve_and_double),
        ROWS(label_has_room_for_parts),
        ROWS(a_template_fits_into_the_picture),
        ROWS(squares_of_distances_fit),
        ROWS(edges_are_one_channel_of_bytes),
        ROWS(valid_leaves_what_the_mask_fits_into),
        ROWS(inputs_are_checked_against_the_descriptor),
        cmocka_unit_test(the_number_of_inputs_must_be_right),
        ROWS(anchors_lie_inside_the_mask),
        ROWS(results_have_the_type_that_is_asked_for),
        ROWS(signed_pictures_have_no_white),
        ROWS(halves_are_read_and_stored),
        ROWS(combined_pictures_are_alike),
        ROWS(colours_become_other_channels),
        ROWS(colour_ops_refuse_what_has_no_meaning),
        ROWS(a_matrix_has_a_row_per_result_and_a_column_per_channel),
        ROWS(pictures_are_joined),
        ROWS(planes_of_video_have_half_the_sides),
        ROWS(ranks_lie_within_the_window),
        ROWS(border_values_are_one_or_one_per_channel),
        ROWS(linear_light_needs_whole_colours_outside),
        cmocka_unit_test(gaussian_radius_rounds_half_up),
        ROWS(gaussian_taps_have_a_limit),
        cmocka_unit_test(axes_are_one_or_two),
        cmocka_unit_test(values_outside_a_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
