/* SPDX-License-Identifier: MIT */
/*
 * Atomic output files. Owns the list of temporary files that gf_output_abort unlinks from a signal handler. An entry
 * is made before its file and cleared after the rename, so the list always has every temporary file. Entries are used
 * again and never freed, so that a signal handler can walk the list at any moment.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "protocol/base/shared_memory.h"

#define GF_OUTPUT_BUFFER 65536u
#define GF_OUTPUT_TRIES 16 /* names to try before giving up */

enum slot_state { SLOT_FREE, SLOT_CLAIMED, SLOT_OPENING, SLOT_ACTIVE };

/* A temporary file that exists or is about to exist. */
struct slot {
    struct slot *next; /* set before the slot is in the list */
    atomic_int state;
    pthread_t owner; /* the thread that opens it */
    int dir;
    char name[40];
};

static _Atomic(struct slot *) slots;
static atomic_bool aborted; /* the process is about to end */
static atomic_bool durable;

struct gf_output_file {
    int fd;
    struct slot *slot;       /* NULL: written directly */
    char *path;              /* as the user typed it, for messages */
    char *target;            /* the file to replace, links resolved */
    const char *target_name; /* the last component of target */
    struct gf_io_error failure;
    off_t begin; /* position of the first byte in a regular file; -1: another kind of output */
    size_t used;
    uint64_t written;
    uint8_t *memory; /* of an output to memory, from malloc */
    size_t size, capacity;
    bool to_memory;
    uint8_t buffer[GF_OUTPUT_BUFFER];
};

void gf_output_abort(void)
{
    int saved = errno;
    atomic_store(&aborted, true);
    for (struct slot *s = atomic_load(&slots); s; s = s->next) {
        /* Another thread is about to create the file: wait for it. If this thread was interrupted there, it will never
         * create it. */
        while (atomic_load(&s->state) == SLOT_OPENING && !pthread_equal(s->owner, pthread_self()))
            (void)poll(NULL, 0, 1);
        if (atomic_load(&s->state) >= SLOT_OPENING)
            unlinkat(s->dir, s->name, 0);
    }
    errno = saved;
}

/* Stops a thread that would create a file, or would miss the one that gf_output_abort has removed. */
static void stop_if_aborted(struct slot *slot)
{
    if (!atomic_load(&aborted))
        return;
    atomic_store(&slot->state, SLOT_CLAIMED);
    for (;;)
        pause();
}

/* A free entry, or a new one; NULL: out of memory. */
static struct slot *slot_claim(void)
{
    struct slot *s = atomic_load(&slots);
    int free_state = SLOT_FREE;
    while (s && !atomic_compare_exchange_strong(&s->state, &free_state, SLOT_CLAIMED)) {
        free_state = SLOT_FREE;
        s = s->next;
    }
    if (!s && (s = malloc(sizeof(*s)))) {
        atomic_init(&s->state, SLOT_CLAIMED);
        s->next = atomic_load(&slots);
        while (!atomic_compare_exchange_weak(&slots, &s->next, s))
            continue;
    }
    if (s)
        s->dir = -1;
    return s;
}

static void slot_release(struct slot *slot)
{
    int dir = slot->dir;
    atomic_store(&slot->state, SLOT_FREE);
    gf_closep(&dir);
}

enum gf_io_status gf_output_put(const char *path, const char *text, size_t size, struct gf_io_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    enum gf_io_status status = gf_output_open(path, false, &out, err);
    if (status == GF_IO_OK)
        status = gf_output_write(out, text, size, err);
    return status == GF_IO_OK ? gf_output_commit(&out, err) : status;
}

void gf_output_discardp(struct gf_output_file **out)
{
    struct gf_output_file *o = gf_steal_ptr(out);
    if (!o)
        return;
    gf_closep(&o->fd);
    if (o->slot) {
        if (atomic_load(&o->slot->state) == SLOT_ACTIVE)
            unlinkat(o->slot->dir, o->slot->name, 0);
        slot_release(o->slot);
    }
    free(o->path);
    free(o->target);
    free(o->memory);
    free(o);
}

/* Creates the temporary file beside the target, with the mode of the file to be replaced. */
static enum gf_io_status open_temporary(struct gf_output_file *o, const struct stat *old, struct gf_io_error *err)
{
    char *slash = strrchr(o->target, '/');
    const char *dir = ".";
    o->target_name = o->target;
    if (slash) {
        *slash = '\0';
        dir = slash == o->target ? "/" : o->target;
        o->target_name = slash + 1;
    }
    if (!*o->target_name)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: names a directory, not a file", o->path);
    o->slot = slot_claim();
    if (!o->slot)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", o->path);
    o->slot->dir = gf_fd_raise(open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), GF_FIRST_FD);
    if (o->slot->dir < 0)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", o->path, strerror(errno));
    for (int i = 0; i < GF_OUTPUT_TRIES && o->fd < 0; i++) {
        uint64_t random = 0;
        if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
            return gf_io_fail(err, GF_IO_INTERNAL, "%s: no random numbers: %s", o->path, strerror(errno));
        atomic_store(&o->slot->state, SLOT_CLAIMED);
        snprintf(o->slot->name, sizeof(o->slot->name), ".gpufilter-%016" PRIx64 ".tmp", random);
        o->slot->owner = pthread_self();
        atomic_store(&o->slot->state, SLOT_OPENING);
        stop_if_aborted(o->slot);
        o->fd = gf_fd_raise(openat(o->slot->dir, o->slot->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666),
                            GF_FIRST_FD);
        atomic_store(&o->slot->state, o->fd < 0 ? SLOT_CLAIMED : SLOT_ACTIVE);
        if (o->fd < 0 && errno != EEXIST)
            break;
    }
    if (o->fd < 0)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", o->path, strerror(errno));
    if (old && fchmod(o->fd, old->st_mode & 0777) < 0)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: its mode cannot be kept: %s", o->path, strerror(errno));
    return GF_IO_OK;
}

/* The inherited descriptor that a path stands for, as >(command) of a shell is /dev/fd/63; -1: it stands for a file. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < GF_ARRAY_LEN(folders); i++) {
        size_t length = strlen(folders[i]);
        const char *digits = path + length;
        if (strncmp(path, folders[i], length) == 0 && *digits && strlen(digits) < 9 &&
            strspn(digits, "0123456789") == strlen(digits))
            return atoi(digits);
    }
    return -1;
}

bool gf_output_is_stdout(const char *path)
{
    return descriptor_of(path) == STDOUT_FILENO;
}

/* Duplicates a descriptor: opening its name would write from the beginning of a file that has contents, and fails for a
 * socket. The descriptors of this process itself, all with FD_CLOEXEC, cannot be named. */
static int open_descriptor(int fd)
{
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0) {
        errno = EBADF;
        return -1;
    }
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* Opens a descriptor, or a device, a fifo or the like, which no rename can replace. */
static enum gf_io_status open_direct(struct gf_output_file *o, int descriptor, bool binary, struct gf_io_error *err)
{
    o->fd = descriptor >= 0 ? open_descriptor(descriptor)
                            : gf_fd_raise(open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY), GF_FIRST_FD);
    if (o->fd < 0)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be written: %s", o->path, strerror(errno));
    if (binary && isatty(o->fd))
        return gf_io_fail(err, GF_IO_USAGE, "%s: is a terminal, and the output is not text; name a file or a pipe",
                          o->path);
    return GF_IO_OK;
}

/* Chooses by what the path names now. */
static enum gf_io_status open_path(struct gf_output_file *o, bool binary, struct gf_io_error *err)
{
    struct stat st;
    bool exists = stat(o->path, &st) == 0;
    if (!exists && errno != ENOENT)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", o->path, strerror(errno));
    if (exists && S_ISDIR(st.st_mode))
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: is a directory, not a file", o->path);
    if (exists && !S_ISREG(st.st_mode))
        return open_direct(o, -1, binary, err);
    /* A rename needs no write permission for the file itself, but replacing a write-protected file would surprise. */
    if (exists && faccessat(AT_FDCWD, o->path, W_OK, AT_EACCESS) < 0)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be replaced: %s", o->path, strerror(errno));
    if (!exists && lstat(o->path, &st) == 0)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: is a dangling symbolic link", o->path);
    o->target = exists ? realpath(o->path, NULL) : strdup(o->path);
    if (!o->target)
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be created: %s", o->path, strerror(errno));
    return open_temporary(o, exists ? &st : NULL, err);
}

/* An output without a file. NULL: out of memory. */
static struct gf_output_file *new_output(const char *path)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *o = malloc(sizeof(*o));
    if (!o)
        return NULL;
    o->fd = -1;
    o->slot = NULL;
    o->target = NULL;
    o->target_name = NULL;
    o->failure.status = GF_IO_OK;
    o->begin = -1;
    o->used = o->size = o->capacity = 0;
    o->written = 0;
    o->memory = NULL;
    o->to_memory = false;
    o->path = strdup(path);
    return o->path ? gf_steal_ptr(&o) : NULL;
}

enum gf_io_status gf_output_open_memory(const char *name, struct gf_output_file **ret_out, struct gf_io_error *err)
{
    struct gf_output_file *o = new_output(name);
    if (!o)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", name);
    o->to_memory = true;
    o->begin = 0;
    *ret_out = o;
    return GF_IO_OK;
}

enum gf_io_status gf_output_open(const char *path, bool binary, struct gf_output_file **ret_out,
                                 struct gf_io_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *o = new_output(strcmp(path, "-") ? path : "standard output");
    if (!o)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", path);
    int descriptor = descriptor_of(path);
    enum gf_io_status r = descriptor >= 0 ? open_direct(o, descriptor, binary, err) : open_path(o, binary, err);
    if (r != GF_IO_OK)
        return r;
    struct stat st;
    const int flags = fcntl(o->fd, F_GETFL);
    if (fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode) && flags >= 0 && (flags & O_APPEND) == 0)
        o->begin = lseek(o->fd, 0, SEEK_CUR);
    *ret_out = gf_steal_ptr(&o);
    return GF_IO_OK;
}

/* Appends to memory, which at least doubles as it grows. */
static enum gf_io_status append(struct gf_output_file *o, const uint8_t *data, size_t size)
{
    if (size > o->capacity - o->size) {
        const size_t least = o->size + size, capacity = least > 2 * o->capacity ? least : 2 * o->capacity;
        uint8_t *memory = realloc(o->memory, capacity);
        if (!memory)
            return gf_io_fail(&o->failure, GF_IO_NO_MEMORY, "%s: no memory for %zu bytes", o->path, capacity);
        o->memory = memory;
        o->capacity = capacity;
    }
    memcpy(o->memory + o->size, data, size);
    o->size += size;
    return GF_IO_OK;
}

/* Writes everything, across signals and non-blocking outputs. */
static enum gf_io_status write_all(struct gf_output_file *o, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(o->fd, data, size < SSIZE_MAX ? size : SSIZE_MAX);
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            (void)poll(&(struct pollfd){.fd = o->fd, .events = POLLOUT}, 1, -1);
        } else if (n == 0 || errno != EINTR) {
            return gf_io_fail(&o->failure, GF_IO_FAILED, "%s: writing failed: %s", o->path,
                              n == 0 ? "nothing is accepted" : strerror(errno));
        }
    }
    return GF_IO_OK;
}

static enum gf_io_status put(struct gf_output_file *o, const uint8_t *data, size_t size)
{
    return size == 0 ? GF_IO_OK : o->to_memory ? append(o, data, size) : write_all(o, data, size);
}

static enum gf_io_status flush(struct gf_output_file *o)
{
    size_t used = o->used;
    o->used = 0;
    return put(o, o->buffer, used);
}

enum gf_io_status gf_output_try(const char *path, struct gf_io_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    struct stat st;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
        return GF_IO_OK;
    return gf_output_open(path, true, &out, err);
}

enum gf_io_status gf_output_write(struct gf_output_file *out, const void *data, size_t size, struct gf_io_error *err)
{
    enum gf_io_status r = out->failure.status;
    if (r == GF_IO_OK && size > sizeof(out->buffer) - out->used)
        r = flush(out);
    if (r == GF_IO_OK && size >= sizeof(out->buffer)) {
        r = put(out, data, size);
    } else if (r == GF_IO_OK && size > 0) {
        memcpy(out->buffer + out->used, data, size);
        out->used += size;
    }
    if (r != GF_IO_OK && err)
        *err = out->failure;
    out->written += size;
    return r;
}

uint64_t gf_output_written(const struct gf_output_file *out)
{
    return out->written;
}

enum gf_io_status gf_output_flush(struct gf_output_file *out, struct gf_io_error *err)
{
    enum gf_io_status r = out->failure.status;
    if (r == GF_IO_OK)
        r = flush(out);
    if (r != GF_IO_OK && err)
        *err = out->failure;
    return r;
}

bool gf_output_can_patch(const struct gf_output_file *out)
{
    return out->begin >= 0;
}

enum gf_io_status gf_output_patch(struct gf_output_file *out, uint64_t offset, const void *data, size_t size,
                                  struct gf_io_error *err)
{
    enum gf_io_status r = gf_output_flush(out, err);
    if (r == GF_IO_OK && out->to_memory) {
        memcpy(out->memory + offset, data, size);
        return GF_IO_OK;
    }
    if (r == GF_IO_OK && pwrite(out->fd, data, size, out->begin + (off_t)offset) != (ssize_t)size) {
        r = gf_io_fail(&out->failure, GF_IO_FAILED, "%s: writing failed: %s", out->path, strerror(errno));
        if (err)
            *err = out->failure;
    }
    return r;
}

void gf_output_set_durable(void)
{
    atomic_store(&durable, true);
}

/* Renames the finished temporary file over the target. */
static enum gf_io_status put_in_place(struct gf_output_file *o, struct gf_io_error *err)
{
    if (renameat(o->slot->dir, o->slot->name, o->slot->dir, o->target_name) < 0) {
        stop_if_aborted(o->slot);
        return gf_io_fail(err, GF_IO_CANT_CREATE, "%s: cannot be put in place: %s", o->path, strerror(errno));
    }
    atomic_store(&o->slot->state, SLOT_CLAIMED);
    return GF_IO_OK;
}

enum gf_io_status gf_output_take(struct gf_output_file **out, void **ret_bytes, size_t *ret_size,
                                 struct gf_io_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *o = gf_steal_ptr(out);
    enum gf_io_status r = gf_output_flush(o, err);
    if (r != GF_IO_OK)
        return r;
    *ret_size = o->size;
    *ret_bytes = gf_steal_ptr(&o->memory);
    return GF_IO_OK;
}

enum gf_io_status gf_output_commit(struct gf_output_file **out, struct gf_io_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *o = gf_steal_ptr(out);
    enum gf_io_status r = o->failure.status;
    if (r == GF_IO_OK)
        r = flush(o);
    if (r != GF_IO_OK) {
        if (err)
            *err = o->failure;
        return r;
    }
    /* EINVAL: a file system without storage */
    if (o->slot && atomic_load(&durable) && fdatasync(o->fd) < 0 && errno != EINVAL)
        return gf_io_fail(err, GF_IO_FAILED, "%s: writing failed: %s", o->path, strerror(errno));
    /* Network file systems report late write errors here. */
    if (close(gf_steal_fd(&o->fd)) < 0 && errno != EINTR)
        return gf_io_fail(err, GF_IO_FAILED, "%s: writing failed: %s", o->path, strerror(errno));
    return o->slot ? put_in_place(o, err) : GF_IO_OK;
}
