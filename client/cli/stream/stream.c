/* SPDX-License-Identifier: MIT */
/* Takes frames from standard input to standard output; see stream.h. */
#include "stream.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/io/output.h"
#include "frames.h"
#include "protocol/base/dtype.h"

#define SLOTS 4u           /* frames that are read, processed and written at a time */
#define PIPE_BYTES 1048576 /* fewer context switches between programs than with 64 KiB */

struct slot {
    struct gf_frame frame;
    bool is_shared; /* the frame lies in the client's shared memory */
    void *at_hand[GF_Y4M_PLANES];
};

/* Frame i uses slot i % SLOTS. The thread reads it; the caller then begins it and ends it, which frees the slot. */
struct stream {
    struct gf_cli cli; /* its file is the frame */
    struct gf_said said;
    char where[32];
    const struct gf_stream_work *work;
    gpufilter_client *client;
    struct gf_image_memory memory;
    struct gf_output_file *out;
    struct gf_frames frames;
    struct slot slots[SLOTS];
    uint64_t begun, above; /* begun: frames; above: samples that exceeded the video's 9 to 15 bits */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t mutex; /* guards the remaining fields */
    pthread_cond_t moved;
    uint64_t read, ended, room; /* frames; the thread may read up to frame `room` */
    bool over, stopped;         /* over: the thread has ended; stopped: it must end */
    struct gf_io_error err;     /* why it has ended; OK: at the end of the input */
};

bool gf_stream_is_possible(const struct gf_cli *cli)
{
    return !cli->timing && !cli->explain && !cli->timeline && !cli->hash && !cli->verify && !cli->json && !cli->page &&
           !cli->bands;
}

static void *run_reader(void *data)
{
    struct stream *s = data;
    struct gf_io_error err = {.status = GF_IO_OK};
    bool more = true;
    while (more) {
        pthread_mutex_lock(&s->mutex);
        while (s->read == s->room && !s->stopped)
            pthread_cond_wait(&s->moved, &s->mutex);
        struct gf_frame *frame = &s->slots[s->read % SLOTS].frame;
        more = !s->stopped;
        pthread_mutex_unlock(&s->mutex);
        if (more && gf_frames_next(&s->frames, frame, &more, &err) != GF_IO_OK)
            more = false;
        pthread_mutex_lock(&s->mutex);
        s->read += more;
        pthread_cond_signal(&s->moved);
        pthread_mutex_unlock(&s->mutex);
    }
    pthread_mutex_lock(&s->mutex);
    s->err = err;
    s->over = true;
    pthread_cond_signal(&s->moved);
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

/* Starts the reader with all signals blocked, so that the writing thread gets them. */
static bool start_reader(struct stream *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    s->has_thread = pthread_create(&s->thread, NULL, run_reader, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s->has_thread;
}

static void stop_reader(struct stream *s)
{
    if (!s->has_thread)
        return;
    pthread_mutex_lock(&s->mutex);
    s->stopped = true;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->mutex);
    (void)eventfd_write(s->frames.stop, 1);
    pthread_join(s->thread, NULL);
}

/* Opens one more slot for the reader. Frames of known size are read into memory shared with the daemon. */
static int open_slot(struct stream *s)
{
    struct slot *slot = &s->slots[s->room];
    size_t size = s->frames.size;
    if (size > 0) {
        slot->frame.data = s->memory.take(s->memory.user, size);
        slot->is_shared = slot->frame.data;
        if (!slot->frame.data)
            slot->frame.data = malloc(size);
        if (!slot->frame.data)
            return gf_cli_fail(&s->cli, GF_EXIT_SOFTWARE, "no memory for a frame of %zu bytes", size);
        slot->frame.capacity = size;
    }
    pthread_mutex_lock(&s->mutex);
    s->room++;
    pthread_cond_signal(&s->moved);
    pthread_mutex_unlock(&s->mutex);
    return GF_EXIT_OK;
}

static uint32_t count_pictures(const struct stream *s)
{
    return s->frames.kind == GF_FRAMES_Y4M ? s->frames.y4m.n_planes : 1;
}

/* Names the frame in errors, if there may be several. */
static void say_frame(struct stream *s, uint64_t frame)
{
    bool one = s->frames.kind == GF_FRAMES_WHOLE || (frame == 0 && s->frames.kind != GF_FRAMES_Y4M);
    snprintf(s->where, sizeof(s->where), "frame %" PRIu64, frame + 1);
    s->cli.file = one ? NULL : s->where;
}

/* Takes picture `plane` out of a frame. */
static int take_picture(const struct stream *s, const struct gf_frame *frame, uint32_t plane,
                        struct gf_image *ret_picture)
{
    struct gf_io_error err;
    uint64_t at = 0;
    if (s->frames.kind == GF_FRAMES_RAW) {
        *ret_picture = (struct gf_image){.view = s->frames.raw, .data = frame->data, .format = GF_FORMAT_RAW};
        ret_picture->meta.sides = 1;
        return GF_EXIT_OK;
    }
    if (s->frames.kind == GF_FRAMES_Y4M) {
        for (uint32_t i = 0; i < plane; i++)
            at += gf_view_bytes(&s->frames.y4m.planes[i]);
        *ret_picture =
            (struct gf_image){.view = s->frames.y4m.planes[plane], .data = frame->data + at, .format = GF_FORMAT_Y4M};
        return GF_EXIT_OK;
    }
    /* The first picture may be the only one, which is not worth an arena, see connect.h. */
    struct gf_image_load how = s->cli.load;
    how.memory = s->begun > 0 ? &s->memory : NULL;
    how.is_stream = true;
    if (gf_image_decode("standard input", frame->data, frame->size, &how, ret_picture, &err) != GF_IO_OK)
        return gf_cli_fail_io(&s->cli, &err);
    return GF_EXIT_OK;
}

static int begin_frame(struct stream *s)
{
    struct slot *slot = &s->slots[s->begun % SLOTS];
    int code = GF_EXIT_OK;
    say_frame(s, s->begun);
    for (uint32_t i = 0; i < count_pictures(s) && code == GF_EXIT_OK; i++) {
        gf_cleanup(gf_image_deinit) struct gf_image picture = GF_IMAGE_NULL;
        code = take_picture(s, &slot->frame, i, &picture);
        if (code == GF_EXIT_OK)
            code = s->work->begin(s->work->data, &s->cli, s->client, &picture, slot->at_hand[i]);
    }
    s->begun += code == GF_EXIT_OK;
    if (code == GF_EXIT_OK && s->room < SLOTS)
        code = open_slot(s);
    return code;
}

/* Writes the header and line before the samples of a y4m frame. */
static int write_lines(struct stream *s, const struct gf_frame *frame)
{
    struct gf_io_error err = {.status = GF_IO_OK};
    enum gf_io_status r = GF_IO_OK;
    if (s->frames.kind != GF_FRAMES_Y4M)
        return GF_EXIT_OK;
    if (s->ended == 0)
        r = gf_output_write(s->out, s->frames.header, strlen(s->frames.header), &err);
    if (r == GF_IO_OK && s->ended == 0)
        r = gf_output_write(s->out, "\n", 1, &err);
    if (r == GF_IO_OK)
        r = gf_output_write(s->out, frame->line, strlen(frame->line), &err);
    if (r == GF_IO_OK)
        r = gf_output_write(s->out, "\n", 1, &err);
    return r == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(&s->cli, &err);
}

/* Warns, at the first frame, that an operation on values shifts colours, because grey is the middle of the range in
 * chroma planes. */
static void warn_of_colours(const struct stream *s)
{
    struct gf_cli cli = s->cli;
    cli.file = NULL;
    if (s->ended == 0 && s->frames.kind == GF_FRAMES_Y4M && s->frames.y4m.n_planes > 1 &&
        s->work->moves_grey(s->work->data))
        gf_cli_warn(&cli, "the values of chroma planes change as well, which shifts the colours; use ffmpeg -pix_fmt "
                          "gray, or rgb24 with -f rawvideo and --raw WxHx3:u8");
}

/* Waits for all planes of a frame, so that none is written in part, and writes it. */
static int end_frame(struct stream *s)
{
    struct slot *slot = &s->slots[s->ended % SLOTS];
    uint32_t n = count_pictures(s);
    int code = GF_EXIT_OK;
    say_frame(s, s->ended);
    for (uint32_t i = 0; i < n && code == GF_EXIT_OK; i++)
        code = s->work->wait(&s->cli, slot->at_hand[i]);
    if (code == GF_EXIT_OK)
        code = write_lines(s, &slot->frame);
    for (uint32_t i = 0; i < n && code == GF_EXIT_OK; i++)
        code = s->work->end(s->work->data, &s->cli, slot->at_hand[i]);
    if (code == GF_EXIT_OK)
        warn_of_colours(s);
    for (uint32_t i = 0; i < n; i++)
        s->work->reset(slot->at_hand[i]);
    pthread_mutex_lock(&s->mutex);
    s->ended += code == GF_EXIT_OK;
    s->room = s->room < SLOTS ? s->room : s->ended + SLOTS;
    pthread_cond_signal(&s->moved);
    pthread_mutex_unlock(&s->mutex);
    return code;
}

static int flush(struct stream *s)
{
    struct gf_io_error err;
    return gf_output_flush(s->out, &err) == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(&s->cli, &err);
}

/* Whether a read frame waits to be begun. If no frame is in progress, waits for a frame or the end. */
static bool has_frame(struct stream *s)
{
    pthread_mutex_lock(&s->mutex);
    while (s->read == s->begun && s->begun == s->ended && !s->over)
        pthread_cond_wait(&s->moved, &s->mutex);
    bool has = s->read > s->begun;
    pthread_mutex_unlock(&s->mutex);
    return has;
}

/* Runs all frames. If a frame cannot be begun, the frames before it are still written. */
static int run_frames(struct stream *s)
{
    int code = GF_EXIT_OK, failed = GF_EXIT_OK;
    while (code == GF_EXIT_OK) {
        bool has = failed == GF_EXIT_OK && has_frame(s);
        if (has)
            failed = begin_frame(s);
        else if (s->begun > s->ended)
            code = end_frame(s);
        else
            break;
        if (code == GF_EXIT_OK && s->begun == s->ended)
            code = flush(s);
    }
    if (code != GF_EXIT_OK || failed != GF_EXIT_OK)
        return code != GF_EXIT_OK ? code : failed;
    s->cli.file = NULL;
    return s->err.status == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(&s->cli, &s->err);
}

static int open_stream(struct stream *s, const struct gf_view *raw)
{
    struct gf_io_error err;
    enum gf_io_status r = gf_frames_open(&s->frames, raw, s->frames.stop, &err);
    if (r == GF_IO_OK)
        r = gf_output_open("-", true, &s->out, &err);
    if (r != GF_IO_OK)
        return gf_cli_fail_io(&s->cli, &err);
    (void)fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
    (void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
    s->cli.save.to = s->out;
    s->cli.save.white = s->frames.kind == GF_FRAMES_Y4M ? s->frames.y4m.white : 0;
    s->cli.save.above = &s->above;
    for (size_t i = 0; i < SLOTS; i++)
        for (uint32_t k = 0; k < count_pictures(s); k++) {
            s->slots[i].at_hand[k] = calloc(1, s->work->capacity);
            if (!s->slots[i].at_hand[k])
                return gf_cli_fail(&s->cli, GF_EXIT_SOFTWARE, "out of memory");
        }
    int code = gf_cli_connect(&s->cli, &s->client);
    s->cli.verbose = NULL; /* no messages per frame */
    if (code != GF_EXIT_OK)
        return code;
    s->memory = gf_cli_memory(s->client);
    for (unsigned n = s->frames.size > 0 ? 1 : SLOTS; n > 0 && code == GF_EXIT_OK; n--)
        code = open_slot(s);
    if (code == GF_EXIT_OK && !start_reader(s))
        code = gf_cli_fail(&s->cli, GF_EXIT_SOFTWARE, "cannot start a thread");
    return code;
}

/* Operations store 9 to 15 bits as 16 bits, so results may exceed the video's range. */
static void say_above(const struct stream *s, const struct gf_cli *cli)
{
    char text[160];
    snprintf(text, sizeof(text),
             "%" PRIu64 " samples above %u, the maximum of the video, became %u; video of 8 or 16 bits avoids this",
             s->above, s->cli.save.white, s->cli.save.white);
    if (s->above > 0)
        gf_cli_warn(cli, text);
}

static void close_stream(struct stream *s)
{
    stop_reader(s);
    for (struct slot *slot = s->slots; slot < s->slots + SLOTS; slot++) {
        for (uint32_t k = 0; k < GF_Y4M_PLANES && slot->at_hand[k]; k++) {
            s->work->deinit(slot->at_hand[k]);
            free(slot->at_hand[k]);
        }
        if (slot->is_shared)
            s->memory.give_back(s->memory.user, slot->frame.data);
        else
            free(slot->frame.data);
    }
    gf_cli_disconnectp(&s->client);
}

int gf_stream_run(const struct gf_cli *cli, const struct gf_view *raw, const struct gf_stream_work *work)
{
    struct gf_io_error err;
    struct stream *s = calloc(1, sizeof(*s));
    if (!s)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    s->cli = *cli;
    s->said.file = cli->file;
    s->cli.said = &s->said;
    s->work = work;
    s->frames.stop = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->moved, NULL);
    int code =
        s->frames.stop >= 0 ? open_stream(s, raw) : gf_cli_fail(cli, GF_EXIT_SOFTWARE, "no file descriptor is left");
    if (code == GF_EXIT_OK)
        code = run_frames(s);
    say_above(s, cli);
    if (cli->verbose && s->ended > 0)
        fprintf(cli->err, GF_CLI_NAME ": %s: %" PRIu64 " frame%s written\n", cli->command, s->ended,
                s->ended == 1 ? "" : "s");
    close_stream(s);
    if (code == GF_EXIT_OK && gf_output_commit(&s->out, &err) != GF_IO_OK)
        code = gf_cli_fail_io(cli, &err);
    else if (s->out)
        (void)gf_output_flush(s->out, NULL); /* flushes whole frames; another error was reported */
    gf_output_discardp(&s->out);
    gf_closep(&s->frames.stop);
    pthread_cond_destroy(&s->moved);
    pthread_mutex_destroy(&s->mutex);
    gf_said_deinit(&s->said);
    free(s);
    return code;
}

int gf_stream_check(const struct gf_cli *cli, const struct gf_image *picture, enum gf_image_format format,
                    const struct gf_view *result)
{
    const struct gf_view *v = &picture->view;
    char was[64], is[64];
    if (picture->format != GF_FORMAT_Y4M)
        return GF_EXIT_OK;
    if (format != GF_FORMAT_Y4M)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--format %s: a y4m stream is written as y4m; leave --format out",
                           gf_image_format_word(format));
    if (v->width == result->width && v->height == result->height && v->dtype == result->dtype && result->channels == 1)
        return GF_EXIT_OK;
    return gf_cli_fail(
        cli, GF_EXIT_USAGE,
        "a plane of the video is %s and its result %s; y4m keeps the size and the type; --raw frames may change them",
        gf_view_text(v, was, sizeof(was)), gf_view_text(result, is, sizeof(is)));
}
