/* SPDX-License-Identifier: MIT */
/* Writes, reads and checks what the command and its decoder say; see wire.h. */
#include "wire.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "client/image/image_codec.h"
#include "client/io/input.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"

#define MAX_TEXT ((size_t)1 << 20)
#define MAX_WORD 63u

static void check(struct gf_wire *w, bool good, enum gf_wire_end otherwise)
{
    if (w->end == GF_WIRE_OPEN && !good)
        w->end = otherwise;
}

/* Waits until bytes can be sent or read; false after the deadline. */
static bool wait_in_time(const struct gf_wire *w)
{
    const uint64_t now = gf_now_ns();
    struct pollfd socket = {.fd = w->fd, .events = w->sends ? POLLOUT : POLLIN};
    if (w->deadline_ns == 0)
        return true;
    if (now >= w->deadline_ns)
        return false;
    const uint64_t ms = (w->deadline_ns - now) / GF_NS_PER_MS;
    return poll(&socket, 1, ms < INT_MAX ? (int)ms : INT_MAX) != 0;
}

void gf_wire_bytes(struct gf_wire *w, void *data, size_t size)
{
    const int flags = MSG_NOSIGNAL | (w->deadline_ns ? MSG_DONTWAIT : 0);
    uint8_t *at = data;
    while (size > 0 && w->end == GF_WIRE_OPEN) {
        check(w, wait_in_time(w), GF_WIRE_LATE);
        if (w->end != GF_WIRE_OPEN)
            break;
        ssize_t n = w->sends ? send(w->fd, at, size, flags) : recv(w->fd, at, size, flags);
        check(w, n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)), GF_WIRE_CLOSED);
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    if (!w->sends && size > 0)
        memset(at, 0, size);
}

void gf_wire_u64(struct gf_wire *w, uint64_t *value, uint64_t max)
{
    gf_wire_bytes(w, value, sizeof(*value));
    check(w, *value <= max, GF_WIRE_NONSENSE);
    if (*value > max && !w->sends)
        *value = 0;
}

void gf_wire_u32(struct gf_wire *w, uint32_t *value, uint32_t max)
{
    uint64_t wide = *value;
    gf_wire_u64(w, &wide, max);
    *value = (uint32_t)wide;
}

void gf_wire_flag(struct gf_wire *w, bool *value)
{
    uint64_t wide = *value;
    gf_wire_u64(w, &wide, 1);
    *value = wide != 0;
}

static void size_of(struct gf_wire *w, size_t *size, uint64_t max)
{
    uint64_t wide = *size;
    gf_wire_u64(w, &wide, max);
    *size = (size_t)wide;
}

/* Bytes that may be NULL. What is read has a null byte behind it. */
static void block(struct gf_wire *w, uint8_t **bytes, size_t *size, size_t max)
{
    bool is_there = *bytes != NULL;
    gf_wire_flag(w, &is_there);
    if (!is_there)
        return;
    size_of(w, size, max);
    if (!w->sends) {
        *bytes = gf_large_alloc(*size + 1);
        check(w, *bytes != NULL, GF_WIRE_NO_MEMORY);
        *size = *bytes ? *size : 0;
        if (*bytes)
            (*bytes)[*size] = '\0';
    }
    gf_wire_bytes(w, *bytes, *size);
}

void gf_wire_text(struct gf_wire *w, char **text, size_t max)
{
    uint8_t *bytes = (uint8_t *)*text;
    size_t size = *text ? strlen(*text) : 0;
    block(w, &bytes, &size, max);
    *text = (char *)bytes;
    check(w, !*text || strlen(*text) == size, GF_WIRE_NONSENSE);
}

/* A text that is static in the decoder, and that is printed as it is. */
static void word(struct gf_wire *w, const char **text, char **owned)
{
    char *copy = (char *)(uintptr_t)*text;
    gf_wire_text(w, &copy, MAX_WORD);
    if (!w->sends && copy)
        *text = *owned = gf_text_clean(copy);
}

/* Whether a block consists of whole chunks of PNG, whose types are in the list. */
static bool has_only_chunks(const struct gf_image_block *b, const char *types)
{
    size_t at = 0;
    while (b->size - at >= 12 && gf_get_be32(b->bytes + at) <= b->size - at - 12) {
        const char *type = types;
        while (*type && memcmp(type, b->bytes + at + 4, 4) != 0)
            type += 4;
        if (!*type)
            return false;
        at += 12 + (size_t)gf_get_be32(b->bytes + at);
    }
    return at == b->size;
}

/* Whether a block consists of whole comments, each after its length. */
static bool has_only_comments(const struct gf_image_block *b)
{
    size_t at = 0;
    for (size_t n; b->size - at >= 2; at += 2 + n) {
        n = (size_t)b->bytes[at] << 8 | b->bytes[at + 1];
        if (n > b->size - at - 2)
            return false;
    }
    return at == b->size;
}

static void geo(struct gf_wire *w, struct gf_image_meta *meta)
{
    bool is_there = meta->geo != NULL;
    gf_wire_flag(w, &is_there);
    if (!is_there)
        return;
    meta->geo = w->sends ? meta->geo : calloc(1, sizeof(*meta->geo));
    check(w, meta->geo != NULL, GF_WIRE_NO_MEMORY);
    if (!meta->geo)
        return;
    gf_wire_u64(w, &meta->geo->width, UINT64_MAX);
    gf_wire_u64(w, &meta->geo->height, UINT64_MAX);
    for (size_t i = 0; i < GF_GEO_TAGS; i++) {
        uint8_t *values = meta->geo->tags[i].values;
        size_t size = (size_t)meta->geo->tags[i].count * gf_geo_sizes[i];
        block(w, &values, &size, GF_BLOCK_MAX);
        meta->geo->tags[i].values = values;
        meta->geo->tags[i].count = (uint32_t)(size / gf_geo_sizes[i]);
        check(w, size % gf_geo_sizes[i] == 0, GF_WIRE_NONSENSE);
    }
}

/* Each number has the limit of the reader that returns it. EXIF and profiles are parsed anew wherever they are
 * used, by functions that take any bytes. */
static void metadata(struct gf_wire *w, struct gf_image_meta *m)
{
    gf_wire_u32(w, &m->orientation, 8);
    gf_wire_u32(w, &m->per_metre_x, INT32_MAX);
    gf_wire_u32(w, &m->per_metre_y, INT32_MAX);
    gf_wire_bytes(w, m->without_unit, sizeof(m->without_unit));
    check(w, isfinite(m->without_unit[0]) && isfinite(m->without_unit[1]), GF_WIRE_NONSENSE);
    gf_wire_u32(w, &m->gamma, INT32_MAX);
    gf_wire_u32(w, &m->srgb_intent, 1 + UINT8_MAX);
    for (size_t i = 0; i < GF_ARRAY_LEN(m->primaries); i++)
        gf_wire_u32(w, &m->primaries[i], INT32_MAX);
    gf_wire_flag(w, &m->is_lossy);
    gf_wire_bytes(w, m->cicp, sizeof(m->cicp));
    block(w, &m->light.bytes, &m->light.size, GF_BLOCK_MAX);
    check(w, has_only_chunks(&m->light, "mDCVcLLI"), GF_WIRE_NONSENSE);
    block(w, &m->iptc.bytes, &m->iptc.size, GF_BLOCK_MAX);
    block(w, &m->comment.bytes, &m->comment.size, GF_BLOCK_MAX);
    check(w, has_only_comments(&m->comment), GF_WIRE_NONSENSE);
    block(w, &m->text.bytes, &m->text.size, GF_BLOCK_MAX);
    check(w, has_only_chunks(&m->text, "tEXtzTXtiTXt"), GF_WIRE_NONSENSE);
    gf_wire_flag(w, &m->has_gain_map);
    gf_wire_flag(w, &m->has_auxiliary);
    gf_wire_flag(w, &m->profile_is_grey);
    gf_wire_u32(w, &m->delay[0], UINT32_MAX);
    gf_wire_u32(w, &m->delay[1], UINT32_MAX);
    gf_wire_u32(w, &m->plays, UINT32_MAX);
    gf_wire_u32(w, &m->sides, 4);
    block(w, &m->profile, &m->profile_size, GF_IMAGE_MAX_PROFILE);
    block(w, &m->exif, &m->exif_size, GF_EXIF_MAX);
    gf_wire_text(w, &m->xmp, GF_XMP_MAX);
    m->xmp_size = m->xmp ? strlen(m->xmp) : 0;
    geo(w, m);
}

void gf_wire_image(struct gf_wire *w, struct gf_image *image)
{
    struct gf_view *v = &image->view;
    struct gf_image_coding *c = &image->coding;
    gf_wire_u32(w, &v->dtype, UINT32_MAX);
    gf_wire_u64(w, &v->width, UINT64_MAX);
    gf_wire_u64(w, &v->height, UINT64_MAX);
    gf_wire_u32(w, &v->channels, UINT32_MAX);
    gf_wire_flag(w, &image->no_alpha);
    gf_wire_flag(w, &image->is_bool);
    gf_wire_u32(w, &image->format, GF_N_FORMATS - 1);
    gf_wire_u32(w, &image->shrink, 8);
    gf_wire_u64(w, &image->full_width, GF_MAX_SIDE);
    gf_wire_u64(w, &image->full_height, GF_MAX_SIDE);
    if (image->shrink > 1)
        check(w,
              v->width == gf_divide_up(image->full_width, image->shrink) &&
                  v->height == gf_divide_up(image->full_height, image->shrink),
              GF_WIRE_NONSENSE);
    size_of(w, &image->file_bytes, GF_IMAGE_MAX_FILE);
    gf_wire_u64(w, &image->pages, GF_IMAGE_MAX_FILE);
    gf_wire_u32(w, &c->bits, UINT16_MAX);
    gf_wire_bytes(w, c->sampling, sizeof(c->sampling));
    c->sampling[sizeof(c->sampling) - 1] = '\0';
    gf_text_clean(c->sampling);
    gf_wire_u32(w, &c->bands, UINT32_MAX);
    gf_wire_flag(w, &c->is_premultiplied);
    word(w, &image->kind, &image->words[0]);
    word(w, &image->page_word, &image->words[1]);
    check(w, image->pages <= 1 || image->page_word, GF_WIRE_NONSENSE);
    word(w, &c->compression, &image->words[2]);
    gf_wire_text(w, &image->warning, MAX_TEXT);
    gf_wire_text(w, &image->note, MAX_TEXT);
    metadata(w, &image->meta);
}

void gf_wire_request(struct gf_wire *w, struct gf_wire_request *r)
{
    struct gf_image_load *how = &r->how;
    gf_wire_text(w, &r->name, MAX_TEXT);
    block(w, &r->bytes, &r->size, GF_IMAGE_MAX_FILE);
    gf_wire_u32(w, &how->threads, UINT32_MAX);
    gf_wire_u32(w, &how->page, UINT32_MAX);
    gf_wire_bytes(w, how->bands, sizeof(how->bands));
    gf_wire_u32(w, &how->n_bands, GF_MAX_CHANNELS);
    gf_wire_u32(w, &how->max_pixels, UINT32_MAX);
    gf_wire_u32(w, &how->formats, UINT32_MAX);
    gf_wire_flag(w, &how->is_stream);
    gf_wire_flag(w, &how->salvage);
    gf_wire_flag(w, &how->srgb);
    gf_wire_flag(w, &how->srgb_is_optional);
    gf_wire_flag(w, &how->only_head);
    gf_wire_flag(w, &r->takes);
    gf_wire_flag(w, &r->shrinks);
    gf_wire_u32(w, &r->dtype, UINT32_MAX);
}
