/* SPDX-License-Identifier: MIT */
/*
 * The op descriptors as data, from ops.def. All code that needs facts about an op at run time (codec, validation, CLI,
 * help, docs, fuzz dictionary, conformance) walks this table.
 */
#ifndef GF_PROTOCOL_OP_TABLE_H
#define GF_PROTOCOL_OP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "op_params.h"
#include "protocol/base/dtype.h"
#include "protocol/base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operations of one kind: a folder of kernels/cpu and of kernels/cuda. */
enum gf_op_family {
    GF_OP_FAMILY_FILTER = 1,
    GF_OP_FAMILY_POINT,
    GF_OP_FAMILY_REDUCE,
    GF_OP_FAMILY_HISTOGRAM,
    GF_OP_FAMILY_SCAN,
    GF_OP_FAMILY_SELECT,
    GF_OP_FAMILY_LINALG,
    GF_OP_FAMILY_GEOMETRY,
    GF_OP_FAMILY_COLOUR,
    GF_OP_FAMILY_RANK,
    GF_OP_FAMILY_ORDER,
    GF_OP_FAMILY_MORPHOLOGY,
    GF_OP_FAMILY_REGION,
    GF_N_OP_FAMILIES
};

enum gf_input_kind {
    GF_INPUT_IMAGE = 1, /* picture of 1-4 channels, of u8, u16, i16, f16 or f32 */
    GF_INPUT_COEFS,     /* small f32 matrix (a mask): the worker copies, checks, then uses it; never a step's output */
    GF_INPUT_BUFFER,    /* picture or 1-D or 2-D array of any dtype; each channel is a sequence */
    GF_INPUT_LIST,      /* row of numbers (offsets, edges, a table); copied like coefficients */
    GF_INPUT_MATRIX, /* one-channel array whose elements combine with many of another input: a matrix, a kernel of one
                      * row */
};

enum gf_shape_rule {
    GF_SHAPE_SAME_SHAPE = 1, /* like input 0 */
    GF_SHAPE_FILTER,         /* like input 0, or smaller by the mask (input 1) minus one if size=valid */
    GF_SHAPE_BRIGHTNESS,     /* like input 0, with one channel for its colours if channels=luma */
    GF_SHAPE_CHANNELS,       /* like input 0, but a function of the op gives the number of channels and the dtype */
    GF_SHAPE_OWN,            /* a function of the op gives shape and dtype, see op_outputs.h */
    GF_SHAPE_TABLE,          /* like GF_SHAPE_OWN, but the output is numbers about the input; in a pipe the next step
                              * reads this op's input instead */
    GF_SHAPE_COUNTED,        /* like GF_SHAPE_OWN, but a row is filled only up to the count in the same row of the op's
                              * last output, a TABLE of one u64 per row; an unused output has no memory */
};

enum gf_dtype_rule {
    GF_RULE_SAME_DTYPE = 1,  /* like input 0 */
    GF_RULE_OWN,             /* by the function that gives the shape */
    GF_RULE_PARAM_DTYPE,     /* by the op's parameter `dtype`; if that is "same", like input 0 */
    GF_RULE_PARAM_DTYPE_F32, /* by the op's parameter `dtype`; if that is "same", f32 */
};

/* The input pixels that an op reads for one pixel of its result; reach.c computes the distance. It determines how a job
 * is cut into slabs of rows, and a picture into tiles. */
enum gf_reach_rule {
    GF_REACH_NONE = 1,        /* the same pixel */
    GF_REACH_VALUE,           /* the same pixel if parameter `value` is given, otherwise all */
    GF_REACH_MASK,            /* the pixels under its mask */
    GF_REACH_MASK_ROTATED,    /* the pixels under its mask turned by 180 degrees */
    GF_REACH_ELEMENT,         /* the pixels under its structuring element, `iterations` times */
    GF_REACH_ELEMENT_TWICE,   /* the pixels under its structuring element, twice `iterations` times */
    GF_REACH_KERNEL,          /* the pixels under its kernel, input 1, along `axis` */
    GF_REACH_KERNEL_REVERSED, /* the pixels under its turned kernel, along `axis` */
    GF_REACH_SEQUENCE,        /* its whole sequence: by parameter `axis`, otherwise its row */
    GF_REACH_PLACE,           /* the same pixel along an axis on which pixels keep their places, otherwise all */
    GF_REACH_TEMPLATE,        /* the pixels under input 1, which is always needed whole, starting at the pixel; all for
                               * tables */
    GF_REACH_EXPRESSION,      /* the same pixel along an axis whose coordinate or side its expression does not use,
                               * otherwise all */
    GF_REACH_ALL,
};

/* The cost of one pass of an op over its samples; a tap is one multiplication and addition, or an equivalent. */
enum gf_work_kind {
    GF_WORK_SAMPLES = 1, /* `weight` taps for each sample that is read or made, whichever are more; for op=user also
                          * some for every character */
    GF_WORK_DIGITS,      /* `weight` taps for each byte of samples read and made, or sorted; op=user as for SAMPLES */
    GF_WORK_BINS,        /* as for SAMPLES, and some for each bin or value that is counted */
    GF_WORK_STENCIL,     /* `weight` taps of a built-in 3 x 3 mask for each result */
    GF_WORK_MASK,        /* each sample of input 1 for each result, and to prepare it */
    GF_WORK_SEPARABLE,   /* a row and a column, by sigma and truncate, for each result, `weight` times */
    GF_WORK_DISC,        /* a disc for each result, `weight` for each of its pixels that count */
    GF_WORK_BOX,         /* a window of `size` by doubling: the bits of both sides for each line, `weight` times */
    GF_WORK_WINDOW,      /* a window of `size` by its plan: keys that are compared, sorted and exchanged */
    GF_WORK_ELEMENT,     /* `weight` times `iterations`: the bits of both sides, or the columns of a shape */
    GF_WORK_RESAMPLE,    /* windows of both axes, and `weight` taps for each sample that is read or made */
    GF_WORK_TILES,       /* a table of each tile, and `weight` taps for each sample */
    GF_WORK_KERNEL,      /* the width of input 1 for each result */
    GF_WORK_PRODUCT,     /* the width of input 0 for each result */
    GF_WORK_EXPRESSION,  /* `weight` taps for each result, and some for characters and functions of its expression */
};

/* The CPU's scratch memory besides inputs and outputs; footprint.c has the figures. */
enum gf_scratch_rule {
    GF_SCRATCH_NONE = 1,
    GF_SCRATCH_FORMULA,   /* a table of values, if the formula has a power or a table is given */
    GF_SCRATCH_LINES,     /* lines of a tile and its halo per thread */
    GF_SCRATCH_WINDOWS,   /* a tile of samples and its halo per thread, and their order or counters */
    GF_SCRATCH_ELEMENT,   /* lines of a tile and its halo per thread, and pictures between passes */
    GF_SCRATCH_TILES,     /* a table of values per tile, a counter per value and thread */
    GF_SCRATCH_COUNTERS,  /* a table of values and a counter for each */
    GF_SCRATCH_BINS,      /* counters per bin, counters per value if there are few values, and the edges */
    GF_SCRATCH_PARTIALS,  /* a workspace per thread, partial results of long sequences, and the cuts of a list */
    GF_SCRATCH_REDUCTION, /* like PARTIALS, and for consecutive maps a result per row */
    GF_SCRATCH_SUMS,      /* a workspace per thread, and sums of row chunks */
    GF_SCRATCH_RUNS,      /* rows per thread, a bit per pixel, and a record per run of foreground */
    GF_SCRATCH_HEIGHTS,   /* rows per thread, and 16 bits per pixel */
    GF_SCRATCH_EDGES,     /* gradients of a row's samples per thread, and 3 bits per pixel */
    GF_SCRATCH_TEMPLATE,  /* a tile of sums and of samples per thread, sums of columns, peaks */
    GF_SCRATCH_TAPS,      /* a workspace per thread, and the taps */
    GF_SCRATCH_THREADS,   /* a workspace per thread */
    GF_SCRATCH_RESAMPLE,  /* weights of both axes, lines of a block of rows per thread */
    GF_SCRATCH_LEVELS,    /* lines per thread, and pictures between levels */
    GF_SCRATCH_PAIRS,     /* counters of pairs, and 8 and 16 bits per value for its bin */
    GF_SCRATCH_RANKS,     /* per thread elements of a short sequence and counters, and candidates of a long one */
    GF_SCRATCH_ORDER,     /* two copies of the sequences and their indices, counters, and a workspace per thread */
};

struct gf_work_desc {
    uint32_t kind; /* enum gf_work_kind */
    uint32_t weight;
};

enum gf_param_kind { GF_PARAM_U32 = 1, GF_PARAM_F32, GF_PARAM_ENUM, GF_PARAM_F64, GF_PARAM_TEXT };

/* Room for a name and its null byte. Names are kept in place and helps as numbers for gf_help_text, because the loader
 * would have to relocate pointers. */
#define GF_NAME_SIZE 16

struct gf_input_desc {
    char name[GF_NAME_SIZE];
    uint32_t kind;   /* enum gf_input_kind */
    uint32_t dtypes; /* set of GF_DT() */
    uint16_t help;   /* number of its text */
    bool optional;   /* may be omitted; follows all required inputs */
    bool segments;   /* a list of offsets, each of which begins a sequence */
};

struct gf_output_desc {
    char name[GF_NAME_SIZE];
    uint32_t shape; /* enum gf_shape_rule */
    uint32_t dtype; /* enum gf_dtype_rule */
    uint16_t help;
};

struct gf_param_desc {
    char name[GF_NAME_SIZE];
    uint16_t help;
    uint16_t id;     /* unique in the op, 1..0x0FFF */
    uint16_t max;    /* most values; for a text, most bytes */
    uint16_t offset; /* in the op's parameter struct */
    uint8_t kind;    /* enum gf_param_kind */
    uint8_t n_def;   /* number of default values, 0: absent means "not given", as for every text */
    bool vector;     /* stored as struct gf_f32v, gf_f64v or gf_u32v; otherwise a single value or struct gf_text */
    bool per_axis;   /* a vector with one value, or two, for each axis */
    uint32_t e;      /* enum gf_enum_id for GF_PARAM_ENUM */
    uint32_t words;  /* bit set of the accepted word numbers; 0: all */
    double lo, hi;   /* allowed range, inclusive; exact for u32 and f32 */
    double def;      /* default value, repeated n_def times */
};

struct gf_op {
    char name[GF_NAME_SIZE];
    uint16_t help;
    uint16_t example; /* options and files of a working command line; run by tests/cli/test_examples.py */
    uint32_t id;
    uint32_t revision; /* from 1 on; it grows whenever a defined bit of a result changes, docs/numerics.md */
    uint32_t index;    /* position in the table, by which backends index their rows */
    uint32_t family;   /* enum gf_op_family */
    size_t params_size;
    uint32_t n_inputs, n_outputs, n_params;
    uint32_t n_required; /* number of inputs that may not be omitted */
    uint32_t reach;      /* enum gf_reach_rule */
    struct gf_work_desc work;
    uint32_t scratch; /* enum gf_scratch_rule */
    const struct gf_input_desc *inputs;
    const struct gf_output_desc *outputs;
    const struct gf_param_desc *params;
};

/* Positions: GF_INDEX_correlate etc., and GF_N_OPS. */
enum gf_op_index {
#define GF_OP(op, id, help) GF_INDEX_##op,
#define GF_OUTLINE
#include "ops.def"
    GF_N_OPS
};

extern const struct gf_op gf_ops[GF_N_OPS];

/* Alternative names of an operation. */
struct gf_alias {
    const char *name;
    const char *op;
};

extern const struct gf_alias gf_aliases[];
extern const size_t gf_n_aliases;

/* "filter" etc. */
const char *gf_op_family_name(uint32_t family);

/* Find an op; NULL if there is none. */
const struct gf_op *gf_op_by_id(uint32_t id);
const struct gf_op *gf_op_by_name(const char *name);
/* Finds an op by its name or an alias. */
const struct gf_op *gf_op_by_word(const char *word);
const struct gf_param_desc *gf_op_param(const struct gf_op *op, const char *name);

/* The text of a `help` or an `example` of a descriptor. Static text, in texts/help.c. */
const char *gf_help_text(uint32_t number);

/* Whether the worker passes this input to a backend as a private copy in host memory, which the op checks. */
static inline bool gf_input_is_copied(const struct gf_input_desc *input)
{
    return input->kind == GF_INPUT_COEFS || input->kind == GF_INPUT_LIST;
}

/* Values for which a list parameter has room in the struct of gpufilter/ops.h: those that it may have, and those of a
 * third axis. */
static inline uint32_t gf_op_param_room(const struct gf_param_desc *param)
{
    return param->per_axis ? param->max / 2u * 3u : param->max;
}

#ifdef __cplusplus
}
#endif
#endif
