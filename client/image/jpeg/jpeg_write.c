/* SPDX-License-Identifier: MIT */
/*
 * Writes JPEG through libjpeg-turbo. A large picture is cut into bands of rows that the cores encode in turn. Each band
 * but the first begins with a restart marker, which every JPEG reader understands; the samples are the same as without.
 * Called by image.c.
 */
#include "jpeg_turbo.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "client/image/image_codec.h"
#include "client/image/image_meta.h"
#include "client/io/threads.h"

/* Pixels of a row chunk: enough work for a thread, and few markers. */
#define CHUNK_PIXELS (1u << 20)
/* The restart interval has 16 bits. */
#define MAX_INTERVAL 65535u
#define FIRST_BYTES (256u << 10)
#define MARKER_SOF0 0xc0
#define MARKER_SOF2 0xc2 /* of a progressive file */
#define MARKER_SOS 0xda
#define MARKER_RST0 0xd0
#define MARKER_EOI 0xd9

/* One row chunk: its rows, encoded as a whole file. */
struct row_chunk {
    uint64_t row, n_rows;
    uint8_t *bytes;
    size_t size;
};

struct jpeg_job {
    const struct gf_view *view;
    const uint8_t *data;
    const struct gf_image_save *save;
    struct row_chunk *row_chunks;
    size_t n_row_chunks;
    uint32_t quality;
    uint32_t block_width, block_height; /* pixels of a block, with its samples of all channels */
    uint32_t interval;                  /* blocks of pixels in a row chunk; 0: there is only one row chunk */
    atomic_size_t next;
    atomic_bool failed;
    char text[JMSG_LENGTH_MAX]; /* the error of the first failure */
};

struct writer {
    struct jpeg_destination_mgr destination; /* first, as in gf_jpeg_failure */
    struct jpeg_compress_struct jpeg;
    struct gf_jpeg_failure failure;
    struct row_chunk *row_chunk;
    size_t capacity;
    uint8_t *exif;
    char *xmp;
};

/* Offers libjpeg the row chunk's bytes after the `used` ones. */
static void offer(struct writer *w, size_t used)
{
    w->destination.next_output_byte = w->row_chunk->bytes + used;
    w->destination.free_in_buffer = w->capacity - used;
}

static void grow(j_compress_ptr jpeg, size_t used, size_t capacity)
{
    struct writer *w = (struct writer *)jpeg->dest;
    uint8_t *bytes = realloc(w->row_chunk->bytes, capacity);
    if (!bytes)
        ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    w->row_chunk->bytes = bytes;
    w->capacity = capacity;
    offer(w, used);
}

static void start_output(j_compress_ptr jpeg)
{
    grow(jpeg, 0, FIRST_BYTES);
}

static boolean more_output(j_compress_ptr jpeg)
{
    struct writer *w = (struct writer *)jpeg->dest;
    grow(jpeg, w->capacity, 2 * w->capacity);
    return TRUE;
}

static void end_output(j_compress_ptr jpeg)
{
    struct writer *w = (struct writer *)jpeg->dest;
    w->row_chunk->size = w->capacity - w->destination.free_in_buffer;
}

static void set_density(j_compress_ptr jpeg, const struct gf_image_meta *meta)
{
    long x = lround(meta->per_metre_x * 0.0254), y = lround(meta->per_metre_y * 0.0254);
    if (x < 1 || y < 1 || x > UINT16_MAX || y > UINT16_MAX)
        return;
    jpeg->density_unit = GF_JPEG_DOTS_PER_INCH;
    jpeg->X_density = (UINT16)x;
    jpeg->Y_density = (UINT16)y;
}

/* Writes a marker with a name and a block, unless they are too large for a marker. */
static void write_block(struct writer *w, const char *head, size_t head_size, const void *block, size_t size)
{
    unsigned int all = (unsigned int)(head_size + size);
    if (!block || size > GF_JPEG_MAX_MARKER - head_size)
        return;
    jpeg_write_m_header(&w->jpeg, GF_JPEG_EXIF, all);
    for (size_t i = 0; i < head_size; i++)
        jpeg_write_m_byte(&w->jpeg, head[i]);
    for (size_t i = 0; i < size; i++)
        jpeg_write_m_byte(&w->jpeg, ((const uint8_t *)block)[i]);
}

/* Writes IPTC as the only resource of Photoshop: its number, an empty name, the number of its bytes, padded to even. */
static void write_iptc(j_compress_ptr jpeg, const struct gf_image_block *iptc)
{
    static const char head[] = GF_JPEG_IPTC_HEAD "\0" GF_RESOURCE_HEAD "\4\4\0\0";
    if (!iptc->bytes || iptc->size > GF_JPEG_MAX_BLOCK)
        return;
    const unsigned int n = (unsigned int)iptc->size, pad = n % 2;
    jpeg_write_m_header(jpeg, GF_JPEG_IPTC, (unsigned int)sizeof(head) - 1 + 4 + n + pad);
    for (size_t i = 0; i < sizeof(head) - 1; i++)
        jpeg_write_m_byte(jpeg, head[i]);
    for (int shift = 24; shift >= 0; shift -= 8)
        jpeg_write_m_byte(jpeg, (int)(n >> shift & 0xff));
    for (size_t i = 0; i < n + pad; i++)
        jpeg_write_m_byte(jpeg, i < n ? iptc->bytes[i] : 0);
}

/* The writer owns the blocks, because libjpeg may jump away. */
static void write_meta(struct writer *w, const struct gf_image_meta *meta, const struct gf_view *view)
{
    j_compress_ptr jpeg = &w->jpeg;
    size_t size = 0;
    w->exif = gf_exif_write(meta, meta->orientation, view, GF_JPEG_MAX_MARKER - sizeof(GF_JPEG_EXIF_HEAD), &size);
    w->xmp = gf_xmp_write(meta, meta->orientation);
    write_block(w, GF_JPEG_EXIF_HEAD, sizeof(GF_JPEG_EXIF_HEAD), w->exif, size);
    write_block(w, GF_JPEG_XMP_HEAD, sizeof(GF_JPEG_XMP_HEAD), w->xmp, w->xmp ? strlen(w->xmp) : 0);
    write_iptc(jpeg, &meta->iptc);
    const struct gf_image_block *comment = &meta->comment;
    for (size_t at = 0, n; comment->bytes && at < comment->size; at += 2 + n) {
        n = (size_t)comment->bytes[at] << 8 | comment->bytes[at + 1];
        jpeg_write_marker(jpeg, JPEG_COM, comment->bytes + at + 2, (unsigned int)n);
    }
    if (meta->profile && meta->profile_is_grey == (jpeg->input_components == 1))
        jpeg_write_icc_profile(jpeg, meta->profile, (unsigned int)meta->profile_size);
}

static void set_picture(j_compress_ptr jpeg, const struct jpeg_job *job, uint64_t n_rows)
{
    jpeg->image_width = (JDIMENSION)job->view->width;
    jpeg->image_height = (JDIMENSION)n_rows;
    jpeg->input_components = (int)job->view->channels;
    jpeg->in_color_space = job->view->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, (int)job->quality, TRUE);
    jpeg->comp_info[0].h_samp_factor = (int)job->block_width / DCTSIZE;
    jpeg->comp_info[0].v_samp_factor = (int)job->block_height / DCTSIZE;
    if (job->save->progressive)
        jpeg_simple_progression(jpeg);
    jpeg->restart_interval = job->interval;
}

/* Encodes a row chunk as a file. Only the first one gets the metadata. */
static bool encode_row_chunk(struct writer *w, const struct jpeg_job *job, struct row_chunk *row_chunk)
{
    j_compress_ptr jpeg = &w->jpeg;
    const struct gf_image_meta *meta = row_chunk->row == 0 ? job->save->meta : NULL;
    w->row_chunk = row_chunk;
    if (setjmp(w->failure.back))
        return false;
    jpeg_create_compress(jpeg);
    jpeg->dest = &w->destination;
    set_picture(jpeg, job, row_chunk->n_rows);
    if (meta)
        set_density(jpeg, meta);
    jpeg_start_compress(jpeg, TRUE);
    if (meta)
        write_meta(w, meta, job->view);
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW row = (uint8_t *)(uintptr_t)(job->data + (row_chunk->row + jpeg->next_scanline) * job->view->pitch);
        (void)jpeg_write_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_compress(jpeg);
    return true;
}

static void *take_row_chunks(void *data)
{
    struct jpeg_job *job = data;
    size_t index;
    while (!atomic_load(&job->failed) && (index = atomic_fetch_add(&job->next, 1)) < job->n_row_chunks) {
        struct writer w = {.destination = {.init_destination = start_output,
                                           .empty_output_buffer = more_output,
                                           .term_destination = end_output}};
        w.jpeg.err = gf_jpeg_failure_init(&w.failure);
        bool done = encode_row_chunk(&w, job, &job->row_chunks[index]);
        jpeg_destroy_compress(&w.jpeg);
        free(w.exif);
        free(w.xmp);
        if (!done && !atomic_exchange(&job->failed, true))
            memcpy(job->text, w.failure.text, sizeof(job->text));
    }
    return NULL;
}

/* Chooses the quality and the size of blocks: 8x8 pixels for grey and for colour at full resolution, 16 where the
 * colour has half of it. */
static void choose_blocks(struct jpeg_job *job)
{
    const struct gf_image_save *save = job->save;
    job->quality = save->quality ? save->quality : GF_JPEG_QUALITY;
    uint32_t subsampling = save->subsampling ? save->subsampling : job->quality >= GF_JPEG_FINE ? 444 : 420;
    bool colour = job->view->channels > 1;
    job->block_width = colour && subsampling != 444 ? 2 * DCTSIZE : DCTSIZE;
    job->block_height = colour && subsampling == 420 ? 2 * DCTSIZE : DCTSIZE;
}

/* Cuts the picture at rows of blocks. A progressive file has all rows in each of its scans and is not cut. */
static bool cut(struct jpeg_job *job)
{
    const struct gf_view *v = job->view;
    uint32_t side = job->block_height;
    uint64_t blocks = (v->width + job->block_width - 1) / job->block_width;
    uint64_t rows = CHUNK_PIXELS / (blocks * job->block_width * side);
    if (rows > MAX_INTERVAL / blocks)
        rows = MAX_INTERVAL / blocks;
    rows = rows > 0 ? rows * side : side;
    if (job->save->progressive)
        rows = v->height;
    job->n_row_chunks = (v->height + rows - 1) / rows;
    job->interval = job->n_row_chunks > 1 ? (uint32_t)(rows / side * blocks) : 0;
    job->row_chunks = calloc(job->n_row_chunks, sizeof(*job->row_chunks));
    for (size_t i = 0; job->row_chunks && i < job->n_row_chunks; i++) {
        uint64_t row = i * rows;
        job->row_chunks[i] = (struct row_chunk){.row = row, .n_rows = v->height - row < rows ? v->height - row : rows};
    }
    return job->row_chunks != NULL;
}

/* Returns the offset of the samples in a file; *ret_height is the offset of the height in its header. */
static size_t find_samples(const uint8_t *bytes, size_t *ret_height)
{
    size_t at = 2;
    for (;;) {
        uint8_t marker = bytes[at + 1];
        if (marker == MARKER_SOF0 || marker == MARKER_SOF2)
            *ret_height = at + 5;
        at += 2 + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
        if (marker == MARKER_SOS)
            return at;
    }
}

/* Writes the first row chunk's file with the height of the whole picture, then the samples of the others, each after a
 * restart marker. */
static void write_file(struct gf_output_file *out, const struct jpeg_job *job)
{
    uint8_t marker[2] = {0xff};
    for (size_t i = 0; i < job->n_row_chunks; i++) {
        const struct row_chunk *row_chunk = &job->row_chunks[i];
        size_t height = 0, samples = find_samples(row_chunk->bytes, &height), from = i == 0 ? 0 : samples;
        if (i == 0) {
            row_chunk->bytes[height] = (uint8_t)(job->view->height >> 8);
            row_chunk->bytes[height + 1] = (uint8_t)job->view->height;
        } else {
            marker[1] = (uint8_t)(MARKER_RST0 + (i - 1) % 8);
            (void)gf_output_write(out, marker, sizeof(marker), NULL);
        }
        (void)gf_output_write(out, row_chunk->bytes + from, row_chunk->size - from - sizeof(marker), NULL);
    }
    marker[1] = MARKER_EOI;
    (void)gf_output_write(out, marker, sizeof(marker), NULL);
}

const uint32_t gf_jpeg_holds = GF_FACT(PROFILE) | GF_FACT(EXIF) | GF_FACT(XMP) | GF_FACT(RESOLUTION) |
                               GF_FACT(ORIENTATION) | GF_FACT(IPTC) | GF_FACT(COMMENT);

enum gf_io_status gf_jpeg_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    struct jpeg_job job = {.view = view, .data = data, .save = save};
    choose_blocks(&job);
    if (!cut(&job))
        return gf_io_fail(err, GF_IO_NO_MEMORY, "jpeg: out of memory");
    gf_on_threads(save->threads, job.n_row_chunks, take_row_chunks, &job);
    bool failed = atomic_load(&job.failed);
    if (!failed)
        write_file(out, &job);
    for (size_t i = 0; i < job.n_row_chunks; i++)
        free(job.row_chunks[i].bytes);
    free(job.row_chunks);
    /* The output reports its own failure in better words. */
    enum gf_io_status s = gf_output_write(out, NULL, 0, err);
    return s == GF_IO_OK && failed ? gf_io_fail(err, GF_IO_INTERNAL, "jpeg: %s", job.text) : s;
}
