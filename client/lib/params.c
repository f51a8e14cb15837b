/* SPDX-License-Identifier: MIT */
/* Reads the parameter structs of gpufilter/ops.h. Called by call.c and run.c. */
#include "params.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "client/include/gpufilter/types.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"

/* What every struct begins with. */
struct head {
    uint32_t struct_size, op;
};

static const uint16_t *offsets_of(const struct gf_op *op)
{
    return &gf_params_offsets[gf_params_layouts[op->index].first];
}

/* The member at an offset, which has `size` bytes; NULL if the caller's header does not have it. */
static const void *member(const void *params, uint16_t offset, size_t size)
{
    struct head head;
    memcpy(&head, params, sizeof(head));
    return offset + size <= head.struct_size ? (const unsigned char *)params + offset : NULL;
}

/* A member that is a pointer. */
static void *pointer(const void *params, uint16_t offset)
{
    void *value = NULL;
    const void *at = member(params, offset, sizeof(value));
    if (at != NULL)
        memcpy(&value, at, sizeof(value));
    return value;
}

const gpufilter_view *gf_params_input(const struct gf_op *op, const void *params, uint32_t input)
{
    return pointer(params, offsets_of(op)[op->n_params + input - op->n_required]);
}

gpufilter_view *gf_params_output(const struct gf_op *op, const void *params, uint32_t output)
{
    return pointer(params, offsets_of(op)[op->n_params + op->n_inputs - op->n_required + output - 1]);
}

/* Whether entry i of a list has the mark of an unset entry. */
static bool is_unset(const struct gf_param_desc *desc, const void *values, uint32_t i)
{
    const float mark_f32 = GPUFILTER_UNSET_F32;
    const double mark_f64 = GPUFILTER_UNSET_F64;
    const uint32_t mark_u32 = GPUFILTER_UNSET_U32;
    const void *mark = desc->kind == GF_PARAM_F64   ? (const void *)&mark_f64
                       : desc->kind == GF_PARAM_F32 ? (const void *)&mark_f32
                                                    : &mark_u32;
    size_t size = gf_op_param_size(desc);
    return memcmp((const unsigned char *)values + i * size, mark, size) == 0;
}

/* Stores the entries of a list before the first unset one; later entries must be unset, too. */
static enum gf_status set_list(struct gf_step *s, uint32_t at, const struct gf_param_desc *desc, const void *values,
                               struct gf_error *err)
{
    char step[GF_STEP_TEXT];
    const uint32_t room = gf_op_param_room(desc);
    uint32_t n = 0;
    while (n < room && !is_unset(desc, values, n))
        n++;
    for (uint32_t i = n; i < room; i++)
        if (!is_unset(desc, values, i))
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s[%" PRIu32 "] is set, but %s[%" PRIu32 "] before it is not",
                                gf_step_text(at, s->op, step, sizeof(step)), desc->name, i, desc->name, i - 1);
    if (n > desc->max)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s[%u] is set; it takes at most %u values in this version",
                            gf_step_text(at, s->op, step, sizeof(step)), desc->name, desc->max, desc->max);
    return n == 0 ? GF_OK : gf_op_param_set(s->op, desc, values, n * gf_op_param_size(desc), &s->params, err);
}

static enum gf_status set_text(struct gf_step *s, const struct gf_param_desc *desc, const char *text,
                               struct gf_error *err)
{
    return text != NULL ? gf_op_param_set(s->op, desc, text, strlen(text), &s->params, err) : GF_OK;
}

static enum gf_status set_param(struct gf_step *s, uint32_t at, const void *params, uint32_t i,
                                uint64_t *ret_open_alpha, struct gf_error *err)
{
    const struct gf_param_desc *desc = &s->op->params[i];
    const uint16_t offset = offsets_of(s->op)[i];
    if (desc->kind == GF_PARAM_TEXT)
        return set_text(s, desc, pointer(params, offset), err);
    const size_t each = gf_op_param_size(desc);
    const void *values = member(params, offset, desc->vector ? gf_op_param_room(desc) * each : each);
    bool is_alpha = desc->kind == GF_PARAM_ENUM && desc->e == GF_ENUM_ALPHA;
    if (values == NULL || (is_alpha && is_unset(desc, values, 0))) {
        *ret_open_alpha |= is_alpha ? UINT64_C(1) << at : 0;
        return GF_OK;
    }
    return desc->vector ? set_list(s, at, desc, values, err)
                        : gf_op_param_set(s->op, desc, values, each, &s->params, err);
}

static enum gf_status check_struct(const struct gf_op *op, const void *params, struct gf_error *err)
{
    const size_t size = gf_params_layouts[op->index].size;
    char name[GF_STRUCT_NAME];
    if (gf_struct_check(params, size, "", NULL) == GF_OK)
        return GF_OK;
    snprintf(name, sizeof(name), "gpufilter_%s_params", op->name);
    return gf_struct_check(params, size, name, err);
}

enum gf_status gf_params_read(const void *params, uint32_t at, struct gf_step *ret, uint64_t *ret_open_alpha,
                              struct gf_error *err)
{
    struct head head;
    memcpy(&head, params, sizeof(head));
    ret->op = head.struct_size >= sizeof(head) ? gf_op_by_id(head.op) : NULL;
    if (ret->op == NULL)
        return gf_error_set(err, GF_E_BAD_ARGUMENT,
                            "step %" PRIu32 ": params begins with struct_size=%" PRIu32 " and operation=0x%04" PRIx32
                            ", which is no operation; initialise it with the operation's _INIT macro",
                            at + 1, head.struct_size, head.op);
    enum gf_status status = check_struct(ret->op, params, err);
    gf_op_params_default(ret->op, &ret->params);
    for (uint32_t i = 0; i < ret->op->n_params && status == GF_OK; i++)
        status = set_param(ret, at, params, i, ret_open_alpha, err);
    return status;
}
