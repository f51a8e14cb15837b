/* SPDX-License-Identifier: MIT */
/* The functions of libgpufilterimage over the codecs; see gpufilter/image.h. */
#include <gpufilter/image.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "client/io/input.h"
#include "image.h"
#include "image_format.h"
#include "protocol/base/error.h"
#include "protocol/base/sized_struct.h"
#include "protocol/base/text.h"

#define EXPORT __attribute__((visibility("default")))

GF_ENDS_WITHOUT_PADDING(gpufilter_image_read_options, user);
GF_ENDS_WITHOUT_PADDING(gpufilter_image_facts, sampling);
GF_ENDS_WITHOUT_PADDING(gpufilter_image_write_options, reserved);
GF_ENDS_WITHOUT_PADDING(gpufilter_image_report, lost);
GF_ENDS_WITHOUT_PADDING(gpufilter_image_format, library);

struct gpufilter_image {
    struct gf_image image;
    struct gf_image_memory memory; /* of the caller, which image.memory points to */
    gpufilter_view view;
    char *profile; /* its name; NULL: none */
};

static int fail(gpufilter_error *err, enum gf_status status, const char *fmt, ...) gf_printf(3, 4);

static int fail(gpufilter_error *err, enum gf_status status, const char *fmt, ...)
{
    va_list args;
    if (!err)
        return (int)status;
    memset(err, 0, sizeof(*err));
    err->status = (int32_t)status;
    va_start(args, fmt);
    gf_text_sentence(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return (int)status;
}

/* The status of the library for one of the codecs. */
static int fail_io(gpufilter_error *err, const struct gf_io_error *why)
{
    static const enum gf_status of_io[] = {
        [GF_IO_OK] = GF_OK,
        [GF_IO_USAGE] = GF_E_BAD_ARGUMENT,
        [GF_IO_DATA] = GF_E_BAD_FILE,
        [GF_IO_TOO_LARGE] = GF_E_TOO_LARGE,
        [GF_IO_UNSUPPORTED] = GF_E_UNSUPPORTED,
        [GF_IO_NO_INPUT] = GF_E_NO_INPUT,
        [GF_IO_NO_MEMORY] = GF_E_NO_MEMORY,
        [GF_IO_INTERNAL] = GF_E_INTERNAL,
        [GF_IO_CANT_CREATE] = GF_E_CANT_CREATE,
        [GF_IO_FAILED] = GF_E_IO,
    };
    return fail(err, of_io[why->status], "%s", why->text);
}

static int struct_in(void *ret, size_t size, const void *from, const char *name, gpufilter_error *err)
{
    struct gf_error why;
    return gf_struct_in(ret, size, from, name, &why) == GF_OK ? GF_OK
                                                              : fail(err, (enum gf_status)why.status, "%s", why.text);
}

static int struct_out(void *to, const void *from, size_t size, const char *name, gpufilter_error *err)
{
    struct gf_error why;
    return gf_struct_out(to, from, size, name, &why) == GF_OK ? GF_OK
                                                              : fail(err, (enum gf_status)why.status, "%s", why.text);
}

/* BAD_ARGUMENT unless a member is within what is allowed. */
static int check(bool good, const char *name, uint64_t value, const char *allowed, gpufilter_error *err)
{
    return good ? GF_OK : fail(err, GF_E_BAD_ARGUMENT, "%s=%" PRIu64 "; allowed: %s", name, value, allowed);
}

/* ---- Reading ---- */

/* The largest divisor that leaves twice the size that is wanted. */
static uint32_t shrink_to_fit(void *user, uint64_t width, uint64_t height)
{
    const gpufilter_image_read_options *o = user;
    uint32_t by = 8;
    while (by > 1 && width / by < UINT64_C(2) * o->fit_width && height / by < UINT64_C(2) * o->fit_height)
        by /= 2;
    return by;
}

/* Parses the words of formats into a set. */
static int parse_formats(const char *words, uint32_t *ret_set, gpufilter_error *err)
{
    const uint32_t netpbm = 1u << GF_FORMAT_PGM | 1u << GF_FORMAT_PPM | 1u << GF_FORMAT_PNM | 1u << GF_FORMAT_PAM;
    struct gf_io_error why;
    char word[16];
    uint32_t set = 0;
    for (const char *at = words + strspn(words, ", "); *at; at += strspn(at, ", ")) {
        const size_t n = strcspn(at, ", ");
        enum gf_image_format format;
        snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word)), at);
        if (gf_image_format_from_word(word, &format, &why) != GF_IO_OK)
            return fail_io(err, &why);
        set |= 1u << format | ((netpbm & 1u << format) != 0 ? netpbm : 0);
        at += n;
    }
    if (set == 0)
        return fail(err, GF_E_BAD_ARGUMENT, "formats=\"%s\" names no format", words);
    *ret_set = set;
    return GF_OK;
}

/* Checks the options, and fills in *ret_how for the codecs, which keeps pointers to `o` and `memory`. */
static int load_options(const gpufilter_image_read_options *options, gpufilter_image_read_options *o,
                        struct gf_image_memory *memory, struct gf_image_load *ret_how, gpufilter_error *err)
{
    const uint32_t known = GPUFILTER_IMAGE_UPRIGHT | GPUFILTER_IMAGE_SRGB | GPUFILTER_IMAGE_SALVAGE;
    *o = (gpufilter_image_read_options)GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    int r = options ? struct_in(o, sizeof(*o), options, "gpufilter_image_read_options", err) : GF_OK;
    if (r != GF_OK)
        return r;
    char most[32];
    snprintf(most, sizeof(most), "up to %" PRIu64, (uint64_t)GF_IMAGE_MAX_FILE);
    r = check((o->flags & ~known) == 0, "flags", o->flags, "GPUFILTER_IMAGE_UPRIGHT, _SRGB and _SALVAGE", err);
    if (r == GF_OK)
        r = check(o->max_bytes <= GF_IMAGE_MAX_FILE, "max_bytes", o->max_bytes, most, err);
    if (r == GF_OK)
        r = check(o->reserved == 0, "reserved", o->reserved, "0", err);
    if (r == GF_OK && !o->fit_width != !o->fit_height)
        r = fail(err, GF_E_BAD_ARGUMENT, "fit_width=%" PRIu32 " and fit_height=%" PRIu32 "; allowed: both or none",
                 o->fit_width, o->fit_height);
    if (r == GF_OK && !o->alloc != !o->free)
        r = fail(err, GF_E_BAD_ARGUMENT, "%s is NULL; allowed: alloc and free, or none", o->alloc ? "free" : "alloc");
    if (r != GF_OK)
        return r;
    *memory = (struct gf_image_memory){.take = o->alloc, .give_back = o->free, .user = o->user};
    *ret_how = (struct gf_image_load){
        .memory = o->alloc ? memory : NULL,
        .threads = o->threads > 0 ? o->threads : 1,
        .page = o->page,
        .max_pixels = o->max_pixels,
        .shrink = o->fit_width > 0 ? shrink_to_fit : NULL,
        .shrink_user = o,
        .salvage = (o->flags & GPUFILTER_IMAGE_SALVAGE) != 0,
        .srgb = (o->flags & GPUFILTER_IMAGE_SRGB) != 0,
        .srgb_is_optional = true,
    };
    return o->formats ? parse_formats(o->formats, &ret_how->formats, err) : GF_OK;
}

static gpufilter_view view_of(const struct gf_image *image)
{
    const struct gf_view *v = &image->view;
    gpufilter_view view = gpufilter_tight_view(image->data, v->width, v->height, v->dtype, v->channels);
    view.depth = 1;
    view.pitch = v->pitch;
    view.plane_pitch = v->height * v->pitch;
    view.alpha = gf_image_has_alpha(image, v->channels) ? GPUFILTER_VIEW_STRAIGHT_ALPHA : GPUFILTER_VIEW_NO_ALPHA;
    return view;
}

/* A file in memory, or one to be read. */
struct source {
    const char *path; /* NULL: the bytes */
    const void *bytes;
    size_t size;
    bool only_head;
};

static enum gf_io_status decode(const struct source *from, const gpufilter_image_read_options *o,
                                struct gf_image_load *how, struct gf_image *image, struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes file = {.data = NULL};
    const uint64_t limit = o->max_bytes > 0 ? o->max_bytes : GF_IMAGE_MAX_FILE;
    const char *name = o->name ? o->name : "image";
    if (!from->path) {
        if (from->size > limit)
            return gf_io_fail(err, GF_IO_TOO_LARGE, "%s: %zu bytes; an image file may have at most %" PRIu64, name,
                              from->size, limit);
        return gf_image_decode(name, from->bytes, from->size, how, image, err);
    }
    enum gf_io_status r = gf_input_read(from->path, limit, "an image file may have at most", &file, err);
    how->is_stream = file.is_stream;
    return r == GF_IO_OK ? gf_image_decode(gf_input_name(from->path), file.data, file.size, how, image, err) : r;
}

/* Frees the samples of a format whose header cannot be read alone. */
static void drop_samples(struct gf_image *image)
{
    if (image->data && image->free_data)
        image->free_data(image->data);
    image->data = NULL;
    image->free_data = NULL;
}

static int read_image(const struct source *from, const gpufilter_image_read_options *options,
                      gpufilter_image **ret_image, gpufilter_error *err)
{
    gpufilter_image_read_options o;
    struct gf_image_load how;
    struct gf_io_error why;
    if (!ret_image || (!from->path && !from->bytes && from->size > 0))
        return fail(err, GF_E_BAD_ARGUMENT, "%s is NULL", ret_image ? "path or bytes" : "ret_image");
    gpufilter_image *made = calloc(1, sizeof(*made));
    if (!made)
        return fail(err, GF_E_NO_MEMORY, "image: out of memory");
    int r = load_options(options, &o, &made->memory, &how, err);
    if (r != GF_OK) {
        free(made);
        return r;
    }
    how.only_head = from->only_head;
    if (from->only_head) {
        how.memory = NULL;
        how.srgb = false;
    }
    struct gf_image *image = &made->image;
    enum gf_io_status s = decode(from, &o, &how, image, &why);
    if (s == GF_IO_OK && from->only_head)
        drop_samples(image);
    else if (s == GF_IO_OK && (o.flags & GPUFILTER_IMAGE_UPRIGHT) != 0)
        s = gf_image_rotate_upright(image, from->path ? gf_input_name(from->path) : o.name ? o.name : "image", &why);
    if (s != GF_IO_OK) {
        gpufilter_image_free(made);
        return fail_io(err, &why);
    }
    made->view = view_of(image);
    made->profile = gf_image_profile_name(&image->meta);
    *ret_image = made;
    return GF_OK;
}

EXPORT int gpufilter_image_read(const char *path, const gpufilter_image_read_options *options,
                                gpufilter_image **ret_image, gpufilter_error *err)
{
    if (!path)
        return fail(err, GF_E_BAD_ARGUMENT, "path is NULL");
    return read_image(&(struct source){.path = path}, options, ret_image, err);
}

EXPORT int gpufilter_image_read_memory(const void *bytes, size_t size, const gpufilter_image_read_options *options,
                                       gpufilter_image **ret_image, gpufilter_error *err)
{
    return read_image(&(struct source){.bytes = bytes, .size = size}, options, ret_image, err);
}

EXPORT int gpufilter_image_info(const char *path, const gpufilter_image_read_options *options,
                                gpufilter_image **ret_image, gpufilter_error *err)
{
    if (!path)
        return fail(err, GF_E_BAD_ARGUMENT, "path is NULL");
    return read_image(&(struct source){.path = path, .only_head = true}, options, ret_image, err);
}

EXPORT int gpufilter_image_info_memory(const void *bytes, size_t size, const gpufilter_image_read_options *options,
                                       gpufilter_image **ret_image, gpufilter_error *err)
{
    return read_image(&(struct source){.bytes = bytes, .size = size, .only_head = true}, options, ret_image, err);
}

EXPORT void gpufilter_image_free(gpufilter_image *image)
{
    if (!image)
        return;
    gf_image_deinit(&image->image);
    free(image->profile);
    free(image);
}

EXPORT const gpufilter_view *gpufilter_image_view(const gpufilter_image *image)
{
    return image ? &image->view : NULL;
}

static const char *or_none(const char *text)
{
    return text ? text : "";
}

static uint32_t flag_if(bool has, uint32_t flag)
{
    return has ? flag : 0;
}

EXPORT int gpufilter_image_describe(const gpufilter_image *image, gpufilter_image_facts *facts, gpufilter_error *err)
{
    if (!image || !facts)
        return fail(err, GF_E_BAD_ARGUMENT, "%s is NULL", image ? "facts" : "image");
    const struct gf_image *i = &image->image;
    const struct gf_image_meta *m = &i->meta;
    const struct gf_image_coding *c = &i->coding;
    const bool is_whole = i->full_width == 0;
    gpufilter_image_facts f = {
        .flags = flag_if(m->srgb_intent > 0, GPUFILTER_IMAGE_IS_SRGB) | flag_if(m->is_lossy, GPUFILTER_IMAGE_IS_LOSSY) |
                 flag_if(c->is_premultiplied, GPUFILTER_IMAGE_IS_PREMULTIPLIED) |
                 flag_if(m->has_gain_map, GPUFILTER_IMAGE_HAS_GAIN_MAP) |
                 flag_if(m->has_auxiliary, GPUFILTER_IMAGE_HAS_AUXILIARY),
        .format = or_none(i->kind),
        .warning = or_none(i->warning),
        .note = or_none(i->note),
        .compression = or_none(c->compression),
        .profile = or_none(image->profile),
        .file_bytes = i->file_bytes,
        .pages = i->pages > 0 ? i->pages : 1,
        .full_width = is_whole ? i->view.width : i->full_width,
        .full_height = is_whole ? i->view.height : i->full_height,
        .profile_bytes = m->profile ? m->profile_size : 0,
        .exif_bytes = m->exif ? m->exif_size : 0,
        .xmp_bytes = m->xmp ? m->xmp_size : 0,
        .iptc_bytes = m->iptc.size,
        .comment_bytes = m->comment.size,
        .text_bytes = m->text.size,
        .shrink = i->shrink > 1 ? i->shrink : 1,
        .orientation = m->orientation,
        .bits = c->bits ? c->bits : 8 * (uint32_t)gf_dtype_size(i->view.dtype),
        .bands = c->bands ? c->bands : i->view.channels,
        .sides = m->sides,
        .per_metre_x = m->per_metre_x,
        .per_metre_y = m->per_metre_y,
        .gamma = m->gamma,
        .primaries = m->cicp[0],
        .transfer = m->cicp[1],
    };
    memcpy(f.sampling, c->sampling, sizeof(f.sampling));
    return struct_out(facts, &f, sizeof(f), "gpufilter_image_facts", err);
}

/* ---- Writing ---- */

static int check_view(const gpufilter_view *view, gpufilter_error *err)
{
    if (!view || !view->data || view->data == GPUFILTER_RESIDENT)
        return fail(err, GF_E_BAD_VIEW, "the view has no samples in memory");
    if (view->depth > 1)
        return fail(err, GF_E_BAD_VIEW, "the view has depth=%" PRIu64 "; allowed: 1, or 0 for 1", view->depth);
    if (view->alpha > GPUFILTER_VIEW_STRAIGHT_ALPHA)
        return fail(err, GF_E_BAD_VIEW, "the view has alpha=%" PRIu32 "; allowed: 0 and 1", view->alpha);
    if (view->reserved != 0)
        return fail(err, GF_E_BAD_VIEW, "the view has reserved=%" PRIu32 "; allowed: 0", view->reserved);
    if (!gf_dtype_known(view->dtype))
        return fail(err, GF_E_BAD_DTYPE, "dtype %" PRIu32 " is not known", view->dtype);
    return GF_OK;
}

static enum gf_io_status parse_compression(const char *word, enum gf_compression *ret, struct gf_io_error *err)
{
    for (enum gf_compression c = GF_COMPRESSION_NONE; c < GF_N_COMPRESSIONS; c++)
        if (strcmp(word, gf_compression_words[c]) == 0) {
            *ret = c;
            return GF_IO_OK;
        }
    return gf_io_fail(err, GF_IO_USAGE, "compression \"%s\"; it must be one of " GF_COMPRESSION_WORDS, word);
}

/* Checks the options, and makes those of the codecs and the format. */
static int save_options(const gpufilter_image_write_options *options, const char *path, bool no_alpha,
                        enum gf_image_format *ret_format, struct gf_image_save *save, gpufilter_error *err)
{
    const uint32_t known = GPUFILTER_IMAGE_STRICT | GPUFILTER_IMAGE_LOSSLESS | GPUFILTER_IMAGE_PROGRESSIVE |
                           GPUFILTER_IMAGE_FLATTEN | GPUFILTER_IMAGE_MOVED;
    gpufilter_image_write_options o = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    struct gf_io_error why;
    int r = options ? struct_in(&o, sizeof(o), options, "gpufilter_image_write_options", err) : GF_OK;
    if (r != GF_OK)
        return r;
    const bool sampling = o.subsampling == 0 || o.subsampling == 444 || o.subsampling == 422 || o.subsampling == 420;
    r = check(o.quality <= 100, "quality", o.quality, "1..100, or 0 for the default", err);
    if (r == GF_OK)
        r = check(sampling, "subsampling", o.subsampling, "444, 422, 420, or 0 for the default", err);
    if (r == GF_OK)
        r = check(o.png_level <= 9, "png_level", o.png_level, "1..9, or 0 for the default", err);
    if (r == GF_OK)
        r = check((o.flags & ~known) == 0, "flags", o.flags,
                  "GPUFILTER_IMAGE_STRICT, _LOSSLESS, _PROGRESSIVE, _FLATTEN and _MOVED", err);
    if (r == GF_OK)
        r = check(o.background[3] == 0, "background[3]", o.background[3], "0", err);
    if (r == GF_OK)
        r = check(o.reserved == 0, "reserved", o.reserved, "0", err);
    if (r != GF_OK)
        return r;
    *save = (struct gf_image_save){
        .meta = o.source ? &o.source->image.meta : NULL,
        .strict = true, /* the list of losses is complete */
        .no_alpha = no_alpha,
        .is_moved = (o.flags & GPUFILTER_IMAGE_MOVED) != 0,
        .quality = o.quality,
        .lossless = (o.flags & GPUFILTER_IMAGE_LOSSLESS) != 0,
        .subsampling = o.subsampling,
        .progressive = (o.flags & GPUFILTER_IMAGE_PROGRESSIVE) != 0,
        .png_level = o.png_level,
        .flatten = (o.flags & GPUFILTER_IMAGE_FLATTEN) != 0,
        .background = {o.background[0], o.background[1], o.background[2]},
        .threads = o.threads > 0 ? o.threads : 1,
    };
    enum gf_io_status s = GF_IO_OK;
    if (o.format)
        s = gf_image_format_from_word(o.format, ret_format, &why);
    else if (path)
        s = gf_image_format_from_path(path, ret_format, &why);
    else
        return fail(err, GF_E_BAD_ARGUMENT, "format is NULL; bytes in memory need one");
    if (s == GF_IO_OK && o.keep)
        s = gf_image_keep_parse(o.keep, &save->drop, &why);
    if (s == GF_IO_OK && o.compression)
        s = parse_compression(o.compression, &save->compression, &why);
    return s == GF_IO_OK ? GF_OK : fail_io(err, &why);
}

/* Lists what the file will lack: facts, the place on the earth, and that the last channel is not alpha. */
static void list_losses(enum gf_image_format format, const struct gf_view *view, const struct gf_image_save *save,
                        char list[GF_LOST_TEXT])
{
    gf_image_lost(format, view, save, list);
    if (save->meta && save->meta->geo && !(save->drop & GF_FACT(GEO)) && !gf_image_keeps_geo(format, view, save))
        gf_text_append(list, GF_LOST_TEXT, "%sGeoTIFF", list[0] ? ", " : "");
    if (save->no_alpha && view->channels % 2 == 0 && gf_image_implies_alpha(format))
        gf_text_append(list, GF_LOST_TEXT, "%sthat the last channel is not alpha", list[0] ? ", " : "");
}

/* Writes to the path, or for NULL to memory. */
static int write_image(const char *path, const gpufilter_view *view, const gpufilter_image_write_options *options,
                       void **ret_bytes, size_t *ret_size, gpufilter_image_report *report, gpufilter_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    gpufilter_image_report told = GPUFILTER_IMAGE_REPORT_INIT;
    enum gf_image_format format = GF_FORMAT_NONE;
    struct gf_image_save save;
    struct gf_io_error why;
    int r = check_view(view, err);
    if (r == GF_OK)
        r = save_options(options, path, view->alpha == GPUFILTER_VIEW_NO_ALPHA, &format, &save, err);
    if (r == GF_OK && report) /* before anything is written */
        r = struct_out(report, &told, sizeof(told), "gpufilter_image_report", err);
    if (r != GF_OK)
        return r;
    struct gf_view v = gf_view_tight(view->dtype, view->width, view->height, view->channels);
    if (view->pitch != 0)
        v.pitch = view->pitch;
    const char *name = path ? path : gf_image_format_word(format);
    struct gf_error bad;
    if (gf_view_check(&v, "the view", &bad) != GF_OK)
        return fail(err, bad.status, "%s: %s", name, bad.text);
    if (gf_image_can_store(format, &v, &save, name, &why) != GF_IO_OK)
        return why.status == GF_IO_DATA ? fail(err, GF_E_UNSUPPORTED, "%s", why.text) : fail_io(err, &why);
    list_losses(format, &v, &save, told.lost);
    if (told.lost[0] && options && (options->flags & GPUFILTER_IMAGE_STRICT) != 0) {
        if (report)
            struct_out(report, &told, sizeof(told), "gpufilter_image_report", NULL);
        return fail(err, GF_E_LOSS, "%s: not kept as %s: %s", name, gf_image_format_word(format), told.lost);
    }
    enum gf_io_status s = path ? gf_output_open(path, true, &out, &why) : gf_output_open_memory(name, &out, &why);
    save.to = out;
    save.changed = &told.changed;
    if (s == GF_IO_OK)
        s = gf_image_write(name, format, &v, view->data, &save, &why);
    if (s == GF_IO_OK) {
        told.bytes = gf_output_written(out);
        s = path ? gf_output_commit(&out, &why) : gf_output_take(&out, ret_bytes, ret_size, &why);
    }
    if (s != GF_IO_OK)
        return s == GF_IO_DATA ? fail(err, GF_E_UNSUPPORTED, "%s", why.text) : fail_io(err, &why);
    return report ? struct_out(report, &told, sizeof(told), "gpufilter_image_report", err) : GF_OK;
}

EXPORT int gpufilter_image_write(const char *path, const gpufilter_view *view,
                                 const gpufilter_image_write_options *options, gpufilter_image_report *report,
                                 gpufilter_error *err)
{
    if (!path)
        return fail(err, GF_E_BAD_ARGUMENT, "path is NULL");
    return write_image(path, view, options, NULL, NULL, report, err);
}

EXPORT int gpufilter_image_write_memory(const gpufilter_view *view, const gpufilter_image_write_options *options,
                                        void **ret_bytes, size_t *ret_size, gpufilter_image_report *report,
                                        gpufilter_error *err)
{
    if (!ret_bytes || !ret_size)
        return fail(err, GF_E_BAD_ARGUMENT, "%s is NULL", ret_bytes ? "ret_size" : "ret_bytes");
    return write_image(NULL, view, options, ret_bytes, ret_size, report, err);
}

/* ---- Formats ---- */

EXPORT int gpufilter_image_get_format(uint32_t index, gpufilter_image_format *format, gpufilter_error *err)
{
    char version[128];
    uint32_t at = GF_FORMAT_NONE;
    if (!format)
        return fail(err, GF_E_BAD_ARGUMENT, "format is NULL");
    do /* y4m is of streams alone, and no extension names it */
        at++;
    while (at < GF_N_FORMATS && (gf_formats[at].extensions[0] == '\0' || index-- > 0));
    if (at >= GF_N_FORMATS)
        return fail(err, GF_E_UNSUPPORTED, "there is no such format");
    const struct gf_format *f = &gf_formats[at];
    const struct gf_library_use *use = f->library;
    const bool loads = !use || (use->built_in && use->version(version, sizeof(version)));
    const gpufilter_image_format told = {
        .flags = flag_if(f->decode && loads, GPUFILTER_IMAGE_READS) |
                 flag_if(loads && (!f->ready || f->ready(f->word, NULL) == GF_IO_OK), GPUFILTER_IMAGE_WRITES) |
                 flag_if(f->has_pages, GPUFILTER_IMAGE_PAGES) | flag_if(f->is_array, GPUFILTER_IMAGE_ARRAY),
        .word = f->word,
        .extensions = f->extensions,
        .library = use ? use->name : "",
    };
    return struct_out(format, &told, sizeof(told), "gpufilter_image_format", err);
}
