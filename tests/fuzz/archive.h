/* SPDX-License-Identifier: MIT */
/*
 * Reads a corpus archive: plain ustar, regular files alone, names of up to 100 bytes without folders, ascending. Called
 * by replay_main.c; scripts/corpus writes them.
 */
#ifndef GF_TESTS_FUZZ_ARCHIVE_H
#define GF_TESTS_FUZZ_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#define GF_ARCHIVE_NAME 100 /* bytes of a name, without its NUL */

struct gf_archive {
    const uint8_t *bytes; /* the whole file; the caller's */
    size_t size, at;
    char name[GF_ARCHIVE_NAME + 1]; /* of the case that was read last; empty before the first */
    char error[256];                /* why gf_archive_next returned -1 */
};

/* The next case: 1 and its bytes, which lie in the file's; its name is in `archive`. 0 at the end; -1 for what is no
 * such archive, with a sentence in archive->error. Begins with {.bytes = ..., .size = ...}. */
int gf_archive_next(struct gf_archive *archive, const uint8_t **ret_data, size_t *ret_size);

#endif
