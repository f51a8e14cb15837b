/* SPDX-License-Identifier: MIT */
/*
 * Reads a corpus archive: plain ustar with regular files alone, whose names have up to 100 bytes, no folders, and
 * ascending order. Called by replay_main.c; scripts/corpus writes the archives.
 */
#ifndef GF_TESTS_FUZZ_ARCHIVE_H
#define GF_TESTS_FUZZ_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#define GF_ARCHIVE_NAME 100 /* bytes of a name, without its NUL */

struct gf_archive {
    const uint8_t *bytes; /* the whole file; the caller's */
    size_t size, at;
    char name[GF_ARCHIVE_NAME + 1]; /* name of the case read last; empty before the first */
    char error[256];                /* why gf_archive_next returned -1 */
};

/* Reads the next case. Returns 1 with the case's bytes, which point into the file's bytes, and its name in `archive`; 0
 * at the end; -1 with a message in archive->error if the bytes are not a corpus archive. The caller initializes the
 * struct with {.bytes = ..., .size = ...}. */
int gf_archive_next(struct gf_archive *archive, const uint8_t **ret_data, size_t *ret_size);

#endif
