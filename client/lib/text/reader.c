/* SPDX-License-Identifier: MIT */
/* Reads programs from text, with references to operands and earlier steps; see reader.h. Called by program.c and
 * by the command. */
#include "reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/suggest_op.h"

#define WORD_CAPACITY 40 /* longer than any name of an operation */
#define MAX_NAMES 400    /* more than an error has room for: it is cut there, at a word */
#define MAX_REF 64       /* longer than any valid reference */
#define BLANKS " \t\r\n"

/* Where the reading stands. */
struct reader {
    const char *text, *at;
    const struct gf_text_data *data;
    struct gf_program *program;
    struct gf_step *step; /* the one being read */
    struct gf_ref flow;   /* what the next step takes */
    uint32_t given;       /* inputs of the step, a bit each */
    uint32_t seen;        /* parameters of the step given, a bit each */
    bool is_word;         /* a word of the caller's stands for the step's operation */
};

/* A run of the text. */
struct span {
    const char *at;
    size_t length;
};

static void set_error(size_t column, enum gf_status status, struct gf_error *err, const char *fmt, va_list args)
{
    char text[GF_ERROR_TEXT];
    gf_text_sentence(text, sizeof(text), fmt, args);
    gf_error_set(err, status, "column %zu: %s", column, text);
}

enum gf_status gf_text_fail(const struct gf_text_value *value, enum gf_status status, struct gf_error *err,
                            const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_error(value->column, status, err, fmt, args);
    va_end(args);
    return status;
}

static gf_printf(5, 6) enum gf_status
    fail(const struct reader *r, const char *at, enum gf_status status, struct gf_error *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_error((size_t)(at - r->text) + 1, status, err, fmt, args);
    va_end(args);
    return status;
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, BLANKS);
}

static bool is(struct span s, const char *word)
{
    return strlen(word) == s.length && memcmp(s.at, word, s.length) == 0;
}

/* A word up to a blank, '|', '=' or a quote. */
static struct span read_word(struct reader *r)
{
    struct span s = {r->at, strcspn(r->at, BLANKS "|='\"")};
    r->at += s.length;
    return s;
}

/* The word as text; of a longer one than any name, its beginning. */
static const char *word_of(struct span s, char text[WORD_CAPACITY])
{
    snprintf(text, WORD_CAPACITY, "%.*s", (int)(s.length < WORD_CAPACITY ? s.length : WORD_CAPACITY - 1), s.at);
    return text;
}

/* A value: up to a blank or '|', or in quotes. */
static enum gf_status read_value(struct reader *r, struct span *ret, struct gf_error *err)
{
    char quote = *r->at;
    if (quote != '\'' && quote != '"') {
        *ret = (struct span){r->at, strcspn(r->at, BLANKS "|")};
        r->at += ret->length;
        return GF_OK;
    }
    const char *open = r->at, *end = strchr(open + 1, quote);
    if (end == NULL)
        return fail(r, open, GF_E_BAD_REQUEST, err, "the quote %c is not closed", quote);
    *ret = (struct span){open + 1, (size_t)(end - open) - 1};
    r->at = end + 1;
    if (*r->at != '\0' && strchr(BLANKS "|", *r->at) == NULL)
        return fail(r, r->at, GF_E_BAD_REQUEST, err, "a blank or '|' must follow the closing quote %c", quote);
    return GF_OK;
}

/* An error of the codec, with the column of the value before it. */
static enum gf_status at_value(const struct reader *r, struct span value, const struct gf_error *why,
                               struct gf_error *err)
{
    return fail(r, value.at, why->status, err, "%s", why->text);
}

static enum gf_status set_param(struct reader *r, uint32_t i, struct span name, struct span value, struct gf_error *err)
{
    const struct gf_op *op = r->step->op;
    if ((r->seen >> i & 1) != 0)
        return fail(r, name.at, GF_E_BAD_PARAM, err, "%s of %s is given twice", op->params[i].name, op->name);
    r->seen |= 1u << i;
    struct gf_error why;
    if (op->params[i].kind == GF_PARAM_TEXT) { /* is kept as it stands */
        enum gf_status status = gf_op_param_set(op, &op->params[i], value.at, value.length, &r->step->params, &why);
        return status == GF_OK ? GF_OK : at_value(r, value, &why, err);
    }
    gf_cleanup(gf_freep) char *text = strndup(value.at, value.length);
    if (text == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    if (gf_op_param_parse(op, &op->params[i], text, &r->step->params, &why) != GF_OK)
        return at_value(r, value, &why, err);
    return GF_OK;
}

static enum gf_status connect(struct reader *r, uint32_t i, const char *at, const char *text, struct gf_error *err)
{
    const struct gf_text_value value = {
        .program = r->program, .input = i, .text = text, .column = (size_t)(at - r->text) + 1};
    return r->data->connect(r->data->user, &value, &r->step->in[i], err);
}

static enum gf_status set_input(struct reader *r, uint32_t i, struct span name, struct span value, struct gf_error *err)
{
    const struct gf_op *op = r->step->op;
    if ((r->given >> i & 1) != 0)
        return fail(r, name.at, GF_E_BAD_PARAM, err, "%s of %s is given twice", op->inputs[i].name, op->name);
    r->given |= 1u << i;
    gf_cleanup(gf_freep) char *text = strndup(value.at, value.length);
    if (text == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    return connect(r, i, value.at, text, err);
}

/* Every name a step takes, for errors. */
static const char *names_of(const struct gf_op *op, char *text, size_t size)
{
    text[0] = '\0';
    uint32_t n = op->n_inputs + op->n_params;
    for (uint32_t i = 0; i < n; i++)
        gf_text_choice(text, size, i, n, i < op->n_inputs ? op->inputs[i].name : op->params[i - op->n_inputs].name);
    return text;
}

static enum gf_status fail_unknown_name(struct reader *r, struct span name, struct gf_error *err)
{
    const struct gf_op *op = r->step->op;
    char word[WORD_CAPACITY], names[MAX_NAMES];
    struct gf_suggest suggest = gf_suggest_for(word_of(name, word));
    for (uint32_t i = 0; i < op->n_params; i++)
        gf_suggest_try(&suggest, op->params[i].name);
    for (uint32_t i = 0; i < op->n_inputs; i++)
        gf_suggest_try(&suggest, op->inputs[i].name);
    if (suggest.best != NULL)
        return fail(r, name.at, GF_E_UNKNOWN_PARAM, err, "%s has no %s; did you mean %s?", op->name, word,
                    suggest.best);
    return fail(r, name.at, GF_E_UNKNOWN_PARAM, err, "%s has no %s; it takes %s", op->name, word,
                names_of(op, names, sizeof(names)));
}

/* Offers a parameter to the caller whose word the step is. */
static enum gf_status offer_pair(struct reader *r, struct span name, struct span value, bool *ret_taken,
                                 struct gf_error *err)
{
    char word[WORD_CAPACITY];
    gf_cleanup(gf_freep) char *text = strndup(value.at, value.length);
    if (text == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    const struct gf_text_value at = {.program = r->program, .text = text, .column = (size_t)(name.at - r->text) + 1};
    return r->data->pair(r->data->user, &at, word_of(name, word), ret_taken, err);
}

/* A word without a name, which is the data of the first input that has none yet. */
static bool is_data(const struct reader *r, struct span word, uint32_t *ret_input)
{
    if (!r->data->takes_words || r->program->n_steps > 0 || word.length == 0 || *r->at == '=')
        return false;
    *ret_input = (uint32_t)__builtin_ctz(~r->given);
    return *ret_input < r->step->op->n_inputs;
}

static enum gf_status read_pair(struct reader *r, struct gf_error *err)
{
    const struct gf_op *op = r->step->op;
    char word[WORD_CAPACITY];
    struct span name = read_word(r), value = {NULL, 0};
    uint32_t input;
    if (is_data(r, name, &input))
        return set_input(r, input, name, name, err);
    if (name.length == 0 || *r->at != '=')
        return fail(r, name.at, GF_E_BAD_REQUEST, err, "expected name=value or '|', not \"%s\"",
                    word_of((struct span){name.at, strcspn(name.at, BLANKS "|")}, word));
    r->at++;
    enum gf_status status = read_value(r, &value, err);
    bool taken = false;
    if (status == GF_OK && r->is_word)
        status = offer_pair(r, name, value, &taken, err);
    if (status != GF_OK || taken)
        return status;
    for (uint32_t i = 0; i < op->n_params; i++)
        if (is(name, op->params[i].name))
            return set_param(r, i, name, value, err);
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (is(name, op->inputs[i].name))
            return set_input(r, i, name, value, err);
    return fail_unknown_name(r, name, err);
}

/* Whether what stands behind an operation, and words, is the text it is made for, in quotes and without a name. */
static bool is_text(const struct reader *r)
{
    const struct gf_op *op = r->step->op;
    return (*r->at == '\'' || *r->at == '"') && op->n_params > 0 && op->params[0].kind == GF_PARAM_TEXT;
}

static enum gf_status read_text(struct reader *r, struct gf_error *err)
{
    struct span name = {r->at, 0}, value;
    enum gf_status status = read_value(r, &value, err);
    return status == GF_OK ? set_param(r, 0, name, value, err) : status;
}

static enum gf_status read_op(struct reader *r, struct gf_error *err)
{
    struct span name = read_word(r);
    if (name.length == 0)
        return fail(r, name.at, GF_E_BAD_REQUEST, err, "an operation is missing");
    char word[WORD_CAPACITY];
    r->step->op = gf_op_by_word(word_of(name, word));
    r->is_word = r->step->op == NULL && r->data->word != NULL;
    if (r->is_word)
        r->step->op = r->data->word(r->data->user, r->program, word);
    if (r->step->op != NULL) {
        gf_op_params_default(r->step->op, &r->step->params);
        return GF_OK;
    }
    const struct gf_suggest suggest = gf_suggest_op(word);
    const char *instead = gf_suggest_instead(word);
    if (instead != NULL)
        return fail(r, name.at, GF_E_UNKNOWN_OP, err, "there is no operation %s; %s", word, instead);
    if (suggest.best != NULL)
        return fail(r, name.at, GF_E_UNKNOWN_OP, err, "there is no operation %s; did you mean %s?", word, suggest.best);
    return fail(r, name.at, GF_E_UNKNOWN_OP, err, "there is no operation %s; gpufilter-client ops lists them", word);
}

/* Connects the inputs that were not given: what flows, then what the caller has for them. */
static enum gf_status join_inputs(struct reader *r, const char *start, struct gf_error *err)
{
    const struct gf_op *op = r->step->op;
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < op->n_inputs && status == GF_OK; i++) {
        if ((r->given >> i & 1) != 0)
            continue;
        if (i == 0 && r->program->n_steps > 0)
            r->step->in[i] = r->flow;
        else if (op->inputs[i].optional)
            r->step->in[i] = (struct gf_ref){.from = GF_FROM_NOTHING};
        else
            status = connect(r, i, start, NULL, err);
    }
    return status;
}

/* Tells the caller about a step that leaves it open whether its data have alpha. */
static void tell_alpha(const struct reader *r)
{
    const struct gf_op *op = r->step->op;
    const struct gf_param_desc *alpha = gf_op_param_of_enum(op, GF_ENUM_ALPHA);
    if (r->data->ret_open_alpha != NULL && alpha != NULL && (r->seen >> (alpha - op->params) & 1) == 0)
        *r->data->ret_open_alpha |= UINT64_C(1) << r->program->n_steps;
}

/* The step is read: its output flows on, or, where that is a table, what it took itself. */
static void follow(struct reader *r)
{
    r->flow = r->step->in[0];
    if (r->step->op->outputs[0].shape != GF_SHAPE_TABLE)
        r->flow = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)r->program->n_steps};
    r->program->n_steps++;
}

static enum gf_status read_step(struct reader *r, struct gf_error *err)
{
    skip_blanks(r);
    const char *start = r->at;
    if (r->program->n_steps == GF_MAX_STEPS)
        return fail(r, start, GF_E_BAD_REQUEST, err, "more than %u steps", GF_MAX_STEPS);
    r->step = &r->program->steps[r->program->n_steps];
    r->given = r->seen = 0;
    enum gf_status status = read_op(r, err);
    skip_blanks(r);
    for (bool first = true; status == GF_OK && *r->at != '\0' && *r->at != '|'; first = false) {
        status = (first || r->data->takes_words) && is_text(r) ? read_text(r, err) : read_pair(r, err);
        skip_blanks(r);
    }
    if (status == GF_OK)
        status = join_inputs(r, start, err);
    if (status != GF_OK)
        return status;
    tell_alpha(r);
    follow(r);
    return GF_OK;
}

enum gf_status gf_text_read(const char *text, const struct gf_text_data *data, struct gf_program *program,
                            struct gf_error *err)
{
    struct reader r = {.text = text, .at = text, .data = data, .program = program};
    enum gf_status status = read_step(&r, err);
    while (status == GF_OK && *r.at == '|') {
        r.at++;
        status = read_step(&r, err);
    }
    return status;
}

/* "name=value" for an input of a step whose operation is known. */
static enum gf_status read_input(struct reader *r, struct gf_error *err)
{
    const struct gf_op *op = r->step->op;
    char word[WORD_CAPACITY], names[MAX_NAMES] = "";
    struct span name = read_word(r), value;
    if (name.length == 0 || *r->at != '=')
        return fail(r, name.at, GF_E_BAD_REQUEST, err, "expected name=@N or name=#N, not \"%s\"",
                    word_of((struct span){name.at, strcspn(name.at, BLANKS)}, word));
    r->at++;
    enum gf_status status = read_value(r, &value, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        if (is(name, op->inputs[i].name))
            return set_input(r, i, name, value, err);
        gf_text_choice(names, sizeof(names), i, op->n_inputs, op->inputs[i].name);
    }
    return fail(r, name.at, GF_E_BAD_REQUEST, err, "%s has no input %s; it has %s", op->name, word_of(name, word),
                names);
}

enum gf_status gf_text_read_inputs(const char *text, const struct gf_text_data *data, struct gf_ref *flow,
                                   struct gf_program *program, struct gf_error *err)
{
    struct reader r = {.text = text, .at = text, .data = data, .program = program, .flow = *flow};
    r.step = &program->steps[program->n_steps];
    enum gf_status status = GF_OK;
    for (skip_blanks(&r); status == GF_OK && *r.at != '\0'; skip_blanks(&r))
        status = read_input(&r, err);
    if (status == GF_OK)
        status = join_inputs(&r, text, err);
    if (status == GF_OK)
        follow(&r);
    *flow = r.flow;
    return status;
}

bool gf_text_is_ref(const char *text)
{
    return text[0] == '@' || text[0] == '#';
}

static enum gf_status operand(uint32_t number, uint32_t n_operands, struct gf_ref *ret, struct gf_error *err)
{
    if (number >= n_operands)
        return gf_error_set(err, GF_E_BAD_REQUEST, "there is no operand %" PRIu32 "; %" PRIu32 " were given", number,
                            n_operands);
    *ret = (struct gf_ref){.index = (uint16_t)number};
    return GF_OK;
}

static enum gf_status output(const struct gf_program *p, uint32_t step, const char *name, struct gf_ref *ret,
                             struct gf_error *err)
{
    const struct gf_op *op = p->steps[step].op;
    char names[128] = "", from[GF_STEP_TEXT];
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        if (strcmp(name, op->outputs[i].name) == 0) {
            *ret = (struct gf_ref){.from = GF_FROM_STEP, .output = (uint8_t)i, .index = (uint16_t)step};
            return GF_OK;
        }
        gf_text_choice(names, sizeof(names), i, op->n_outputs, op->outputs[i].name);
    }
    return gf_error_set(err, GF_E_BAD_REQUEST, "%s has no output %s; it has %s",
                        gf_step_text(step, op, from, sizeof(from)), name, names);
}

/* "@1", "#2", "#2.edges". */
struct ref_text {
    char all[MAX_REF], name[MAX_REF]; /* the name without its dot; "": none */
    unsigned number;
};

static bool split_ref(const char *text, struct ref_text *ret)
{
    int end = 0;
    *ret = (struct ref_text){.number = 0};
    snprintf(ret->all, sizeof(ret->all), "%s", text);
    const size_t digits = strspn(ret->all + 1, "0123456789");
    if (digits == 0 || digits > 5)
        return false;
    sscanf(ret->all + 1, "%u%n", &ret->number, &end);
    const char *rest = ret->all + 1 + end;
    if (ret->all[0] == '#' && rest[0] == '.')
        snprintf(ret->name, sizeof(ret->name), "%s", rest + 1);
    return rest[0] == '\0' || ret->name[0] != '\0';
}

static enum gf_status read_ref(const struct gf_program *p, uint32_t n_operands, const char *text, struct gf_ref *ret,
                               struct gf_error *err)
{
    struct ref_text ref;
    if (!split_ref(text, &ref))
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s is not a reference; @N names operand N, #N the result of step N",
                            ref.all);
    const char *name = ref.name;
    const unsigned number = ref.number;
    if (ref.all[0] == '@')
        return operand(number, n_operands, ret, err);
    if (number > p->n_steps)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "step %" PRIu32 " refers to step %u; it may refer to earlier ones, and #0 is operand 0",
                            p->n_steps + 1, number);
    if (number == 0 && name[0] == '\0')
        return operand(0, n_operands, ret, err);
    if (number == 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "#0 is operand 0 and has no %s", name);
    if (name[0] != '\0')
        return output(p, number - 1, name, ret, err);
    *ret = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)(number - 1)};
    return GF_OK;
}

enum gf_status gf_text_output_read(const struct gf_program *p, const char *text, struct gf_ref *ret,
                                   struct gf_error *err)
{
    const uint32_t last = p->n_steps - 1;
    *ret = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)last};
    if (text == NULL)
        return GF_OK;
    if (text[0] != '#')
        return output(p, last, text, ret, err);
    struct ref_text ref;
    if (!split_ref(text, &ref))
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s is no output; #N.NAME, #N and NAME are", ref.all);
    if (ref.number == 0 || ref.number > p->n_steps)
        return gf_error_set(err, GF_E_BAD_REQUEST, "there is no step %u; allowed: 1..%" PRIu32, ref.number, p->n_steps);
    if (ref.name[0] != '\0')
        return output(p, ref.number - 1, ref.name, ret, err);
    ret->index = (uint16_t)(ref.number - 1);
    return GF_OK;
}

enum gf_status gf_text_ref_read(const struct gf_text_value *value, uint32_t n_operands, struct gf_ref *ret,
                                struct gf_error *err)
{
    struct gf_error why;
    enum gf_status status = read_ref(value->program, n_operands, value->text, ret, &why);
    return status == GF_OK ? GF_OK : gf_text_fail(value, status, err, "%s", why.text);
}
