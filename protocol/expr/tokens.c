/* SPDX-License-Identifier: MIT */
/* Splits a text into tokens and reads numbers, independent of the locale. Called by parse.c and names.c. */
#include "tokens.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "protocol/base/text.h"

#define MAX_NAME 32
#define SHOWN 40 /* characters of a token that an error text repeats */

enum gf_status gf_expr_refuse(const struct gf_expr_tokens *tokens, uint32_t column, const char *fmt, ...)
{
    char text[GF_ERROR_TEXT];
    va_list ap;
    va_start(ap, fmt);
    gf_text_sentence(text, sizeof text, fmt, ap);
    va_end(ap);
    return gf_error_set(tokens->err, GF_E_BAD_PARAM, "%s: column %" PRIu32 "%s: %s", tokens->what, column, tokens->of,
                        text);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hexadecimal(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The character `ahead` positions from the current one; a null byte past the end. */
static char peek(const struct gf_expr_tokens *tokens, uint32_t ahead)
{
    return ahead < tokens->size - tokens->at ? tokens->text[tokens->at + ahead] : '\0';
}

static uint32_t count(const struct gf_expr_tokens *tokens, uint32_t from, bool (*is)(char))
{
    uint32_t n = 0;
    while (is(peek(tokens, from + n)))
        n++;
    return n;
}

static int shown(uint32_t size)
{
    return size < SHOWN ? (int)size : SHOWN;
}

static enum gf_status read_name(struct gf_expr_tokens *tokens, struct gf_expr_token *token)
{
    token->kind = GF_EXPR_TOKEN_NAME;
    while (is_letter(peek(tokens, token->size)) || is_digit(peek(tokens, token->size)))
        token->size++;
    if (token->size > MAX_NAME)
        return gf_expr_refuse(tokens, token->column, "the name %.*s... has %" PRIu32 " characters; allowed: up to %d",
                              MAX_NAME, token->text, token->size, MAX_NAME);
    return GF_OK;
}

/* Length of a decimal number, including a point and an exponent. */
static uint32_t decimal_size(const struct gf_expr_tokens *tokens, bool *ret_whole)
{
    uint32_t size = count(tokens, 0, is_digit);
    *ret_whole = true;
    if (peek(tokens, size) == '.') {
        size++;
        size += count(tokens, size, is_digit);
        *ret_whole = false;
    }
    char e = peek(tokens, size), sign = peek(tokens, size + 1);
    uint32_t mark = sign == '+' || sign == '-' ? 2 : 1;
    uint32_t digits = e == 'e' || e == 'E' ? count(tokens, size + mark, is_digit) : 0;
    if (digits > 0) {
        size += mark + digits;
        *ret_whole = false;
    }
    return size;
}

static enum gf_status read_number(struct gf_expr_tokens *tokens, struct gf_expr_token *token)
{
    token->kind = GF_EXPR_TOKEN_NUMBER;
    token->whole = true;
    if (peek(tokens, 0) == '0' && (peek(tokens, 1) == 'x' || peek(tokens, 1) == 'X')) {
        token->size = 2 + count(tokens, 2, is_hexadecimal);
        if (token->size == 2)
            return gf_expr_refuse(tokens, token->column, "hexadecimal digits must follow 0x");
    } else
        token->size = decimal_size(tokens, &token->whole);
    uint32_t size = token->size;
    while (is_letter(peek(tokens, size)) || is_digit(peek(tokens, size)) || peek(tokens, size) == '.')
        size++;
    if (size != token->size)
        return gf_expr_refuse(tokens, token->column, "%.*s is not a number; no letters may follow its digits",
                              shown(size), token->text);
    return GF_OK;
}

static enum gf_status read_sign(struct gf_expr_tokens *tokens, struct gf_expr_token *token)
{
    static const char pairs[][2] = {"<<", ">>", "<=", ">=", "==", "!=", "//", "**", "&&", "||"};
    char c = peek(tokens, 0), next = peek(tokens, 1);
    if ((unsigned char)c >= 0x80)
        return gf_expr_refuse(tokens, token->column, "byte 0x%02X is not ASCII", (unsigned)(unsigned char)c);
    if (c < ' ' || c == 0x7F)
        return gf_expr_refuse(tokens, token->column, "control character 0x%02X is not allowed", (unsigned)c);
    if (strchr("+-*/%&|^~<>=!?:()[],;", c) == NULL)
        return gf_expr_refuse(tokens, token->column, "'%c' has no meaning in expressions", c);
    token->kind = (uint16_t)c;
    token->size = 1;
    for (size_t i = 0; i < GF_ARRAY_LEN(pairs); i++)
        if (pairs[i][0] == c && pairs[i][1] == next) {
            token->kind = (uint16_t)GF_EXPR_PAIR(c, next);
            token->size = 2;
        }
    return GF_OK;
}

enum gf_status gf_expr_next(struct gf_expr_tokens *tokens, struct gf_expr_token *ret_token)
{
    tokens->at += count(tokens, 0, is_blank);
    char c = peek(tokens, 0);
    struct gf_expr_token token = {.text = tokens->text + tokens->at, .column = tokens->at + 1};
    enum gf_status status = GF_OK;
    if (is_letter(c))
        status = read_name(tokens, &token);
    else if (is_digit(c) || (c == '.' && is_digit(peek(tokens, 1))))
        status = read_number(tokens, &token);
    else if (tokens->at < tokens->size)
        status = read_sign(tokens, &token);
    if (status != GF_OK)
        return status;
    tokens->at += token.size;
    *ret_token = token;
    return GF_OK;
}

/* Reads digits as an integer; false above 2^64 - 1. */
static bool read_whole(const struct gf_expr_token *token, uint64_t *ret_value)
{
    bool hexadecimal = token->size > 2 && (token->text[1] == 'x' || token->text[1] == 'X');
    uint64_t value = 0;
    for (uint32_t i = hexadecimal ? 2 : 0; i < token->size; i++) {
        char c = token->text[i];
        uint64_t digit = is_digit(c) ? (uint64_t)(c - '0') : (uint64_t)((c | 0x20) - 'a' + 10);
        if (!gf_mul_u64(value, hexadecimal ? 16 : 10, &value) || !gf_add_u64(value, digit, &value))
            return false;
    }
    *ret_value = value;
    return true;
}

static enum gf_status whole_number(const struct gf_expr_tokens *tokens, const struct gf_expr_token *token,
                                   bool negative, struct gf_expr_number *ret_number)
{
    uint64_t value = 0;
    bool fits = read_whole(token, &value);
    if (!fits || (negative && value > (uint64_t)INT64_MAX + 1))
        return gf_expr_refuse(tokens, token->column,
                              "%s%.*s is outside -2^63 to 2^64 - 1; with a decimal point it is rounded to f64",
                              negative ? "-" : "", shown(token->size), token->text);
    if (negative)
        *ret_number = (struct gf_expr_number){.type = GF_EXPR_I64, .i64 = (int64_t)(0 - value)};
    else if (value > INT64_MAX)
        *ret_number = (struct gf_expr_number){.type = GF_EXPR_U64, .u64 = value};
    else
        *ret_number = (struct gf_expr_number){.type = GF_EXPR_I64, .i64 = (int64_t)value};
    return GF_OK;
}

enum gf_status gf_expr_number(const struct gf_expr_tokens *tokens, const struct gf_expr_token *token, bool negative,
                              struct gf_expr_number *ret_number)
{
    if (token->whole)
        return whole_number(tokens, token, negative, ret_number);
    char text[GF_EXPR_MAX_TEXT + 1];
    double value;
    memcpy(text, token->text, token->size);
    text[token->size] = '\0';
    if (gf_text_to_f64(text, &value) != text + token->size)
        return gf_expr_refuse(tokens, token->column, "%.*s could not be read as a number", shown(token->size), text);
    if (isinf(value))
        return gf_expr_refuse(tokens, token->column, "%.*s is greater than every f64; inf is infinity",
                              shown(token->size), text);
    *ret_number = (struct gf_expr_number){.type = GF_EXPR_F64, .f64 = negative ? -value : value};
    return GF_OK;
}

void gf_expr_number_to_f64(struct gf_expr_number *number)
{
    double value = number->f64;
    if (number->type == GF_EXPR_I64)
        value = (double)number->i64;
    else if (number->type == GF_EXPR_U64)
        value = (double)number->u64;
    *number = (struct gf_expr_number){.type = GF_EXPR_F64, .f64 = value};
}

bool gf_expr_is(const struct gf_expr_token *token, const char *word)
{
    return token->kind == GF_EXPR_TOKEN_NAME && token->text[0] == word[0] && strlen(word) == token->size &&
           memcmp(token->text, word, token->size) == 0;
}
