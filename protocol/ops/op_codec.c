/* SPDX-License-Identifier: MIT */
/*
 * Converts parameters between their three forms: struct, wire values, text. Walks the op table. Numbers in text are in
 * the C locale in every program (text.h). Also moves the characters of a program's text parameters (program.h).
 */
#include "op_codec.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "enums.h"
#include "program.h"
#include "protocol/base/suggest.h"
#include "protocol/base/text.h"

#define WORD_SIZE sizeof(uint32_t) /* of every value except f64, which has two words */
#define BLANKS " \t\r"
#define NUMBER_START "-+.0123456789"

_Static_assert(sizeof(float) == WORD_SIZE && sizeof(double) == 2 * WORD_SIZE, "values are 4 or 8 bytes");
_Static_assert(offsetof(struct gf_f32v, v) == WORD_SIZE && offsetof(struct gf_u32v, v) == WORD_SIZE &&
                   offsetof(struct gf_f64v, v) == 2 * WORD_SIZE,
               "a vector must be a count of the size of a value, then the values");

/* Values of one parameter in native byte order. */
struct values {
    uint32_t n;
    uint32_t bits[2 * GF_MAX_VALUES]; /* one word each, two for an f64 */
};

static uint32_t f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float f32_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

size_t gf_op_param_size(const struct gf_param_desc *param)
{
    return param->kind == GF_PARAM_F64 ? 2 * WORD_SIZE : param->kind == GF_PARAM_TEXT ? 1 : WORD_SIZE;
}

static struct values values_default(const struct gf_param_desc *param)
{
    struct values values = {.n = param->n_def};
    for (uint32_t i = 0; i < values.n; i++)
        if (param->kind == GF_PARAM_F64)
            memcpy(&values.bits[2 * i], &param->def, sizeof param->def);
        else
            values.bits[i] = param->kind == GF_PARAM_F32 ? f32_bits((float)param->def) : (uint32_t)param->def;
    return values;
}

static void values_store(const struct gf_param_desc *param, const struct values *values, union gf_params *params)
{
    char *field = (char *)params + param->offset;
    size_t size = gf_op_param_size(param);
    if (param->vector) {
        memset(field, 0, size);
        memcpy(field, &values->n, sizeof values->n);
        field += size;
    }
    memcpy(field, values->bits, size * (param->vector ? GF_MAX_VALUES : 1));
}

/* A bound of a range as text. */
static const char *bound_text(const struct gf_param_desc *param, double bound, char *text, size_t size)
{
    return param->kind == GF_PARAM_F32 ? gf_text_from_f32((float)bound, text, size)
                                       : gf_text_from_f64(bound, text, size);
}

/* Checks a number against its range; `token` is its text in the error, NULL: as the number is printed. */
static enum gf_status check_number(const struct gf_op *op, const struct gf_param_desc *param, double value,
                                   const char *token, struct gf_error *err)
{
    char lo[GF_NUMBER_TEXT], hi[GF_NUMBER_TEXT], printed[GF_NUMBER_TEXT];
    double max = param->kind == GF_PARAM_F32 ? (double)FLT_MAX : DBL_MAX;
    bool finite = param->kind == GF_PARAM_U32 || (value >= -max && value <= max);
    if (finite && value >= param->lo && value <= param->hi)
        return GF_OK;
    if (param->kind == GF_PARAM_U32)
        snprintf(printed, sizeof printed, "%.0f", value);
    else
        bound_text(param, value, printed, sizeof printed);
    const char *shown = token != NULL ? token : printed;
    if (!finite)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%.40s is not a finite %s number", op->name, param->name, shown,
                            param->kind == GF_PARAM_F32 ? "f32" : "f64");
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%.40s outside %s..%s", op->name, param->name, shown,
                        bound_text(param, param->lo, lo, sizeof lo), bound_text(param, param->hi, hi, sizeof hi));
}

static enum gf_status check_bits(const struct gf_op *op, const struct gf_param_desc *param, uint32_t bits,
                                 struct gf_error *err)
{
    char choices[128];
    if (param->kind != GF_PARAM_ENUM)
        return check_number(op, param, param->kind == GF_PARAM_F32 ? (double)f32_of(bits) : bits, NULL, err);
    if (gf_enum_word(param->e, bits) != NULL)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%" PRIu32 " is not the number of a word; allowed: %s", op->name,
                        param->name, bits, gf_enum_choices(param->e, 0, choices, sizeof choices));
}

/* Checks the values of a parameter. */
static enum gf_status check_values(const struct gf_op *op, const struct gf_param_desc *param,
                                   const struct values *values, struct gf_error *err)
{
    double number;
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < values->n && status == GF_OK; i++) {
        if (param->kind != GF_PARAM_F64) {
            status = check_bits(op, param, values->bits[i], err);
            continue;
        }
        memcpy(&number, &values->bits[2 * i], sizeof number);
        status = check_number(op, param, number, NULL, err);
    }
    return status;
}

void gf_op_params_default(const struct gf_op *op, union gf_params *ret)
{
    memset(ret, 0, sizeof *ret);
    for (uint32_t i = 0; i < op->n_params; i++) {
        if (op->params[i].kind == GF_PARAM_TEXT)
            continue;
        struct values values = values_default(&op->params[i]);
        values_store(&op->params[i], &values, ret);
    }
}

const struct gf_param_desc *gf_op_param_of_enum(const struct gf_op *op, uint32_t e)
{
    for (uint32_t i = 0; i < op->n_params; i++)
        if (op->params[i].kind == GF_PARAM_ENUM && op->params[i].e == e)
            return &op->params[i];
    return NULL;
}

uint32_t gf_op_param_word(const struct gf_op *op, const union gf_params *params, uint32_t e, uint32_t none)
{
    const struct gf_param_desc *param = gf_op_param_of_enum(op, e);
    if (param != NULL)
        memcpy(&none, (const char *)params + param->offset, sizeof none);
    return none;
}

void gf_op_param_set_word(const struct gf_op *op, uint32_t e, uint32_t word, union gf_params *params)
{
    const struct gf_param_desc *param = gf_op_param_of_enum(op, e);
    if (param != NULL)
        memcpy((char *)params + param->offset, &word, sizeof word);
}

/* Stores a reference to the characters. */
static void store_text(const struct gf_param_desc *param, const char *chars, uint32_t size, union gf_params *params)
{
    const struct gf_text text = {.size = size, .chars = size > 0 ? chars : NULL};
    memcpy((char *)params + param->offset, &text, sizeof text);
}

/* Checks a text and stores a reference to it. */
static enum gf_status set_text(const struct gf_op *op, const struct gf_param_desc *param, const char *chars,
                               size_t size, union gf_params *params, struct gf_error *err)
{
    if (size > param->max)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s has %zu bytes; allowed: up to %u", op->name, param->name, size,
                            param->max);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)(chars[i] - ' ') > '~' - ' ')
            return gf_error_set(err, GF_E_BAD_PARAM,
                                "%s: %s: column %zu: byte 0x%02x; allowed: printable ASCII characters, 0x20 to 0x7e",
                                op->name, param->name, i + 1, (unsigned char)chars[i]);
    store_text(param, chars, (uint32_t)size, params);
    return GF_OK;
}

enum gf_status gf_op_param_set(const struct gf_op *op, const struct gf_param_desc *param, const void *values,
                               size_t size, union gf_params *params, struct gf_error *err)
{
    if (param->kind == GF_PARAM_TEXT)
        return set_text(op, param, values, size, params, err);
    size_t each = gf_op_param_size(param);
    if (size == 0 || size % each != 0 || size / each > param->max)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s has %zu bytes; allowed: 1..%u values of %zu", op->name,
                            param->name, size, param->max, each);
    struct values stored = {.n = (uint32_t)(size / each)};
    memcpy(stored.bits, values, size);
    enum gf_status status = check_values(op, param, &stored, err);
    if (status == GF_OK)
        values_store(param, &stored, params);
    return status;
}

uint32_t gf_op_param_get(const struct gf_param_desc *param, const union gf_params *params, const void **ret_values)
{
    const char *field = (const char *)params + param->offset;
    uint32_t n = 1;
    if (param->kind == GF_PARAM_TEXT) {
        struct gf_text text;
        memcpy(&text, field, sizeof text);
        *ret_values = text.chars;
        return text.size;
    }
    if (param->vector)
        memcpy(&n, field, sizeof n);
    *ret_values = param->vector ? field + gf_op_param_size(param) : field;
    return n;
}

uint64_t gf_program_texts_size(const struct gf_program *p)
{
    uint64_t sum = 0;
    for (const struct gf_step *s = p->steps; s < p->steps + p->n_steps; s++)
        for (uint32_t k = 0; s->op != NULL && k < s->op->n_params; k++) {
            const void *chars;
            if (s->op->params[k].kind == GF_PARAM_TEXT)
                sum += gf_op_param_get(&s->op->params[k], &s->params, &chars);
        }
    return sum;
}

void gf_program_texts_move(struct gf_program *p, char *room)
{
    for (struct gf_step *s = p->steps; s < p->steps + p->n_steps; s++)
        for (uint32_t k = 0; k < s->op->n_params; k++) {
            const struct gf_param_desc *param = &s->op->params[k];
            const void *chars = NULL;
            uint32_t size = param->kind == GF_PARAM_TEXT ? gf_op_param_get(param, &s->params, &chars) : 0;
            if (size == 0)
                continue;
            memcpy(room, chars, size);
            store_text(param, room, size, &s->params);
            room += size;
        }
}

bool gf_op_param_is_default(const struct gf_param_desc *param, const union gf_params *params)
{
    struct values def = values_default(param);
    const void *values;
    uint32_t n = gf_op_param_get(param, params, &values);
    if (param->kind == GF_PARAM_TEXT)
        return n == 0;
    return n == def.n && memcmp(values, def.bits, n * gf_op_param_size(param)) == 0;
}

static enum gf_status parse_word(const struct gf_op *op, const struct gf_param_desc *param, const char *text,
                                 struct values *ret_values, struct gf_error *err)
{
    char choices[128];
    ret_values->n = 1;
    if (gf_enum_from_word(param->e, text, &ret_values->bits[0]) == 0)
        return GF_OK;
    if (param->e == GF_ENUM_BORDER && strcmp(text, "mirror") == 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: %s=mirror: tools disagree about mirror; use reflect (edge repeated, cba|abc) or "
                            "reflect101 (dcb|abc), or name the tool, as in scipy:mirror",
                            op->name, param->name);
    struct gf_suggest suggest = gf_suggest_for(text);
    for (size_t i = 0; i < gf_n_words && strchr(NUMBER_START, text[0]) == NULL; i++) /* -90 is not a misspelt 90 */
        if (gf_enum_is_choice(&gf_words[i], param->e, param->words))
            gf_suggest_try(&suggest, gf_words[i].word);
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%.40s; allowed: %s%s%s%s", op->name, param->name, text,
                        gf_enum_choices(param->e, param->words, choices, sizeof choices),
                        suggest.best ? "; did you mean " : "", suggest.best ? suggest.best : "",
                        suggest.best ? "?" : "");
}

/* Parses value number `index` of a text from its token. Stores one word, or two for an f64. */
static enum gf_status parse_number(const struct gf_op *op, const struct gf_param_desc *param, const char *text,
                                   uint32_t index, const char *token, uint32_t *ret_bits, struct gf_error *err)
{
    bool single = param->kind == GF_PARAM_F32;
    double value = 0;
    float rounded = 0;
    const char *end = single ? gf_text_to_f32(token, &rounded) : gf_text_to_f64(token, &value);
    if (end == NULL || *end != '\0')
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%.40s: value %" PRIu32 " is not a number", op->name,
                            param->name, text, index + 1);
    if (single)
        value = (double)rounded;
    enum gf_status status = check_number(op, param, value, token, err);
    if (status != GF_OK)
        return status;
    if (param->kind == GF_PARAM_U32 && value != (double)(uint32_t)value)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%.40s is not a whole number", op->name, param->name, token);
    if (param->kind == GF_PARAM_F64)
        memcpy(ret_bits, &value, sizeof value);
    else
        *ret_bits = single ? f32_bits(rounded) : (uint32_t)value;
    return GF_OK;
}

/* Whether one side may be omitted, as in 400x and x300; it is then 0. */
static bool may_lack(const struct gf_param_desc *param)
{
    return param->kind == GF_PARAM_U32 && param->lo == 0 && strcmp(param->name, "size") == 0;
}

/* Parses numbers separated by one ',' or 'x', by blanks, or both. Because 'x' separates, a token is
 * never hexadecimal. */
static enum gf_status parse_numbers(const struct gf_op *op, const struct gf_param_desc *param, const char *text,
                                    struct values *ret_values, struct gf_error *err)
{
    const char *p = text + strspn(text, BLANKS);
    for (bool more = true; more;) {
        char token[GF_MAX_STRING];
        size_t length = strcspn(p, ",x" BLANKS);
        if (ret_values->n == param->max)
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%.40s has too many values; allowed: up to %u", op->name,
                                param->name, text, param->max);
        if (length >= sizeof token)
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: %s=%.40s... has a number longer than %zu characters",
                                op->name, param->name, text, sizeof token - 1);
        memcpy(token, p, length);
        token[length] = '\0';
        if (length == 0 && may_lack(param) && (ret_values->n == 0 ? *p == 'x' : p[-1] == 'x' && *p == '\0'))
            snprintf(token, sizeof token, "0");
        enum gf_status status =
            parse_number(op, param, text, ret_values->n, token,
                         &ret_values->bits[ret_values->n * (gf_op_param_size(param) / WORD_SIZE)], err);
        if (status != GF_OK)
            return status;
        ret_values->n++;
        p += length;
        p += strspn(p, BLANKS);
        more = *p != '\0';
        if (*p == ',' || *p == 'x')
            p++;
        p += strspn(p, BLANKS);
    }
    return GF_OK;
}

enum gf_status gf_op_param_parse(const struct gf_op *op, const struct gf_param_desc *param, const char *text,
                                 union gf_params *params, struct gf_error *err)
{
    struct values values = {0};
    if (param->kind == GF_PARAM_TEXT)
        return set_text(op, param, text, strlen(text), params, err);
    enum gf_status status = param->kind == GF_PARAM_ENUM ? parse_word(op, param, text, &values, err)
                                                         : parse_numbers(op, param, text, &values, err);
    if (status == GF_OK)
        values_store(param, &values, params);
    return status;
}

const char *gf_op_param_text(const struct gf_param_desc *param, const union gf_params *params, char *text, size_t size)
{
    const void *values;
    uint32_t n = gf_op_param_get(param, params, &values);
    if (size > 0)
        text[0] = '\0';
    if (param->kind == GF_PARAM_TEXT) {
        gf_text_append(text, size, "%.*s", (int)n, n > 0 ? (const char *)values : "");
        return text;
    }
    for (uint32_t i = 0; i < n; i++) {
        char number[GF_NUMBER_TEXT];
        uint32_t bits;
        double wide;
        memcpy(&bits, (const char *)values + i * gf_op_param_size(param), sizeof bits);
        if (i > 0)
            gf_text_append(text, size, ",");
        if (param->kind == GF_PARAM_F64) {
            memcpy(&wide, (const char *)values + i * sizeof wide, sizeof wide);
            gf_text_append(text, size, "%s", gf_text_from_f64(wide, number, sizeof number));
        } else if (param->kind == GF_PARAM_F32)
            gf_text_append(text, size, "%s", gf_text_from_f32(f32_of(bits), number, sizeof number));
        else if (param->kind == GF_PARAM_U32)
            gf_text_append(text, size, "%" PRIu32, bits);
        else if (gf_enum_word(param->e, bits) != NULL)
            gf_text_append(text, size, "%s", gf_enum_word(param->e, bits));
    }
    return text;
}
