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

/* clang-format off */
#define B GF_EXPR_BLANK
#define S GF_EXPR_SIGN_CHAR
#define P GF_EXPR_PAIRED /* a sign that may begin a sign of two characters */
#define L GF_EXPR_LETTER
#define D GF_EXPR_DIGIT
const uint8_t gf_expr_classes[256] = {
    0, 0, 0, 0, 0, 0, 0, 0,  0, B, B, 0, 0, B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
    B, P, 0, 0, 0, S, P, 0,  S, S, P, S, S, S, 0, P, D, D, D, D, D, D, D, D,  D, D, S, S, P, P, P, S,
    0, L, L, L, L, L, L, L,  L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,  L, L, L, S, 0, S, S, L,
    0, L, L, L, L, L, L, L,  L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,  L, L, L, 0, P, 0, S, 0,
};
#undef B
#undef S
#undef P
#undef L
#undef D
/* clang-format on */

static uint8_t class_of(char c)
{
    return gf_expr_classes[(unsigned char)c];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hexadecimal(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The character `ahead` positions from the current one; a null byte past the end. */
static char peek(const struct gf_expr_tokens *tokens, uint32_t ahead)
{
    return ahead < tokens->size - tokens->at ? tokens->text[tokens->at + ahead] : '\0';
}

/* The end of the digits from a position on. */
static uint32_t past_digits(const struct gf_expr_tokens *tokens, uint32_t from)
{
    while (is_digit(peek(tokens, from)))
        from++;
    return from;
}

static int shown(uint32_t size)
{
    return size < SHOWN ? (int)size : SHOWN;
}

/* Length of a decimal number, including a point and an exponent. */
static uint32_t decimal_size(const struct gf_expr_tokens *tokens, bool *ret_whole)
{
    uint32_t size = past_digits(tokens, 0);
    *ret_whole = true;
    if (peek(tokens, size) == '.') {
        size = past_digits(tokens, size + 1);
        *ret_whole = false;
    }
    if (peek(tokens, size) != 'e' && peek(tokens, size) != 'E')
        return size;
    char sign = peek(tokens, size + 1);
    uint32_t from = size + (sign == '+' || sign == '-' ? 2 : 1), end = past_digits(tokens, from);
    if (end == from)
        return size;
    *ret_whole = false;
    return end;
}

static enum gf_status read_number(const struct gf_expr_tokens *tokens, struct gf_expr_token *token)
{
    token->kind = GF_EXPR_TOKEN_NUMBER;
    if (peek(tokens, 0) == '0' && (peek(tokens, 1) == 'x' || peek(tokens, 1) == 'X')) {
        token->whole = true;
        token->size = 2;
        while (is_hexadecimal(peek(tokens, token->size)))
            token->size++;
        if (token->size == 2)
            return gf_expr_refuse(tokens, token->column, "hexadecimal digits must follow 0x");
    } else
        token->size = decimal_size(tokens, &token->whole);
    uint32_t size = token->size;
    while (class_of(peek(tokens, size)) >= GF_EXPR_LETTER || peek(tokens, size) == '.')
        size++;
    if (size != token->size)
        return gf_expr_refuse(tokens, token->column, "%.*s is not a number; no letters may follow its digits",
                              shown(size), token->text);
    return GF_OK;
}

/* A sign that may have a second character. */
static void read_pair(const struct gf_expr_tokens *tokens, struct gf_expr_token *token)
{
    static const char pairs[][2] = {"<<", ">>", "<=", ">=", "==", "!=", "//", "**", "&&", "||"};
    char c = token->text[0], next = peek(tokens, 1);
    for (size_t i = 0; i < GF_ARRAY_LEN(pairs) && (next == c || next == '='); i++)
        if (pairs[i][0] == c && pairs[i][1] == next) {
            token->kind = (uint8_t)GF_EXPR_PAIR(c, next);
            token->size = 2;
        }
}

static enum gf_status refuse_character(const struct gf_expr_tokens *tokens, const struct gf_expr_token *token)
{
    char c = token->text[0];
    if ((unsigned char)c >= 0x80)
        return gf_expr_refuse(tokens, token->column, "byte 0x%02X is not ASCII", (unsigned)(unsigned char)c);
    if (c < ' ' || c == 0x7F)
        return gf_expr_refuse(tokens, token->column, "control character 0x%02X is not allowed", (unsigned)c);
    return gf_expr_refuse(tokens, token->column, "'%c' has no meaning in expressions", c);
}

static enum gf_status refuse_name(const struct gf_expr_tokens *tokens, const struct gf_expr_token *token)
{
    return gf_expr_refuse(tokens, token->column, "the name %.*s... has %" PRIu32 " characters; allowed: up to %d",
                          MAX_NAME, token->text, token->size, MAX_NAME);
}

/* Reads what is neither a name nor a sign of one character. */
static enum gf_status read_other(struct gf_expr_tokens *tokens, struct gf_expr_token *token)
{
    enum gf_status status = GF_OK;
    char c = token->text[0];
    if (class_of(c) == GF_EXPR_PAIRED)
        read_pair(tokens, token);
    else if (is_digit(c) || (c == '.' && is_digit(peek(tokens, 1))))
        status = read_number(tokens, token);
    else
        status = refuse_character(tokens, token);
    if (status == GF_OK)
        tokens->at += token->size;
    return status;
}

enum gf_status gf_expr_next_long(struct gf_expr_tokens *tokens, struct gf_expr_token *ret_token)
{
    const uint32_t size = tokens->size;
    uint32_t at = tokens->at;
    while (at < size && class_of(tokens->text[at]) == GF_EXPR_BLANK)
        at++;
    tokens->at = at;
    *ret_token = (struct gf_expr_token){.text = tokens->text + at, .column = (uint16_t)(at + 1)};
    if (at == size)
        return GF_OK;
    uint8_t class = class_of(tokens->text[at]);
    if (class == GF_EXPR_LETTER) {
        while (++at < size && class_of(tokens->text[at]) >= GF_EXPR_LETTER)
            ;
        ret_token->kind = GF_EXPR_TOKEN_NAME;
        ret_token->size = at - tokens->at;
        if (ret_token->size > MAX_NAME)
            return refuse_name(tokens, ret_token);
        tokens->at = at;
        return GF_OK;
    }
    ret_token->kind = (uint8_t)tokens->text[at];
    ret_token->size = 1;
    if (class != GF_EXPR_SIGN_CHAR)
        return read_other(tokens, ret_token);
    tokens->at = at + 1;
    return GF_OK;
}

/* Reads digits as an integer; false above 2^64 - 1. */
static bool read_whole(const struct gf_expr_token *token, uint64_t *ret_value)
{
    bool hexadecimal = token->size > 2 && (token->text[1] | 0x20) == 'x';
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
    uint64_t value = (uint64_t)(token->text[0] - '0');
    bool fits = token->size == 1 || read_whole(token, &value);
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

/* Reads a decimal number as an integer and a power of ten that both are exact as f64, so that one multiplication or
 * division rounds as strtod does. False if they are not, or if the integer has more than 19 digits. */
static bool read_exact(const struct gf_expr_token *token, double *ret_value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint32_t most = GF_ARRAY_LEN(powers) - 1, size = token->size;
    uint64_t digits = 0;
    uint32_t i = 0, n = 0, behind = 0, exponent = 0; /* digits behind the point */
    bool point = false, negative = false;
    for (; i < size && (token->text[i] | 0x20) != 'e'; i++) {
        if (token->text[i] == '.') {
            point = true;
            continue;
        }
        digits = 10 * digits + (uint64_t)(token->text[i] - '0');
        n += digits > 0;
        behind += point;
    }
    if (n > 19 || digits > UINT64_C(1) << 53)
        return false;
    if (++i < size && !is_digit(token->text[i]))
        negative = token->text[i++] == '-';
    for (; i < size && exponent <= most; i++)
        exponent = 10 * exponent + (uint32_t)(token->text[i] - '0');
    if (i < size)
        return false;
    const int32_t power = (negative ? -(int32_t)exponent : (int32_t)exponent) - (int32_t)behind;
    if (power > (int32_t)most || power < -(int32_t)most)
        return false;
    *ret_value = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    return true;
}

enum gf_status gf_expr_number(const struct gf_expr_tokens *tokens, const struct gf_expr_token *token, bool negative,
                              struct gf_expr_number *ret_number)
{
    if (token->whole)
        return whole_number(tokens, token, negative, ret_number);
    double value;
    if (!read_exact(token, &value)) {
        char text[GF_EXPR_MAX_TEXT + 1];
        memcpy(text, token->text, token->size);
        text[token->size] = '\0';
        if (gf_text_to_f64(text, &value) != text + token->size)
            return gf_expr_refuse(tokens, token->column, "%.*s could not be read as a number", shown(token->size),
                                  text);
    }
    if (isinf(value))
        return gf_expr_refuse(tokens, token->column, "%.*s is greater than every f64; inf is infinity",
                              shown(token->size), token->text);
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
