/* SPDX-License-Identifier: MIT */
/* Metadata kept from a file, and XMP as text, whose names are defined in XMP, part 2; see image_meta.h. */
#include "image_meta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_codec.h"

#define RESOURCE_IPTC 0x0404
#define ICC_TAGS 128u /* offset of the number of tags */
/* Gamma of sRGB, and the difference at which libpng takes two gammas for equal. */
#define SRGB_GAMMA 45455
#define NEAR_GAMMA (SRGB_GAMMA / 20)
/* The same for a coordinate of primaries. */
#define NEAR_PRIMARY 1000

const uint8_t gf_geo_sizes[GF_GEO_TAGS] = {8, 8, 8, 2, 8, 1, 1, 1};

void gf_image_block_clear(struct gf_image_block *block)
{
    free(block->bytes);
    *block = (struct gf_image_block){.bytes = NULL};
}

void gf_image_meta_deinit(struct gf_image_meta *meta)
{
    free(meta->profile);
    free(meta->exif);
    free(meta->xmp);
    for (size_t i = 0; meta->geo && i < GF_GEO_TAGS; i++)
        free(meta->geo->tags[i].values);
    free(meta->geo);
    gf_image_block_clear(&meta->light);
    gf_image_block_clear(&meta->iptc);
    gf_image_block_clear(&meta->comment);
    gf_image_block_clear(&meta->text);
    *meta = (struct gf_image_meta){0};
}

void gf_image_block_add(struct gf_image_block *block, const void *bytes, size_t size)
{
    uint8_t *longer = size <= GF_BLOCK_MAX - block->size ? realloc(block->bytes, block->size + size) : NULL;
    if (!longer)
        return;
    memcpy(longer + block->size, bytes, size);
    block->bytes = longer;
    block->size += size;
}

struct gf_image_meta gf_image_meta_without(const struct gf_image_meta *meta, uint32_t facts)
{
    struct gf_image_meta kept = *meta;
    if ((facts & GF_FACT(PROFILE)) != 0)
        kept.profile = NULL;
    if ((facts & GF_FACT(EXIF)) != 0)
        kept.orientation = 0;
    if ((facts & GF_FACT(EXIF)) != 0 && (facts & GF_FACT(RIGHTS)) != 0)
        kept.exif = NULL;
    kept.only_rights = (facts & GF_FACT(EXIF)) != 0;
    if ((facts & GF_FACT(XMP)) != 0)
        kept.xmp = NULL;
    if ((facts & GF_FACT(IPTC)) != 0)
        kept.iptc.bytes = NULL;
    if ((facts & GF_FACT(COMMENT)) != 0)
        kept.comment.bytes = NULL;
    if ((facts & GF_FACT(TEXT)) != 0)
        kept.text.bytes = NULL;
    if ((facts & GF_FACT(RESOLUTION)) != 0) {
        kept.per_metre_x = kept.per_metre_y = 0;
        memset(kept.without_unit, 0, sizeof(kept.without_unit));
    }
    if ((facts & GF_FACT(GEO)) != 0)
        kept.geo = NULL;
    if ((facts & GF_FACT(COLOUR)) != 0) {
        kept.gamma = kept.srgb_intent = 0;
        memset(kept.primaries, 0, sizeof(kept.primaries));
        memset(kept.cicp, 0, sizeof(kept.cicp));
        kept.light.bytes = NULL;
    }
    return kept;
}

/* A resource has a number, a name after its length, and data after their length; names with their length, and data, are
 * padded to even sizes. */
void gf_image_meta_set_iptc(struct gf_image_meta *meta, const uint8_t *resources, size_t size)
{
    for (size_t at = 0, end; size - at >= 12 && !meta->iptc.bytes; at = end) {
        const uint8_t *resource = resources + at;
        size_t head = 6 + (resource[6] + 2u) / 2 * 2 + 4;
        if (memcmp(resource, GF_RESOURCE_HEAD, 4) != 0 || head > size - at)
            return;
        size_t bytes = gf_get_be32(resource + head - 4), pad = bytes % 2;
        if (bytes > size - at - head)
            return;
        end = size - at - head - bytes < pad ? size : at + head + bytes + pad;
        if ((resource[4] << 8 | resource[5]) == RESOURCE_IPTC && bytes > 0)
            gf_image_block_add(&meta->iptc, resource + head, bytes);
    }
}

static bool is_near(uint32_t a, int b, int near)
{
    return abs((int)a - b) <= near;
}

static bool has_srgb_primaries(const uint32_t p[8])
{
    static const int srgb[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    bool none = true, same = true;
    for (size_t i = 0; i < GF_ARRAY_LEN(srgb); i++) {
        none = none && p[i] == 0;
        same = same && is_near(p[i], srgb[i], NEAR_PRIMARY);
    }
    return none || same;
}

static bool is_srgb_transfer(uint32_t transfer)
{
    return transfer <= 2 || transfer == 6 || transfer == 7 || (transfer >= 13 && transfer <= 15);
}

bool gf_cicp_is_srgb(uint32_t primaries, uint32_t transfer)
{
    return (primaries <= 2 || (primaries >= 5 && primaries <= 7)) && is_srgb_transfer(transfer);
}

bool gf_cicp_is_hdr(uint32_t transfer)
{
    return transfer == 16 || transfer == 18;
}

bool gf_image_has_srgb_curve(const struct gf_image_meta *meta)
{
    if (meta->cicp[0])
        return is_srgb_transfer(meta->cicp[1]);
    return meta->profile || meta->srgb_intent || !meta->gamma || is_near(meta->gamma, SRGB_GAMMA, NEAR_GAMMA);
}

/* The numbers of H.273 come before a profile and the mark of sRGB, the others after them. */
bool gf_image_colour(const struct gf_image_meta *meta, char text[GF_COLOUR_TEXT])
{
    text[0] = '\0';
    if (meta->cicp[0] && !gf_cicp_is_srgb(meta->cicp[0], meta->cicp[1]))
        snprintf(text, GF_COLOUR_TEXT, "primaries %u, transfer %u of H.273", meta->cicp[0], meta->cicp[1]);
    else if (meta->cicp[0] || meta->profile || meta->srgb_intent)
        return false;
    else if (!gf_image_has_srgb_curve(meta))
        snprintf(text, GF_COLOUR_TEXT, "gamma %g", meta->gamma / 1e5);
    else if (!has_srgb_primaries(meta->primaries))
        snprintf(text, GF_COLOUR_TEXT, "primaries of its own");
    return text[0] != '\0';
}

void gf_image_meta_set_profile(struct gf_image_meta *meta, const void *profile, size_t size, bool is_grey)
{
    free(meta->profile);
    meta->profile = size > 0 && size <= GF_IMAGE_MAX_PROFILE ? malloc(size) : NULL;
    meta->profile_size = meta->profile ? size : 0;
    meta->profile_is_grey = is_grey;
    if (meta->profile)
        memcpy(meta->profile, profile, size);
}

/* The data of a tag of the profile, inside it; NULL: none. ICC.1:2010, 7.3. */
static const uint8_t *find_tag(const struct gf_image_meta *meta, const char *tag, size_t *ret_size)
{
    const uint8_t *p = meta->profile;
    const size_t all = meta->profile_size, count = all >= ICC_TAGS + 4 ? gf_get_be32(p + ICC_TAGS) : 0;
    for (size_t i = 0; i < count && ICC_TAGS + 4 + 12 * (i + 1) <= all; i++) {
        const uint8_t *entry = p + ICC_TAGS + 4 + 12 * i;
        const size_t at = gf_get_be32(entry + 4), size = gf_get_be32(entry + 8);
        if (memcmp(entry, tag, 4) != 0 || at > all || size > all - at)
            continue;
        *ret_size = size;
        return p + at;
    }
    return NULL;
}

/* Reads a unit of big-endian UTF-16. */
static uint32_t unit(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

/* Converts UTF-16 of `n` units. Half a pair becomes a question mark. */
static char *to_utf8(const uint8_t *from, size_t n)
{
    char *text = malloc(3 * n + 1), *to = text;
    for (size_t i = 0; text && i < n; i++) {
        uint32_t c = unit(from + 2 * i);
        const uint32_t low = i + 1 < n ? unit(from + 2 * i + 2) : 0;
        if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
            i++;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = '?';
        }
        const uint32_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; /* bytes after the first */
        *to++ = (char)(more == 0 ? c : (0xff00u >> (more + 1) & 0xff) | c >> 6 * more);
        for (uint32_t k = more; k > 0; k--)
            *to++ = (char)(0x80 | (c >> 6 * (k - 1) & 0x3f));
    }
    if (text)
        *to = '\0';
    return text;
}

char *gf_image_profile_name(const struct gf_image_meta *meta)
{
    size_t size = 0;
    const uint8_t *desc = meta->profile ? find_tag(meta, "desc", &size) : NULL;
    if (!desc || size < 12)
        return NULL;
    if (memcmp(desc, "desc", 4) == 0) { /* version 2 */
        const size_t length = gf_get_be32(desc + 8);
        return length <= size - 12 ? strndup((const char *)desc + 12, length) : NULL;
    }
    if (memcmp(desc, "mluc", 4) != 0 || size < 28 || gf_get_be32(desc + 8) == 0)
        return NULL;
    const size_t length = gf_get_be32(desc + 20), at = gf_get_be32(desc + 24); /* of the first language */
    return at <= size && length <= size - at ? to_utf8(desc + at, length / 2) : NULL;
}

/* The beginning of the element that has `name` at the end of its name, searched back to `from`; NULL: `name` is not in
 * an opening tag. */
static char *tag_begin(char *from, char *found, const char *name)
{
    char *at = found, after = found[strlen(name)];
    while (at > from && !strchr("<>/:='\" \t\r\n", at[-1]))
        at--;
    return after && strchr(">/ \t\r\n", after) && at > from && at[-1] == '<' ? at - 1 : NULL;
}

/* The end of the element; NULL: it is not closed. */
static char *tag_end(const char *begin, char *found, const char *name)
{
    char *end = strchr(found, '>');
    size_t length = (size_t)(found - begin) - 1 + strlen(name);
    if (!end || end[-1] == '/') /* empty element */
        return end ? end + 1 : NULL;
    while ((end = strstr(end, "</")) && (strncmp(end + 2, begin + 1, length) != 0 || end[2 + length] != '>'))
        end += 2;
    return end ? end + length + 3 : NULL;
}

/* Removes every element of this name, which begins with a colon if the prefix may be any. False if an element is not
 * closed: the rest cannot be interpreted. */
static bool cut_elements(char *xmp, const char *name)
{
    char *to = xmp, *from = xmp, *at = xmp; /* end of the kept text, beginning of the unread text, search position */
    while ((at = strstr(at, name))) {
        char *begin = tag_begin(from, at, name);
        char *end = begin ? tag_end(begin, at, name) : NULL;
        if (begin && !end)
            return false;
        at += strlen(name);
        if (!begin)
            continue;
        memmove(to, from, (size_t)(begin - from));
        to += begin - from;
        from = at = end;
    }
    memmove(to, from, strlen(from) + 1);
    return true;
}

/* Removes every attribute whose name begins like this. */
static void cut_attributes(char *xmp, const char *prefix)
{
    char *to = xmp, *from = xmp; /* end of the kept text, beginning of the unread text */
    for (char *at = xmp; (at = strstr(at, prefix));) {
        bool named = at > xmp && strchr(" \t\r\n", at[-1]);
        char *value = named ? at + strcspn(at, "=<>/ \t\r\n") : at;
        bool quoted = value[0] == '=' && (value[1] == '"' || value[1] == '\'');
        char *end = quoted ? strchr(value + 2, value[1]) : NULL;
        if (!end) {
            at += strlen(prefix);
            continue;
        }
        memmove(to, from, (size_t)(at - from));
        to += at - from;
        from = at = end + 1;
    }
    memmove(to, from, strlen(from) + 1);
}

void gf_image_meta_set_xmp(struct gf_image_meta *meta, const void *xmp, size_t size)
{
    gf_cleanup(gf_freep) char *text = size > 0 && size <= GF_XMP_MAX ? malloc(size + 1) : NULL;
    if (!text)
        return;
    memcpy(text, xmp, size);
    text[size] = '\0';
    while (size > 0 && text[size - 1] == '\0')
        size--;
    if (strlen(text) != size)
        return; /* UTF-16 */
    meta->has_gain_map |= strstr(text, "hdrgm:Version") || strstr(text, "Semantic=\"GainMap\"");
    if (!cut_elements(text, ":Thumbnails") || !cut_elements(text, "Container:Directory") ||
        !cut_elements(text, "hdrgm:Version"))
        return; /* damaged */
    cut_attributes(text, "hdrgm:");
    free(meta->xmp);
    meta->xmp_size = strlen(text);
    meta->xmp = gf_steal_ptr(&text);
}

/* Sets the digit of tiff:Orientation="6", ='6' or <tiff:Orientation>6</... */
static void set_orientation(char *xmp, char digit)
{
    static const char name[] = "tiff:Orientation";
    for (char *at = strstr(xmp, name); at; at = strstr(at, name)) {
        at += strlen(name);
        char *value = at + strspn(at, " \t\r\n=\"'>");
        if (value > at && *value >= '1' && *value <= '8')
            *value = digit;
    }
}

char *gf_xmp_write(const struct gf_image_meta *meta, uint32_t orientation)
{
    char *xmp = meta->xmp ? strdup(meta->xmp) : NULL;
    if (xmp)
        set_orientation(xmp, (char)('0' + (orientation ? orientation : 1)));
    return xmp;
}
