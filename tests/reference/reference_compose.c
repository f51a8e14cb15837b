/* SPDX-License-Identifier: MIT */
/* affine and matmul2 of reduce, docs/numerics.md, "affine, matmul2". */
#include "reference_compose.h"

#include <math.h>
#include <stdlib.h>

#include "protocol/ops/enums.h"

#define CHUNK 4096u
#define ROW 128u
#define QUAD 4u
#define BLOCK 64u

struct map {
    bool there;
    double v[4];
};

static struct map then(uint32_t channels, struct map a, struct map b)
{
    struct map m = {.there = true};
    if (!a.there || !b.there)
        return a.there ? a : b;
    if (channels == 2) {
        m.v[0] = a.v[0] * b.v[0];
        m.v[1] = fma(a.v[1], b.v[0], b.v[1]);
        return m;
    }
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t j = 0; j < 2; j++)
            m.v[2 * i + j] = fma(a.v[2 * i + 1], b.v[2 + j], a.v[2 * i] * b.v[j]);
    return m;
}

/* A row of the chunk: elements first..end-1 of e, at most 128. */
static struct map compose_row(uint32_t channels, const struct map *e, uint64_t n)
{
    struct map t[ROW / QUAD] = {0};
    for (uint64_t i = 0; i < n; i++)
        t[i / QUAD] = then(channels, t[i / QUAD], e[i]);
    for (uint32_t d = 1; d < ROW / QUAD; d *= 2)
        for (uint32_t l = 0; l < ROW / QUAD; l += 2 * d)
            t[l] = then(channels, t[l], t[l + d]);
    return t[0];
}

/* e[0..n-1] to e[0]. */
static void compose_all(uint32_t channels, bool column, struct map *e, uint64_t n)
{
    uint64_t chunk = column ? BLOCK : CHUNK;
    do {
        uint64_t chunks = (n + chunk - 1) / chunk;
        for (uint64_t k = 0; k < chunks; k++) {
            uint64_t end = (k + 1) * chunk < n ? (k + 1) * chunk : n;
            struct map acc = {0};
            for (uint64_t i = k * chunk; i < end; i += column ? 1 : ROW)
                acc = then(channels, acc, column ? e[i] : compose_row(channels, &e[i], end - i < ROW ? end - i : ROW));
            e[k] = acc;
        }
        n = chunks;
    } while (n > 1);
}

/* One line, whose channels are s, to pixel `line` of the output. NO_MEMORY. */
static enum gf_status compose_line(const struct gf_reference_sequence *s, uint32_t channels, uint64_t line,
                                   struct gf_reference_buf *out, struct gf_error *err)
{
    uint64_t row = out->view.width * channels;
    struct map gf_cleanup(gf_freep) *e = calloc(s[0].n + 1, sizeof(*e));
    if (!e)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a sequence");
    e[0] = (struct map){true, {1.0, 0.0, 0.0, 1.0}};
    for (uint64_t i = 0; i < s[0].n; i++) {
        e[i].there = true;
        for (uint32_t c = 0; c < channels; c++)
            e[i].v[c] = s[c].x[i];
    }
    if (s[0].n > 0)
        compose_all(channels, s[0].column, e, s[0].n);
    for (uint32_t c = 0; c < channels; c++)
        gf_reference_put(out, (line * channels + c) % row, (line * channels + c) / row,
                         gf_reference_f64_bits(e[0].v[c]));
    return GF_OK;
}

enum gf_status gf_reference_compose(const struct gf_reference_buf *in, uint32_t axis, struct gf_reference_buf *out,
                                    struct gf_error *err)
{
    const uint32_t channels = in->view.channels;
    uint64_t lines = gf_reference_sequences(&in->view, axis) / channels;
    enum gf_status status = GF_OK;
    for (uint64_t line = 0; line < lines && status == GF_OK; line++) {
        struct gf_reference_sequence s[4] = {0};
        for (uint32_t c = 0; c < channels && status == GF_OK; c++)
            status = gf_reference_sequence_init(in, axis, line * channels + c, false, &s[c], err);
        if (status == GF_OK)
            status = compose_line(s, channels, line, out, err);
        for (uint32_t c = 0; c < channels; c++)
            gf_reference_sequence_deinit(&s[c]);
    }
    return status;
}

enum gf_status gf_reference_compose_segments(const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                             struct gf_error *err)
{
    const uint32_t channels = in->view.channels;
    enum gf_status status = GF_OK;
    for (uint64_t i = 0; i + 1 < in[1].view.width && status == GF_OK; i++) {
        struct gf_reference_sequence s[4] = {0};
        for (uint32_t c = 0; c < channels && status == GF_OK; c++)
            status = gf_reference_sequence_cut(in, c, gf_reference_offset(&in[1], i),
                                               gf_reference_offset(&in[1], i + 1), false, &s[c], err);
        if (status == GF_OK)
            status = compose_line(s, channels, i, out, err);
        for (uint32_t c = 0; c < channels; c++)
            gf_reference_sequence_deinit(&s[c]);
    }
    return status;
}
