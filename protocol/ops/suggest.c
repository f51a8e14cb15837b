/* SPDX-License-Identifier: MIT */
/* Edit distance with transpositions, and words that mean the same. */
#include "suggest.h"

#include <string.h>

#include "op_table.h"
#include "protocol/base/base.h"

#define MAX_WORD 32 /* longer words get no suggestion */

/* What people type who know other tools, and what it is called here, where that is among the candidates. */
static const struct {
    const char *word, *meant;
} synonyms[] = {
    /* operations */
    {"edges", "sobel"},
    {"edge", "sobel"},
    {"gradient", "sobel"},
    {"canny", "sobel"},
    {"smooth", "gaussian"},
    {"mean", "box"},
    {"average", "box"},
    {"avg", "box"},
    {"filter", "correlate"},
    {"filter2d", "correlate"},
    {"usm", "unsharp"},
    {"binarize", "threshold"},
    {"otsu", "threshold"},
    {"normalize", "autocontrast"},
    {"gamma", "map"},
    {"lut", "map"},
    {"add", "combine"},
    {"subtract", "combine"},
    {"multiply", "combine"},
    {"blend", "combine"},
    {"diff", "compare"},
    {"psnr", "compare"},
    {"sum", "reduce"},
    {"min", "reduce"},
    {"max", "reduce"},
    {"cumsum", "scan"},
    {"convert", "copy"},
    {"channel", "copy"},
    {"extract", "copy"},
    /* commands */
    {"negate", "invert"},
    {"negative", "invert"},
    {"identify", "info"},
    {"batch", "pipe"},
    {"run", "pipe"},
    {"list", "ops"},
    {"status", "health"},
    {"monitor", "top"},
    {"benchmark", "bench"},
    /* parameters and options */
    {"radius", "sigma"},
    {"radius", "size"},
    {"ksize", "size"},
    {"stddev", "sigma"},
    {"kernel", "mask"},
    {"matrix", "mask"},
    {"strength", "amount"},
    {"factor", "amount"},
    {"factor", "scale"},
    {"bias", "offset"},
    {"threshold", "value"},
    {"level", "value"},
    {"boundary", "border"},
    {"edge", "border"},
    {"padding", "border"},
    {"type", "dtype"},
    {"depth", "dtype"},
    {"gpu", "device"},
    {"cuda", "device"},
    {"out", "output"},
    {"out", "output-file"},
    {"threads", "jobs"},
    {"usage", "help"},
    {"bg", "background"},
    /* words of parameters */
    {"avg", "mean"},
    {"average", "mean"},
    {"stddev", "std"},
    {"variance", "var"},
    {"minimum", "min"},
    {"maximum", "max"},
    {"prod", "product"},
    {"multiply", "mul"},
    {"add", "linear"},
    {"diff", "absdiff"},
    {"columns", "cols"},
    {"x", "dx"},
    {"y", "dy"},
    {"float", "f32"},
    {"float32", "f32"},
    {"float64", "f64"},
    {"double", "f64"},
    {"uint8", "u8"},
    {"uint16", "u16"},
    {"int16", "i16"},
    {"uint32", "u32"},
    {"int32", "i32"},
    {"uint64", "u64"},
    {"int64", "i64"},
};

/* What to do where no operation of a name does it: stands behind "there is no operation NAME; ". */
static const struct {
    const char *word, *instead;
} answers[] = {
#define GREY                                                                                                           \
    "of u8 colours: pipe IN 'map dtype=f32 | copy channel=1 | copy src=#1 channel=2 | combine src=#2 other=#3 "        \
    "a=0.299 b=0.587 | copy src=#1 channel=3 | combine src=#4 other=#5 b=0.114 dtype=u8'"
    {"grayscale", GREY},
    {"greyscale", GREY},
    {"gray", GREY},
    {"grey", GREY},
    {"luma", GREY},
    {"desaturate", GREY},
    {"invert", "map scale=-1 offset=255 is it for u8; for u16 offset=65535, for f32 offset=1"},
    {"brightness", "map scale=1.2 is it"},
    {"contrast", "map scale=1.2 offset=-25.5 is it for u8; for u16 offset=-6553.5, for f32 offset=-0.1"},
    {"merge", "channels cannot be joined; join them as .npy: numpy.dstack"},
    {"split", "copy channel=1 takes one channel; the command split writes them all"},
    {"flatten", "the command flatten and --background COLOUR put a colour behind a picture that is written"},
    {"median", "gaussian and box smooth, as weighted means; none is a rank filter"},
    {"bilateral", "gaussian and box smooth; none keeps edges"},
    {"denoise", "gaussian and box smooth; none keeps edges"},
    {"dilate", "combine mode=max of two pictures is the nearest; there is no morphology"},
    {"erode", "combine mode=min of two pictures is the nearest; there is no morphology"},
    {"resize", "pictures keep their size; filter before another tool resizes"},
    {"crop", "pictures keep their size; another tool has to cut them"},
    {"rotate", "pictures keep their place; other formats than png and jpeg are turned as EXIF says"},
    {"flip", "pictures keep their place; another tool has to turn them"},
};

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Insertions, removals, replacements and swaps of neighbours. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t d[MAX_WORD + 1][MAX_WORD + 1];
    for (size_t i = 0; i <= na; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= nb; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= na; i++)
        for (size_t j = 1; j <= nb; j++) {
            size_t replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, replace);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[na][nb];
}

struct gf_suggest gf_suggest_for(const char *word)
{
    /* Three letters may have one mistake, six two, nine three. */
    size_t length = strcspn(word, "=");
    return (struct gf_suggest){.word = word, .distance = 1 + (length + 1) / 3, .best = NULL};
}

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

static bool is_synonym(const char *word, size_t length, const char *candidate)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(synonyms); i++)
        if (strlen(synonyms[i].word) == length && memcmp(synonyms[i].word, word, length) == 0 &&
            strcmp(synonyms[i].meant, candidate) == 0)
            return true;
    return false;
}

void gf_suggest_try(struct gf_suggest *suggest, const char *candidate)
{
    size_t length = strcspn(suggest->word, "="), n = strlen(candidate);
    if (length == 0 || length > MAX_WORD || n > MAX_WORD)
        return;
    size_t d = is_synonym(suggest->word, length, candidate) ? 0 : distance(suggest->word, length, candidate, n);
    if (d < suggest->distance) {
        suggest->distance = d;
        suggest->best = candidate;
    }
}
