/* SPDX-License-Identifier: MIT */
/*
 * The op descriptors as data, from ops.def. Everything that needs facts about an op at run time (codec, validation,
 * CLI, help, docs, fuzz dictionary, conformance) walks these.
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
    GF_OP_FAMILY_REGION
};

enum gf_input_kind {
    GF_INPUT_IMAGE = 1, /* picture of 1-4 channels, of u8, u16, i16, f16 or f32 */
    GF_INPUT_COEFS,     /* small f32 matrix (a mask): copied by the worker, then checked, then used; never a step's
                           output */
    GF_INPUT_BUFFER,    /* picture or 1-D or 2-D array of any dtype; each channel is a sequence of its own */
    GF_INPUT_LIST,      /* row of numbers (offsets, edges, a table): copied and used as coefficients are */
    GF_INPUT_MATRIX, /* array of one channel, of which elements meet many of another: a matrix, a kernel of one row */
};

enum gf_shape_rule {
    GF_SHAPE_SAME_SHAPE = 1, /* as input 0 */
    GF_SHAPE_FILTER,         /* as input 0, or smaller by the mask (input 1) minus one where size=valid */
    GF_SHAPE_BRIGHTNESS,     /* as input 0, with one channel for its colours where channels=luma */
    GF_SHAPE_CHANNELS,       /* as input 0 but for the number of channels, and the dtype, by a function of the op */
    GF_SHAPE_OWN,            /* shape and dtype by a function of the op, see op_outputs.h */
    GF_SHAPE_TABLE,          /* as GF_SHAPE_OWN, and what comes out are numbers about the input, not data that goes on:
                                in a pipe the next step takes what this one took */
    GF_SHAPE_COUNTED,        /* as GF_SHAPE_OWN, and a row is filled only as far as the same row of the op's last output
                                says, a TABLE of one u64 per row; where nobody wants the output it has no memory */
};

enum gf_dtype_rule {
    GF_RULE_SAME_DTYPE = 1,  /* as input 0 */
    GF_RULE_OWN,             /* by the function that gives the shape */
    GF_RULE_PARAM_DTYPE,     /* by the op's parameter `dtype`; where that is "same", as input 0 */
    GF_RULE_PARAM_DTYPE_F32, /* by the op's parameter `dtype`; where that is "same", f32 */
};

/* Which pixels of its inputs an op looks at for a pixel of its result; reach.c says how far that is. A job is cut into
 * slabs of rows by this, and a picture into tiles. */
enum gf_reach_rule {
    GF_REACH_NONE = 1,      /* the same pixel */
    GF_REACH_VALUE,         /* the same where parameter `value` is given, else all */
    GF_REACH_MASK,          /* those under its mask */
    GF_REACH_MASK_TURNED,   /* likewise, with the mask turned by 180 degrees */
    GF_REACH_ELEMENT,       /* those under its structuring element, for each of `iterations` */
    GF_REACH_ELEMENT_TWICE, /* likewise, for twice as many */
    GF_REACH_KERNEL,        /* those under its kernel, input 1, along `axis` */
    GF_REACH_KERNEL_TURNED, /* likewise, with the kernel turned */
    GF_REACH_SEQUENCE,      /* all of its sequence: parameter `axis`, without one its row */
    GF_REACH_PLACE,         /* the same along an axis where pixels stay in their places, else all */
    GF_REACH_TEMPLATE,      /* those under input 1, which is needed whole, from the pixel on; all for tables */
    GF_REACH_EXPRESSION,    /* the same along an axis whose place or side its expression does not use, else all */
    GF_REACH_ALL,
};

/* What one pass of an op over its samples takes; a tap is one multiplication and addition, or as much. */
enum gf_work_kind {
    GF_WORK_SAMPLES = 1, /* `weight` taps for each sample that is read or made, whichever are more; of an operator of
                            users one for every four characters as well */
    GF_WORK_STENCIL,     /* `weight` taps of a built-in mask of 3 x 3 for each result */
    GF_WORK_MASK,        /* each sample of input 1 for each result */
    GF_WORK_SEPARABLE,   /* a row and a column by sigma and truncate for each result, `weight` times */
    GF_WORK_DISC,        /* a disc for each result, `weight` times each of its pixels */
    GF_WORK_BOX,         /* a window of `size` by doubling: the bits of both sides for each result */
    GF_WORK_WINDOW,      /* a window of `size` that slides: both sides for each result */
    GF_WORK_ELEMENT,     /* `weight` times `iterations`: the bits of both sides, or the columns of a form */
    GF_WORK_KERNEL,      /* the width of input 1 for each result */
    GF_WORK_PRODUCT,     /* the width of input 0 for each result */
    GF_WORK_EXPRESSION,  /* `weight` taps for each result, and one for every four characters of its expression */
};

/* What the CPU works in beside inputs and outputs; footprint.c has the figures. */
enum gf_scratch_rule {
    GF_SCRATCH_NONE = 1,
    GF_SCRATCH_FORMULA,   /* a table of values, where the formula has a power or a table is given */
    GF_SCRATCH_LINES,     /* lines of a tile and its halo for each thread */
    GF_SCRATCH_WINDOWS,   /* a tile of samples and its halo for each thread, and their order or counters */
    GF_SCRATCH_ELEMENT,   /* lines of a tile and its halo for each thread, and pictures between passes */
    GF_SCRATCH_TILES,     /* a table of values for each tile, a counter for each value and thread */
    GF_SCRATCH_COUNTERS,  /* a table of values and a counter for each */
    GF_SCRATCH_BINS,      /* counters for each bin, for each value where they are few, and the edges */
    GF_SCRATCH_PARTIALS,  /* a workspace for each thread, partials of long sequences, and what a list cuts */
    GF_SCRATCH_REDUCTION, /* likewise, and of maps that follow each other a result for each row */
    GF_SCRATCH_SUMS,      /* a workspace for each thread, and sums of row chunks */
    GF_SCRATCH_RUNS,      /* rows of a thread, a bit for each pixel, and what is known of each run of foreground */
    GF_SCRATCH_HEIGHTS,   /* rows of a thread, and 16 bits for each pixel */
    GF_SCRATCH_EDGES,     /* gradients of a row's samples for each thread, and 3 bits for each pixel */
    GF_SCRATCH_TEMPLATE,  /* a tile of sums and of samples for each thread, sums of columns, peaks */
    GF_SCRATCH_TAPS,      /* a workspace for each thread, and the taps */
    GF_SCRATCH_THREADS,   /* a workspace for each thread */
    GF_SCRATCH_RESAMPLE,  /* weights of both axes, lines of a block of rows for each thread */
    GF_SCRATCH_LEVELS,    /* lines for each thread, and pictures between levels */
    GF_SCRATCH_PAIRS,     /* counters of pairs, and of 8 and 16 bits a bin for each value */
    GF_SCRATCH_RANKS,     /* for each thread elements of a short sequence and counters, and candidates of a long one */
    GF_SCRATCH_ORDER,     /* sequences and their indices twice, counters, and a workspace for each thread */
};

struct gf_work_desc {
    uint32_t kind; /* enum gf_work_kind */
    uint32_t weight;
};

enum gf_param_kind { GF_PARAM_U32 = 1, GF_PARAM_F32, GF_PARAM_ENUM, GF_PARAM_F64, GF_PARAM_TEXT };

struct gf_input_desc {
    const char *name;
    const char *help;
    uint32_t kind;   /* enum gf_input_kind */
    uint32_t dtypes; /* set of GF_DT() */
    bool optional;   /* may be left out; stands behind those that may not */
};

struct gf_output_desc {
    const char *name;
    const char *help;
    uint32_t shape; /* enum gf_shape_rule */
    uint32_t dtype; /* enum gf_dtype_rule */
};

struct gf_param_desc {
    const char *name;
    const char *help;
    uint16_t id;    /* unique in the op, 1..0x0FFF */
    uint16_t max;   /* values it takes at most, of a text bytes */
    uint8_t kind;   /* enum gf_param_kind */
    uint8_t n_def;  /* values of its default, 0: absent means "not given", as it does of every text */
    bool vector;    /* stored as struct gf_f32v, gf_f64v or gf_u32v, else as one value or struct gf_text */
    uint32_t e;     /* enum gf_enum_id for GF_PARAM_ENUM */
    uint32_t words; /* the numbers of its words that mean something here, a bit each; 0: all */
    size_t offset;  /* in the op's parameter struct */
    double lo, hi;  /* allowed range, inclusive; exact for u32 and f32 */
    double def;     /* default value, repeated n_def times */
};

struct gf_op {
    const char *name;
    const char *help;
    const char *example; /* options and files of a command line that works; tests/cli/test_examples.py runs it */
    uint32_t id;
    uint32_t index;  /* position in the table: what backends index their rows by */
    uint32_t family; /* enum gf_op_family */
    size_t params_size;
    uint32_t n_inputs, n_outputs, n_params;
    uint32_t n_required; /* inputs that may not be left out */
    uint32_t reach;      /* enum gf_reach_rule */
    struct gf_work_desc work;
    uint32_t scratch; /* enum gf_scratch_rule */
    struct gf_input_desc inputs[GF_MAX_INPUTS];
    struct gf_output_desc outputs[GF_MAX_OUTPUTS];
    struct gf_param_desc params[GF_MAX_PARAMS];
};

/* Positions: GF_INDEX_correlate and so on, and GF_N_OPS. */
enum gf_op_index {
#define GF_OP(op, id, help) GF_INDEX_##op,
#define GF_OUTLINE
#include "ops.def"
    GF_N_OPS
};

extern const struct gf_op gf_ops[GF_N_OPS];

/* Other names that people may use for an operation. */
struct gf_alias {
    const char *name;
    const char *op;
};

extern const struct gf_alias gf_aliases[];
extern const size_t gf_n_aliases;

/* NULL when there is none. */
const struct gf_op *gf_op_by_id(uint32_t id);
const struct gf_op *gf_op_by_name(const char *name);
/* By its name or an alias. */
const struct gf_op *gf_op_by_word(const char *word);
const struct gf_param_desc *gf_op_param(const struct gf_op *op, const char *name);

/* Whether the worker hands this input to a backend as a private copy in host memory, which the op checks itself. */
static inline bool gf_input_is_copied(const struct gf_input_desc *input)
{
    return input->kind == GF_INPUT_COEFS || input->kind == GF_INPUT_LIST;
}

#ifdef __cplusplus
}
#endif
#endif
