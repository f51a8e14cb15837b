/* SPDX-License-Identifier: MIT */
/*
 * "Did you mean": the known word nearest to an unknown one, in letters or in meaning. Used wherever a program's text or
 * a command line contains names.
 */
#ifndef GF_PROTOCOL_SUGGEST_H
#define GF_PROTOCOL_SUGGEST_H

#include <stddef.h>

struct gf_suggest {
    const char *word;
    size_t distance;  /* of the best word so far; the initial value is the largest distance that is accepted */
    const char *best; /* NULL: no word is near enough */
};

/* Starts a search for the intended word; `word` ends at '=' or at its null byte. */
struct gf_suggest gf_suggest_for(const char *word);
/* Takes a candidate if it is nearer than the best one so far. The candidate must live as long as `best` is used. */
void gf_suggest_try(struct gf_suggest *suggest, const char *candidate);

#endif
