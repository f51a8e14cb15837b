/* SPDX-License-Identifier: MIT */
/* The words of every enum parameter, from enums.def: numbers at compile time, words at run time. */
#ifndef GF_PROTOCOL_ENUMS_H
#define GF_PROTOCOL_ENUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* GF_ENUM_BORDER etc. */
enum gf_enum_id {
    GF_ENUM_NONE,
#define GF_ENUM(ENUM, name, help) GF_ENUM_##ENUM,
#define GF_WORD(ENUM, NAME, number, word, help)
#define GF_ALIAS(ENUM, NAME, word)
#include "enums.def"
#undef GF_ENUM
#undef GF_WORD
#undef GF_ALIAS
    GF_N_ENUMS
};

/* GF_BORDER_REPLICATE etc.: the numbers on the wire. */
enum gf_word_number {
#define GF_ENUM(ENUM, name, help)
#define GF_WORD(ENUM, NAME, number, word, help) GF_##ENUM##_##NAME = number,
#define GF_ALIAS(ENUM, NAME, word)
#include "enums.def"
#undef GF_ENUM
#undef GF_WORD
#undef GF_ALIAS
};

struct gf_word {
    uint32_t e; /* enum gf_enum_id */
    uint32_t number;
    char word[23]; /* in place: the table needs no relocations */
    bool is_alias;
};

/* Sets of words for parameters that accept only part of their enum: result types of filters, map and combine, of
 * integral and of scan; uses of alpha for ops that do not weight pixels; borders made of the image's own pixels. */
#define GF_WORDS_SAMPLE                                                                                                \
    (1u << GF_DTYPE_SAME | 1u << GF_DTYPE_U8 | 1u << GF_DTYPE_U16 | 1u << GF_DTYPE_I16 | 1u << GF_DTYPE_F32 |          \
     1u << GF_DTYPE_F16)
#define GF_WORDS_ANY 0u /* all words */
#define GF_WORDS_INTEGRAL                                                                                              \
    (1u << GF_DTYPE_SAME | 1u << GF_DTYPE_U32 | 1u << GF_DTYPE_U64 | 1u << GF_DTYPE_F32 | 1u << GF_DTYPE_F64)
#define GF_WORDS_SCAN (GF_WORDS_INTEGRAL | 1u << GF_DTYPE_I32 | 1u << GF_DTYPE_I64)
#define GF_WORDS_WEIGHTED (1u << GF_ALPHA_AUTO | 1u << GF_ALPHA_PREMULTIPLIED | 1u << GF_ALPHA_STRAIGHT)
#define GF_WORDS_UNWEIGHTED (1u << GF_ALPHA_AUTO | 1u << GF_ALPHA_STRAIGHT | 1u << GF_ALPHA_IGNORE)
#define GF_WORDS_REPEATED                                                                                              \
    (1u << GF_BORDER_REPLICATE | 1u << GF_BORDER_WRAP | 1u << GF_BORDER_REFLECT | 1u << GF_BORDER_REFLECT101)

/* Whether an op that does not weight pixels copies alpha instead of computing it like a colour. */
static inline bool gf_copies_alpha(uint32_t alpha, uint32_t channels)
{
    return channels % 2 == 0 && alpha != GF_ALPHA_STRAIGHT;
}

/* The number of channels that such an op computes: all of them, or all but alpha. */
static inline uint32_t gf_computed_channels(uint32_t alpha, uint32_t channels)
{
    return gf_copies_alpha(alpha, channels) ? channels - 1 : channels;
}

/* Whether an op that changes the size of a picture weights colours by alpha. */
static inline bool gf_weights_alpha(uint32_t alpha, uint32_t channels)
{
    return channels % 2 == 0 && (alpha == GF_ALPHA_AUTO || alpha == GF_ALPHA_PREMULTIPLIED);
}

/* All words in table order; the words of an enum are adjacent, its aliases follow them. */
extern const struct gf_word gf_words[];
extern const size_t gf_n_words;

/* In texts/help.c: "border" and its one-line help; "" for an unknown enum. Static text. */
const char *gf_enum_name(uint32_t e);
const char *gf_enum_help(uint32_t e);
/* The help of a word of gf_words, NULL for an alias. Static text, in texts/help.c. */
const char *gf_word_help(const struct gf_word *word);
/* The word of a number, NULL if the enum has no such number. */
const char *gf_enum_word(uint32_t e, uint32_t number);
/* Finds a word or an alias: returns 0 and the number, or -1. */
int gf_enum_from_word(uint32_t e, const char *word, uint32_t *ret_number);
/* Whether a word belongs to this enum, is not an alias, and its number is in the set; a set of 0
 * contains all numbers. */
bool gf_enum_is_choice(const struct gf_word *word, uint32_t e, uint32_t set);
/* Writes such words as "replicate, wrap, reflect, reflect101 or constant"; returns text. */
const char *gf_enum_choices(uint32_t e, uint32_t set, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
