/* SPDX-License-Identifier: MIT */
/* Help texts of operations and words. They are cases rather than tables, whose pointers the loader would have to
 * relocate. */
#include "help.h"

#include "protocol/ops/enums.h"
#include "protocol/ops/op_table.h"

const char *gf_help_text(uint32_t number)
{
    /* clang-format off */
    switch (number) {
#define GF_OP(op, id, help) case help_of_##op: return help;
#define GF_EXAMPLE(op, text) case example_of_##op: return text;
#define GF_IN(op, index, name, kind, dtypes, help) case input_##index##_of_##op: return help;
#define GF_OUT(op, index, name, shape, dtype, help) case output_##index##_of_##op: return help;
#define GF_U32(op, id, name, lo, hi, def, help) case param_##id##_of_##op: return help;
#define GF_U32V(op, id, name, max, lo, hi, n_def, def, help) case param_##id##_of_##op: return help;
#define GF_F32(op, id, name, lo, hi, def, help) case param_##id##_of_##op: return help;
#define GF_F32V(op, id, name, max, lo, hi, n_def, def, help) case param_##id##_of_##op: return help;
#define GF_F64(op, id, name, lo, hi, def, help) case param_##id##_of_##op: return help;
#define GF_F64V(op, id, name, max, lo, hi, n_def, def, help) case param_##id##_of_##op: return help;
#define GF_ENUM(op, id, name, ENUM, def, help) case param_##id##_of_##op: return help;
#define GF_TEXT(op, id, name, max, help) case param_##id##_of_##op: return help;
#include "protocol/ops/ops.def"
    }
    /* clang-format on */
    return "";
}

#define GF_WORD(ENUM, NAME, number, word, help)
#define GF_ALIAS(ENUM, NAME, word)
const char *gf_enum_name(uint32_t e)
{
    switch (e) {
#define GF_ENUM(ENUM, name, help)                                                                                      \
    case GF_ENUM_##ENUM:                                                                                               \
        return #name;
#include "protocol/ops/enums.def"
#undef GF_ENUM
    }
    return "";
}

const char *gf_enum_help(uint32_t e)
{
    switch (e) {
#define GF_ENUM(ENUM, name, help)                                                                                      \
    case GF_ENUM_##ENUM:                                                                                               \
        return help;
#include "protocol/ops/enums.def"
#undef GF_ENUM
    }
    return "";
}
#undef GF_WORD

/* The number of a word among those of all enums. */
#define AT(e, number) ((e) << 8 | (number))
const char *gf_word_help(const struct gf_word *word)
{
    if (word->is_alias)
        return NULL;
    switch (AT(word->e, word->number)) {
#define GF_ENUM(ENUM, name, help)
#define GF_WORD(ENUM, NAME, number, word, help)                                                                        \
    case AT(GF_ENUM_##ENUM, number):                                                                                   \
        return help;
#include "protocol/ops/enums.def"
#undef GF_ENUM
#undef GF_WORD
    }
    return NULL;
}
#undef GF_ALIAS
