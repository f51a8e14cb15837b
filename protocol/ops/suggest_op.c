/* SPDX-License-Identifier: MIT */
/* Operations as candidates of gf_suggest_try, and answers to names that no operation has. */
#include "suggest_op.h"

#include <string.h>

#include "op_table.h"
#include "protocol/base/base.h"

/* Advice for names that no operation has; follows "there is no operation NAME; ". The suggested text works as typed, as
 * a step and on a command line: tests/cli/test_examples.py runs it. */
static const struct {
    const char *word, *instead;
} answers[] = {
    {"invert", "use map scale=-1 offset=255 for u8; for u16 offset=65535, for f32 offset=1"},
    {"brightness", "use map scale=1.2"},
    {"contrast", "use map scale=1.2 offset=-25.5 for u8; for u16 offset=-6553.5, for f32 offset=-0.1"},
    {"split", "copy channel=1 extracts one channel; the command split writes them all"},
    {"connected_components", "label numbers them; areas and boxes give their sizes"},
    {"distance_transform", "use distance"},
    {"edt", "use distance"},
    {"components", "label numbers them; areas and boxes give their sizes"},
    {"order", "sort sorts samples, argsort gives their indices"},
    {"denoise", "median removes single wrong samples, bilateral smooths and keeps edges"},
    {"largest", "use topk k=10"},
    {"smallest", "use topk k=10 smallest=1"},
    {"partition", "topk k=10 gives the largest, in order; smallest=1 the smallest"},
    {"mirror", "flip axis=x swaps left and right, axis=y top and bottom"},
    {"flop", "flip axis=x swaps left and right"},
    {"rot90", "rotate angle=90 turns clockwise, angle=270 counter-clockwise"},
    {"transverse", "use transpose diagonal=anti"},
    {"extract_area", "use crop size=200x150 at=20,10"},
    {"embed", "use pad margin=10,20,30,40: left, top, right, bottom"},
    {"expand", "use pad margin=10,20,30,40: left, top, right, bottom"},
    {"thumbnail", "use resize fit=400x300 or resize size=400x"},
    {"cover", "use resize fill=400x300"},
    {"extent", "crop size=200x150 at=20,10 cuts, pad margin=10,20,30,40 adds: left, top, right, bottom"},
};

struct gf_suggest gf_suggest_op(const char *word)
{
    struct gf_suggest suggest = gf_suggest_for(word);
    for (size_t i = 0; i < GF_N_OPS; i++)
        gf_suggest_try(&suggest, gf_ops[i].name);
    for (size_t i = 0; i < gf_n_aliases; i++)
        gf_suggest_try(&suggest, gf_aliases[i].name);
    return suggest;
}

const char *gf_suggest_instead(const char *word)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(answers); i++)
        if (strcmp(answers[i].word, word) == 0)
            return answers[i].instead;
    return NULL;
}
