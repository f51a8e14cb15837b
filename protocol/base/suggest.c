/* SPDX-License-Identifier: MIT */
/* Edit distance with transpositions, and synonyms. */
#include "suggest.h"

#include <string.h>

#include "base.h"

#define MAX_WORD 32 /* longer words get no suggestion */

/* Words of other tools and their names here; used only if the name is among the candidates. The words are kept in
 * place: pointers would have to be relocated. */
static const struct {
    char word[14], meant[14];
} synonyms[] = {
    /* operations */
    {"edges", "canny"},
    {"edge", "canny"},
    {"smooth", "gaussian"},
    {"mean", "box"},
    {"average", "box"},
    {"avg", "box"},
    {"filter", "correlate"},
    {"filter2d", "correlate"},
    {"usm", "unsharp"},
    {"minimum", "erode"},
    {"maximum", "dilate"},
    {"erosion", "erode"},
    {"dilation", "dilate"},
    {"morphology", "opening"},
    {"morphologyex", "opening"},
    {"adapthist", "clahe"},
    {"binarize", "threshold"},
    {"otsu", "threshold"},
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
    {"scale", "resize"},
    {"rescale", "resize"},
    {"resample", "resize"},
    {"zoom", "resize"},
    {"shrink", "resize"},
    {"enlarge", "resize"},
    {"imresize", "resize"},
    {"pyrdown", "pyramid"},
    {"pyrup", "pyramid"},
    {"buildpyramid", "pyramid"},
    {"halve", "pyramid"},
    {"percentiles", "quantile"},
    {"joint", "histogram2d"},
    {"quartiles", "quantile"},
    {"luma", "gray"},
    {"desaturate", "gray"},
    {"monochrome", "gray"},
    {"colormatrix", "matrix"},
    {"recolor", "matrix"},
    {"yuv", "ycbcr"},
    {"ycrcb", "ycbcr"},
    {"yuv420", "i420"},
    {"yuv420p", "i420"},
    {"iyuv", "i420"},
    {"yv12", "i420"},
    {"nv21", "nv12"},
    {"p010", "nv12"},
    {"yuv2rgb", "rgb420"},
    {"hsb", "hsv"},
    {"join", "merge"},
    {"dstack", "merge"},
    {"swap", "merge"},
    {"bgr", "merge"},
    {"medianblur", "median"},
    {"quartile", "percentile"},
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
    {"cliplimit", "clip"},
    {"tilegridsize", "tiles"},
    {"sigmacolor", "sigma_colour"},
    {"sigma_color", "sigma_colour"},
    {"sigmaspace", "sigma_space"},
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
    {"padding", "margin"},
    {"interpolation", "filter"},
    {"resample", "filter"},
    {"kernel", "filter"},
    {"method", "filter"},
    {"region", "box"},
    {"cover", "fill"},
    {"contain", "fit"},
    {"factor", "scale"},
    {"pad_width", "margin"},
    {"offset", "at"},
    {"position", "at"},
    {"degrees", "angle"},
    {"type", "dtype"},
    {"depth", "dtype"},
    {"gpu", "device"},
    {"cuda", "device"},
    {"out", "output"},
    {"out", "output-file"},
    {"threads", "jobs"},
    {"usage", "help"},
    {"bg", "background"},
    /* names of expressions */
    {"width", "w"},
    {"height", "h"},
    {"channel", "ch"},
    {"where", "select"},
    {"clip", "clamp"},
    {"power", "pow"},
    {"ln", "log"},
    {"absolute", "abs"},
    {"int", "i64"},
    {"uint", "u64"},
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
    {"bilinear", "linear"},
    {"triangle", "linear"},
    {"bicubic", "cubic"},
    {"catmullrom", "cubic"},
    {"lanczos", "lanczos3"},
    {"box", "area"},
    {"point", "nearest"},
    {"float", "f32"},
    {"float32", "f32"},
    {"float16", "f16"},
    {"half", "f16"},
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

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Edit distance with insertions, deletions, substitutions and transpositions of neighbours. */
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
    /* Three letters may have one mistake, six letters two, nine letters three. */
    size_t length = strcspn(word, "=");
    return (struct gf_suggest){.word = word, .distance = 1 + (length + 1) / 3, .best = NULL};
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
