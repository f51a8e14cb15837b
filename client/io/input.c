/* SPDX-License-Identifier: MIT */
/* Reads files, fifos and standard input to the end, up to a limit. Called by the image readers. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "protocol/base/shared_memory.h"

/* Initial capacity for inputs of unknown size; doubled as they grow. */
#define GF_INPUT_FIRST 65536u
#define HUGE_PAGE ((size_t)2 << 20)

void *gf_large_alloc(size_t size)
{
    if (size < HUGE_PAGE || size > SIZE_MAX - HUGE_PAGE)
        return malloc(size);
    void *data = aligned_alloc(HUGE_PAGE, gf_round_up(size, HUGE_PAGE));
    if (data)
        (void)madvise(data, size, MADV_HUGEPAGE);
    return data;
}

void gf_bytes_deinit(struct gf_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct gf_bytes){.data = NULL};
}

/* read() that survives signals and inputs that another process made non-blocking. */
static ssize_t read_some(int fd, void *data, size_t size)
{
    for (;;) {
        ssize_t n = read(fd, data, size);
        if (n >= 0 || (errno != EINTR && errno != EAGAIN))
            return n;
        if (errno == EAGAIN && poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1) < 0 && errno != EINTR)
            return -1;
    }
}

/* Opens a file; refuses directories. *ret_stream: not a regular file. *ret_size: the size of a regular file, 0 if
 * unknown. */
static enum gf_io_status open_input(const char *path, bool is_stdin, int *ret_fd, uint64_t *ret_size, bool *ret_stream,
                                    struct gf_io_error *err)
{
    gf_cleanup(gf_closep) int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, GF_FIRST_FD)
                                            : gf_fd_raise(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), GF_FIRST_FD);
    if (fd < 0)
        return gf_io_fail(err, GF_IO_NO_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    struct stat st;
    if (fstat(fd, &st) < 0)
        return gf_io_fail(err, GF_IO_NO_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return gf_io_fail(err, GF_IO_NO_INPUT, "%s: is a directory, not a file", path);
    *ret_size = S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
    *ret_stream = !S_ISREG(st.st_mode);
    *ret_fd = gf_steal_fd(&fd);
    return GF_IO_OK;
}

static enum gf_io_status grow(struct gf_bytes *bytes, size_t capacity, const char *path, struct gf_io_error *err)
{
    uint8_t *data = bytes->data ? realloc(bytes->data, capacity) : gf_large_alloc(capacity);
    if (!data)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: no memory for %zu bytes", path, capacity);
    bytes->data = data;
    return GF_IO_OK;
}

const char *gf_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

enum gf_io_status gf_input_read(const char *path, uint64_t limit, const char *limit_text, struct gf_bytes *ret_bytes,
                                struct gf_io_error *err)
{
    gf_cleanup(gf_closep) int fd = -1;
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    uint64_t known = 0;
    bool is_stdin = strcmp(path, "-") == 0;
    path = gf_input_name(path);
    enum gf_io_status r = open_input(path, is_stdin, &fd, &known, &bytes.is_stream, err);
    if (r != GF_IO_OK)
        return r;
    if (known > limit)
        return gf_io_fail(err, GF_IO_TOO_LARGE, "%s: %" PRIu64 " bytes; %s %" PRIu64, path, known, limit_text, limit);
    /* One byte more than fits shows whether the file ends at the limit or goes on. */
    size_t capacity = known ? (size_t)known + 1 : GF_INPUT_FIRST;
    r = grow(&bytes, capacity, path, err);
    while (r == GF_IO_OK) {
        ssize_t n = read_some(fd, bytes.data + bytes.size, capacity - bytes.size);
        if (n < 0)
            return gf_io_fail(err, GF_IO_FAILED, "%s: reading failed after %zu bytes: %s", path, bytes.size,
                              strerror(errno));
        if (n == 0)
            break;
        bytes.size += (size_t)n;
        if (bytes.size > limit)
            return gf_io_fail(err, GF_IO_TOO_LARGE, "%s: more than %" PRIu64 " bytes; %s %" PRIu64, path, limit,
                              limit_text, limit);
        if (bytes.size == capacity) {
            capacity *= 2;
            r = grow(&bytes, capacity, path, err);
        }
    }
    if (r != GF_IO_OK)
        return r;
    *ret_bytes = bytes;
    bytes.data = NULL;
    return GF_IO_OK;
}
