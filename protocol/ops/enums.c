/* SPDX-License-Identifier: MIT */
/* The words of the enum parameters, from enums.def, and their lookup. */
#include "enums.h"

#include <string.h>

#include "protocol/base/text.h"

const struct gf_word gf_words[] = {
#define GF_ENUM(ENUM, name, help)
#define GF_WORD(ENUM, NAME, number, word, help) {GF_ENUM_##ENUM, number, word, false},
#define GF_ALIAS(ENUM, NAME, word) {GF_ENUM_##ENUM, GF_##ENUM##_##NAME, word, true},
#include "enums.def"
#undef GF_ENUM
#undef GF_WORD
#undef GF_ALIAS
};

const size_t gf_n_words = GF_ARRAY_LEN(gf_words);

bool gf_enum_is_choice(const struct gf_word *word, uint32_t e, uint32_t set)
{
    return word->e == e && !word->is_alias && (set == 0 || (set >> word->number & 1) != 0);
}

const char *gf_enum_word(uint32_t e, uint32_t number)
{
    for (size_t i = 0; i < gf_n_words; i++)
        if (gf_enum_is_choice(&gf_words[i], e, 0) && gf_words[i].number == number)
            return gf_words[i].word;
    return NULL;
}

int gf_enum_from_word(uint32_t e, const char *word, uint32_t *ret_number)
{
    for (size_t i = 0; i < gf_n_words; i++) {
        if (gf_words[i].e != e || strcmp(gf_words[i].word, word) != 0)
            continue;
        *ret_number = gf_words[i].number;
        return 0;
    }
    return -1;
}

const char *gf_enum_choices(uint32_t e, uint32_t set, char *text, size_t size)
{
    size_t n = 0, done = 0;
    for (size_t i = 0; i < gf_n_words; i++)
        n += gf_enum_is_choice(&gf_words[i], e, set);
    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < gf_n_words; i++)
        if (gf_enum_is_choice(&gf_words[i], e, set))
            gf_text_choice(text, size, done++, n, gf_words[i].word);
    return text;
}
