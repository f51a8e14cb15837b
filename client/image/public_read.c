/* SPDX-License-Identifier: MIT */
/* Reading files with libgpufilterimage; see gpufilter/image.h. */
#include "public.h"

#include <inttypes.h>
#include <string.h>

#include "client/io/input.h"

GF_ENDS_WITHOUT_PADDING(gpufilter_image_read_options, user);
GF_ENDS_WITHOUT_PADDING(gpufilter_image_facts, sampling);

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
            return gf_public_fail_io(err, &why);
        set |= 1u << format | ((netpbm & 1u << format) != 0 ? netpbm : 0);
        at += n;
    }
    if (set == 0)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "formats=\"%s\" names no format", words);
    *ret_set = set;
    return GF_OK;
}

typedef int take_fn(void *user, gpufilter_image *page, gpufilter_error *err);

/* A call that reads. */
struct reading {
    gpufilter_image_read_options o;
    struct gf_image_load how; /* points into this struct */
    struct gf_image_memory memory;
    const char *path; /* NULL: the bytes */
    const void *bytes;
    size_t size;
    const char *name; /* for error texts */
    take_fn *take;    /* NULL: one picture is read */
    void *take_user;
    gpufilter_error *err;
    int status; /* of `take` */
};

/* Checks the options, and fills in r->how. */
static int load_options(const gpufilter_image_read_options *options, struct reading *r, gpufilter_error *err)
{
    const uint32_t known = GPUFILTER_IMAGE_UPRIGHT | GPUFILTER_IMAGE_SRGB | GPUFILTER_IMAGE_SALVAGE;
    gpufilter_image_read_options *o = &r->o;
    *o = (gpufilter_image_read_options)GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    int s = options ? gf_public_struct_in(o, sizeof(*o), options, "gpufilter_image_read_options", err) : GF_OK;
    if (s != GF_OK)
        return s;
    char most[32];
    snprintf(most, sizeof(most), "up to %" PRIu64, (uint64_t)GF_IMAGE_MAX_FILE);
    s = gf_public_check((o->flags & ~known) == 0, "flags", o->flags, "GPUFILTER_IMAGE_UPRIGHT, _SRGB and _SALVAGE",
                        err);
    if (s == GF_OK)
        s = gf_public_check(o->max_bytes <= GF_IMAGE_MAX_FILE, "max_bytes", o->max_bytes, most, err);
    if (s == GF_OK)
        s = gf_public_check(o->reserved == 0, "reserved", o->reserved, "0", err);
    if (s == GF_OK && !o->fit_width != !o->fit_height)
        s = gf_public_fail(err, GF_E_BAD_ARGUMENT,
                           "fit_width=%" PRIu32 " and fit_height=%" PRIu32 "; allowed: both or none", o->fit_width,
                           o->fit_height);
    if (s == GF_OK && !o->alloc != !o->free)
        s = gf_public_fail(err, GF_E_BAD_ARGUMENT, "%s is NULL; allowed: alloc and free, or none",
                           o->alloc ? "free" : "alloc");
    if (s != GF_OK)
        return s;
    r->memory = (struct gf_image_memory){.take = o->alloc, .give_back = o->free, .user = o->user};
    r->how = (struct gf_image_load){
        .memory = o->alloc ? &r->memory : NULL,
        .threads = o->threads > 0 ? o->threads : 1,
        .page = o->page,
        .max_pixels = o->max_pixels,
        .shrink = o->fit_width > 0 ? shrink_to_fit : NULL,
        .shrink_user = o,
        .salvage = (o->flags & GPUFILTER_IMAGE_SALVAGE) != 0,
        .srgb = (o->flags & GPUFILTER_IMAGE_SRGB) != 0,
        .srgb_is_optional = true,
    };
    r->name = r->path ? gf_input_name(r->path) : o->name ? o->name : "image";
    return o->formats ? parse_formats(o->formats, &r->how.formats, err) : GF_OK;
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

/* Makes the caller's image of a decoded one, which is empty afterwards. */
static enum gf_io_status make_image(const struct reading *r, struct gf_image *decoded, gpufilter_image **ret_image,
                                    struct gf_io_error *err)
{
    gpufilter_image *made = calloc(1, sizeof(*made));
    if (!made)
        return gf_io_fail(err, GF_IO_NO_MEMORY, "%s: out of memory", r->name);
    struct gf_image *image = &made->image;
    *image = *decoded;
    *decoded = GF_IMAGE_NULL;
    made->memory = r->memory;
    if (image->memory)
        image->memory = &made->memory;
    enum gf_io_status s = GF_IO_OK;
    if (!r->how.only_head && (r->o.flags & GPUFILTER_IMAGE_UPRIGHT) != 0)
        s = gf_image_rotate_upright(image, r->name, err);
    if (s != GF_IO_OK) {
        gpufilter_image_free(made);
        return s;
    }
    made->view = view_of(image);
    made->profile = gf_image_profile_name(&image->meta);
    *ret_image = made;
    return GF_IO_OK;
}

/* Gives a page to the caller, whose it is from then on. */
static enum gf_io_status take_page(void *user, struct gf_image *page, struct gf_io_error *err)
{
    struct reading *r = user;
    gpufilter_image *image = NULL;
    enum gf_io_status s = make_image(r, page, &image, err);
    if (s != GF_IO_OK)
        return s;
    r->status = r->take(r->take_user, image, r->err);
    return r->status == GPUFILTER_OK ? GF_IO_OK : gf_io_fail(err, GF_IO_FAILED, "%s: the caller ended it", r->name);
}

static enum gf_io_status decode(struct reading *r, struct gf_image *image, struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes file = {.data = NULL};
    const uint64_t limit = r->o.max_bytes > 0 ? r->o.max_bytes : GF_IMAGE_MAX_FILE;
    if (!r->path) {
        if (r->size > limit)
            return gf_io_fail(err, GF_IO_TOO_LARGE, "%s: %zu bytes; an image file may have at most %" PRIu64, r->name,
                              r->size, limit);
        return gf_image_decode(r->name, r->bytes, r->size, &r->how, image, err);
    }
    enum gf_io_status s = gf_input_read(r->path, limit, "an image file may have at most", &file, err);
    r->how.is_stream = file.is_stream;
    return s == GF_IO_OK ? gf_image_decode(r->name, file.data, file.size, &r->how, image, err) : s;
}

/* Frees the samples of a format whose header cannot be read alone. */
static void drop_samples(struct gf_image *image)
{
    if (image->data && image->free_data)
        image->free_data(image->data);
    image->data = NULL;
    image->free_data = NULL;
}

/* Reads one picture into *ret_image, or gives all to r->take. */
static int read_images(struct reading *r, const gpufilter_image_read_options *options, bool only_head,
                       gpufilter_image **ret_image, gpufilter_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error why;
    if (!r->bytes && r->size > 0)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "bytes is NULL, but its size is %zu", r->size);
    if (!ret_image && !r->take)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "ret_image is NULL");
    int status = load_options(options, r, err);
    if (status != GF_OK)
        return status;
    r->err = err;
    if (r->take) {
        r->how.take = take_page;
        r->how.take_user = r;
    }
    r->how.only_head = only_head;
    if (only_head) {
        r->how.memory = NULL;
        r->how.srgb = false;
    }
    enum gf_io_status s = decode(r, &image, &why);
    if (r->status != GPUFILTER_OK)
        return r->status;
    if (s == GF_IO_OK && only_head)
        drop_samples(&image);
    if (s == GF_IO_OK && !r->take)
        s = make_image(r, &image, ret_image, &why);
    return s == GF_IO_OK ? GF_OK : gf_public_fail_io(err, &why);
}

static int no_path(gpufilter_error *err)
{
    return gf_public_fail(err, GF_E_BAD_ARGUMENT, "path is NULL");
}

GF_EXPORT int gpufilter_image_read(const char *path, const gpufilter_image_read_options *options,
                                   gpufilter_image **ret_image, gpufilter_error *err)
{
    struct reading r = {.path = path};
    return path ? read_images(&r, options, false, ret_image, err) : no_path(err);
}

GF_EXPORT int gpufilter_image_read_memory(const void *bytes, size_t size, const gpufilter_image_read_options *options,
                                          gpufilter_image **ret_image, gpufilter_error *err)
{
    struct reading r = {.bytes = bytes, .size = size};
    return read_images(&r, options, false, ret_image, err);
}

GF_EXPORT int gpufilter_image_info(const char *path, const gpufilter_image_read_options *options,
                                   gpufilter_image **ret_image, gpufilter_error *err)
{
    struct reading r = {.path = path};
    return path ? read_images(&r, options, true, ret_image, err) : no_path(err);
}

GF_EXPORT int gpufilter_image_info_memory(const void *bytes, size_t size, const gpufilter_image_read_options *options,
                                          gpufilter_image **ret_image, gpufilter_error *err)
{
    struct reading r = {.bytes = bytes, .size = size};
    return read_images(&r, options, true, ret_image, err);
}

GF_EXPORT int gpufilter_image_read_pages(const char *path, const gpufilter_image_read_options *options, take_fn *take,
                                         void *user, gpufilter_error *err)
{
    struct reading r = {.path = path, .take = take, .take_user = user};
    if (!take)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "take is NULL");
    return path ? read_images(&r, options, false, NULL, err) : no_path(err);
}

GF_EXPORT int gpufilter_image_read_pages_memory(const void *bytes, size_t size,
                                                const gpufilter_image_read_options *options, take_fn *take, void *user,
                                                gpufilter_error *err)
{
    struct reading r = {.bytes = bytes, .size = size, .take = take, .take_user = user};
    return take ? read_images(&r, options, false, NULL, err) : gf_public_fail(err, GF_E_BAD_ARGUMENT, "take is NULL");
}

GF_EXPORT void gpufilter_image_free(gpufilter_image *image)
{
    if (!image)
        return;
    gf_image_deinit(&image->image);
    free(image->profile);
    free(image);
}

GF_EXPORT const gpufilter_view *gpufilter_image_view(const gpufilter_image *image)
{
    return image ? &image->view : NULL;
}

static const char *or_none(const char *text)
{
    return text ? text : "";
}

GF_EXPORT int gpufilter_image_describe(const gpufilter_image *image, gpufilter_image_facts *facts, gpufilter_error *err)
{
    if (!image || !facts)
        return gf_public_fail(err, GF_E_BAD_ARGUMENT, "%s is NULL", image ? "facts" : "image");
    const struct gf_image *i = &image->image;
    const struct gf_image_meta *m = &i->meta;
    const struct gf_image_coding *c = &i->coding;
    const bool is_whole = i->full_width == 0;
    gpufilter_image_facts f = {
        .flags = gf_flag_if(m->srgb_intent > 0, GPUFILTER_IMAGE_IS_SRGB) |
                 gf_flag_if(m->is_lossy, GPUFILTER_IMAGE_IS_LOSSY) |
                 gf_flag_if(c->is_premultiplied, GPUFILTER_IMAGE_IS_PREMULTIPLIED) |
                 gf_flag_if(m->has_gain_map, GPUFILTER_IMAGE_HAS_GAIN_MAP) |
                 gf_flag_if(m->has_auxiliary, GPUFILTER_IMAGE_HAS_AUXILIARY),
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
        .delay_ms = m->delay[1] ? (uint32_t)(UINT64_C(1000) * m->delay[0] / m->delay[1]) : 0,
        .plays = m->plays,
    };
    memcpy(f.sampling, c->sampling, sizeof(f.sampling));
    return gf_public_struct_out(facts, &f, sizeof(f), "gpufilter_image_facts", err);
}
