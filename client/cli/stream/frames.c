/* SPDX-License-Identifier: MIT */
/* Splits standard input into frames; see frames.h. */
#include "frames.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "client/image/image.h"

#define NAME "standard input"
#define PNG_MARK "\x89PNG\r\n\x1a\n"
#define FRAME_MARK "FRAME"
#define MARKS 10u    /* bytes that identify the format */
#define FIRST 65536u /* initial capacity for a frame of unknown size */

/* Reads some bytes; *ret_n is 0 at the end. */
static enum gf_io_status read_some(struct gf_frames *f, void *data, size_t size, size_t *ret_n, struct gf_io_error *err)
{
    struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = f->stop, .events = POLLIN}};
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return gf_io_fail(err, GF_IO_FAILED, NAME ": reading failed: %s", strerror(errno));
        if (fds[1].revents)
            return gf_io_fail(err, GF_IO_FAILED, NAME ": reading was stopped");
        ssize_t n = fds[0].revents ? read(STDIN_FILENO, data, size) : -1;
        if (n >= 0) {
            f->ended = n == 0;
            *ret_n = (size_t)n;
            return GF_IO_OK;
        }
        if (fds[0].revents && errno != EINTR && errno != EAGAIN)
            return gf_io_fail(err, GF_IO_FAILED, NAME ": reading failed: %s", strerror(errno));
    }
}

/* Fills the buffer with at least n bytes, fewer only at the end. */
static enum gf_io_status need(struct gf_frames *f, size_t n, struct gf_io_error *err)
{
    if (f->begin > 0 && f->end - f->begin < n) {
        memmove(f->buffer, f->buffer + f->begin, f->end - f->begin);
        f->end -= f->begin;
        f->begin = 0;
    }
    while (f->end - f->begin < n && !f->ended) {
        size_t got = 0;
        enum gf_io_status r = read_some(f, f->buffer + f->end, sizeof(f->buffer) - f->end, &got, err);
        if (r != GF_IO_OK)
            return r;
        f->end += got;
    }
    return GF_IO_OK;
}

/* Reads n bytes, fewer only at the end. */
static enum gf_io_status take(struct gf_frames *f, uint8_t *to, size_t n, size_t *ret_n, struct gf_io_error *err)
{
    size_t at_hand = f->end - f->begin, done = at_hand < n ? at_hand : n;
    memcpy(to, f->buffer + f->begin, done);
    f->begin += done;
    while (done < n && !f->ended) {
        size_t got = 0;
        enum gf_io_status r = read_some(f, to + done, n - done, &got, err);
        if (r != GF_IO_OK)
            return r;
        done += got;
    }
    *ret_n = done;
    return GF_IO_OK;
}

static enum gf_io_status grow(struct gf_frame *frame, struct gf_io_error *err)
{
    size_t capacity = frame->capacity ? 2 * frame->capacity : FIRST;
    if (frame->size >= GF_IMAGE_MAX_FILE)
        return gf_io_fail(err, GF_IO_DATA, NAME ": an image file may have at most %llu bytes", GF_IMAGE_MAX_FILE);
    uint8_t *data = realloc(frame->data, capacity);
    if (!data)
        return gf_io_fail(err, GF_IO_NO_MEMORY, NAME ": no memory for %zu bytes", capacity);
    frame->data = data;
    frame->capacity = capacity;
    return GF_IO_OK;
}

/* Appends n bytes to a growing frame as they arrive, so that a size claimed by a header allocates nothing. */
static enum gf_io_status append(struct gf_frames *f, struct gf_frame *frame, uint64_t n, bool *ret_all,
                                struct gf_io_error *err)
{
    enum gf_io_status r = GF_IO_OK;
    size_t got = 0;
    for (*ret_all = true; n > 0 && *ret_all && r == GF_IO_OK; n -= got) {
        if (frame->size == frame->capacity)
            r = grow(frame, err);
        size_t room = frame->capacity - frame->size, part = n < room ? (size_t)n : room;
        if (r == GF_IO_OK)
            r = take(f, frame->data + frame->size, part, &got, err);
        if (r != GF_IO_OK)
            return r;
        frame->size += got;
        *ret_all = got == part;
    }
    return r;
}

static enum gf_io_status cut_short(const struct gf_frames *f, uint64_t got, uint64_t of, struct gf_io_error *err)
{
    if (of > 0)
        return gf_io_fail(err, GF_IO_DATA, NAME ": frame %" PRIu64 " is cut short: %" PRIu64 " of %" PRIu64 " bytes",
                          f->n + 1, got, of);
    return gf_io_fail(err, GF_IO_DATA, NAME ": frame %" PRIu64 " is cut short, after %" PRIu64 " bytes", f->n + 1, got);
}

/* Appends all remaining bytes. */
static enum gf_io_status append_rest(struct gf_frames *f, struct gf_frame *frame, struct gf_io_error *err)
{
    bool all = false;
    return append(f, frame, UINT64_MAX, &all, err);
}

/* Reads a line without its end. *ret_ended is false if no line end comes within the capacity or before a zero byte. */
static enum gf_io_status take_line(struct gf_frames *f, char *line, bool *ret_ended, struct gf_io_error *err)
{
    enum gf_io_status r = need(f, 1, err);
    size_t n = 0;
    *ret_ended = false;
    while (r == GF_IO_OK && f->begin < f->end && n < GF_FRAMES_LINE - 1) {
        char c = (char)f->buffer[f->begin++];
        *ret_ended = c == '\n';
        if (*ret_ended || c == '\0')
            break;
        line[n++] = c;
        r = need(f, 1, err);
    }
    line[n] = '\0';
    return r;
}

/* Reads a frame of known size. */
static enum gf_io_status next_sized(struct gf_frames *f, struct gf_frame *frame, struct gf_io_error *err)
{
    bool ended = true;
    enum gf_io_status r = GF_IO_OK;
    if (f->kind == GF_FRAMES_Y4M)
        r = take_line(f, frame->line, &ended, err);
    if (r == GF_IO_OK && f->kind == GF_FRAMES_Y4M) {
        const char *line = frame->line;
        size_t length = strlen(FRAME_MARK);
        if (!ended && f->begin == f->end && f->ended)
            return cut_short(f, 0, f->size, err);
        if (!ended || strncmp(line, FRAME_MARK, length) != 0 || (line[length] && line[length] != ' '))
            return gf_io_fail(err, GF_IO_DATA,
                              NAME ": frame %" PRIu64 " does not begin with " FRAME_MARK "; the y4m stream is damaged",
                              f->n + 1);
    }
    if (r == GF_IO_OK)
        r = take(f, frame->data, f->size, &frame->size, err);
    return r == GF_IO_OK && frame->size < f->size ? cut_short(f, frame->size, f->size, err) : r;
}

/* Reads a PNG file: chunks up to IEND. */
static enum gf_io_status next_png(struct gf_frames *f, struct gf_frame *frame, struct gf_io_error *err)
{
    bool all = true, last = false;
    enum gf_io_status r = append(f, frame, 8, &all, err);
    while (r == GF_IO_OK && all && !last) {
        r = append(f, frame, 8, &all, err);
        if (r != GF_IO_OK || !all)
            break;
        const uint8_t *head = frame->data + frame->size - 8;
        uint32_t length = (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 | (uint32_t)head[2] << 8 | head[3];
        last = memcmp(head + 4, "IEND", 4) == 0;
        r = append(f, frame, (uint64_t)length + 4, &all, err);
    }
    return r == GF_IO_OK && !all ? cut_short(f, frame->size, 0, err) : r;
}

/* Reads a byte of a header; -1 at the end. */
static enum gf_io_status next_byte(struct gf_frames *f, struct gf_frame *frame, int *ret_byte, struct gf_io_error *err)
{
    bool all = false;
    enum gf_io_status r = append(f, frame, 1, &all, err);
    *ret_byte = r == GF_IO_OK && all ? frame->data[frame->size - 1] : -1;
    return r;
}

static bool is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads a word of a header and the byte after it. Comments are skipped. */
static enum gf_io_status next_word(struct gf_frames *f, struct gf_frame *frame, char *word, size_t size,
                                   struct gf_io_error *err)
{
    size_t n = 0;
    int c = 0;
    bool comment = false;
    enum gf_io_status r = next_byte(f, frame, &c, err);
    while (r == GF_IO_OK && c >= 0) {
        comment = (comment && c != '\n') || c == '#';
        bool part = !comment && !is_blank(c);
        if (n > 0 && !part && !comment) /* a comment after a word ends with the line, which also ends the word */
            break;
        if (part && n + 1 < size)
            word[n++] = (char)c;
        r = next_byte(f, frame, &c, err);
    }
    word[n] = '\0';
    return r;
}

struct pnm {
    uint64_t width, height, depth, max;
};

static bool to_number(const char *word, uint64_t *ret)
{
    char *end;
    size_t length = strlen(word);
    *ret = strtoull(word, &end, 10);
    return length > 0 && length <= 9 && word[0] >= '0' && word[0] <= '9' && *end == '\0';
}

/* Reads what follows "P7". */
static enum gf_io_status read_pam(struct gf_frames *f, struct gf_frame *frame, struct pnm *p, bool *ret_good,
                                  struct gf_io_error *err)
{
    char word[32], value[32];
    enum gf_io_status r = next_word(f, frame, word, sizeof(word), err);
    while (r == GF_IO_OK && *ret_good && strcmp(word, "ENDHDR") != 0) {
        uint64_t *to = strcmp(word, "WIDTH") == 0    ? &p->width
                       : strcmp(word, "HEIGHT") == 0 ? &p->height
                       : strcmp(word, "DEPTH") == 0  ? &p->depth
                       : strcmp(word, "MAXVAL") == 0 ? &p->max
                                                     : NULL;
        *ret_good = to || strcmp(word, "TUPLTYPE") == 0;
        r = next_word(f, frame, value, sizeof(value), err);
        *ret_good = *ret_good && (!to || to_number(value, to));
        if (r == GF_IO_OK && *ret_good)
            r = next_word(f, frame, word, sizeof(word), err);
    }
    return r;
}

/* Reads a PNM file. Unless its header gives the size of binary samples, takes all remaining input and leaves it to the
 * decoder. */
static enum gf_io_status next_pnm(struct gf_frames *f, struct gf_frame *frame, struct gf_io_error *err)
{
    struct pnm p = {.max = 1};
    char word[32];
    bool all = true, good;
    enum gf_io_status r = next_word(f, frame, word, sizeof(word), err);
    char kind = word[0] == 'P' && strlen(word) == 2 ? word[1] : '?';
    good = kind >= '4' && kind <= '7';
    p.depth = kind == '6' ? 3 : 1;
    uint64_t *const numbers[] = {&p.width, &p.height, &p.max};
    for (size_t i = 0; i < 3u - (kind == '4') && r == GF_IO_OK && good && kind != '7'; i++) {
        r = next_word(f, frame, word, sizeof(word), err);
        good = to_number(word, numbers[i]);
    }
    if (r == GF_IO_OK && good && kind == '7')
        r = read_pam(f, frame, &p, &good, err);
    if (r != GF_IO_OK)
        return r;
    if (!good || p.depth > 4 || p.max > 65535)
        return append_rest(f, frame, err);
    uint64_t row = kind == '4' ? (p.width + 7) / 8 : p.width * p.depth * (p.max > 255 ? 2 : 1), size = row * p.height;
    uint64_t header = frame->size;
    r = append(f, frame, size, &all, err);
    return r == GF_IO_OK && !all ? cut_short(f, frame->size, header + size, err) : r;
}

/* Skips the padding between two files. */
static enum gf_io_status skip_filling(struct gf_frames *f, struct gf_io_error *err)
{
    enum gf_io_status r = need(f, 1, err);
    while (r == GF_IO_OK && f->begin < f->end && (f->buffer[f->begin] == 0 || is_blank(f->buffer[f->begin]))) {
        f->begin++;
        r = need(f, 1, err);
    }
    return r;
}

static bool begins_with(const struct gf_frames *f, const char *mark)
{
    size_t n = strlen(mark);
    return f->end - f->begin >= n && memcmp(f->buffer + f->begin, mark, n) == 0;
}

static enum gf_io_status check_begin(struct gf_frames *f, struct gf_io_error *err)
{
    const char *mark = f->kind == GF_FRAMES_PNG ? PNG_MARK : "P";
    enum gf_io_status r = need(f, strlen(mark), err);
    if (r == GF_IO_OK && !begins_with(f, mark))
        return gf_io_fail(err, GF_IO_DATA, NAME ": the data after frame %" PRIu64 " is not a %s file", f->n,
                          f->kind == GF_FRAMES_PNG ? "PNG" : "PNM");
    return r;
}

enum gf_io_status gf_frames_next(struct gf_frames *f, struct gf_frame *frame, bool *ret_more, struct gf_io_error *err)
{
    bool files = f->kind == GF_FRAMES_PNG || f->kind == GF_FRAMES_PNM;
    enum gf_io_status r = files && f->n > 0 ? skip_filling(f, err) : need(f, 1, err);
    frame->size = 0;
    *ret_more = r == GF_IO_OK && f->begin < f->end;
    if (!*ret_more)
        return r;
    if (files)
        r = check_begin(f, err);
    if (r == GF_IO_OK)
        r = f->size > 0                ? next_sized(f, frame, err)
            : f->kind == GF_FRAMES_PNG ? next_png(f, frame, err)
            : f->kind == GF_FRAMES_PNM ? next_pnm(f, frame, err)
                                       : append_rest(f, frame, err);
    f->n += r == GF_IO_OK;
    return r;
}

static enum gf_io_status open_y4m(struct gf_frames *f, struct gf_io_error *err)
{
    bool ended = false;
    enum gf_io_status r = take_line(f, f->header, &ended, err);
    if (r == GF_IO_OK && !ended && f->ended && f->begin == f->end)
        return gf_io_fail(err, GF_IO_DATA, NAME ": the y4m header is cut short, after %zu bytes", strlen(f->header));
    if (r == GF_IO_OK && !ended)
        return gf_io_fail(err, GF_IO_DATA, NAME ": damaged y4m header: no line end within %u bytes", GF_FRAMES_LINE);
    if (r == GF_IO_OK)
        r = gf_y4m_parse(NAME, f->header, &f->y4m, err);
    if (r == GF_IO_OK)
        r = need(f, 1, err);
    if (r == GF_IO_OK && f->begin == f->end)
        return gf_io_fail(err, GF_IO_DATA, NAME ": a y4m header without a frame");
    f->size = f->y4m.frame_bytes;
    return r;
}

enum gf_io_status gf_frames_open(struct gf_frames *f, const struct gf_view *raw, int stop, struct gf_io_error *err)
{
    f->stop = stop;
    f->kind = GF_FRAMES_WHOLE;
    f->size = f->n = f->begin = f->end = 0;
    f->ended = false;
    uint64_t first = raw ? gf_view_bytes(raw) : MARKS;
    enum gf_io_status r = need(f, first < MARKS ? (size_t)first : MARKS, err);
    if (r != GF_IO_OK)
        return r;
    if (f->begin == f->end)
        return gf_io_fail(err, GF_IO_DATA, NAME ": is empty");
    if (raw && (begins_with(f, GF_Y4M_MARK " ") || begins_with(f, PNG_MARK)))
        return gf_io_fail(err, GF_IO_USAGE, NAME ": %s describes its own contents; leave --raw out",
                          begins_with(f, PNG_MARK) ? "a PNG file" : "y4m video");
    if (raw) {
        f->kind = GF_FRAMES_RAW;
        f->raw = *raw;
        f->size = gf_view_bytes(raw);
    } else if (begins_with(f, GF_Y4M_MARK " ")) {
        f->kind = GF_FRAMES_Y4M;
        return open_y4m(f, err);
    } else if (begins_with(f, PNG_MARK)) {
        f->kind = GF_FRAMES_PNG;
    } else if (begins_with(f, "P4") || begins_with(f, "P5") || begins_with(f, "P6") || begins_with(f, "P7")) {
        f->kind = GF_FRAMES_PNM;
    }
    return GF_IO_OK;
}
