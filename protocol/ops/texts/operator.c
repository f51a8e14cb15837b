/* SPDX-License-Identifier: MIT */
/* The operator of a step of reduce or scan; see operator.h. */
#include "operator.h"

#include <inttypes.h>

#include "expression.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/scan.h"

/* The finish of a state if no text gives one. */
static const char *const as_it_is[GF_EXPR_MAX_STATE] = {"a0", "a0, a1", "a0, a1, a2", "a0, a1, a2, a3"};

/* The texts of a step and properties of its sequences. */
struct texts {
    struct gf_text lift, combine, identity, finish, set;
    bool user;
    bool empties; /* a sequence may have no elements */
    const char *why;
};

static struct texts texts_of(const struct gf_op *op, const struct gf_view *in, const union gf_params *params)
{
    if (op->index == GF_INDEX_reduce) {
        const struct gf_reduce_params p = gf_reduce_params_get(params);
        return (struct texts){.lift = p.lift,
                              .combine = p.combine,
                              .identity = p.identity,
                              .finish = p.finish,
                              .set = p.set,
                              .user = p.op == GF_REDUCTION_USER,
                              .empties = gf_view_given(&in[1]),
                              .why = "segments, which may have no elements,"};
    }
    const struct gf_scan_params p = gf_scan_params_get(params);
    return (struct texts){.lift = p.lift,
                          .combine = p.combine,
                          .identity = p.identity,
                          .finish = p.finish,
                          .set = p.set,
                          .user = p.op == GF_SCAN_USER,
                          .empties = p.exclusive != 0,
                          .why = "exclusive=1"};
}

bool gf_operator_is_used(const struct gf_op *op, const union gf_params *params)
{
    return (op->index == GF_INDEX_reduce && gf_reduce_params_get(params).op == GF_REDUCTION_USER) ||
           (op->index == GF_INDEX_scan && gf_scan_params_get(params).op == GF_SCAN_USER);
}

uint32_t gf_operator_characters(const struct gf_op *op, const union gf_params *params)
{
    const struct gf_view none[GF_MAX_INPUTS] = {{0}};
    const struct texts texts = texts_of(op, none, params);
    return texts.lift.size + texts.combine.size + texts.finish.size;
}

/* The name of a text in errors. */
#define WHAT(op, name) ((op)->index == GF_INDEX_reduce ? "reduce: " name : "scan: " name)

/* Parses one of the texts, or copies what is kept of it. */
static enum gf_status parse(const char *what, const struct gf_text *text, struct gf_expr_scope *scope,
                            struct gf_expr *ret, struct gf_error *err)
{
    if (text->nodes != NULL) {
        gf_expr_copy(ret, text->nodes);
        return GF_OK;
    }
    scope->what = what;
    enum gf_status status = gf_expr_parse(text->chars, text->size, scope, ret, err);
    if (status == GF_OK && scope->record && scope->state[0] != 0)
        status = gf_expr_settle(ret, scope, err);
    scope->what = NULL;
    return status;
}

/* Parses lift; `scope` has what all texts share. */
static enum gf_status lift(const struct gf_op *op, const struct gf_view *in, const struct gf_text *text,
                           struct gf_expr_scope scope, struct gf_operator *ret, struct gf_error *err)
{
    scope.dtypes[0] = in->dtype;
    scope.channels[0] = in->channels;
    scope.place = scope.index = true;
    scope.large = gf_expr_is_large(in);
    const struct gf_text sample = {.chars = "a", .size = 1};
    enum gf_status status = parse(WHAT(op, "lift"), text->size > 0 ? text : &sample, &scope, &ret->lift, err);
    if (status != GF_OK)
        return status;
    ret->n_state = ret->lift.n_results;
    for (uint32_t i = 0; i < GF_EXPR_MAX_STATE; i++)
        ret->types[i] = i < ret->n_state ? ret->lift.nodes[ret->lift.results[i]].type : 0;
    return GF_OK;
}

/* Checks that the result has one dtype. */
static enum gf_status check_finish(const struct gf_op *op, struct gf_operator *o, struct gf_error *err)
{
    uint32_t type = o->finish.nodes[o->finish.results[0]].type;
    for (uint32_t i = 1; i < o->finish.n_results; i++) {
        uint32_t other = o->finish.nodes[o->finish.results[i]].type;
        if (other != type)
            return gf_error_set(
                err, GF_E_BAD_PARAM,
                "%s: finish: value 0 is %s, value %" PRIu32 " is %s; the result must have one type, %s(v) "
                "converts",
                op->name, gf_expr_type_word(type), i, gf_expr_type_word(other), gf_expr_type_word(type));
    }
    o->dtype = gf_expr_type_dtype(type);
    return GF_OK;
}

/* Determines whether sequences consist of pixels. */
static enum gf_status check_pixels(const struct gf_op *op, const struct gf_view *in, struct gf_operator *o,
                                   struct gf_error *err)
{
    bool several = o->finish.n_results > 1;
    o->pixels = o->lift.pixels || several;
    o->channels = o->pixels ? o->finish.n_results : in->channels;
    if (several && !o->lift.pixels && in->channels > 1)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: finish: %" PRIu32 " values are channels of the result, but each of the %" PRIu32
                            " channels of the input has its own sequence; lift can name one, as in a[0]",
                            op->name, o->finish.n_results, in->channels);
    if (several && (o->lift.uses >> GF_EXPR_CH & 1) != 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: lift: ch is not defined if finish has several values", op->name);
    return GF_OK;
}

enum gf_status gf_operator_of_step(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_operator *ret, struct gf_error *err)
{
    const struct texts texts = texts_of(op, in, params);
    uint32_t params_used = 0;
    struct gf_expr_scope scope = {.params = texts.set.chars,
                                  .params_size = texts.set.size,
                                  .params_what = op->name,
                                  .params_used = &params_used,
                                  .record = true};
    enum gf_status status = lift(op, in, &texts.lift, scope, ret, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < GF_EXPR_MAX_STATE; i++)
        scope.state[i] = ret->types[i];
    scope.later = true;
    status = parse(WHAT(op, "combine"), &texts.combine, &scope, &ret->combine, err);
    ret->identity.n_results = 0;
    scope.later = false;
    if (status == GF_OK && texts.identity.size > 0)
        status = parse(WHAT(op, "identity"), &texts.identity, &scope, &ret->identity, err);
    if (status == GF_OK && texts.identity.size > 0 && (ret->identity.uses >> GF_EXPR_STATE & 1) != 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: identity: names a value of a state; it must consist of literals",
                            op->name);
    const struct gf_text all = {.chars = as_it_is[ret->n_state - 1], .size = 4 * ret->n_state - 2};
    scope.record = false;
    scope.last = true;
    if (status == GF_OK)
        status = parse(WHAT(op, "finish"), texts.finish.size > 0 ? &texts.finish : &all, &scope, &ret->finish, err);
    if (status == GF_OK)
        status = check_finish(op, ret, err);
    return status == GF_OK ? check_pixels(op, in, ret, err) : status;
}

static enum gf_status refuse_texts(const struct gf_op *op, const struct texts *texts, struct gf_error *err)
{
    const char *name = texts->lift.size > 0       ? "lift"
                       : texts->combine.size > 0  ? "combine"
                       : texts->identity.size > 0 ? "identity"
                       : texts->finish.size > 0   ? "finish"
                       : texts->set.size > 0      ? "set"
                                                  : NULL;
    if (name == NULL)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s is only used with op=user", op->name, name);
}

/* Refuses parameters that belong to other operators. */
static enum gf_status check_others(const struct gf_op *op, const union gf_params *params, struct gf_error *err)
{
    const char *word = NULL;
    if (op->index == GF_INDEX_reduce) {
        const struct gf_reduce_params p = gf_reduce_params_get(params);
        word = p.nan != GF_NAN_PROPAGATE         ? "nan; lift can tell NaN, as in select(isnan(a), 0, a)"
               : p.ddof != 0                     ? "ddof; finish can divide by less"
               : p.overflow != GF_OVERFLOW_ERROR ? "overflow; integers of expressions are modulo 2^64"
                                                 : NULL;
    } else {
        const struct gf_scan_params p = gf_scan_params_get(params);
        word = p.start != GF_START_FIRST         ? "start; combine can add to the first element"
               : p.initial != 0.0                ? "initial"
               : p.dtype != GF_DTYPE_SAME        ? "dtype; finish converts, as in f32(a0)"
               : p.overflow != GF_OVERFLOW_ERROR ? "overflow; integers of expressions are modulo 2^64"
                                                 : NULL;
    }
    return word == NULL ? GF_OK
                        : gf_error_set(err, GF_E_BAD_PARAM, "%s: op=user cannot be used with %s", op->name, word);
}

enum gf_status gf_operator_check(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                 struct gf_error *err)
{
    const struct texts texts = texts_of(op, in, params);
    if (!texts.user)
        return refuse_texts(op, &texts, err);
    if (texts.combine.size == 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: op=user needs combine, such as combine=\"a0 + b0\"", op->name);
    if (texts.empties && texts.identity.size == 0)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: op=user with %s needs identity, such as identity=\"0\"", op->name,
                            texts.why);
    return check_others(op, params, err);
}
