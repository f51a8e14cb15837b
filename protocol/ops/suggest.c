/* SPDX-License-Identifier: MIT */
/* Edit distance with transpositions. */
#include "suggest.h"

#include <string.h>

#include "op_table.h"

#define MAX_WORD 32 /* longer words get no suggestion */

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

void gf_suggest_try(struct gf_suggest *suggest, const char *candidate)
{
    size_t length = strcspn(suggest->word, "="), n = strlen(candidate);
    if (length == 0 || length > MAX_WORD || n > MAX_WORD)
        return;
    size_t d = distance(suggest->word, length, candidate, n);
    if (d < suggest->distance) {
        suggest->distance = d;
        suggest->best = candidate;
    }
}
