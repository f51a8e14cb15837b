/* SPDX-License-Identifier: MIT */
/* Parameters of operations as people read them; see op_text.h. */
#include "op_text.h"

#include <float.h>
#include <stdio.h>

#include "protocol/base/text.h"
#include "protocol/ops/op_codec.h"

const char *gf_op_range_text(const struct gf_param_desc *param, char *text, size_t size)
{
    char lo[GF_NUMBER_TEXT], hi[GF_NUMBER_TEXT];
    if (param->kind == GF_PARAM_ENUM)
        return gf_enum_choices(param->e, param->words, text, size);
    if (param->kind == GF_PARAM_TEXT) {
        snprintf(text, size, "up to %u characters", param->max);
        return text;
    }
    if (param->kind != GF_PARAM_U32 && param->lo <= -(double)FLT_MAX && param->hi >= (double)FLT_MAX)
        snprintf(text, size, "any finite number");
    else if (param->kind != GF_PARAM_U32 && param->hi >= (double)FLT_MAX)
        snprintf(text, size, "%s or more", gf_text_from_f64(param->lo, lo, sizeof(lo)));
    else if (param->kind == GF_PARAM_F32)
        snprintf(text, size, "%s..%s", gf_text_from_f32((float)param->lo, lo, sizeof(lo)),
                 gf_text_from_f32((float)param->hi, hi, sizeof(hi)));
    else
        snprintf(text, size, "%s..%s", gf_text_from_f64(param->lo, lo, sizeof(lo)),
                 gf_text_from_f64(param->hi, hi, sizeof(hi)));
    return text;
}

const char *gf_op_word_help(const struct gf_param_desc *param, const struct gf_word *word)
{
    if (param->kind != GF_PARAM_ENUM || !gf_enum_is_choice(word, param->e, param->words))
        return NULL;
    if (word->e == GF_ENUM_ALPHA && word->number == GF_ALPHA_AUTO && param->words == GF_WORDS_UNWEIGHTED)
        return "as ignore";
    return gf_word_help(word);
}

const char *gf_op_default_text(const struct gf_op *op, const struct gf_param_desc *param, char *text, size_t size)
{
    union gf_params params;
    gf_op_params_default(op, &params);
    return gf_op_param_text(param, &params, text, size);
}
