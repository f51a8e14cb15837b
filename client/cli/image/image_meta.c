/* SPDX-License-Identifier: MIT */
/* Metadata kept from a file, and XMP as text, whose names are defined in XMP, part 2; see image_meta.h. */
#include "image_meta.h"

#include <string.h>

void gf_image_meta_deinit(struct gf_image_meta *meta)
{
    free(meta->profile);
    free(meta->exif);
    free(meta->xmp);
    *meta = (struct gf_image_meta){0};
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

#define THUMBNAILS ":Thumbnails"

/* The beginning of the element that has `colon` in its name, searched back to `from`; NULL: `colon` is not in an
 * opening tag. */
static char *tag_begin(char *from, char *colon)
{
    char *at = colon, after = colon[strlen(THUMBNAILS)];
    while (at > from && !strchr("<>/:='\" \t\r\n", at[-1]))
        at--;
    return after && strchr(">/ \t\r\n", after) && at > from && at[-1] == '<' ? at - 1 : NULL;
}

/* The end of the element; NULL: it is not closed. */
static char *tag_end(const char *begin, char *colon)
{
    char *end = strchr(colon, '>');
    size_t name = (size_t)(colon - begin) - 1 + strlen(THUMBNAILS);
    if (!end || end[-1] == '/') /* empty element */
        return end ? end + 1 : NULL;
    while ((end = strstr(end, "</")) && (strncmp(end + 2, begin + 1, name) != 0 || end[2 + name] != '>'))
        end += 2;
    return end ? end + name + 3 : NULL;
}

/* Removes every list of thumbnails, whatever its prefix. False if a list is not closed: the rest cannot be
 * interpreted. */
static bool cut_thumbnails(char *xmp)
{
    char *to = xmp, *from = xmp, *colon = xmp; /* end of the kept text, beginning of the unread text, search position */
    while ((colon = strstr(colon, THUMBNAILS))) {
        char *begin = tag_begin(from, colon);
        char *end = begin ? tag_end(begin, colon) : NULL;
        if (begin && !end)
            return false;
        colon += strlen(THUMBNAILS);
        if (!begin)
            continue;
        memmove(to, from, (size_t)(begin - from));
        to += begin - from;
        from = colon = end;
    }
    memmove(to, from, strlen(from) + 1);
    return true;
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
    if (strlen(text) != size || !cut_thumbnails(text))
        return; /* UTF-16, or damaged */
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
