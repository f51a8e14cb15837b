/* SPDX-License-Identifier: MIT */
/* The words of every enum parameter, from enums.def: numbers at compile time, words at run time. */
#ifndef GF_PROTOCOL_ENUMS_H
#define GF_PROTOCOL_ENUMS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* GF_ENUM_BORDER and so on. */
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

/* GF_BORDER_REPLICATE and so on: the numbers on the wire. */
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
    const char *word;
    const char *help; /* NULL for an alias */
};

/* All words in table order; the words of one enum stand together, aliases after them. */
extern const struct gf_word gf_words[];
extern const size_t gf_n_words;

/* "border" and its one-line help; "" for an unknown enum. Static text. */
const char *gf_enum_name(uint32_t e);
const char *gf_enum_help(uint32_t e);
/* The word of a number, NULL when the enum has none. */
const char *gf_enum_word(uint32_t e, uint32_t number);
/* Finds a word or an alias: 0 and the number, or -1. */
int gf_enum_from_word(uint32_t e, const char *word, uint32_t *ret_number);
/* "replicate, wrap, reflect, reflect101 or constant" into text; returns text. */
const char *gf_enum_choices(uint32_t e, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
