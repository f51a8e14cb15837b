/* SPDX-License-Identifier: MIT */
/* Builds the op descriptors from ops.def and finds them. */
#include "op_table.h"

#include <float.h>
#include <string.h>

#include "enums.h"
#include "protocol/base/base.h"
#include "protocol/expr/expr.h"
#include "protocol/ops/all_params.h"
#include "texts/help.h"

/* clang-format off */
#define GF_OP(op, id, help) \
    _Static_assert(run_of_##op < reach_of_##op && reach_of_##op < work_of_##op && work_of_##op < scratch_of_##op && \
                       scratch_of_##op < example_of_##op, #op); \
    _Static_assert(sizeof(struct gf_##op##_params) <= GF_PARAMS_SIZE, "GF_PARAMS_SIZE is too small for " #op);
#include "ops.def"
/* clang-format on */

/* Rows of inputs, outputs and parameters of each op. GF_AXES changes a row that is there. */
#pragma GCC diagnostic ignored "-Woverride-init"

/* clang-format off */
#define GF_OP(op, id, help) static const struct gf_input_desc inputs_of_##op[] = {
#define GF_IN(op, index, name_, kind_, dtypes_, help_) \
    [index] = {.name = #name_, .help = input_##index##_of_##op, .kind = GF_INPUT_##kind_, .dtypes = dtypes_},
#define GF_IN_OPT(op, index, name_, kind_, dtypes_, help_) \
    [index] = {.name = #name_, .help = input_##index##_of_##op, .kind = GF_INPUT_##kind_, .dtypes = dtypes_, \
               .optional = true},
#define GF_IN_SEGMENTS(op, index, name_, dtypes_, help_) \
    [index] = {.name = #name_, .help = input_##index##_of_##op, .kind = GF_INPUT_LIST, .dtypes = dtypes_, \
               .optional = true, .segments = true},
#define GF_END(op) };
#include "ops.def"

#define GF_OP(op, id, help) static const struct gf_output_desc outputs_of_##op[] = {
#define GF_OUT(op, index, name_, shape_, dtype_, help_) \
    [index] = {.name = #name_, .help = output_##index##_of_##op, .shape = GF_SHAPE_##shape_, .dtype = GF_RULE_##dtype_},
#define GF_END(op) };
#include "ops.def"

#define PARAM(op, id_, name_, kind_, max_, ...) \
    [id_ - 1] = {.name = #name_, .help = param_##id_##_of_##op, .id = id_, .kind = GF_PARAM_##kind_, .max = max_, \
                 .offset = offsetof(struct gf_##op##_params, name_), __VA_ARGS__},
#define ONE(lo_, hi_, def_) .n_def = 1, .lo = lo_, .hi = hi_, .def = def_
#define LIST(lo_, hi_, n_def_, def_) .vector = true, .n_def = n_def_, .lo = lo_, .hi = hi_, .def = def_
#define GF_OP(op, id, help) static const struct gf_param_desc params_of_##op[] = {
#define GF_F32(op, id, name, lo, hi, def, help) PARAM(op, id, name, F32, 1, ONE(lo, hi, def))
#define GF_F64(op, id, name, lo, hi, def, help) PARAM(op, id, name, F64, 1, ONE(lo, hi, def))
#define GF_U32(op, id, name, lo, hi, def, help) PARAM(op, id, name, U32, 1, ONE(lo, hi, def))
#define GF_F32V(op, id, name, max, lo, hi, n_def, def, help) PARAM(op, id, name, F32, max, LIST(lo, hi, n_def, def))
#define GF_F64V(op, id, name, max, lo, hi, n_def, def, help) PARAM(op, id, name, F64, max, LIST(lo, hi, n_def, def))
#define GF_U32V(op, id, name, max, lo, hi, n_def, def, help) PARAM(op, id, name, U32, max, LIST(lo, hi, n_def, def))
#define GF_ENUM(op, id, name, e, def, help) GF_ENUM_OF(op, id, name, e, GF_WORDS_ANY, def, help)
#define GF_ENUM_OF(op, id, name, e_, set, def_, help) \
    PARAM(op, id, name, ENUM, 1, .n_def = 1, .e = GF_ENUM_##e_, .words = set, .def = GF_##e_##_##def_)
#define GF_TEXT(op, id, name, max, help) PARAM(op, id, name, TEXT, max, .n_def = 0)
#define GF_AXES(op, id) [id - 1].per_axis = true,
#define GF_END(op) };
#include "ops.def"

/* A descriptor without GF_REVISION is of revision 1; of the required inputs the last one counts. */
#define GF_OP(op, id_, help_) [GF_INDEX_##op] = { \
    .name = #op, .help = help_of_##op, .id = id_, .index = GF_INDEX_##op, .revision = 1, \
    .params_size = sizeof(struct gf_##op##_params), \
    .inputs = inputs_of_##op, .n_inputs = GF_ARRAY_LEN(inputs_of_##op), \
    .outputs = outputs_of_##op, .n_outputs = GF_ARRAY_LEN(outputs_of_##op), \
    .params = params_of_##op, .n_params = GF_ARRAY_LEN(params_of_##op),
#define GF_FAMILY(op, family_) .family = GF_OP_FAMILY_##family_,
#define GF_REVISION(op, revision_) .revision = revision_,
#define GF_REACH(op, rule) .reach = GF_REACH_##rule,
#define GF_WORK(op, kind_, weight_) .work = {.kind = GF_WORK_##kind_, .weight = weight_},
#define GF_SCRATCH(op, rule) .scratch = GF_SCRATCH_##rule,
#define GF_EXAMPLE(op, text) .example = example_of_##op,
#define GF_IN(op, index, name, kind, dtypes, help) .n_required = index + 1,
#define GF_IN_OPT(op, index, name, kind, dtypes, help)
#define GF_END(op) },
const struct gf_op gf_ops[GF_N_OPS] = {
#include "ops.def"
};
/* clang-format on */

const struct gf_alias gf_aliases[] = {
    {"blur", "gaussian"}, {"grayscale", "gray"}, {"greyscale", "gray"},
    {"grey", "gray"},     {"open", "opening"},   {"close", "closing"},
};
const size_t gf_n_aliases = GF_ARRAY_LEN(gf_aliases);

const char *gf_op_family_name(uint32_t family)
{
    static const char *const names[] = {[GF_OP_FAMILY_FILTER] = "filter", [GF_OP_FAMILY_POINT] = "point",
                                        [GF_OP_FAMILY_REDUCE] = "reduce", [GF_OP_FAMILY_HISTOGRAM] = "histogram",
                                        [GF_OP_FAMILY_SCAN] = "scan",     [GF_OP_FAMILY_SELECT] = "select",
                                        [GF_OP_FAMILY_LINALG] = "linalg", [GF_OP_FAMILY_GEOMETRY] = "geometry",
                                        [GF_OP_FAMILY_COLOUR] = "colour", [GF_OP_FAMILY_RANK] = "rank",
                                        [GF_OP_FAMILY_ORDER] = "order",   [GF_OP_FAMILY_MORPHOLOGY] = "morphology",
                                        [GF_OP_FAMILY_REGION] = "region"};
    return names[family];
}

/* Two operations of one id are two equal cases, which do not compile. */
const struct gf_op *gf_op_by_id(uint32_t id)
{
    /* clang-format off */
    switch (id) {
#define GF_OP(op, id, help) case id: return &gf_ops[GF_INDEX_##op];
#include "ops.def"
    }
    /* clang-format on */
    return NULL;
}

const struct gf_op *gf_op_by_name(const char *name)
{
    for (size_t i = 0; i < GF_N_OPS; i++)
        if (strcmp(gf_ops[i].name, name) == 0)
            return &gf_ops[i];
    return NULL;
}

const struct gf_op *gf_op_by_word(const char *word)
{
    for (size_t i = 0; i < gf_n_aliases; i++)
        if (strcmp(gf_aliases[i].name, word) == 0)
            return gf_op_by_name(gf_aliases[i].op);
    return gf_op_by_name(word);
}

const struct gf_param_desc *gf_op_param(const struct gf_op *op, const char *name)
{
    for (size_t i = 0; i < op->n_params; i++)
        if (strcmp(op->params[i].name, name) == 0)
            return &op->params[i];
    return NULL;
}
