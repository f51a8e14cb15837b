/* SPDX-License-Identifier: MIT */
/*
 * docs/vectors.tar: the cases of vectors.csv with their inputs and the hashes of the reference's results, in the form
 * that docs/numerics.md, "Test vectors", describes. Called by main.c, which compares the same results with every
 * device, and by runner.c for the inputs, which vectors share.
 */
#ifndef GF_TESTS_VECTORS_H
#define GF_TESTS_VECTORS_H

#include "runner.h"

/* A file with an input. Its samples follow from its name, so that all vectors with such an input share it. */
struct gf_vector_file {
    char name[64];       /* "u8_17x13x3_random.npy" */
    struct gf_view view; /* tight; an input with more pixels has them again and again, row after row */
    uint64_t seed;
};

struct gf_vectors;

/* The file of an input with this shape and kind of data; `limit` as gf_data_fill has it, which matters to lists. */
struct gf_vector_file gf_vector_file(const struct gf_input_desc *input, const struct gf_view *view, const char *kind,
                                     uint64_t limit);

/* NULL without memory. */
struct gf_vectors *gf_vectors_new(void);
void gf_vectors_freep(struct gf_vectors **vectors);
/* Adds a case with one step. False with a sentence on stdout: no memory, or another input of the same name. */
bool gf_vectors_add(struct gf_vectors *vectors, const struct gf_runner_case *rc);
/* Whether every operation has vectors with all types of its inputs, with and without its optional inputs, with all
 * words of its parameters, and with a value other than the default of each parameter. Prints every missing one on
 * stdout. */
bool gf_vectors_complete(const struct gf_vectors *vectors);
/* Compares the archive of all cases with the file, or writes it there. False with a sentence on stdout. */
bool gf_vectors_check(struct gf_vectors *vectors, const char *path);
bool gf_vectors_write(struct gf_vectors *vectors, const char *path);

#endif
