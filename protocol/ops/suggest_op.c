/* SPDX-License-Identifier: MIT */
/* Operations as candidates of gf_suggest_try, and answers for names that none has. */
#include "suggest_op.h"

#include <string.h>

#include "op_table.h"
#include "protocol/base/base.h"

/* What to do where no operation of a name does it: stands behind "there is no operation NAME; ". What it says to type
 * works as it is typed, as a step and on a command line: tests/cli/test_examples.py runs it. */
static const struct {
    const char *word, *instead;
} answers[] = {
    {"invert", "map scale=-1 offset=255 is it for u8; for u16 offset=65535, for f32 offset=1"},
    {"brightness", "map scale=1.2 is it"},
    {"contrast", "map scale=1.2 offset=-25.5 is it for u8; for u16 offset=-6553.5, for f32 offset=-0.1"},
    {"split", "copy channel=1 takes one channel; the command split writes them all"},
    {"connected_components", "label numbers them; areas and boxes say how large they are"},
    {"distance_transform", "distance is it"},
    {"edt", "distance is it"},
    {"components", "label numbers them; areas and boxes say how large they are"},
    {"order", "sort puts samples in order, argsort gives their indices"},
    {"denoise", "median takes out single wrong samples, bilateral smooths and keeps edges"},
    {"largest", "topk k=10 is it"},
    {"smallest", "topk k=10 smallest=1 is it"},
    {"partition", "topk k=10 gives the largest, in order; smallest=1 the smallest"},
    {"mirror", "flip axis=x changes left and right, axis=y top and bottom"},
    {"flop", "flip axis=x changes left and right"},
    {"rot90", "rotate angle=90 is it, clockwise; angle=270 is counter-clockwise"},
    {"transverse", "transpose diagonal=anti is it"},
    {"extract_area", "crop size=200x150 at=20,10 is it"},
    {"embed", "pad margin=10,20,30,40 is it: left, top, right, bottom"},
    {"expand", "pad margin=10,20,30,40 is it: left, top, right, bottom"},
    {"thumbnail", "resize fit=400x300 is it, or resize size=400x"},
    {"cover", "resize fill=400x300 is it"},
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
