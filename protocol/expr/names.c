/* SPDX-License-Identifier: MIT */
/* The language's words, the names that a text defines, and the values of its parameters. */
#include "names.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "protocol/base/suggest.h"
#include "protocol/base/text.h"

#define NAME_ROOM 33   /* a name and its null byte */
#define MAX_CHOICE 64u /* room for all names, or all functions */

static const struct gf_expr_function functions[] = {
    {"abs", GF_EXPR_ABS, 1, 1},     {"sign", GF_EXPR_SIGN, 1, 1},     {"floor", GF_EXPR_FLOOR, 1, 1},
    {"ceil", GF_EXPR_CEIL, 1, 1},   {"round", GF_EXPR_ROUND, 1, 1},   {"trunc", GF_EXPR_TRUNC, 1, 1},
    {"sqrt", GF_EXPR_SQRT, 1, 1},   {"exp", GF_EXPR_EXP, 1, 1},       {"log", GF_EXPR_LOG, 1, 1},
    {"sin", GF_EXPR_SIN, 1, 1},     {"cos", GF_EXPR_COS, 1, 1},       {"isnan", GF_EXPR_ISNAN, 1, 1},
    {"f32", GF_EXPR_TO_F32, 1, 1},  {"f64", GF_EXPR_TO_F64, 1, 1},    {"i64", GF_EXPR_TO_I64, 1, 1},
    {"u64", GF_EXPR_TO_U64, 1, 1},  {"bool", GF_EXPR_TO_BOOL, 1, 1},  {"pow", GF_EXPR_POW, 2, 2},
    {"atan2", GF_EXPR_ATAN2, 2, 2}, {"min", GF_EXPR_MIN, 2, 8},       {"max", GF_EXPR_MAX, 2, 8},
    {"fma", GF_EXPR_FMA, 3, 3},     {"select", GF_EXPR_SELECT, 3, 3}, {"clamp", 0, 3, 3},
};

static const struct {
    char word[GF_EXPR_WORD];
    enum gf_expr_op op;
} places[] = {
    {"x", GF_EXPR_X}, {"y", GF_EXPR_Y}, {"w", GF_EXPR_W}, {"h", GF_EXPR_H}, {"ch", GF_EXPR_CH}, {"i", GF_EXPR_INDEX},
};

static const struct {
    char word[GF_EXPR_WORD];
    struct gf_expr_number number;
} literals[] = {
    {"pi", {.type = GF_EXPR_F64, .f64 = 0x1.921fb54442d18p+1}},
    {"inf", {.type = GF_EXPR_F64, .f64 = (double)INFINITY}},
    {"nan", {.type = GF_EXPR_F64, .f64 = (double)NAN}},
    {"true", {.type = GF_EXPR_BOOL, .b = true}},
    {"false", {.type = GF_EXPR_BOOL, .b = false}},
};

/* Inputs and values of states. */
static const char *const samples[] = {"a", "b", "c", "d", "a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"};

_Static_assert(GF_EXPR_MAX_NAMES + GF_ARRAY_LEN(samples) + GF_ARRAY_LEN(places) + GF_ARRAY_LEN(literals) <= MAX_CHOICE,
               "a suggestion must have room for all names");
_Static_assert(GF_ARRAY_LEN(functions) <= MAX_CHOICE, "a suggestion must have room for all functions");

/* The first characters of a name, then null bytes. */
struct key {
    char chars[GF_EXPR_WORD];
};

static inline struct key key_of(const struct gf_expr_token *token)
{
    struct key key = {{0}};
    for (uint32_t i = 0; i < token->size && i < GF_EXPR_WORD; i++)
        key.chars[i] = token->text[i];
    return key;
}

/* Whether the name of a key is this word of the language. */
static inline bool is_word(const struct key *key, const char word[GF_EXPR_WORD])
{
    return memcmp(key->chars, word, GF_EXPR_WORD) == 0;
}

static bool is_same(const struct gf_expr_token *a, const struct gf_expr_token *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* a0 to a3 and b0 to b3, if the scope has such a value. */
static struct gf_expr_word state_of(const struct gf_expr_scope *scope, const struct gf_expr_token *token)
{
    struct gf_expr_word none = {.meaning = GF_EXPR_MEANS_NOTHING};
    if (token->size != 2 || (token->text[0] != 'a' && token->text[0] != 'b'))
        return none;
    uint32_t source = (uint32_t)(token->text[0] - 'a'), value = (uint32_t)(token->text[1] - '0');
    if (value >= GF_EXPR_MAX_STATE || scope->state[value] == 0 || (source > 0 && !scope->later))
        return none;
    return (struct gf_expr_word){.meaning = GF_EXPR_MEANS_STATE, .which = source << 8 | value};
}

struct gf_expr_word gf_expr_word_of(const struct gf_expr_scope *scope, const struct gf_expr_token *token)
{
    if (token->size == 1 && token->text[0] >= 'a' && token->text[0] < 'a' + (int)GF_EXPR_MAX_INPUTS)
        return (struct gf_expr_word){.meaning = GF_EXPR_MEANS_INPUT, .which = (uint32_t)(token->text[0] - 'a')};
    const struct gf_expr_word state = state_of(scope, token);
    if (token->size >= GF_EXPR_WORD || state.meaning != GF_EXPR_MEANS_NOTHING)
        return state;
    const struct key key = key_of(token);
    for (size_t i = 0; i < GF_ARRAY_LEN(places); i++)
        if (is_word(&key, places[i].word) && (places[i].op != GF_EXPR_INDEX || scope->index))
            return (struct gf_expr_word){.meaning = GF_EXPR_MEANS_PLACE, .which = places[i].op};
    for (size_t i = 0; i < GF_ARRAY_LEN(literals); i++)
        if (is_word(&key, literals[i].word))
            return (struct gf_expr_word){.meaning = GF_EXPR_MEANS_LITERAL, .number = literals[i].number};
    for (size_t i = 0; i < GF_ARRAY_LEN(functions); i++)
        if (is_word(&key, functions[i].word))
            return (struct gf_expr_word){.meaning = GF_EXPR_MEANS_FUNCTION, .function = &functions[i]};
    if (is_word(&key, "param\0\0"))
        return (struct gf_expr_word){.meaning = GF_EXPR_MEANS_PARAM};
    return state;
}

static uint8_t *bucket_of(struct gf_expr_names *names, const struct gf_expr_token *token)
{
    uint32_t hash = token->size;
    for (uint32_t i = 0; i < token->size; i++)
        hash = (hash ^ (uint8_t)token->text[i]) * 0x9E3779B1u;
    return &names->buckets[(hash >> 16) % GF_EXPR_NAME_BUCKETS];
}

const struct gf_expr_name *gf_expr_names_find(struct gf_expr_names *names, const struct gf_expr_token *token)
{
    uint8_t i = names->n_defined > 0 ? *bucket_of(names, token) : 0;
    while (i > 0 && !is_same(&names->defined[i - 1].token, token))
        i = names->defined[i - 1].next;
    return i > 0 ? &names->defined[i - 1] : NULL;
}

enum gf_status gf_expr_names_check(struct gf_expr_names *names, const struct gf_expr_tokens *tokens,
                                   const struct gf_expr_token *token)
{
    const struct gf_expr_name *other = gf_expr_names_find(names, token);
    if (other != NULL)
        return gf_expr_refuse(tokens, token->column, "%.*s is defined twice, first in column %" PRIu32,
                              (int)token->size, token->text, other->token.column);
    if (gf_expr_word_of(names->scope, token).meaning != GF_EXPR_MEANS_NOTHING)
        return gf_expr_refuse(tokens, token->column, "%.*s is a name of the language and cannot be defined",
                              (int)token->size, token->text);
    if (names->n_defined == GF_EXPR_MAX_NAMES)
        return gf_expr_refuse(tokens, token->column, "%.*s: a text may define at most %u names", (int)token->size,
                              token->text, GF_EXPR_MAX_NAMES);
    return GF_OK;
}

void gf_expr_names_define(struct gf_expr_names *names, struct gf_expr_name name)
{
    uint8_t *bucket = bucket_of(names, &name.token);
    name.next = *bucket;
    names->defined[names->n_defined++] = name;
    *bucket = (uint8_t)names->n_defined;
}

static enum gf_status refuse_setting(const struct gf_expr_tokens *set, const struct gf_expr_token *token)
{
    if (token->kind == GF_EXPR_TOKEN_END)
        return gf_expr_refuse(set, token->column, "the text ends here; values are given as NAME=NUMBER, NAME=NUMBER");
    return gf_expr_refuse(set, token->column, "'%.*s' is out of place; values are given as NAME=NUMBER, NAME=NUMBER",
                          (int)token->size, token->text);
}

/* Parses NAME = [-] NUMBER. */
static enum gf_status read_setting(struct gf_expr_names *names, const struct gf_expr_token *name)
{
    struct gf_expr_tokens *set = &names->set;
    struct gf_expr_token token;
    for (uint32_t i = 0; i < names->n_settings; i++)
        if (is_same(&names->settings[i].name, name))
            return gf_expr_refuse(set, name->column, "%.*s is set twice", (int)name->size, name->text);
    if (names->n_settings == GF_EXPR_MAX_NAMES)
        return gf_expr_refuse(set, name->column, "more than %u values are set", GF_EXPR_MAX_NAMES);
    struct gf_expr_setting setting = {.name = *name};
    enum gf_status status = gf_expr_next(set, &token);
    if (status == GF_OK && (name->kind != GF_EXPR_TOKEN_NAME || token.kind != '='))
        return refuse_setting(set, name->kind != GF_EXPR_TOKEN_NAME ? name : &token);
    if (status == GF_OK)
        status = gf_expr_next(set, &setting.number);
    if (status == GF_OK && setting.number.kind == '-') {
        setting.negative = true;
        status = gf_expr_next(set, &setting.number);
    }
    if (status == GF_OK && setting.number.kind != GF_EXPR_TOKEN_NUMBER)
        return gf_expr_refuse(set, setting.number.column, "the value of %.*s must be a number", (int)name->size,
                              name->text);
    if (status == GF_OK)
        names->settings[names->n_settings++] = setting;
    return status;
}

enum gf_status gf_expr_names_init(struct gf_expr_names *names, const struct gf_expr_scope *scope, struct gf_error *err)
{
    names->scope = scope;
    names->n_defined = 0;
    names->n_settings = 0;
    memset(names->buckets, 0, sizeof names->buckets);
    names->set = (struct gf_expr_tokens){
        .text = "", .what = scope->params_what != NULL ? scope->params_what : scope->what, .of = " of set", .err = err};
    if (scope->params != NULL) {
        names->set.text = scope->params;
        names->set.size = scope->params_size;
    }
    if (names->set.size > GF_EXPR_MAX_TEXT)
        return gf_expr_refuse(&names->set, GF_EXPR_MAX_TEXT + 1,
                              "the text has %" PRIu32 " characters; allowed: up to %u", names->set.size,
                              GF_EXPR_MAX_TEXT);
    struct gf_expr_token token;
    enum gf_status status = gf_expr_next(&names->set, &token);
    while (status == GF_OK && (token.kind != GF_EXPR_TOKEN_END || names->n_settings > 0)) {
        status = read_setting(names, &token);
        if (status == GF_OK)
            status = gf_expr_next(&names->set, &token);
        if (status == GF_OK && token.kind == GF_EXPR_TOKEN_END)
            break;
        if (status == GF_OK && token.kind != ',')
            return refuse_setting(&names->set, &token);
        if (status == GF_OK)
            status = gf_expr_next(&names->set, &token);
    }
    return status;
}

enum gf_status gf_expr_names_value(struct gf_expr_names *names, const struct gf_expr_token *token,
                                   const struct gf_expr_token *standard, struct gf_expr_number *value)
{
    for (uint32_t i = 0; i < names->n_settings; i++) {
        struct gf_expr_setting *setting = &names->settings[i];
        if (!is_same(&setting->name, token))
            continue;
        setting->used = true;
        if (standard->whole && !setting->number.whole)
            return gf_expr_refuse(&names->set, setting->number.column, "%.*s takes whole numbers, not %.*s",
                                  (int)token->size, token->text, (int)setting->number.size, setting->number.text);
        enum gf_status status = gf_expr_number(&names->set, &setting->number, setting->negative, value);
        if (status == GF_OK && !standard->whole)
            gf_expr_number_to_f64(value);
        return status;
    }
    return GF_OK;
}

enum gf_status gf_expr_names_finish(const struct gf_expr_names *names)
{
    char declared[GF_ERROR_TEXT / 2] = "";
    size_t n = 0, k = 0;
    for (uint32_t i = 0; i < names->n_defined; i++)
        n += names->defined[i].param;
    for (uint32_t i = 0; i < names->n_defined; i++)
        if (names->defined[i].param) {
            char word[NAME_ROOM] = "";
            memcpy(word, names->defined[i].token.text, names->defined[i].token.size);
            gf_text_choice(declared, sizeof declared, k++, n, word);
        }
    uint32_t *shared = names->scope->params_used;
    for (uint32_t i = 0; i < names->n_settings; i++) {
        const struct gf_expr_setting *setting = &names->settings[i];
        if (shared != NULL && setting->used)
            *shared |= UINT32_C(1) << i;
        if (setting->used || (shared != NULL && (!names->scope->last || (*shared >> i & 1) != 0)))
            continue;
        if (shared != NULL)
            return gf_expr_refuse(&names->set, setting->name.column, "no parameter %.*s; no text declares it",
                                  (int)setting->name.size, setting->name.text);
        return gf_expr_refuse(&names->set, setting->name.column, "no parameter %.*s; the text declares %s",
                              (int)setting->name.size, setting->name.text, n > 0 ? declared : "none");
    }
    return GF_OK;
}

_Static_assert(GF_EXPR_MAX_NAMES <= 32, "params_used needs a bit for each value");

/* Names that may appear in the text, for a suggestion. */
struct choice {
    const char *words[MAX_CHOICE];
    size_t n;
    char own[GF_EXPR_MAX_NAMES][NAME_ROOM];
};

static void offer(struct choice *choice, const struct gf_expr_scope *scope, const char *word)
{
    struct gf_expr_token token = {.kind = GF_EXPR_TOKEN_NAME, .text = word, .size = (uint32_t)strlen(word)};
    struct gf_expr_word known = gf_expr_word_of(scope, &token);
    if (known.meaning == GF_EXPR_MEANS_NOTHING ||
        (known.meaning == GF_EXPR_MEANS_INPUT && scope->dtypes[known.which] == 0) ||
        (known.meaning == GF_EXPR_MEANS_PLACE && known.which != GF_EXPR_INDEX && !scope->place))
        return;
    choice->words[choice->n++] = word;
}

static void offer_names(struct choice *choice, const struct gf_expr_names *names)
{
    for (uint32_t i = 0; i < names->n_defined; i++) {
        memset(choice->own[i], 0, sizeof choice->own[i]);
        memcpy(choice->own[i], names->defined[i].token.text, names->defined[i].token.size);
        choice->words[choice->n++] = choice->own[i];
    }
    for (size_t i = 0; i < GF_ARRAY_LEN(samples); i++)
        offer(choice, names->scope, samples[i]);
    for (size_t i = 0; i < GF_ARRAY_LEN(places); i++)
        offer(choice, names->scope, places[i].word);
    for (size_t i = 0; i < GF_ARRAY_LEN(literals); i++)
        offer(choice, names->scope, literals[i].word);
}

enum gf_status gf_expr_names_unknown(const struct gf_expr_names *names, const struct gf_expr_tokens *tokens,
                                     const struct gf_expr_token *token, bool call)
{
    struct choice choice;
    choice.n = 0;
    if (!call)
        offer_names(&choice, names);
    for (size_t i = 0; i < GF_ARRAY_LEN(functions) && call; i++)
        offer(&choice, names->scope, functions[i].word);
    char word[NAME_ROOM] = "", all[GF_ERROR_TEXT] = "";
    memcpy(word, token->text, token->size);
    struct gf_suggest suggest = gf_suggest_for(word);
    for (size_t i = 0; i < choice.n; i++) {
        gf_suggest_try(&suggest, choice.words[i]);
        gf_text_append(all, sizeof all, "%s%s", i == 0 ? "" : i + 1 == choice.n ? " and " : ", ", choice.words[i]);
    }
    const char *kind = call ? "function" : "name";
    if (suggest.best != NULL)
        return gf_expr_refuse(tokens, token->column, "no %s %s; did you mean %s?", kind, word, suggest.best);
    return gf_expr_refuse(tokens, token->column, "no %s %s; allowed: %s", kind, word, all);
}
