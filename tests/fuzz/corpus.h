/* SPDX-License-Identifier: MIT */
/* The parts of make_corpus; each writes its own seeds. */
#ifndef GF_TESTS_FUZZ_CORPUS_H
#define GF_TESTS_FUZZ_CORPUS_H

#include <stddef.h>

#define CORPUS_SIDE 9u /* of a picture */

/* Stores the bytes as a seed of the target. Ends the program on failure. */
void corpus_save(const char *target, const char *name, const void *data, size_t size);

/* corpus_png.c: PNG files of all kinds, and files that the command writes, below root/fuzz_image. */
void corpus_pictures(const char *root);
/* corpus_jpeg.c: JPEG files of the kinds that the command does not write. */
void corpus_jpegs(void);
/* corpus_simple.c: BMP and TGA of the same kinds. */
void corpus_simple(void);

#endif
