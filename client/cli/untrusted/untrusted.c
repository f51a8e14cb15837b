/* SPDX-License-Identifier: MIT */
/*
 * Starts a decoder for a file, and takes its answers; see untrusted.h. The program starts anew instead of forking, so
 * that the decoder has nothing of the command's memory: no other picture, no arena that the daemon reads.
 */
#include "untrusted.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "client/image/image.h"
#include "client/image/image_codec.h"
#include "protocol/base/clock.h"
#include "protocol/sandbox/sandbox.h"
#include "wire.h"

#define PROGRAM "/proc/self/exe"
#define MAX_KEPT 15u
/* A decoder may wait for other work of the machine, but not for ever. */
#define MAX_SECONDS (3 * GF_DECODER_SECONDS)
/* How many pixels a byte can make depends on the format, which an attacker names. What a decoder can hold is checked
 * instead. */
#define ANY_PIXELS_PER_BYTE (UINT64_C(1) << 32)

struct decoder {
    pid_t pid; /* 0: none */
    struct gf_wire wire;
    const char *name; /* of the file */
    size_t size;
    const struct gf_image_load *how;
    uint64_t pages, taken; /* of the file, as its first page said; that were taken */
    uint32_t shrink;       /* the divisor that was replied; otherwise 1 */
};

/* Ends the process, even if it does not want to, and returns its status. */
static int end(struct decoder *d)
{
    int status = 0;
    if (d->wire.fd >= 0)
        close(d->wire.fd);
    d->wire.fd = -1;
    if (d->pid > 0) {
        kill(d->pid, SIGKILL);
        while (waitpid(d->pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    d->pid = 0;
    return status;
}

static void decoder_deinit(struct decoder *d)
{
    (void)end(d);
}

/* A picture may give away what its decoder knows, so the variables of a service, which may be secret, stay here. */
static void choose_environment(char *kept[MAX_KEPT + 1])
{
    static const char *const names[] = {"LD_", "LIBHEIF_PLUGIN_PATH="};
    size_t n = 0;
    for (char **at = environ; *at && n < MAX_KEPT; at++)
        for (size_t i = 0; i < GF_ARRAY_LEN(names); i++)
            if (strncmp(*at, names[i], strlen(names[i])) == 0)
                kept[n++] = *at;
    kept[n] = NULL;
}

/* Its standard descriptors are the socket and /dev/null. No signal is blocked, as threads of a batch do. */
static int spawn(pid_t *ret_pid, int socket)
{
    static char name[] = GF_DECODER_NAME;
    char *const argv[] = {name, NULL};
    char *env[MAX_KEPT + 1];
    sigset_t none;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigemptyset(&none);
    choose_environment(env);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    int r = posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    r = r != 0 ? r : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    r = r != 0 ? r : posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    r = r != 0 ? r : posix_spawnattr_setsigmask(&attr, &none);
    r = r != 0 ? r : posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    r = r != 0 ? r : posix_spawn(ret_pid, PROGRAM, &actions, &attr, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    return r;
}

static enum gf_io_status start(struct decoder *d, struct gf_io_error *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return gf_io_fail(err, GF_IO_FAILED, "%s: no socket for a decoding process: %s", d->name, strerror(errno));
    gf_cleanup(gf_closep) int theirs = ends[1];
    d->wire.fd = ends[0];
    int r = spawn(&d->pid, theirs);
    return r == 0 ? GF_IO_OK
                  : gf_io_fail(err, GF_IO_FAILED, "%s: a decoding process cannot be started from " PROGRAM ": %s",
                               d->name, strerror(r));
}

static void set_deadline(struct decoder *d)
{
    d->wire.deadline_ns = gf_now_ns() + MAX_SECONDS * GF_NS_PER_S;
}

/* Says why the decoder no longer answers. */
static enum gf_io_status explain(struct decoder *d, struct gf_io_error *err)
{
    const enum gf_wire_end why = d->wire.end;
    const int status = end(d), number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *word = sigabbrev_np(number);
    if (why == GF_WIRE_NO_MEMORY)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", d->name);
    if (why == GF_WIRE_CLOSED && number > 0)
        return gf_io_fail(err, GF_IO_DATA, "%s: decoding failed: the decoding process was ended by SIG%s%s", d->name,
                          word ? word : "RT",
                          number == SIGSYS    ? " (a forbidden system call)"
                          : number == SIGXCPU ? " (too much processor time)"
                                              : "");
    if (why == GF_WIRE_LATE)
        return gf_io_fail(err, GF_IO_DATA, "%s: decoding failed: the decoding process took more than %u s", d->name,
                          MAX_SECONDS);
    return gf_io_fail(err, GF_IO_DATA, "%s: decoding failed: the decoding process %s", d->name,
                      why == GF_WIRE_CLOSED ? "ended without an answer" : "gave a wrong answer");
}

static enum gf_io_status nonsense(struct decoder *d, struct gf_io_error *err)
{
    d->wire.end = d->wire.end == GF_WIRE_OPEN ? GF_WIRE_NONSENSE : d->wire.end;
    return explain(d, err);
}

/* Takes a picture or a page, whose size is checked before there is memory for it. */
static enum gf_io_status take_picture(struct decoder *d, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL, samples = GF_IMAGE_NULL;
    const struct gf_source src = {.name = d->name, .size = d->size, .how = *d->how};
    gf_wire_image(&d->wire, &image);
    if (d->wire.end != GF_WIRE_OPEN)
        return explain(d, err);
    struct gf_view *v = &image.view;
    enum gf_io_status s = GF_IO_OK;
    *v = gf_view_tight(v->dtype, v->width, v->height, v->channels);
    if (!gf_image_is_array(image.format))
        s = gf_image_plan(&src, v->dtype, v->width, v->height, v->channels, ANY_PIXELS_PER_BYTE, v, err);
    if (s != GF_IO_OK)
        return s;
    d->pages = d->taken == 0 ? image.pages : d->pages;
    if (gf_view_check(v, "the array", NULL) != GF_OK || gf_view_bytes(v) > GF_DECODER_MEMORY ||
        image.file_bytes > d->size || image.pages > d->size || image.pages != d->pages || image.shrink > d->shrink ||
        d->taken >= (d->how->take ? d->pages : 1))
        return nonsense(d, err);
    s = gf_image_alloc(&src, v, &samples, err);
    if (s != GF_IO_OK)
        return s;
    if (samples.data)
        gf_wire_bytes(&d->wire, samples.data, gf_view_bytes(v));
    if (d->wire.end != GF_WIRE_OPEN)
        return explain(d, err);
    image.data = samples.data;
    image.free_data = samples.free_data;
    image.memory = samples.memory;
    samples = GF_IMAGE_NULL;
    d->taken++;
    if (d->how->take)
        s = d->how->take(d->how->take_user, &image, err);
    else {
        *ret_image = image;
        image = GF_IMAGE_NULL;
    }
    set_deadline(d);
    return s;
}

static enum gf_io_status reply_shrink(struct decoder *d, struct gf_io_error *err)
{
    uint64_t width = 0, height = 0;
    gf_wire_u64(&d->wire, &width, GF_MAX_SIDE);
    gf_wire_u64(&d->wire, &height, GF_MAX_SIDE);
    if (width == 0 || height == 0 || !d->how->shrink)
        return nonsense(d, err);
    d->shrink = d->how->shrink(d->how->shrink_user, width, height);
    d->wire.sends = true;
    gf_wire_u32(&d->wire, &d->shrink, 8);
    d->wire.sends = false;
    return GF_IO_OK;
}

/* Reads how it ended. */
static enum gf_io_status read_end(struct decoder *d, struct gf_io_error *err)
{
    gf_cleanup(gf_freep) char *text = NULL;
    uint32_t status = GF_IO_OK;
    gf_wire_u32(&d->wire, &status, GF_IO_FAILED);
    if (status != GF_IO_OK)
        gf_wire_text(&d->wire, &text, GF_IO_ERROR_TEXT);
    if (d->wire.end != GF_WIRE_OPEN)
        return explain(d, err);
    if (status == GF_IO_OK ? d->taken == 0 : !text)
        return nonsense(d, err);
    return status == GF_IO_OK ? GF_IO_OK : gf_io_fail(err, (enum gf_io_status)status, "%s", text);
}

static enum gf_io_status decode(const char *name, const void *bytes, size_t size, const struct gf_image_load *how,
                                uint32_t dtype, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    gf_cleanup(decoder_deinit) struct decoder d = {
        .wire = {.fd = -1}, .name = name, .size = size, .how = how, .shrink = 1};
    struct gf_wire_request request = {.name = (char *)(uintptr_t)name,
                                      .bytes = (uint8_t *)(uintptr_t)bytes,
                                      .size = size,
                                      .how = *how,
                                      .takes = how->take,
                                      .shrinks = how->shrink,
                                      .dtype = dtype};
    uint32_t what = GF_WIRE_ANSWERS;
    enum gf_io_status s = start(&d, err);
    if (s != GF_IO_OK)
        return s;
    set_deadline(&d);
    d.wire.sends = true;
    gf_wire_request(&d.wire, &request);
    d.wire.sends = false;
    while (s == GF_IO_OK && what != GF_WIRE_END) {
        gf_wire_u32(&d.wire, &what, GF_WIRE_ANSWERS - 1);
        s = d.wire.end != GF_WIRE_OPEN ? explain(&d, err)
            : what == GF_WIRE_PICTURE  ? take_picture(&d, &image, err)
            : what == GF_WIRE_SHRINK   ? reply_shrink(&d, err)
                                       : read_end(&d, err);
    }
    if (s != GF_IO_OK)
        return s;
    *ret_image = image;
    image = GF_IMAGE_NULL;
    return GF_IO_OK;
}

enum gf_status gf_untrusted_begin(struct gf_error *err)
{
    signal(SIGCHLD, SIG_DFL); /* if it was inherited ignored, waitpid would not say how a decoder ended */
    gf_image_elsewhere = decode;
    return gf_sandbox_check(err);
}
