/* SPDX-License-Identifier: MIT */
/* Sizes, words and kinds of the data types, from dtype.def. */
#include "dtype.h"

#include <string.h>

#include "text.h"

static const struct {
    const char *word; /* NULL for an unused number */
    size_t size;
    enum gf_dtype_kind kind;
} table[] = {
#define GF_DTYPE(NAME, number, word, ctype, bytes, kind) [number] = {word, bytes, kind},
#include "dtype.def"
#undef GF_DTYPE
};

#define GF_DTYPE(NAME, number, word, ctype, bytes, kind)                                                               \
    _Static_assert(sizeof(ctype) == (bytes) && (number) > 0 && (number) < 32, "dtype.def: " word);
#include "dtype.def"
#undef GF_DTYPE

bool gf_dtype_known(uint32_t dtype)
{
    return dtype < GF_ARRAY_LEN(table) && table[dtype].word != NULL;
}

size_t gf_dtype_size(uint32_t dtype)
{
    return gf_dtype_known(dtype) ? table[dtype].size : 0;
}

const char *gf_dtype_word(uint32_t dtype)
{
    return gf_dtype_known(dtype) ? table[dtype].word : "?";
}

uint32_t gf_dtype_from_word(const char *word)
{
    for (uint32_t i = 0; i < GF_ARRAY_LEN(table); i++)
        if (table[i].word != NULL && strcmp(table[i].word, word) == 0)
            return i;
    return 0;
}

enum gf_dtype_kind gf_dtype_kind(uint32_t dtype)
{
    return gf_dtype_known(dtype) ? table[dtype].kind : (enum gf_dtype_kind)0;
}

const char *gf_dtype_set_text(uint32_t set, char *text, size_t size)
{
    size_t n = 0, i = 0;
    for (uint32_t d = 0; d < GF_ARRAY_LEN(table); d++)
        n += gf_dtype_known(d) && (set & GF_DT(d)) != 0;
    if (size > 0)
        text[0] = '\0';
    for (uint32_t d = 0; d < GF_ARRAY_LEN(table); d++)
        if (gf_dtype_known(d) && (set & GF_DT(d)) != 0)
            gf_text_choice(text, size, i++, n, gf_dtype_word(d));
    return text;
}

struct gf_dtype_ratio gf_dtype_full_range(uint32_t from, uint32_t to)
{
    const uint32_t integers = GF_DT_U8 | GF_DT_U16, floats = GF_DT_F32 | GF_DT_F16;
    struct gf_dtype_ratio ratio = {1.0f, 1.0f};
    if (from == GF_U8 && to == GF_U16)
        ratio.multiply = 257.0f;
    else if (from == GF_U16 && to == GF_U8)
        ratio.divide = 257.0f;
    else if ((GF_DT(from) & floats) != 0 && (GF_DT(to) & integers) != 0)
        ratio.multiply = to == GF_U8 ? 255.0f : 65535.0f;
    else if ((GF_DT(from) & integers) != 0 && (GF_DT(to) & floats) != 0)
        ratio.divide = from == GF_U8 ? 255.0f : 65535.0f;
    return ratio;
}
