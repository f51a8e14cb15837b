/* SPDX-License-Identifier: MIT */
/*
 * Writes PNG: every row minus the row above it (filter "up"), deflated by ISA-L at level 1. The picture is cut into
 * independent bands of rows that the cores compress in turn; each becomes one IDAT chunk. The samples are exact, but
 * the file bytes may vary: in ISA-L 2.30 the address of its state decides which of two matches encodes a few of them.
 * Called by image_png.c.
 */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdatomic.h>
#include <string.h>

#include "client/io/threads.h"
#include "png_codec.h"

#define FILTER_UP 2u
/* Bytes of samples in a row chunk: small enough to stay in the cache while they are filtered and compressed, large
 * compared with deflate's window of 32 KiB, which every row chunk starts without. */
#define CHUNK_BYTES (768u << 10)
/* Bytes before the deflated data of a chunk: its length and type. In the first chunk the header of the zlib stream
 * follows. */
#define CHUNK_HEAD 8u
#define ADLER_BASE 65521u

static const uint8_t zlib_head[2] = {0x78, 0x01};

/* One row chunk: its rows, and the PNG chunk made of them. */
struct row_chunk {
    uint64_t row, n_rows;
    uint8_t *chunk;
    size_t size;
    uint32_t adler; /* of the filtered bytes */
    uint64_t raw;   /* number of filtered bytes */
};

struct png_job {
    const struct gf_view *view;
    const uint8_t *data;
    const uint8_t *chunks; /* written before the samples */
    size_t chunks_size;
    struct row_chunk *row_chunks;
    size_t n_row_chunks;
    atomic_size_t next; /* the next row chunk to take */
    atomic_bool failed; /* out of memory */
};

/* Memory that a thread reuses for every row chunk. */
struct scratch {
    struct isal_zstream stream;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
    uint8_t rows[]; /* filtered */
};

/* Completes a chunk whose data are in place. Returns its size. */
static size_t close_chunk(uint8_t *chunk, const char *type, size_t data_size)
{
    gf_put_be32(chunk, (uint32_t)data_size);
    memcpy(chunk + 4, type, 4);
    gf_put_be32(chunk + CHUNK_HEAD + data_size, crc32_gzip_refl(0, chunk + 4, 4 + data_size));
    return CHUNK_HEAD + data_size + 4;
}

/* Filters a row of `size` bytes; `above` is NULL for the first row. 16 bits become big-endian. */
static void filter_row(uint8_t *restrict to, const uint8_t *restrict row, const uint8_t *restrict above, size_t size,
                       bool swap)
{
    to[0] = FILTER_UP;
    to++;
    if (!above)
        memcpy(to, row, size);
    else
        for (size_t i = 0; i < size; i++)
            to[i] = (uint8_t)(row[i] - above[i]);
    for (size_t i = 0; swap && i < size; i += 2) {
        uint8_t low = to[i];
        to[i] = to[i + 1];
        to[i + 1] = low;
    }
}

static uint64_t filter_row_chunk(const struct png_job *job, const struct row_chunk *row_chunk, uint8_t *to)
{
    uint64_t pitch = job->view->pitch;
    for (uint64_t y = row_chunk->row; y < row_chunk->row + row_chunk->n_rows; y++) {
        const uint8_t *row = job->data + y * pitch;
        filter_row(to, row, y > 0 ? row - pitch : NULL, pitch, job->view->dtype == GF_U16);
        to += 1 + pitch;
    }
    return row_chunk->n_rows * (1 + pitch);
}

static bool encode_row_chunk(struct png_job *job, size_t index, struct scratch *s)
{
    struct row_chunk *row_chunk = &job->row_chunks[index];
    bool first = index == 0, last = index + 1 == job->n_row_chunks;
    size_t head = CHUNK_HEAD + (first ? sizeof(zlib_head) : 0);
    row_chunk->raw = filter_row_chunk(job, row_chunk, s->rows);
    row_chunk->adler = isal_adler32(1, s->rows, row_chunk->raw);
    /* Incompressible blocks are stored with five bytes per 64 KiB; the remaining bytes are for the ends and
     * checksums. */
    size_t capacity = row_chunk->raw + row_chunk->raw / 1024 + 1024;
    row_chunk->chunk = malloc(head + capacity + 4);
    if (!row_chunk->chunk)
        return false;
    if (first)
        memcpy(row_chunk->chunk + CHUNK_HEAD, zlib_head, sizeof(zlib_head));
    isal_deflate_stateless_init(&s->stream);
    s->stream.level = 1;
    s->stream.level_buf = s->level;
    s->stream.level_buf_size = sizeof(s->level);
    s->stream.flush = last ? NO_FLUSH : FULL_FLUSH;
    s->stream.end_of_stream = last;
    s->stream.next_in = s->rows;
    s->stream.avail_in = (uint32_t)row_chunk->raw;
    s->stream.next_out = row_chunk->chunk + head;
    s->stream.avail_out = (uint32_t)capacity;
    if (isal_deflate_stateless(&s->stream) != COMP_OK || s->stream.avail_in != 0)
        return false;
    row_chunk->size = close_chunk(row_chunk->chunk, "IDAT", head - CHUNK_HEAD + s->stream.total_out);
    return true;
}

static void *take_row_chunks(void *data)
{
    struct png_job *job = data;
    uint64_t max_bytes = job->row_chunks[0].n_rows * (1 + job->view->pitch);
    gf_cleanup(gf_freep) struct scratch *s = calloc(1, sizeof(*s) + max_bytes);
    size_t index;
    while (!atomic_load(&job->failed) && (index = atomic_fetch_add(&job->next, 1)) < job->n_row_chunks)
        if (!s || !encode_row_chunk(job, index, s))
            atomic_store(&job->failed, true);
    return NULL;
}

/* Cuts the picture into row chunks. The first one has the most rows. */
static bool cut(struct png_job *job)
{
    uint64_t height = job->view->height, rows = CHUNK_BYTES / job->view->pitch;
    rows = rows == 0 ? 1 : rows > height ? height : rows;
    job->n_row_chunks = (height + rows - 1) / rows;
    job->row_chunks = calloc(job->n_row_chunks, sizeof(*job->row_chunks));
    for (size_t i = 0; job->row_chunks && i < job->n_row_chunks; i++) {
        uint64_t row = i * rows;
        job->row_chunks[i] = (struct row_chunk){.row = row, .n_rows = height - row < rows ? height - row : rows};
    }
    return job->row_chunks != NULL;
}

/* The Adler-32 of two concatenated byte strings from the checksums of both: RFC 1950, with the sums of the first
 * carried on. */
static uint32_t join_adler(uint32_t a, uint32_t b, uint64_t b_size)
{
    uint64_t a1 = a & 0xffff, a2 = a >> 16, b1 = b & 0xffff, b2 = b >> 16, n = b_size % ADLER_BASE;
    uint64_t s1 = (a1 + b1 + ADLER_BASE - 1) % ADLER_BASE;
    uint64_t s2 = (a2 + b2 + n * (a1 + ADLER_BASE - 1)) % ADLER_BASE;
    return (uint32_t)(s2 << 16 | s1);
}

/* Writes a chunk. The output remembers failures. */
static void write_chunk(struct gf_output_file *out, uint8_t *chunk, const char *type, size_t data_size)
{
    (void)gf_output_write(out, chunk, close_chunk(chunk, type, data_size), NULL);
}

static void write_file(struct gf_output_file *out, const struct png_job *job)
{
    static const uint8_t types[GF_MAX_CHANNELS + 1] = {0, 0, 4, 2, 6};
    uint8_t chunk[CHUNK_HEAD + 13 + 4];
    uint32_t adler = 1;
    uint8_t *ihdr = chunk + CHUNK_HEAD;
    (void)gf_output_write(out, "\x89PNG\r\n\x1a\n", 8, NULL);
    gf_put_be32(ihdr, (uint32_t)job->view->width);
    gf_put_be32(ihdr + 4, (uint32_t)job->view->height);
    ihdr[8] = job->view->dtype == GF_U16 ? 16 : 8;
    ihdr[9] = types[job->view->channels];
    ihdr[10] = ihdr[11] = ihdr[12] = 0;
    write_chunk(out, chunk, "IHDR", 13);
    (void)gf_output_write(out, job->chunks, job->chunks_size, NULL);
    for (size_t i = 0; i < job->n_row_chunks; i++) {
        (void)gf_output_write(out, job->row_chunks[i].chunk, job->row_chunks[i].size, NULL);
        adler = join_adler(adler, job->row_chunks[i].adler, job->row_chunks[i].raw);
    }
    gf_put_be32(chunk + CHUNK_HEAD, adler); /* the end of the zlib stream, in a chunk of its own */
    write_chunk(out, chunk, "IDAT", 4);
    write_chunk(out, chunk, "IEND", 0);
}

bool gf_png_fast_encode(struct gf_output_file *out, const struct gf_view *view, const void *data, const uint8_t *chunks,
                        size_t chunks_size, uint32_t threads)
{
    struct png_job job = {.view = view, .data = data, .chunks = chunks, .chunks_size = chunks_size};
    bool done = cut(&job);
    if (done) {
        gf_on_threads(threads, job.n_row_chunks, take_row_chunks, &job);
        done = !atomic_load(&job.failed);
    }
    if (done)
        write_file(out, &job);
    for (size_t i = 0; job.row_chunks && i < job.n_row_chunks; i++)
        free(job.row_chunks[i].chunk);
    free(job.row_chunks);
    return done;
}
