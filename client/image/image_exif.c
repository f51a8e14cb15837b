/* SPDX-License-Identifier: MIT */
/* Reads and rewrites EXIF data; see image_meta.h. After TIFF 6.0 and EXIF 2.32. */
#include "image_meta.h"

#include <math.h>
#include <string.h>

enum {
    TAG_DESCRIPTION = 0x010e,
    TAG_ORIENTATION = 0x0112,
    TAG_ARTIST = 0x013b,
    TAG_COPYRIGHT = 0x8298,
    TAG_X_RESOLUTION = 0x011a,
    TAG_Y_RESOLUTION = 0x011b,
    TAG_RESOLUTION_UNIT = 0x0128,
    TAG_EXIF = 0x8769,
    TAG_GPS = 0x8825,
    TAG_IPTC = 0x83bb,
    TAG_RESOURCES = 0x8649, /* of Photoshop */
    TAG_MAKER_NOTE = 0x927c,
    TAG_PICTURES = 0xb002, /* CIPA DC-007 */
    TAG_COLOUR_SPACE = 0xa001,
    TAG_INTEROPERABILITY_INDEX = 0x0001,
    COLOUR_SPACE_SRGB = 1,
    TAG_WIDTH = 0xa002,
    TAG_HEIGHT = 0xa003,
    TAG_INTEROPERABILITY = 0xa005,
    TYPE_ASCII = 2,
    TYPE_SHORT = 3,
    TYPE_LONG = 4,
    TYPE_RATIONAL = 5,
    TYPE_SRATIONAL = 10,
    UNIT_NONE = 1,
    UNIT_CENTIMETRE = 3,
    MAX_ENTRIES = 256,
    HEADER_BYTES = 8,
    ENTRY_BYTES = 12,
    PICTURE_BYTES = 16,
};

#define INCHES_PER_METRE (1 / 0.0254)
/* Largest number of zeros before a maker's note that keeps its position. */
#define MAX_FILLING 65536u

enum directory { FIRST, EXIF, GPS, INTEROPERABILITY };

struct tiff {
    const uint8_t *data;
    size_t size;
    bool big; /* endian */
};

struct entry {
    uint32_t tag, type;
    size_t at, count, value, bytes; /* offset of the entry; number, offset and bytes of its values */
};

/* EXIF data being written. */
struct copy {
    struct tiff in;
    uint8_t *out;
    size_t size, limit;
    uint64_t base;                       /* offset of `out` in its file */
    bool big;                            /* `out` is big-endian */
    bool has_maker, no_maker;            /* the maker's note is kept; must be dropped */
    bool no_description;                 /* the description must be dropped */
    bool only_rights;                    /* drop all but the artist and the copyright */
    uint32_t orientation, width, height; /* 0: none, or as in the original */
    bool failed;
};

/* Reads an integer of 2 or 4 bytes; 0 outside the data. */
static uint32_t number(const struct tiff *t, size_t at, size_t bytes)
{
    uint32_t v = 0;
    if (at > t->size || t->size - at < bytes)
        return 0;
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | t->data[at + (t->big ? i : bytes - 1 - i)];
    return v;
}

static bool open_tiff(const uint8_t *data, size_t size, struct tiff *ret_tiff)
{
    if (size < HEADER_BYTES || (memcmp(data, "MM\0*", 4) != 0 && memcmp(data, "II*\0", 4) != 0))
        return false;
    *ret_tiff = (struct tiff){data, size, data[0] == 'M'};
    return true;
}

/* A directory with more entries than occur in practice is treated as empty. */
static size_t count_entries(const struct tiff *t, size_t directory)
{
    size_t n = number(t, directory, 2);
    return n <= MAX_ENTRIES ? n : 0;
}

/* Reads entry i of a directory. False if it is invalid or its values lie outside the data. */
static bool get_entry(const struct tiff *t, size_t directory, size_t i, struct entry *ret_entry)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};
    size_t at = directory + 2 + i * ENTRY_BYTES;
    if (at > t->size || t->size - at < ENTRY_BYTES)
        return false;
    struct entry e = {.tag = number(t, at, 2), .type = number(t, at + 2, 2), .at = at, .count = number(t, at + 4, 4)};
    if (e.type == 0 || e.type >= sizeof(sizes) || e.count == 0 || e.count > t->size)
        return false;
    e.bytes = e.count * sizes[e.type];
    e.value = e.bytes <= 4 ? at + 8 : number(t, at + 8, 4);
    if (e.value > t->size || t->size - e.value < e.bytes)
        return false;
    *ret_entry = e;
    return true;
}

/* Finds the entry of a tag. */
static bool find(const struct tiff *t, size_t directory, uint32_t tag, struct entry *ret_entry)
{
    size_t n = count_entries(t, directory);
    for (size_t i = 0; i < n; i++)
        if (get_entry(t, directory, i, ret_entry) && ret_entry->tag == tag)
            return true;
    return false;
}

/* The value of an entry with a single short or long; 0 if there is none. */
static uint32_t find_number(const struct tiff *t, size_t directory, uint32_t tag)
{
    struct entry e;
    bool found = find(t, directory, tag, &e) && e.count == 1 && (e.type == TYPE_SHORT || e.type == TYPE_LONG);
    return found ? number(t, e.value, e.bytes) : 0;
}

/* Pixels per metre; 0: unknown. */
static uint32_t resolution(const struct tiff *t, size_t directory, uint32_t tag)
{
    struct entry e;
    if (!find(t, directory, tag, &e) || e.type != TYPE_RATIONAL || e.count != 1)
        return 0;
    double above = number(t, e.value, 4), below = number(t, e.value + 4, 4);
    uint32_t unit = find_number(t, directory, TAG_RESOLUTION_UNIT);
    double scale = unit == UNIT_NONE ? 0 : unit == UNIT_CENTIMETRE ? 100 : INCHES_PER_METRE;
    double per_metre = below > 0 ? round(above / below * scale) : 0;
    return per_metre < INT32_MAX ? (uint32_t)per_metre : 0;
}

static bool is_of_rights(uint32_t tag)
{
    return tag == TAG_ARTIST || tag == TAG_COPYRIGHT;
}

/* Whether the first directory's tag describes the picture. Pictures, smaller copies and private tags are dropped. */
static bool is_kept_tag(uint32_t tag, enum directory directory)
{
    static const uint16_t first[] = {0x010d, 0x010e, 0x010f, 0x0110, 0x011a, 0x011b, 0x011d, 0x0128, 0x0131,
                                     0x0132, 0x013b, 0x013c, 0x013e, 0x013f, 0x0211, 0x0213, 0x4746, 0x4749,
                                     0x8298, 0x8769, 0x8825, 0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f};
    if (directory != FIRST)
        return true;
    for (size_t i = 0; i < GF_ARRAY_LEN(first); i++)
        if (first[i] == tag)
            return true;
    return false;
}

/* The directory that an entry points to; FIRST if it points to none. */
static enum directory named_directory(const struct entry *e, enum directory in)
{
    if (e->count != 1 || e->bytes != 4)
        return FIRST;
    if (in == FIRST && e->tag == TAG_EXIF)
        return EXIF;
    if (in == FIRST && e->tag == TAG_GPS)
        return GPS;
    return in == EXIF && e->tag == TAG_INTEROPERABILITY ? INTEROPERABILITY : FIRST;
}

static size_t count_kept(const struct copy *c, size_t at, enum directory directory);

static bool is_kept(const struct copy *c, const struct entry *e, enum directory directory)
{
    enum directory named = named_directory(e, directory);
    if (!is_kept_tag(e->tag, directory) || e->tag == TAG_ORIENTATION || (c->only_rights && !is_of_rights(e->tag)) ||
        (e->tag == TAG_DESCRIPTION && c->no_description))
        return false;
    if (directory == EXIF && e->tag == TAG_MAKER_NOTE)
        return c->has_maker;
    return named == FIRST || count_kept(c, number(&c->in, e->value, 4), named) > 0;
}

static size_t count_kept(const struct copy *c, size_t at, enum directory directory)
{
    size_t kept = directory == FIRST && c->orientation > 0, n = count_entries(&c->in, at);
    struct entry e;
    for (size_t i = 0; i < n; i++)
        kept += get_entry(&c->in, at, i, &e) && is_kept(c, &e, directory);
    return kept;
}

/* Reserves space at an even offset; fails beyond the limit. */
static size_t reserve(struct copy *c, size_t bytes)
{
    size_t at = c->size + c->size % 2;
    if (c->failed || at > c->limit || c->limit - at < bytes) {
        c->failed = true;
        return 0;
    }
    c->size = at + bytes;
    return at;
}

static void put(struct copy *c, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes && !c->failed; i++)
        c->out[at + (c->big ? bytes - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static void put_entry(struct copy *c, size_t at, uint32_t tag, uint32_t type, size_t count)
{
    put(c, at, tag, 2);
    put(c, at + 2, type, 2);
    put(c, at + 4, count, 4);
}

/* Copies values in the byte order of the output. */
static void put_values(struct copy *c, size_t at, const struct entry *e)
{
    size_t unit = e->bytes / e->count / (e->type == TYPE_RATIONAL || e->type == TYPE_SRATIONAL ? 2 : 1);
    for (size_t i = 0; i < e->bytes && !c->failed; i++) {
        size_t within = i % unit, from = c->big == c->in.big ? i : i - within + (unit - 1 - within);
        c->out[at + i] = c->in.data[e->value + from];
    }
}

static uint64_t copy_directory(struct copy *c, size_t at, enum directory directory);

static void copy_entry(struct copy *c, size_t to, const struct entry *e, enum directory directory)
{
    enum directory named = named_directory(e, directory);
    uint32_t side = directory != EXIF ? 0 : e->tag == TAG_WIDTH ? c->width : e->tag == TAG_HEIGHT ? c->height : 0;
    put_entry(c, to, e->tag, side ? TYPE_LONG : e->type, side ? 1 : e->count);
    if (side)
        put(c, to + 8, side, 4);
    else if (named != FIRST)
        put(c, to + 8, copy_directory(c, number(&c->in, e->value, 4), named), 4);
    else if (e->bytes <= 4)
        put_values(c, to + 8, e);
    else if (directory == EXIF && e->tag == TAG_MAKER_NOTE)
        put(c, to + 8, e->value, 4);
    else {
        size_t value = reserve(c, e->bytes);
        put_values(c, value, e);
        put(c, to + 8, c->base + value, 4);
    }
}

/* Writes a directory and the directories it points to. Returns its offset in the file. */
static uint64_t copy_directory(struct copy *c, size_t at, enum directory directory)
{
    size_t kept = count_kept(c, at, directory), n = count_entries(&c->in, at);
    size_t start = reserve(c, 2 + kept * ENTRY_BYTES + 4), to = start + 2;
    bool orients = directory == FIRST && c->orientation > 0;
    struct entry e;
    put(c, start, kept, 2);
    for (size_t i = 0; i <= n && !c->failed; i++) {
        bool has = i < n && get_entry(&c->in, at, i, &e);
        if (orients && (i == n || (has && e.tag > TAG_ORIENTATION))) {
            put_entry(c, to, TAG_ORIENTATION, TYPE_SHORT, 1);
            put(c, to + 8, c->orientation, 2);
            to += ENTRY_BYTES;
            orients = false;
        }
        if (has && is_kept(c, &e, directory)) {
            copy_entry(c, to, &e, directory);
            to += ENTRY_BYTES;
        }
    }
    return c->base + start;
}

/* Keeps the maker's note at its offset, because it may contain offsets from the beginning of the data. */
static void place_maker_note(struct copy *c, size_t first)
{
    struct entry e;
    size_t exif = find_number(&c->in, first, TAG_EXIF);
    if (c->no_maker || !exif || !find(&c->in, exif, TAG_MAKER_NOTE, &e))
        return;
    c->has_maker = e.bytes <= 4 || (e.value >= HEADER_BYTES && e.value <= MAX_FILLING && e.value <= c->limit &&
                                    c->limit - e.value >= e.bytes);
    if (!c->has_maker || e.bytes <= 4)
        return;
    c->size = e.value + e.bytes;
    memcpy(c->out + e.value, c->in.data + e.value, e.bytes);
}

/* Rewrites the data whose first directory is at `first`; NULL if nothing remains. */
static uint8_t *rewrite(struct copy *c, size_t first, size_t *ret_size)
{
    gf_cleanup(gf_freep) uint8_t *out = calloc(1, c->limit);
    c->out = out;
    c->size = HEADER_BYTES;
    c->big = c->in.big;
    if (!out)
        return NULL;
    place_maker_note(c, first);
    memcpy(out, c->big ? "MM\0*" : "II*\0", 4);
    if (count_kept(c, first, FIRST) == 0)
        return NULL;
    put(c, 4, copy_directory(c, first, FIRST), 4);
    if (c->failed)
        return NULL;
    *ret_size = c->size;
    return gf_steal_ptr(&out);
}

void gf_exif_read_directory(const uint8_t *tiff, size_t size, uint64_t at, bool description, struct gf_image_meta *meta)
{
    struct copy c = {.no_description = !description,
                     .limit = size < GF_EXIF_MAX / 2 ? 2 * size + HEADER_BYTES : GF_EXIF_MAX}; /* with zeros to fill */
    if (!open_tiff(tiff, size, &c.in) || at > size)
        return;
    uint32_t orientation = find_number(&c.in, at, TAG_ORIENTATION);
    if (orientation >= 1 && orientation <= 8)
        meta->orientation = orientation;
    if (!meta->per_metre_x && !meta->per_metre_y) {
        meta->per_metre_x = resolution(&c.in, at, TAG_X_RESOLUTION);
        meta->per_metre_y = resolution(&c.in, at, TAG_Y_RESOLUTION);
    }
    struct entry e;
    if (!meta->iptc.bytes && find(&c.in, at, TAG_IPTC, &e))
        gf_image_block_add(&meta->iptc, tiff + e.value, e.bytes);
    else if (find(&c.in, at, TAG_RESOURCES, &e))
        gf_image_meta_set_iptc(meta, tiff + e.value, e.bytes);
    free(meta->exif);
    meta->exif = rewrite(&c, at, &meta->exif_size);
}

void gf_exif_read(const uint8_t *tiff, size_t size, struct gf_image_meta *meta)
{
    struct tiff t;
    if (open_tiff(tiff, size, &t))
        gf_exif_read_directory(tiff, size, number(&t, 4, 4), true, meta);
}

uint64_t gf_exif_pictures(const uint8_t *tiff, size_t size, uint64_t index, struct gf_exif_place *ret_place)
{
    struct tiff t;
    struct entry e;
    uint64_t n = 0;
    if (!open_tiff(tiff, size, &t) || !find(&t, number(&t, 4, 4), TAG_PICTURES, &e))
        return 0;
    for (size_t at = e.value; at + PICTURE_BYTES <= e.value + e.bytes; at += PICTURE_BYTES) {
        if ((number(&t, at, 4) >> 16 & 0xff) == 1) /* thumbnails */
            continue;
        if (n++ == index)
            *ret_place = (struct gf_exif_place){.size = number(&t, at + 4, 4), .at = number(&t, at + 8, 4)};
    }
    return n;
}

uint8_t *gf_exif_write(const struct gf_image_meta *meta, uint32_t orientation, const struct gf_view *view, size_t limit,
                       size_t *ret_size)
{
    static const uint8_t nothing[] = "MM\0*\0\0\0\x08\0\0\0\0\0";
    struct copy alone = {.in = {nothing, sizeof(nothing) - 1, true}, .limit = 64, .orientation = orientation};
    struct copy c = alone;
    uint8_t *bytes = NULL;
    c.width = (uint32_t)view->width;
    c.height = (uint32_t)view->height;
    c.limit = meta->exif_size + 64 < limit ? meta->exif_size + 64 : limit;
    if (!meta->exif || !open_tiff(meta->exif, meta->exif_size, &c.in))
        return rewrite(&alone, HEADER_BYTES, ret_size);
    c.only_rights = c.no_maker = meta->only_rights;
    struct copy without = c;
    without.no_maker = true;
    bytes = rewrite(&c, number(&c.in, 4, 4), ret_size);
    if (!bytes)
        bytes = rewrite(&without, number(&c.in, 4, 4), ret_size);
    return bytes ? bytes : rewrite(&alone, HEADER_BYTES, ret_size);
}

void gf_exif_parts(const struct gf_image_meta *meta, const struct gf_view *view, uint64_t base,
                   struct gf_exif_parts *ret_parts)
{
    struct copy c = {.base = base, .limit = meta->exif_size + 64, .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__};
    struct gf_exif_parts parts = {.bytes = NULL};
    *ret_parts = parts;
    if (!meta->exif || meta->only_rights || !open_tiff(meta->exif, meta->exif_size, &c.in))
        return;
    size_t first = number(&c.in, 4, 4);
    size_t exif = find_number(&c.in, first, TAG_EXIF), gps = find_number(&c.in, first, TAG_GPS);
    gf_cleanup(gf_freep) uint8_t *out = calloc(1, c.limit);
    c.out = out;
    c.width = (uint32_t)view->width;
    c.height = (uint32_t)view->height;
    if (out && exif && count_kept(&c, exif, EXIF) > 0)
        parts.exif = copy_directory(&c, exif, EXIF);
    if (out && gps && count_kept(&c, gps, GPS) > 0)
        parts.gps = copy_directory(&c, gps, GPS);
    if (c.failed || c.size == 0)
        return;
    parts.bytes = gf_steal_ptr(&out);
    parts.size = c.size;
    *ret_parts = parts;
}

char *gf_exif_text(const struct gf_image_meta *meta, uint16_t tag)
{
    struct tiff t;
    struct entry e;
    if (!meta->exif || (meta->only_rights && !is_of_rights(tag)) || !open_tiff(meta->exif, meta->exif_size, &t) ||
        !find(&t, number(&t, 4, 4), tag, &e) || e.type != TYPE_ASCII)
        return NULL;
    return strndup((const char *)t.data + e.value, e.count);
}

/* Finds the index of interoperability, four bytes. */
static bool find_index(const struct gf_image_meta *meta, size_t *ret_at)
{
    struct tiff t;
    struct entry e;
    if (!meta->exif || !open_tiff(meta->exif, meta->exif_size, &t))
        return false;
    size_t exif = find_number(&t, number(&t, 4, 4), TAG_EXIF);
    size_t directory = exif > 0 ? find_number(&t, exif, TAG_INTEROPERABILITY) : 0;
    if (directory == 0 || !find(&t, directory, TAG_INTEROPERABILITY_INDEX, &e) || e.bytes != 4)
        return false;
    *ret_at = e.value;
    return true;
}

bool gf_exif_is_adobe_rgb(const struct gf_image_meta *meta)
{
    size_t at;
    return find_index(meta, &at) && memcmp(meta->exif + at, "R03", 4) == 0;
}

void gf_exif_set_srgb(struct gf_image_meta *meta)
{
    struct tiff t;
    struct entry e;
    size_t at;
    if (!meta->exif || !open_tiff(meta->exif, meta->exif_size, &t))
        return;
    size_t exif = find_number(&t, number(&t, 4, 4), TAG_EXIF);
    if (exif > 0 && find(&t, exif, TAG_COLOUR_SPACE, &e) && e.type == TYPE_SHORT && e.count == 1) {
        meta->exif[e.value + !t.big] = 0;
        meta->exif[e.value + t.big] = COLOUR_SPACE_SRGB;
    }
    if (gf_exif_is_adobe_rgb(meta) && find_index(meta, &at))
        memcpy(meta->exif + at, "R98", 4);
}
