/* SPDX-License-Identifier: MIT */
/* Parses the header of a y4m stream; see frames.h. The words are the ones that mjpegtools and FFmpeg write. */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/base/error.h"

/* The meaning of the words C..., without the bits: the number of planes, and how much smaller the chroma planes are. */
static const struct {
    const char *word;
    uint32_t n_planes, across, down;
} chromas[] = {
    {"444alpha", 4, 1, 1}, {"420jpeg", 3, 2, 2}, {"420mpeg2", 3, 2, 2}, {"420paldv", 3, 2, 2}, {"420", 3, 2, 2},
    {"422", 3, 2, 1},      {"444", 3, 1, 1},     {"411", 3, 4, 1},      {"mono", 1, 1, 1},
};

struct header {
    uint64_t width, height;
    uint32_t n_planes, across, down, bits;
};

static bool read_number(const char *text, size_t length, uint64_t max, uint64_t *ret)
{
    uint64_t value = 0;
    if (length == 0 || length > 9)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *ret = value;
    return value >= 1 && value <= max;
}

/* Parses "420jpeg", "422p10", "mono16". */
static bool read_chroma(const char *text, size_t length, struct header *h)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(chromas); i++) {
        size_t n = strlen(chromas[i].word);
        uint64_t bits = 8;
        if (length < n || memcmp(text, chromas[i].word, n) != 0)
            continue;
        bool mono = chromas[i].n_planes == 1, p = !mono && length > n && text[n] == 'p';
        if (length > n && (!(mono || p) || !read_number(text + n + p, length - n - p, 16, &bits) || bits < 8))
            continue;
        h->n_planes = chromas[i].n_planes;
        h->across = chromas[i].across;
        h->down = chromas[i].down;
        h->bits = (uint32_t)bits;
        return true;
    }
    return false;
}

/* Parses one word of the header. Frame rate, aspect and comments are ignored. */
static enum gf_io_status read_word(const char *name, const char *word, size_t length, struct header *h,
                                   struct gf_io_error *err)
{
    bool good = true;
    if (*word == 'W')
        good = read_number(word + 1, length - 1, UINT32_MAX, &h->width);
    else if (*word == 'H')
        good = read_number(word + 1, length - 1, UINT32_MAX, &h->height);
    else if (*word == 'I' && length == 2 && strchr("tbm", word[1]))
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: the video is interlaced (%.2s), and a filter would mix its fields; deinterlace it "
                          "first, e.g. with ffmpeg -vf yadif",
                          name, word);
    else if (*word == 'C' && !read_chroma(word + 1, length - 1, h))
        return gf_io_fail(
            err, GF_IO_DATA,
            "%s: y4m samples %.*s are not supported; supported are C420, C422, C444, C411 and Cmono of 8 to 16 bits "
            "(C420p10), and C444alpha",
            name, (int)length, word);
    if (!good)
        return gf_io_fail(err, GF_IO_DATA, "%s: damaged y4m header: %.*s", name, (int)length, word);
    return GF_IO_OK;
}

static enum gf_io_status plan(const char *name, const struct header *h, struct gf_y4m *ret, struct gf_io_error *err)
{
    struct gf_error why;
    *ret = (struct gf_y4m){.n_planes = h->n_planes};
    if (h->width == 0 || h->height == 0)
        return gf_io_fail(err, GF_IO_DATA, "%s: damaged y4m header: width or height is missing", name);
    for (uint32_t i = 0; i < h->n_planes; i++) {
        bool chroma = i == 1 || i == 2;
        uint64_t across = chroma ? h->across : 1, down = chroma ? h->down : 1;
        ret->planes[i] = gf_view_tight(h->bits > 8 ? GF_U16 : GF_U8, (h->width + across - 1) / across,
                                       (h->height + down - 1) / down, 1);
        if (gf_view_check_image(&ret->planes[i], "the frame", &why) != GF_OK)
            return gf_io_fail(err, GF_IO_DATA, "%s: %s", name, why.text);
        ret->frame_bytes += gf_view_bytes(&ret->planes[i]);
    }
    ret->white = h->bits > 8 && h->bits < 16 ? (1u << h->bits) - 1 : 0;
    return GF_IO_OK;
}

enum gf_io_status gf_y4m_parse(const char *name, const char *line, struct gf_y4m *ret, struct gf_io_error *err)
{
    struct header h = {.n_planes = 3, .across = 2, .down = 2, .bits = 8}; /* the default is 4:2:0 */
    for (const char *at = line + strcspn(line, " "); *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        enum gf_io_status r = read_word(name, at, strcspn(at, " "), &h, err);
        if (r != GF_IO_OK)
            return r;
    }
    return plan(name, &h, ret, err);
}
