/* SPDX-License-Identifier: MIT */
/*
 * "Did you mean": the known word nearest to an unknown one, in letters or in meaning. Used wherever text of a program
 * or a command line contains names.
 */
#ifndef GF_PROTOCOL_SUGGEST_H
#define GF_PROTOCOL_SUGGEST_H

#include <stddef.h>

struct gf_suggest {
    const char *word;
    size_t distance;  /* of the best so far; words further away than the first value are never taken */
    const char *best; /* NULL: nothing is near */
};

/* A search for what `word`, which ends at '=' or at its end, may have meant. */
struct gf_suggest gf_suggest_for(const char *word);
/* Takes a candidate if it is nearer than the best one so far. It must live as long as `best` is used. */
void gf_suggest_try(struct gf_suggest *suggest, const char *candidate);

#endif
