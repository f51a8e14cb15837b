/* SPDX-License-Identifier: MIT */
/*
 * Kernels in files, so that the next worker need not compile them: one file each, named by a hash of its key, in a
 * folder that is the user's alone. Several workers may share it. A file that is not wholly as it should be is removed
 * and counts as none. Called by the thread of jit.c.
 */
#ifndef GF_JIT_DISK_H
#define GF_JIT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GF_JIT_DISK_FILES 256u
#define GF_JIT_DISK_BYTES (64ull << 20)

struct gf_jit_disk {
    int folder; /* -1: there is none */
};

/* What a kernel is known by: all bytes count. */
struct gf_jit_disk_key {
    const void *data;
    uint32_t size;
};

/* Opens a folder. It is left alone where it is somebody else's, or others may write to it;
 * false then, and where `path` is NULL. */
bool gf_jit_disk_open(const char *path, struct gf_jit_disk *ret_disk);
void gf_jit_disk_close(struct gf_jit_disk *disk);

/* The code of a key, malloc's; false where there is none. */
bool gf_jit_disk_load(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key, void **ret_code,
                      size_t *ret_size);
/* Keeps code; what was used longest ago goes where there are too many files or bytes. */
void gf_jit_disk_save(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key, const void *code, size_t size);
/* Removes what is kept for a key: it turned out not to be code. */
void gf_jit_disk_remove(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key);

#endif
