/* SPDX-License-Identifier: MIT */
/*
 * Kernels in files, so that the next worker need not compile them: one file per kernel, named by a hash of its key, in
 * a folder that belongs to the worker's user alone. Several workers may share the folder. A damaged file is removed and
 * counts as missing. The room is shared fairly by the daemon's users (shares.h); a file has the user for whom it was
 * saved. Called by the thread of jit.c.
 */
#ifndef GF_JIT_DISK_H
#define GF_JIT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GF_JIT_DISK_FILES 256u
#define GF_JIT_DISK_BYTES (64ull << 20)
#define GF_JIT_DISK_BLOCK (GF_JIT_DISK_BYTES / GF_JIT_DISK_FILES) /* a file takes whole blocks of the room */

struct gf_jit_disk {
    int folder; /* -1: none */
};

/* The key of a kernel. All bytes count. */
struct gf_jit_disk_key {
    const void *data;
    uint32_t size;
};

/* Opens a folder. Returns false, and leaves the folder alone, if it belongs to another user or others may write to it;
 * also if `path` is NULL. */
bool gf_jit_disk_open(const char *path, struct gf_jit_disk *ret_disk);
void gf_jit_disk_close(struct gf_jit_disk *disk);

/* Loads the code of a key into memory from malloc. Returns false if there is none. */
bool gf_jit_disk_load(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key, void **ret_code,
                      size_t *ret_size);
/* Stores code for a user. If there is no room, removes the least recently used files of the user who holds the most. */
void gf_jit_disk_save(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key, uint64_t user,
                      const void *code, size_t size);
/* Removes the file of a key whose contents turned out not to be code. */
void gf_jit_disk_remove(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key);

#endif
