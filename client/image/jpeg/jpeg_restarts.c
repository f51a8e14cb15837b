/* SPDX-License-Identifier: MIT */
/*
 * Restart markers of JPEG; see jpeg_turbo.h. The markers are numbered cyclically, so each cut file gets new numbers.
 */
#include "jpeg_turbo.h"

#include <string.h>

#include "protocol/base/base.h"

#define MARKER_SOF0 0xc0
#define MARKER_SOS 0xda
#define MARKER_RST0 0xd0
#define MARKER_EOI 0xd9
#define MARKER_BYTES 2

/* The offset of the height in the header; 0 if it is not found. */
static size_t find_height(const uint8_t *file, size_t size)
{
    for (size_t at = 2; at + 6 < size && file[at] == 0xff;) {
        uint8_t marker = file[at + 1];
        if (marker == MARKER_SOF0 || marker == MARKER_SOF0 + 1)
            return at + 5;
        if (marker == MARKER_SOS)
            break;
        at += marker == 0xff ? 1 : MARKER_BYTES + ((size_t)file[at + 2] << 8 | file[at + 3]);
    }
    return 0;
}

/* The next marker from this offset on; `size` if there is none. */
static size_t find_marker(const uint8_t *file, size_t size, size_t at)
{
    while (at < size) {
        const uint8_t *mark = memchr(file + at, 0xff, size - at);
        if (!mark)
            break;
        at = (size_t)(mark - file);
        if (at + 1 < size && mark[1] != 0)
            return at;
        at += MARKER_BYTES; /* an 0xff among the samples, and the null byte that marks it as such */
    }
    return size;
}

static bool find_places(struct gf_jpeg_restarts *r)
{
    r->places[0] = r->head;
    for (uint32_t i = 1; i < r->n; i++) {
        size_t at = find_marker(r->file, r->size, r->places[i - 1]);
        if (at == r->size || r->file[at + 1] != MARKER_RST0 + (i - 1) % 8)
            return false;
        r->places[i] = at + MARKER_BYTES;
    }
    return true;
}

bool gf_jpeg_restarts_init(struct gf_jpeg_restarts *r, const struct jpeg_decompress_struct *jpeg, const uint8_t *file,
                           size_t size)
{
    bool grey = jpeg->num_components == 1; /* a grey picture has one block per unit, whatever its sampling factors */
    uint32_t side_x = (uint32_t)(DCTSIZE * (grey ? 1 : jpeg->max_h_samp_factor));
    uint32_t side_y = (uint32_t)(DCTSIZE * (grey ? 1 : jpeg->max_v_samp_factor));
    uint32_t units = (jpeg->image_width + side_x - 1) / side_x, rows = (jpeg->image_height + side_y - 1) / side_y;
    *r = (struct gf_jpeg_restarts){.file = file, .size = size, .height = jpeg->image_height, .lines = side_y};
    r->head = size - jpeg->src->bytes_in_buffer;
    r->height_at = find_height(file, r->head);
    r->step = jpeg->restart_interval / units;
    if (jpeg->progressive_mode || r->height_at == 0 || r->step == 0 || jpeg->restart_interval % units != 0 ||
        (grey && jpeg->max_v_samp_factor != 1))
        return false;
    r->n = (rows + r->step - 1) / r->step;
    r->places = calloc(r->n, sizeof(*r->places));
    if (r->places && find_places(r))
        return true;
    gf_jpeg_restarts_deinit(r);
    return false;
}

void gf_jpeg_restarts_deinit(struct gf_jpeg_restarts *r)
{
    free(r->places);
    *r = (struct gf_jpeg_restarts){.file = NULL};
}

uint8_t *gf_jpeg_restarts_cut(const struct gf_jpeg_restarts *r, uint32_t first, uint32_t end, size_t *ret_size)
{
    bool whole = end == r->n;
    size_t from = r->places[first], to = whole ? r->size : r->places[end]; /* with the marker, which becomes EOI */
    uint32_t above = first * r->step * r->lines;
    uint32_t height = (whole ? r->height : end * r->step * r->lines) - above;
    uint8_t *cut = malloc(r->head + (to - from));
    if (!cut)
        return NULL;
    memcpy(cut, r->file, r->head);
    cut[r->height_at] = (uint8_t)(height >> 8);
    cut[r->height_at + 1] = (uint8_t)height;
    memcpy(cut + r->head, r->file + from, to - from);
    for (uint32_t i = first + 1; i < end; i++)
        cut[r->head + (r->places[i] - from) - 1] = (uint8_t)(MARKER_RST0 + (i - first - 1) % 8);
    *ret_size = r->head + (to - from);
    if (!whole)
        cut[*ret_size - 1] = MARKER_EOI;
    return cut;
}
