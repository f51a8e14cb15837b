/* SPDX-License-Identifier: MIT */
/* Writing files with libgpufilterimage; see gpufilter/image.h. */
#include "public.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/base/text.h"

GF_ENDS_WITHOUT_PADDING(gpufilter_image_write_options, delay_ms);
GF_ENDS_WITHOUT_PADDING(gpufilter_image_report, lost);

static int check_view(const gpufilter_view *view, gpufilter_error *err)
{
    if (!view || !view->data || view->data == GPUFILTER_RESIDENT)
        return gf_public_fail(err, GF_E_BAD_VIEW, "the view has no samples in memory");
    if (view->depth > 1)
        return gf_public_fail(err, GF_E_BAD_VIEW, "the view has depth=%" PRIu64 "; allowed: 1, or 0 for 1",
                              view->depth);
    if (view->alpha > GPUFILTER_VIEW_STRAIGHT_ALPHA)
        return gf_public_fail(err, GF_E_BAD_VIEW, "the view has alpha=%" PRIu32 "; allowed: 0 and 1", view->alpha);
    if (view->reserved != 0)
        return gf_public_fail(err, GF_E_BAD_VIEW, "the view has reserved=%" PRIu32 "; allowed: 0", view->reserved);
    if (!gf_dtype_known(view->dtype))
        return gf_public_fail(err, GF_E_BAD_DTYPE, "dtype %" PRIu32 " is not known", view->dtype);
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

/* How a file is written. */
struct writing {
    const char *name; /* for error texts */
    enum gf_image_format format;
    struct gf_image_save save;
    bool is_strict;
    uint32_t delay_ms;
    struct gf_image_meta meta; /* of a source, with another delay */
    struct gf_view view;
    gpufilter_image_report told;
};

/* Checks the caller's options, and sets the codec's options, the format and the name by them. */
static int save_options(const gpufilter_image_write_options *options, const char *path, struct writing *w,
                        gpufilter_error *err)
{
    const uint32_t known = GPUFILTER_IMAGE_STRICT | GPUFILTER_IMAGE_LOSSLESS | GPUFILTER_IMAGE_PROGRESSIVE |
                           GPUFILTER_IMAGE_FLATTEN | GPUFILTER_IMAGE_MOVED;
    gpufilter_image_write_options o = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    struct gf_io_error why;
    int r = options ? gf_public_struct_in(&o, sizeof(o), options, "gpufilter_image_write_options", err) : GF_OK;
    if (r != GF_OK)
        return r;
    const bool sampling = o.subsampling == 0 || o.subsampling == 444 || o.subsampling == 422 || o.subsampling == 420;
    r = gf_public_check(o.quality <= 100, "quality", o.quality, "1..100, or 0 for the default", err);
    if (r == GF_OK)
        r = gf_public_check(sampling, "subsampling", o.subsampling, "444, 422, 420, or 0 for the default", err);
    if (r == GF_OK)
        r = gf_public_check(o.png_level <= 9, "png_level", o.png_level, "1..9, or 0 for the default", err);
    if (r == GF_OK)
        r = gf_public_check((o.flags & ~known) == 0, "flags", o.flags,
                            "GPUFILTER_IMAGE_STRICT, _LOSSLESS, _PROGRESSIVE, _FLATTEN and _MOVED", err);
    if (r == GF_OK)
        r = gf_public_check(o.background[3] == 0, "background[3]", o.background[3], "0", err);
    if (r != GF_OK)
        return r;
    w->is_strict = (o.flags & GPUFILTER_IMAGE_STRICT) != 0;
    w->delay_ms = o.delay_ms;
    w->save = (struct gf_image_save){
        .meta = o.source ? &o.source->image.meta : NULL,
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
        s = gf_image_format_from_word(o.format, &w->format, &why);
    else if (path)
        s = gf_image_format_from_path(path, &w->format, &why);
    else
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "format is NULL; bytes in memory need one");
    if (s == GF_IO_OK && o.keep)
        s = gf_image_keep_parse(o.keep, &w->save.drop, &why);
    if (s == GF_IO_OK && o.compression)
        s = parse_compression(o.compression, &w->save.compression, &why);
    if (s != GF_IO_OK)
        return gf_public_fail_io(err, &why);
    w->name = path ? path : gf_image_format_word(w->format);
    return GF_OK;
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

/* The error of a codec that got samples. */
static int fail_write(gpufilter_error *err, const struct gf_io_error *why)
{
    return why->status == GF_IO_DATA ? gf_public_fail(err, GF_E_UNSUPPORTED, "%s", why->text)
                                     : gf_public_fail_io(err, why);
}

/* Fills the caller's report, which may be NULL. */
static int tell(const struct writing *w, gpufilter_image_report *report, gpufilter_error *err)
{
    return report ? gf_public_struct_out(report, &w->told, sizeof(w->told), "gpufilter_image_report", err) : GF_OK;
}

/* Checks that the samples can be stored with the metadata of w->save.meta, and lists what the file will lack. */
static int plan_view(struct writing *w, const gpufilter_view *view, gpufilter_image_report *report,
                     gpufilter_error *err)
{
    struct gf_image_save *save = &w->save;
    struct gf_io_error why;
    struct gf_error bad;
    w->told = (gpufilter_image_report)GPUFILTER_IMAGE_REPORT_INIT;
    int r = check_view(view, err);
    if (r == GF_OK)
        r = tell(w, report, err);
    if (r != GF_OK)
        return r;
    if (w->delay_ms > 0) {
        w->meta = save->meta ? *save->meta : (struct gf_image_meta){.orientation = 0};
        w->meta.delay[0] = w->delay_ms;
        w->meta.delay[1] = 1000;
        save->meta = &w->meta;
    }
    w->view = gf_view_tight(view->dtype, view->width, view->height, view->channels);
    if (view->pitch != 0)
        w->view.pitch = view->pitch;
    if (gf_view_check(&w->view, "the view", &bad) != GF_OK)
        return gf_public_fail(err, bad.status, "%s: %s", w->name, bad.text);
    save->no_alpha = view->alpha == GPUFILTER_VIEW_NO_ALPHA;
    if (gf_image_can_store(w->format, &w->view, save, w->name, &why) != GF_IO_OK)
        return fail_write(err, &why);
    save->strict = true; /* the list is complete */
    list_losses(w->format, &w->view, save, w->told.lost);
    save->strict = w->is_strict;
    if (!w->told.lost[0] || !w->is_strict)
        return GF_OK;
    tell(w, report, NULL);
    return gf_public_fail(err, GF_E_LOSS, "%s: not kept as %s: %s", w->name, gf_image_format_word(w->format),
                          w->told.lost);
}

/* Writes the samples that plan_view has checked to w->save.to, or as the next page. */
static int store_view(struct writing *w, const void *data, gpufilter_error *err)
{
    struct gf_image_pages *pages = w->save.pages;
    struct gf_io_error why;
    w->save.changed = &w->told.changed;
    if (pages)
        pages->colours_differ = false;
    enum gf_io_status s = gf_image_write(w->name, w->format, &w->view, data, &w->save, &why);
    const bool colours_differ = pages && pages->colours_differ;
    if (s != GF_IO_OK)
        return colours_differ ? gf_public_fail(err, GF_E_LOSS, "%s", why.text) : fail_write(err, &why);
    if (colours_differ)
        gf_text_append(w->told.lost, sizeof(w->told.lost), "%sits own colour space", w->told.lost[0] ? ", " : "");
    w->told.bytes = gf_output_written(pages ? pages->out : w->save.to);
    return GF_OK;
}

/* Writes to the path, or for NULL to memory. */
static int write_image(const char *path, const gpufilter_view *view, const gpufilter_image_write_options *options,
                       void **ret_bytes, size_t *ret_size, gpufilter_image_report *report, gpufilter_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    struct writing w = {.format = GF_FORMAT_NONE};
    struct gf_io_error why;
    int r = save_options(options, path, &w, err);
    if (r == GF_OK)
        r = plan_view(&w, view, report, err);
    if (r != GF_OK)
        return r;
    enum gf_io_status s = path ? gf_output_open(path, true, &out, &why) : gf_output_open_memory(w.name, &out, &why);
    if (s != GF_IO_OK)
        return gf_public_fail_io(err, &why);
    w.save.to = out;
    r = store_view(&w, view->data, err);
    if (r != GF_OK)
        return r;
    s = path ? gf_output_commit(&out, &why) : gf_output_take(&out, ret_bytes, ret_size, &why);
    return s == GF_IO_OK ? tell(&w, report, err) : gf_public_fail_io(err, &why);
}

GF_EXPORT int gpufilter_image_write(const char *path, const gpufilter_view *view,
                                    const gpufilter_image_write_options *options, gpufilter_image_report *report,
                                    gpufilter_error *err)
{
    if (!path)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "path is NULL");
    return write_image(path, view, options, NULL, NULL, report, err);
}

GF_EXPORT int gpufilter_image_write_memory(const gpufilter_view *view, const gpufilter_image_write_options *options,
                                           void **ret_bytes, size_t *ret_size, gpufilter_image_report *report,
                                           gpufilter_error *err)
{
    if (!ret_bytes || !ret_size)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "%s is NULL", ret_bytes ? "ret_size" : "ret_bytes");
    return write_image(NULL, view, options, ret_bytes, ret_size, report, err);
}

/* ---- Several pages ---- */

struct gpufilter_image_file {
    struct writing writing;
    struct gf_image_pages pages;
    bool is_broken; /* a page failed */
    char path[];
};

GF_EXPORT int gpufilter_image_create(const char *path, uint32_t pages, const gpufilter_image_write_options *options,
                                     gpufilter_image_file **ret_file, gpufilter_error *err)
{
    struct gf_io_error why;
    if (!path || !ret_file)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "%s is NULL", path ? "ret_file" : "path");
    int r = gf_public_check(pages > 0, "pages", pages, "1 or more", err);
    if (r != GF_OK)
        return r;
    const size_t size = strlen(path) + 1;
    gpufilter_image_file *file = calloc(1, sizeof(*file) + size);
    if (!file)
        return gf_public_fail(err, GF_E_NO_MEMORY, "%s: out of memory", path);
    memcpy(file->path, path, size);
    file->pages.n = pages;
    r = save_options(options, file->path, &file->writing, err);
    if (r == GF_OK && file->writing.save.meta)
        r = gf_public_fail(err, GF_E_BAD_ARGUMENT, "source is not NULL; gpufilter_image_add takes that of each page");
    if (r == GF_OK && gf_image_can_hold_pages(file->writing.format, pages, path, &why) != GF_IO_OK)
        r = fail_write(err, &why);
    if (r == GF_OK && gf_output_try(path, &why) != GF_IO_OK)
        r = gf_public_fail_io(err, &why);
    if (r != GF_OK) {
        gpufilter_image_discard(file);
        return r;
    }
    file->writing.save.pages = &file->pages;
    *ret_file = file;
    return GF_OK;
}

GF_EXPORT int gpufilter_image_add(gpufilter_image_file *file, const gpufilter_view *view, const gpufilter_image *source,
                                  gpufilter_image_report *report, gpufilter_error *err)
{
    if (!file)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "file is NULL");
    struct writing *w = &file->writing;
    if (file->is_broken)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "%s: a page could not be written before", file->path);
    if (file->pages.done == file->pages.n)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "%s: has its %" PRIu64 " pages", file->path, file->pages.n);
    w->save.meta = source ? &source->image.meta : NULL;
    int r = plan_view(w, view, report, err);
    if (r == GF_OK)
        r = store_view(w, view->data, err);
    if (r == GF_OK)
        r = tell(w, report, err);
    w->save.meta = NULL;
    file->is_broken = r != GF_OK;
    return r;
}

GF_EXPORT int gpufilter_image_commit(gpufilter_image_file *file, gpufilter_error *err)
{
    struct gf_io_error why;
    if (!file)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "file is NULL");
    const struct gf_image_pages *pages = &file->pages;
    int r = GF_OK;
    if (file->is_broken || pages->done < pages->n)
        r = gf_public_fail(err, GF_E_BAD_ARGUMENT, "%s: %" PRIu64 " of %" PRIu64 " pages were added", file->path,
                           pages->done, pages->n);
    else if (gf_image_pages_commit(&file->pages, &why) != GF_IO_OK)
        r = gf_public_fail_io(err, &why);
    gpufilter_image_discard(file);
    return r;
}

GF_EXPORT void gpufilter_image_discard(gpufilter_image_file *file)
{
    if (!file)
        return;
    gf_image_pages_deinit(&file->pages);
    free(file);
}
