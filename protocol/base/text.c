/* SPDX-License-Identifier: MIT */
/*
 * Appends to text, and formats numbers in the C locale regardless of setlocale. In the usual C libraries newlocale for
 * "C" returns a static object, so each call is cheap and this module keeps no state.
 */
#include "text.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "half.h"

#define LONG_WORD 64   /* a word longer than half of this may be cut */
#define MAX_LONG 16384 /* a longer sentence is cut at its end, not word by word */
#define KEPT_WORD 24   /* words up to this length stay whole */

static locale_t c_locale_new(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static void c_locale_freep(locale_t *locale)
{
    if (*locale != (locale_t)0)
        freelocale(*locale);
}

size_t gf_text_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : 0;
    if (p[0] >= 0xf0 && p[0] < 0xf5)
        n = 4;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] >= 0x90))
        return 0;
    return n;
}

/* Whether a character of `n` bytes is printable: no C0 or C1 control, no DEL, and none of U+2028 to U+202E and U+2066
 * to U+2069, which end lines and change the text direction. */
static bool is_plain(const unsigned char *p, size_t n)
{
    if (n == 1)
        return p[0] >= ' ' && p[0] != 0x7f;
    if (n == 2)
        return p[0] != 0xc2 || p[1] >= 0xa0;
    if (n == 3 && p[0] == 0xe2)
        return !(p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) && !(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
    return n > 0;
}

char *gf_text_clean(char *text)
{
    char *to = text;
    for (const char *p = text; *p != '\0';) {
        size_t n = gf_text_utf8(p);
        bool plain = is_plain((const unsigned char *)p, n);
        n = n > 0 ? n : 1;
        if (plain) {
            memmove(to, p, n);
            to += n;
        } else
            *to++ = '?';
        p += n;
    }
    *to = '\0';
    return text;
}

/* Ends a text that fills its buffer after its last whole word. A long last word is cut between two UTF-8 characters. */
static void end_at_word(char *text, size_t size)
{
    static const char dots[] = "...";
    if (size < LONG_WORD)
        return;
    size_t end = size - sizeof dots, at = end;
    while (at > end - LONG_WORD / 2 && text[at - 1] != ' ')
        at--;
    if (text[at - 1] != ' ')
        for (at = end; at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80;)
            at--;
    memcpy(text + at, dots, sizeof dots);
}

/* Length of a text in which every word is cut to `cap` bytes. */
static size_t capped_length(const char *text, size_t cap)
{
    size_t sum = 0;
    for (const char *p = text; *p != '\0';) {
        size_t blanks = strspn(p, " "), word = strcspn(p + blanks, " ");
        sum += blanks + (word < cap ? word : cap);
        p += blanks + word;
    }
    return sum;
}

static bool is_inside(const char *p)
{
    return ((unsigned char)*p & 0xC0) == 0x80;
}

/* Cuts the middle out of words longer than `cap`, between UTF-8 characters. */
static void cap_words(char *to, const char *text, size_t cap)
{
    static const char dots[] = "...";
    for (const char *p = text; *p != '\0';) {
        size_t blanks = strspn(p, " "), word = strcspn(p + blanks, " ");
        const char *end = p + blanks + word;
        if (word > cap) {
            size_t left = (cap - (sizeof dots - 1)) / 2;
            const char *head = p + blanks + left, *tail = end - left;
            while (is_inside(head))
                head--;
            while (tail < end && is_inside(tail))
                tail++;
            memcpy(to, p, (size_t)(head - p));
            to += head - p;
            memcpy(to, dots, sizeof dots - 1);
            to += sizeof dots - 1;
            p = tail;
        }
        memcpy(to, p, (size_t)(end - p));
        to += end - p;
        p = end;
    }
    *to = '\0';
}

/* Shortens the long words of a sentence, usually paths or values, so that the sentence keeps its reason. */
static bool shorten_words(char *text, size_t size, const char *fmt, va_list ap)
{
    char whole[MAX_LONG];
    int length = vsnprintf(whole, sizeof whole, fmt, ap);
    if (length < 0 || (size_t)length >= sizeof whole || capped_length(whole, KEPT_WORD) >= size)
        return false;
    size_t cap = size;
    while (capped_length(whole, cap) >= size)
        cap--;
    cap_words(text, whole, cap);
    return true;
}

void gf_text_sentence(char *text, size_t size, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int length = vsnprintf(text, size, fmt, ap);
    if (length >= 0 && (size_t)length >= size && (size < LONG_WORD || !shorten_words(text, size, fmt, again)))
        end_at_word(text, size);
    va_end(again);
}

void gf_text_append(char *text, size_t size, const char *fmt, ...)
{
    size_t used = strnlen(text, size);
    if (used == size)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text + used, size - used, fmt, ap);
    va_end(ap);
}

void gf_text_choice(char *text, size_t size, size_t i, size_t n, const char *word)
{
    const char *before = i == 0 ? "" : i + 1 == n ? " or " : ", ";
    gf_text_append(text, size, "%s%s", before, word);
}

const char *gf_text_from_f16(uint16_t value, char *text, size_t size)
{
    gf_cleanup(c_locale_freep) locale_t c = c_locale_new();
    locale_t before = uselocale(c);
    const float v = gf_half_to_f32(value);
    /* As for f32, with 3 digits. From 1000 on, 5 digits show the exact value and are no longer than an exponent. */
    for (int digits = fabsf(v) < 0x1p-14f ? 1 : fabsf(v) < 1000.0f ? 3 : 5; digits <= 5; digits++) {
        uint16_t back;
        snprintf(text, size, "%.*g", digits, (double)v);
        if (gf_text_to_f16(text, &back) != NULL && back == value)
            break;
    }
    uselocale(before);
    return text;
}

const char *gf_text_from_f32(float value, char *text, size_t size)
{
    gf_cleanup(c_locale_freep) locale_t c = c_locale_new();
    locale_t before = uselocale(c);
    /* every number of 6 digits is some normal float's own, so fewer need no trial there */
    for (int digits = fabsf(value) < FLT_MIN ? 1 : FLT_DIG; digits <= FLT_DECIMAL_DIG; digits++) {
        float back;
        snprintf(text, size, "%.*g", digits, (double)value);
        if (gf_text_to_f32(text, &back) != NULL && back == value)
            break;
    }
    uselocale(before);
    return text;
}

const char *gf_text_from_f64(double value, char *text, size_t size)
{
    gf_cleanup(c_locale_freep) locale_t c = c_locale_new();
    locale_t before = uselocale(c);
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        double back;
        snprintf(text, size, "%.*g", digits, value);
        if (gf_text_to_f64(text, &back) != NULL && back == value)
            break;
    }
    uselocale(before);
    return text;
}

const char *gf_text_to_f16(const char *text, uint16_t *ret_value)
{
    gf_cleanup(c_locale_freep) locale_t c = c_locale_new();
    if (c == (locale_t)0)
        return NULL;
    /* Of the two floats around the number, takes the one whose last bit is set. It lies on the number's side of every
     * tie between two halves, so that rounding it to f16 rounds the number only once. */
    char *end;
    uint32_t bits;
    int before = fegetround();
    (void)fesetround(FE_DOWNWARD);
    float value = strtof_l(text, &end, c);
    memcpy(&bits, &value, sizeof bits);
    (void)fesetround(FE_UPWARD);
    if ((bits & 1) == 0)
        value = strtof_l(text, &end, c);
    (void)fesetround(before);
    if (end == text)
        return NULL;
    *ret_value = gf_half_from_f32(value);
    return end;
}

const char *gf_text_to_f32(const char *text, float *ret_value)
{
    gf_cleanup(c_locale_freep) locale_t c = c_locale_new();
    if (c == (locale_t)0)
        return NULL;
    char *end;
    float value = strtof_l(text, &end, c);
    if (end == text)
        return NULL;
    *ret_value = value;
    return end;
}

const char *gf_text_to_f64(const char *text, double *ret_value)
{
    gf_cleanup(c_locale_freep) locale_t c = c_locale_new();
    if (c == (locale_t)0)
        return NULL;
    char *end;
    double value = strtod_l(text, &end, c);
    if (end == text)
        return NULL;
    *ret_value = value;
    return end;
}
