/* SPDX-License-Identifier: MIT */
/* Builds the op descriptors from ops.def and finds them. */
#include "op_table.h"

#include <float.h>
#include <string.h>

#include "enums.h"
#include "protocol/base/base.h"
#include "protocol/expr/expr.h"
#include "protocol/ops/all_params.h"

/* Each descriptor must state these facts in this order; a missing one is an undeclared name here. An index of an input
 * or an output, or an id of a parameter, that stands twice in a descriptor is an enumerator declared twice. */
/* clang-format off */
enum {
#define GF_RUN(op, cpu, cuda) run_of_##op,
#define GF_REACH(op, rule) reach_of_##op,
#define GF_WORK(op, kind, weight) work_of_##op,
#define GF_SCRATCH(op, rule) scratch_of_##op,
#define GF_EXAMPLE(op, text) example_of_##op,
#define GF_IN(op, index, name, kind, dtypes, help) input_##index##_of_##op,
#define GF_OUT(op, index, name, shape, dtype, help) output_##index##_of_##op,
#define GF_U32(op, id, name, lo, hi, def, help) param_##id##_of_##op,
#define GF_U32V(op, id, name, max, lo, hi, n_def, def, help) param_##id##_of_##op,
#define GF_F32(op, id, name, lo, hi, def, help) param_##id##_of_##op,
#define GF_F32V(op, id, name, max, lo, hi, n_def, def, help) param_##id##_of_##op,
#define GF_F64(op, id, name, lo, hi, def, help) param_##id##_of_##op,
#define GF_F64V(op, id, name, max, lo, hi, n_def, def, help) param_##id##_of_##op,
#define GF_ENUM(op, id, name, ENUM, def, help) param_##id##_of_##op,
#define GF_TEXT(op, id, name, max, help) param_##id##_of_##op,
#include "ops.def"
};
#define GF_OP(op, id, help) \
    _Static_assert(run_of_##op < reach_of_##op && reach_of_##op < work_of_##op && work_of_##op < scratch_of_##op && \
                       scratch_of_##op < example_of_##op, #op); \
    _Static_assert(sizeof(struct gf_##op##_params) <= GF_PARAMS_SIZE, "GF_PARAMS_SIZE is too small for " #op);
#include "ops.def"
/* clang-format on */

/* Each line of a kind sets the count again, and the last one wins; a flat list thus counts itself. */
#pragma GCC diagnostic ignored "-Woverride-init"

/* clang-format off */
#define FIELD(op, field) offsetof(struct gf_##op##_params, field)
#define GF_OP(op, id_, help_) [GF_INDEX_##op] = { \
    .name = #op, .help = help_, .id = id_, .index = GF_INDEX_##op, .params_size = sizeof(struct gf_##op##_params), \
    .revision = 1,
#define GF_FAMILY(op, family_) .family = GF_OP_FAMILY_##family_,
#define GF_REVISION(op, revision_) .revision = revision_,
#define GF_REACH(op, rule_) .reach = GF_REACH_##rule_,
#define GF_WORK(op, kind_, weight_) .work = {.kind = GF_WORK_##kind_, .weight = weight_},
#define GF_SCRATCH(op, rule_) .scratch = GF_SCRATCH_##rule_,
#define GF_EXAMPLE(op, text_) .example = text_,
#define GF_IN(op, index_, name_, kind_, dtypes_, help_) \
    .inputs[index_] = {.name = #name_, .help = help_, .kind = GF_INPUT_##kind_, .dtypes = dtypes_}, \
    .n_inputs = index_ + 1, .n_required = index_ + 1,
#define GF_IN_OPT(op, index_, name_, kind_, dtypes_, help_) \
    .inputs[index_] = {.name = #name_, .help = help_, .kind = GF_INPUT_##kind_, .dtypes = dtypes_, .optional = true}, \
    .n_inputs = index_ + 1,
#define GF_OUT(op, index_, name_, shape_, dtype_, help_) \
    .outputs[index_] = {.name = #name_, .help = help_, .shape = GF_SHAPE_##shape_, .dtype = GF_RULE_##dtype_}, \
    .n_outputs = index_ + 1,
#define GF_F32(op, id_, name_, lo_, hi_, def_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_F32, .max = 1, .n_def = 1, \
                        .offset = FIELD(op, name_), .lo = lo_, .hi = hi_, .def = def_}, \
    .n_params = id_,
#define GF_F64(op, id_, name_, lo_, hi_, def_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_F64, .max = 1, .n_def = 1, \
                        .offset = FIELD(op, name_), .lo = lo_, .hi = hi_, .def = def_}, \
    .n_params = id_,
#define GF_U32(op, id_, name_, lo_, hi_, def_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_U32, .max = 1, .n_def = 1, \
                        .offset = FIELD(op, name_), .lo = lo_, .hi = hi_, .def = def_}, \
    .n_params = id_,
#define GF_F32V(op, id_, name_, max_, lo_, hi_, n_def_, def_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_F32, .max = max_, \
                        .n_def = n_def_, .vector = true, .offset = FIELD(op, name_), .lo = lo_, .hi = hi_, \
                        .def = def_}, \
    .n_params = id_,
#define GF_F64V(op, id_, name_, max_, lo_, hi_, n_def_, def_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_F64, .max = max_, \
                        .n_def = n_def_, .vector = true, .offset = FIELD(op, name_), .lo = lo_, .hi = hi_, \
                        .def = def_}, \
    .n_params = id_,
#define GF_U32V(op, id_, name_, max_, lo_, hi_, n_def_, def_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_U32, .max = max_, \
                        .n_def = n_def_, .vector = true, .offset = FIELD(op, name_), .lo = lo_, .hi = hi_, \
                        .def = def_}, \
    .n_params = id_,
#define GF_ENUM(op, id_, name_, ENUM, def_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_ENUM, .max = 1, .n_def = 1, \
                        .e = GF_ENUM_##ENUM, .offset = FIELD(op, name_), .def = GF_##ENUM##_##def_}, \
    .n_params = id_,
#define GF_ENUM_OF(op, id_, name_, ENUM, set_, def_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_ENUM, .max = 1, .n_def = 1, \
                        .e = GF_ENUM_##ENUM, .words = set_, .offset = FIELD(op, name_), .def = GF_##ENUM##_##def_}, \
    .n_params = id_,
#define GF_TEXT(op, id_, name_, max_, help_) \
    .params[id_ - 1] = {.name = #name_, .help = help_, .id = id_, .kind = GF_PARAM_TEXT, .max = max_, \
                        .offset = FIELD(op, name_)}, \
    .n_params = id_,
#define GF_AXES(op, id_) .params[id_ - 1].per_axis = true,
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
