/* SPDX-License-Identifier: MIT */
/* Kernels in files; see disk.h. */
#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "compiler_msg.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "shares.h"

#define MAGIC "gpufilter-kernel"
#define SUFFIX ".kernel"
#define NAME_DIGITS 32u
#define KEY_MAX (1u << 16)
#define SCAN_MAX 1024u                 /* entries of a folder to look at; the folder is ours and has a few hundred */
#define UNUSED_SECONDS (7 * 24 * 3600) /* after which a file that was not loaded is nobody's */
#define STALE_SECONDS 3600             /* after which a file that still has its temporary name is abandoned */
#define BEGINNING_PREFIX "new-"

/* A file has this head, the key, and the code. */
struct head {
    char magic[16];
    uint32_t key_size, zero;
    uint64_t code_size, checksum, user;
};

struct name {
    char text[NAME_DIGITS + sizeof(SUFFIX)];
};

/* 64-bit FNV-1a, continued from `hash`. */
static uint64_t hash_of(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001B3ull;
    return hash;
}

static struct name name_of(const struct gf_jit_disk_key *key)
{
    struct name name;
    uint64_t a = hash_of(0xCBF29CE484222325ull, key->data, key->size),
             b = hash_of(a ^ 0x9E3779B97F4A7C15ull, key->data, key->size);
    (void)snprintf(name.text, sizeof(name.text), "%016" PRIx64 "%016" PRIx64 SUFFIX, a, b);
    return name;
}

static uint64_t checksum_of(struct head head, const void *key, const void *code)
{
    head.checksum = 0;
    uint64_t sum = hash_of(0xCBF29CE484222325ull, &head, sizeof(head));
    return hash_of(hash_of(sum, key, head.key_size), code, head.code_size);
}

/* Whether only this user can have written the file or folder. */
static bool is_ours(const struct stat *st)
{
    return st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool gf_jit_disk_open(const char *path, struct gf_jit_disk *ret_disk)
{
    struct stat st;
    ret_disk->folder = -1;
    gf_cleanup(gf_closep) int fd = !path ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &st) < 0 || !is_ours(&st))
        return false;
    ret_disk->folder = gf_steal_fd(&fd);
    return true;
}

void gf_jit_disk_close(struct gf_jit_disk *disk)
{
    gf_closep(&disk->folder);
    disk->folder = -1;
}

/* Reads exactly `size` bytes from the current offset. */
static bool read_all(int fd, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t n = read(fd, at, size);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Whether the head fits the key and the size of the file. */
static bool is_head(const struct head *head, const struct stat *st, const struct gf_jit_disk_key *key)
{
    return memcmp(head->magic, MAGIC, sizeof(head->magic)) == 0 && head->key_size == key->size && head->zero == 0 &&
           head->code_size > 0 && head->code_size <= GF_JIT_CODE_MAX &&
           (uint64_t)st->st_size == sizeof(*head) + head->key_size + head->code_size;
}

static bool load(int fd, const struct gf_jit_disk_key *key, void **ret_code, size_t *ret_size)
{
    struct stat st;
    struct head head;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !is_ours(&st) || !read_all(fd, &head, sizeof(head)) ||
        !is_head(&head, &st, key))
        return false;
    gf_cleanup(gf_freep) char *found = malloc(head.key_size), *code = malloc(head.code_size);
    if (!found || !code || !read_all(fd, found, head.key_size) || !read_all(fd, code, head.code_size) ||
        memcmp(found, key->data, key->size) != 0 || checksum_of(head, found, code) != head.checksum)
        return false;
    *ret_code = gf_steal_ptr(&code);
    *ret_size = head.code_size;
    return true;
}

bool gf_jit_disk_load(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key, void **ret_code,
                      size_t *ret_size)
{
    const struct name name = name_of(key);
    if (disk->folder < 0 || key->size > KEY_MAX)
        return false;
    /* O_NONBLOCK: opening a FIFO of that name would wait for a writer. */
    gf_cleanup(gf_closep) int fd = openat(disk->folder, name.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno != ELOOP) /* no file, or none can be opened now; a symbolic link is not ours and is removed */
        return false;
    if (fd < 0 || !load(fd, key, ret_code, ret_size)) {
        gf_jit_disk_remove(disk, key);
        return false;
    }
    (void)futimens(fd, NULL); /* marks the file as used now */
    return true;
}

void gf_jit_disk_remove(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key)
{
    const struct name name = name_of(key);
    if (disk->folder >= 0)
        (void)unlinkat(disk->folder, name.text, 0);
}

/* A file of the folder. */
struct file {
    char name[NAME_DIGITS + sizeof(SUFFIX)]; /* empty: it is gone */
    uint32_t user, blocks;
    uint64_t used_ns;
};

/* The contents of the folder, and what each user holds of it. */
struct scan {
    struct gf_jit_shares shares;
    uint32_t n, blocks;
    struct file files[SCAN_MAX];
};

static bool is_kernel_name(const char *name)
{
    return strlen(name) == NAME_DIGITS + strlen(SUFFIX) && strcmp(name + NAME_DIGITS, SUFFIX) == 0;
}

static uint32_t blocks_of(uint64_t size)
{
    return (uint32_t)gf_divide_up(size, GF_JIT_DISK_BLOCK);
}

static void scan_entry(const struct gf_jit_disk *disk, const char *name, struct scan *s)
{
    struct stat st;
    if (fstatat(disk->folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return;
    if (strncmp(name, BEGINNING_PREFIX, strlen(BEGINNING_PREFIX)) == 0) {
        if (time(NULL) - st.st_mtim.tv_sec > STALE_SECONDS)
            (void)unlinkat(disk->folder, name, 0);
    } else if (is_kernel_name(name)) {
        struct file *f = &s->files[s->n++];
        memcpy(f->name, name, sizeof(f->name));
        f->used_ns = (uint64_t)st.st_mtim.tv_sec * GF_NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
        f->blocks = blocks_of((uint64_t)st.st_size);
        s->blocks += f->blocks;
    }
}

static bool scan_folder(const struct gf_jit_disk *disk, struct scan *s)
{
    int fd = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        gf_closep(&fd);
        return false;
    }
    const struct dirent *entry;
    for (uint32_t i = 0; i < SCAN_MAX && (entry = readdir(folder)) != NULL; i++)
        scan_entry(disk, entry->d_name, s);
    (void)closedir(folder);
    return true;
}

/* The place of a user in the table; nobody's if it is full. */
static uint32_t user_of(struct gf_jit_shares *s, uint64_t id)
{
    uint32_t user = gf_jit_shares_find(s, id), place = gf_jit_shares_place(s);
    if (user != GF_JIT_NOBODY || s->users[place].known)
        return user;
    s->users[place] = (struct gf_jit_user){.id = id, .known = true};
    return place;
}

/* Reads whose a file is. It is nobody's if it has not been used for long, or is damaged. */
static uint32_t owner_of(const struct gf_jit_disk *disk, const struct file *f, struct scan *s)
{
    struct head head;
    if ((int64_t)(f->used_ns / GF_NS_PER_S) + UNUSED_SECONDS < time(NULL))
        return GF_JIT_NOBODY;
    gf_cleanup(gf_closep) int fd = openat(disk->folder, f->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || !read_all(fd, &head, sizeof(head)) || memcmp(head.magic, MAGIC, sizeof(head.magic)) != 0)
        return GF_JIT_NOBODY;
    return user_of(&s->shares, head.user);
}

/* The file that goes so that the user can have one more: the least recently used one of the user who must give one up.
 * NULL: none. */
static struct file *loser(struct scan *s, uint32_t user)
{
    struct file *found = NULL;
    uint32_t highest = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        struct file *f = &s->files[i];
        uint32_t rank = f->name[0] != '\0' ? gf_jit_shares_rank(&s->shares, GF_JIT_POOL_FILES, f->user, user, 0) : 0;
        if (rank > highest || (rank > 0 && rank == highest && f->used_ns < found->used_ns)) {
            found = f;
            highest = rank;
        }
    }
    return found;
}

/* Removes files until a file of the user of this many blocks fits. */
static bool make_room(const struct gf_jit_disk *disk, struct scan *s, uint64_t id, uint32_t blocks)
{
    if (!scan_folder(disk, s))
        return false;
    if (s->blocks + blocks <= GF_JIT_DISK_FILES)
        return true;
    uint32_t user = user_of(&s->shares, id);
    for (uint32_t i = 0; i < s->n; i++) {
        s->files[i].user = owner_of(disk, &s->files[i], s);
        gf_jit_shares_hold(&s->shares, GF_JIT_POOL_FILES, s->files[i].user, (int32_t)s->files[i].blocks);
    }
    /* The rank counts a further block of the user, but not the other blocks of the file. */
    gf_jit_shares_hold(&s->shares, GF_JIT_POOL_FILES, user, (int32_t)blocks - 1);
    while (s->blocks + blocks > GF_JIT_DISK_FILES) {
        struct file *f = loser(s, user);
        if (!f || unlinkat(disk->folder, f->name, 0) < 0)
            return false;
        gf_jit_shares_hold(&s->shares, GF_JIT_POOL_FILES, f->user, -(int32_t)f->blocks);
        s->blocks -= f->blocks;
        f->name[0] = '\0';
    }
    return true;
}

void gf_jit_disk_save(const struct gf_jit_disk *disk, const struct gf_jit_disk_key *key, uint64_t user,
                      const void *code, size_t size)
{
    const struct name name = name_of(key);
    char beginning[sizeof(name.text) + 32];
    struct head head = {.magic = MAGIC, .key_size = key->size, .code_size = size, .user = user};
    if (disk->folder < 0 || key->size > KEY_MAX || size > GF_JIT_CODE_MAX)
        return;
    gf_cleanup(gf_freep) struct scan *scan = calloc(1, sizeof(*scan));
    if (!scan || !make_room(disk, scan, user, blocks_of(sizeof(head) + key->size + size)))
        return;
    head.checksum = checksum_of(head, key->data, code);
    (void)snprintf(beginning, sizeof(beginning), BEGINNING_PREFIX "%d-%s", (int)getpid(), name.text);
    gf_cleanup(gf_closep) int fd =
        openat(disk->folder, beginning, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    if (!write_all(fd, &head, sizeof(head)) || !write_all(fd, key->data, key->size) || !write_all(fd, code, size) ||
        renameat(disk->folder, beginning, disk->folder, name.text) < 0)
        (void)unlinkat(disk->folder, beginning, 0);
}
