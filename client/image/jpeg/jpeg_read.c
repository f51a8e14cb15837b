/* SPDX-License-Identifier: MIT */
/*
 * Reads JPEG through libjpeg-turbo: grey, RGB and CMYK. A file with missing or wrong samples is
 * refused, even if the library would continue with invented ones; other damage gives a warning. Called by image.c.
 */
#include "jpeg_turbo.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "client/image/image_codec.h"
#include "client/image/image_meta.h"
#include "client/io/threads.h"

/* Progressive files have about ten scans. Thousands of scans, each over the whole picture, are an attack on readers. */
#define MAX_SCANS 500
#define ICC_MARKER (JPEG_APP0 + 2)
#define MPF_HEAD "MPF" /* CIPA DC-007, with its null byte */
#define GAIN_MAP_HEAD "urn:iso:std:iso:ts:21496:-1"
#define DOTS_PER_CENTIMETRE 2
/* Entropy decoding takes about two thirds of the time and cannot be skipped: with the cut at this line two threads that
 * both decode all bits finish at about the same time. */
#define FIRST_PERCENT 72u
/* One thread reads a smaller picture before a second one has started. */
#define SECTION_PIXELS (1u << 20)
#define MAX_SECTIONS 32u

struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_progress_mgr progress;
    struct gf_jpeg_failure failure;
    const struct gf_source *src;
    struct gf_image image;
    uint32_t shrink; /* the picture is read at 1/shrink; 0: in full */
    bool has_more;   /* the file announces further pictures after the first, as cameras write them */
    size_t left;     /* bytes after the picture */
    struct gf_io_error *err;
};

static void on_progress(j_common_ptr info)
{
    j_decompress_ptr jpeg = (j_decompress_ptr)info;
    struct gf_jpeg_failure *f = (struct gf_jpeg_failure *)info->err;
    if (jpeg->input_scan_number <= MAX_SCANS)
        return;
    (void)snprintf(f->text, sizeof(f->text), "more than %d scans", MAX_SCANS);
    longjmp(f->back, 1);
}

/* Whether a marker begins with these bytes and has more. */
static bool has_head(jpeg_saved_marker_ptr m, int marker, const char *head, size_t size)
{
    return m->marker == marker && m->data_length > size && memcmp(m->data, head, size) == 0;
}

static void take_comment(jpeg_saved_marker_ptr m, struct gf_image_meta *meta)
{
    uint8_t bytes[2 + UINT16_MAX] = {(uint8_t)(m->data_length >> 8), (uint8_t)m->data_length};
    memcpy(bytes + 2, m->data, m->data_length);
    gf_image_block_add(&meta->comment, bytes, 2 + m->data_length);
}

/* Reads the metadata in the markers before the samples. */
static void read_meta(struct reader *r)
{
    j_decompress_ptr jpeg = &r->jpeg;
    struct gf_image_meta *meta = &r->image.meta;
    gf_cleanup(gf_freep) JOCTET *profile = NULL;
    unsigned int size = 0;
    double per_unit = jpeg->density_unit == GF_JPEG_DOTS_PER_INCH ? 1 / 0.0254
                      : jpeg->density_unit == DOTS_PER_CENTIMETRE ? 100
                                                                  : 0;
    if (jpeg->saw_JFIF_marker) {
        meta->per_metre_x = (uint32_t)lround(jpeg->X_density * per_unit);
        meta->per_metre_y = (uint32_t)lround(jpeg->Y_density * per_unit);
    }
    for (jpeg_saved_marker_ptr m = jpeg->marker_list; m; m = m->next)
        if (has_head(m, GF_JPEG_EXIF, GF_JPEG_EXIF_HEAD, sizeof(GF_JPEG_EXIF_HEAD)))
            gf_exif_read(m->data + sizeof(GF_JPEG_EXIF_HEAD), m->data_length - sizeof(GF_JPEG_EXIF_HEAD), meta);
        else if (has_head(m, GF_JPEG_EXIF, GF_JPEG_XMP_HEAD, sizeof(GF_JPEG_XMP_HEAD)))
            gf_image_meta_set_xmp(meta, m->data + sizeof(GF_JPEG_XMP_HEAD), m->data_length - sizeof(GF_JPEG_XMP_HEAD));
        else if (has_head(m, GF_JPEG_IPTC, GF_JPEG_IPTC_HEAD, sizeof(GF_JPEG_IPTC_HEAD)))
            gf_image_meta_set_iptc(meta, m->data + sizeof(GF_JPEG_IPTC_HEAD),
                                   m->data_length - sizeof(GF_JPEG_IPTC_HEAD));
        else if (m->marker == JPEG_COM && m->data_length > 0)
            take_comment(m, meta);
    for (jpeg_saved_marker_ptr m = jpeg->marker_list; m; m = m->next) {
        r->has_more |= has_head(m, ICC_MARKER, MPF_HEAD, sizeof(MPF_HEAD));
        meta->has_gain_map |= has_head(m, ICC_MARKER, GAIN_MAP_HEAD, sizeof(GAIN_MAP_HEAD));
    }
    if (jpeg_read_icc_profile(jpeg, &profile, &size))
        gf_image_meta_set_profile(meta, profile, size, r->image.view.channels == 1);
}

/* Reads everything before the samples. */
static void open_jpeg(struct reader *r)
{
    j_decompress_ptr jpeg = &r->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg->progress = &r->progress;
    jpeg_mem_src(jpeg, r->src->data, r->src->size);
    jpeg_save_markers(jpeg, GF_JPEG_EXIF, 0xffff);
    jpeg_save_markers(jpeg, ICC_MARKER, 0xffff);
    jpeg_save_markers(jpeg, GF_JPEG_IPTC, 0xffff);
    jpeg_save_markers(jpeg, JPEG_COM, 0xffff);
    (void)jpeg_read_header(jpeg, TRUE);
    bool cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = cmyk ? JCS_CMYK : jpeg->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
}

static enum gf_io_status damaged(const struct reader *r)
{
    return gf_io_fail(r->err, r->failure.no_memory ? GF_IO_NO_MEMORY : GF_IO_DATA,
                      "%s: damaged jpeg, or of an unsupported kind: %s", r->src->name, r->failure.text);
}

/* The orientation in the file's EXIF; 0: none. */
static uint32_t orientation_of(const struct jpeg_decompress_struct *jpeg)
{
    gf_cleanup(gf_image_meta_deinit) struct gf_image_meta meta = {.orientation = 0};
    for (jpeg_saved_marker_ptr m = jpeg->marker_list; m; m = m->next)
        if (has_head(m, GF_JPEG_EXIF, GF_JPEG_EXIF_HEAD, sizeof(GF_JPEG_EXIF_HEAD)))
            gf_exif_read(m->data + sizeof(GF_JPEG_EXIF_HEAD), m->data_length - sizeof(GF_JPEG_EXIF_HEAD), &meta);
    return meta.orientation;
}

/* Lets the library decode at a smaller scale, if the caller wants fewer samples. */
static void shrink(struct reader *r)
{
    j_decompress_ptr jpeg = &r->jpeg;
    const struct gf_image_load *how = &r->src->how;
    uint64_t width = jpeg->image_width, height = jpeg->image_height;
    bool turned = orientation_of(jpeg) >= 5;
    r->shrink = how->shrink ? how->shrink(how->shrink_user, turned ? height : width, turned ? width : height) : 1;
    jpeg->scale_num = 1;
    jpeg->scale_denom = r->shrink;
    jpeg_calc_output_dimensions(jpeg);
}

/* Names how the samples are stored. */
static void read_coding(const struct jpeg_decompress_struct *jpeg, struct gf_image_coding *ret_coding)
{
    static const char *const words[] = {"sequential", "progressive", "sequential, arithmetic",
                                        "progressive, arithmetic"};
    const jpeg_component_info *c = jpeg->comp_info;
    ret_coding->bits = (uint32_t)jpeg->data_precision;
    ret_coding->compression = words[2 * (jpeg->arith_code != 0) + (jpeg->progressive_mode != 0)];
    if (jpeg->num_components < 3 || c[1].h_samp_factor != c[2].h_samp_factor ||
        c[1].v_samp_factor != c[2].v_samp_factor)
        return;
    const int x = c[0].h_samp_factor / c[1].h_samp_factor, y = c[0].v_samp_factor / c[1].v_samp_factor;
    const bool whole = x * c[1].h_samp_factor == c[0].h_samp_factor && y * c[1].v_samp_factor == c[0].v_samp_factor;
    if (whole)
        gf_image_name_sampling(ret_coding, x, y);
}

/* Reads up to the samples and allocates memory for them. This function and the two functions that read samples return
 * to their own setjmp if the file is damaged. */
static enum gf_io_status read_head(struct reader *r)
{
    j_decompress_ptr jpeg = &r->jpeg;
    struct gf_view view;
    if (setjmp(r->failure.back))
        return damaged(r);
    open_jpeg(r);
    enum gf_io_status s = gf_image_plan(r->src, GF_U8, jpeg->image_width, jpeg->image_height,
                                        jpeg->out_color_space == JCS_CMYK        ? 4
                                        : jpeg->out_color_space == JCS_GRAYSCALE ? 1
                                                                                 : 3,
                                        GF_JPEG_PIXELS_PER_BYTE, &view, r->err);
    if (s != GF_IO_OK)
        return s;
    shrink(r);
    view = gf_view_tight(GF_U8, jpeg->output_width, jpeg->output_height, view.channels);
    s = gf_image_alloc(r->src, &view, &r->image, r->err);
    if (s != GF_IO_OK)
        return s;
    r->image.shrink = r->shrink;
    r->image.full_width = jpeg->image_width;
    r->image.full_height = jpeg->image_height;
    read_meta(r);
    read_coding(jpeg, &r->image.coding);
    return GF_IO_OK;
}

/* Reads lines `skip` to `end` (excluded) of a file into the picture, beginning at its line `first`. */
static void read_lines(struct reader *r, uint64_t skip, uint64_t end, uint64_t first)
{
    j_decompress_ptr jpeg = &r->jpeg;
    while (jpeg->output_scanline < end) {
        JSAMPROW row = (uint8_t *)r->image.data + (first + jpeg->output_scanline - skip) * r->image.view.pitch;
        (void)jpeg_read_scanlines(jpeg, &row, 1);
    }
}

/* Whether every channel occurred in a scan. When the first line is ready, all scans have been read, and the library
 * keeps the quantizer of a channel from its first scan on. A channel without a scan would silently get invented
 * samples. */
static bool has_all_channels(const struct jpeg_decompress_struct *jpeg)
{
    for (int i = 0; i < jpeg->num_components; i++)
        if (!jpeg->comp_info[i].quant_table)
            return false;
    return true;
}

/* Whether no sample is missing if the file ends without a mark. Of a progressive file the library knows the bits that
 * the scans have given each coefficient; the end of arithmetic codes it cannot tell from zeros. */
static bool has_all_bits(const struct jpeg_decompress_struct *jpeg)
{
    for (int i = 0; jpeg->coef_bits && i < jpeg->num_components; i++)
        for (int k = 0; k < DCTSIZE2; k++)
            if (jpeg->coef_bits[i][k] != 0)
                return false;
    return !jpeg->arith_code;
}

/* What to do about samples that are missing: a warning in place of the error if the rest is wanted. */
static enum gf_io_status lose(struct reader *r, const char *why)
{
    const uint64_t height = r->image.view.height;
    if (!r->failure.salvage)
        return gf_io_fail(r->err, GF_IO_DATA, "%s: damaged jpeg: %s", r->src->name, why);
    if (r->jpeg.progressive_mode || r->failure.good_rows == 0)
        gf_image_warn(&r->image, "%s: damaged jpeg: %s; salvaged in part", r->src->name, why);
    else
        gf_image_warn(&r->image, "%s: damaged jpeg: %s; salvaged %" PRIu32 " of %" PRIu64 " rows", r->src->name, why,
                      r->failure.good_rows, height);
    return GF_IO_OK;
}

static enum gf_io_status read_samples(struct reader *r)
{
    r->failure.salvage = r->src->how.salvage;
    if (setjmp(r->failure.back)) {
        if (!r->failure.salvage || r->jpeg.output_scanline == 0)
            return damaged(r);
        if (r->failure.good_rows == 0)
            r->failure.good_rows = r->jpeg.output_scanline;
        return lose(r, r->failure.text);
    }
    if (r->failure.salvage)
        memset(r->image.data, 0, gf_view_bytes(&r->image.view));
    (void)jpeg_start_decompress(&r->jpeg);
    read_lines(r, 0, r->jpeg.output_height, 0);
    const bool all = has_all_channels(&r->jpeg), whole = has_all_bits(&r->jpeg);
    if (!all && !r->failure.salvage)
        return lose(r, "a channel has no samples");
    (void)jpeg_finish_decompress(&r->jpeg);
    r->left = r->jpeg.src->bytes_in_buffer;
    return r->failure.text[0]           ? lose(r, r->failure.text)
           : r->failure.ended && !whole ? lose(r, "the file ends too early")
           : all                        ? GF_IO_OK
                                        : lose(r, "a channel has no samples");
}

/* A picture read by several threads, one section of rows each. A file with restart markers is cut there into files, one
 * per section. A file without them has two sections: each thread decodes the bits from the beginning but makes samples
 * only of its own rows. The last section is read to the end of the file, so no damage is missed. */
struct sections {
    const struct reader *whole;
    struct gf_jpeg_restarts restarts;
    uint32_t n;
    uint32_t first[MAX_SECTIONS + 1]; /* lines, the last one the end; with restarts, places */
    atomic_uint next;
    atomic_uint n_good;
    size_t left; /* bytes after the picture, as the last section finds them */
};

/* Reads lines `skip` to `end` (excluded) of a file into the picture, beginning at its line `first`. A warning makes it
 * fail, so that read_samples repeats the work and gives the warning once. */
static bool read_part(struct reader *r, uint64_t skip, uint64_t end, uint64_t first, bool to_the_end)
{
    if (setjmp(r->failure.back))
        return false;
    open_jpeg(r);
    r->jpeg.scale_denom = r->shrink;
    (void)jpeg_start_decompress(&r->jpeg);
    if (skip > 0 && jpeg_skip_scanlines(&r->jpeg, (JDIMENSION)skip) != skip)
        return false;
    read_lines(r, skip, end, first);
    if (to_the_end)
        (void)jpeg_finish_decompress(&r->jpeg);
    r->left = r->jpeg.src->bytes_in_buffer;
    return r->failure.warning[0] == '\0';
}

static bool read_section(struct sections *b, uint32_t i)
{
    gf_cleanup(gf_freep) uint8_t *file = NULL;
    const struct reader *whole = b->whole;
    const struct gf_jpeg_restarts *rs = &b->restarts;
    struct gf_source src = *whole->src;
    bool last = i + 1 == b->n;
    uint64_t scale = rs->n > 0 ? rs->step * rs->lines / whole->shrink : 1, before = 0;
    uint64_t first = b->first[i] * scale, end = last ? whole->image.view.height : b->first[i + 1] * scale;
    if (rs->n > 0) {
        /* Upsampling a line needs some of the rows above and below. */
        uint32_t from = i > 0 ? b->first[i] - 1 : 0;
        file = gf_jpeg_restarts_cut(rs, from, last ? rs->n : b->first[i + 1] + 1, &src.size);
        if (!file)
            return false;
        src.data = file;
        before = from * scale;
    }
    struct reader r = {.progress = {.progress_monitor = on_progress}, .src = &src, .shrink = whole->shrink};
    r.image = (struct gf_image){.view = whole->image.view, .data = whole->image.data};
    r.jpeg.err = gf_jpeg_failure_init(&r.failure);
    bool done = read_part(&r, first - before, end - before, first, last);
    jpeg_destroy_decompress(&r.jpeg);
    if (last)
        b->left = r.left;
    return done;
}

static void *take_sections(void *data)
{
    struct sections *b = data;
    uint32_t i;
    while ((i = atomic_fetch_add(&b->next, 1)) < b->n)
        if (read_section(b, b->n - 1 - i)) /* the sections farthest from the beginning first */
            atomic_fetch_add(&b->n_good, 1);
    return NULL;
}

static void cut(struct sections *b, uint32_t threads)
{
    uint32_t places = b->restarts.n, height = (uint32_t)b->whole->image.view.height;
    b->n = threads < MAX_SECTIONS ? threads : MAX_SECTIONS;
    if (places == 0)
        b->n = 2;
    else if (b->n > places / 2)
        b->n = places / 2;
    for (uint32_t i = 1; i < b->n; i++)
        b->first[i] = places > 0 ? i * places / b->n : height * FIRST_PERCENT / 100;
    b->first[b->n] = places > 0 ? places : height;
}

/* Reads the samples with several threads if that is faster. False if it is not, or if the file is damaged: then
 * read_samples reads it again and words the error. */
static bool read_sections(struct reader *r)
{
    struct sections b = {.whole = r};
    uint32_t threads = r->src->how.threads == 0 ? gf_count_cores() : r->src->how.threads;
    if (threads < 2 || jpeg_has_multiple_scans(&r->jpeg) || r->jpeg.arith_code || r->jpeg.out_color_space == JCS_CMYK ||
        r->image.full_width * r->image.full_height < SECTION_PIXELS)
        return false;
    if (gf_jpeg_restarts_init(&b.restarts, &r->jpeg, r->src->data, r->src->size) && b.restarts.n < 4)
        gf_jpeg_restarts_deinit(&b.restarts);
    if (b.restarts.n == 0 && r->shrink > 1)
        return false; /* entropy decoding is nearly all there is to do */
    cut(&b, threads);
    gf_on_threads(threads, b.n, take_sections, &b);
    gf_jpeg_restarts_deinit(&b.restarts);
    r->left = b.left;
    return atomic_load(&b.n_good) == b.n;
}

/* Turns the light that inks let through, which Adobe stores, into inks. Files without Adobe's marker are read alike by
 * Pillow, vips, ImageMagick and OpenCV. */
static void take_inks(struct gf_image *image)
{
    uint8_t *bytes = image->data;
    image->is_cmyk = true;
    for (uint64_t i = 0; i < gf_view_bytes(&image->view) && bytes; i++)
        bytes[i] = (uint8_t)~bytes[i];
}

/* Stores the warning about a file that was read; that of the library comes first. */
static enum gf_io_status warn(struct reader *r)
{
    if (r->failure.warning[0] && !r->image.warning &&
        asprintf(&r->image.warning, "%s: %s", r->src->name, r->failure.warning) < 0) {
        r->image.warning = NULL;
        return gf_io_fail(r->err, GF_IO_NO_MEMORY, "%s: out of memory", r->src->name);
    }
    return GF_IO_OK;
}

static enum gf_io_status decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct reader r = {.progress = {.progress_monitor = on_progress}, .src = src, .err = err};
    r.jpeg.err = gf_jpeg_failure_init(&r.failure);
    enum gf_io_status s = read_head(&r);
    if (s == GF_IO_OK && !src->how.only_head && !read_sections(&r))
        s = read_samples(&r);
    bool inks = r.jpeg.out_color_space == JCS_CMYK;
    jpeg_destroy_decompress(&r.jpeg);
    if (s == GF_IO_OK && inks)
        take_inks(&r.image);
    if (s == GF_IO_OK)
        s = warn(&r);
    if (s != GF_IO_OK) {
        gf_image_deinit(&r.image);
        return s;
    }
    r.image.file_bytes = src->size - (r.has_more ? 0 : r.left);
    *ret_image = r.image;
    return GF_IO_OK;
}

/* The index of a multi-picture file, in a marker before the samples. */
struct index {
    const uint8_t *data;
    size_t size; /* 0: none */
    uint64_t n;  /* pictures */
};

static struct index find_index(const struct gf_source *src)
{
    struct gf_exif_place place;
    const uint8_t *data = src->data;
    for (size_t at = 2, length; src->size - at >= 4 && data[at] == 0xff && data[at + 1] != 0xda; at += length) {
        length = data[at + 1] == 0xff ? 1 : 2 + ((size_t)data[at + 2] << 8 | data[at + 3]);
        if (length > src->size - at)
            break;
        if (data[at + 1] != ICC_MARKER || length <= 4 + sizeof(MPF_HEAD) ||
            memcmp(data + at + 4, MPF_HEAD, sizeof(MPF_HEAD)) != 0)
            continue;
        struct index index = {.data = data + at + 4 + sizeof(MPF_HEAD), .size = length - 4 - sizeof(MPF_HEAD)};
        index.n = gf_exif_pictures(index.data, index.size, 0, &place);
        if (index.n > 0)
            return index;
    }
    return (struct index){.n = 1};
}

/* Leaves out the picture that is a gain map, by what the header of the first one says. */
static enum gf_io_status drop_gain_map(const struct gf_source *src, struct index *index, struct gf_io_error *err)
{
    gf_cleanup(gf_image_deinit) struct gf_image head = GF_IMAGE_NULL;
    struct gf_source first = *src;
    first.how = (struct gf_image_load){.only_head = true, .max_pixels = src->how.max_pixels};
    enum gf_io_status s = index->n > 1 ? decode(&first, &head, err) : GF_IO_OK;
    index->n -= index->n > 1 && head.meta.has_gain_map;
    return s;
}

/* Picture i of the index as a file of its own. */
static enum gf_io_status cut_picture(const struct gf_source *src, const struct index *index, uint64_t i,
                                     struct gf_source *ret_part, struct gf_io_error *err)
{
    struct gf_exif_place place = {.at = 0};
    const uint64_t base = (uint64_t)(index->data - src->data);
    *ret_part = *src;
    (void)gf_exif_pictures(index->data, index->size, i, &place);
    if (place.at == 0 || place.at > src->size - base || place.size > src->size - base - place.at)
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: picture %" PRIu64 " of %" PRIu64 " lies outside the file, at byte %" PRIu64 " of %zu",
                          src->name, i + 1, index->n, base + place.at, src->size);
    ret_part->data += base + place.at;
    ret_part->size = place.size;
    if (!GF_HAS_MARK(ret_part, 0, "\xff\xd8\xff"))
        return gf_io_fail(err, GF_IO_DATA, "%s: picture %" PRIu64 " of %" PRIu64 ", at byte %" PRIu64 ", is not a jpeg",
                          src->name, i + 1, index->n, base + place.at);
    return GF_IO_OK;
}

enum gf_io_status gf_jpeg_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    struct index index = find_index(src);
    struct gf_pages pages = {.n = 0};
    size_t end = src->size;
    enum gf_io_status s = drop_gain_map(src, &index, err);
    if (s == GF_IO_OK)
        s = gf_image_choose_pages(src, "picture", index.n, &pages, err);
    for (uint64_t i = pages.first; s == GF_IO_OK && i < pages.end; i++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        struct gf_source part = *src;
        if (i > 0)
            s = cut_picture(src, &index, i, &part, err);
        if (s == GF_IO_OK)
            s = decode(&part, &image, err);
        if (s == GF_IO_OK && i == 0)
            end = image.file_bytes;
        if (s == GF_IO_OK)
            s = gf_image_give(src, &pages, &image, ret_image, err);
    }
    ret_image->file_bytes = end;
    return s;
}
