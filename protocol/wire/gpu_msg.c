/* SPDX-License-Identifier: MIT */
/* The figures of a GPU between struct and bytes; see gpu_msg.h. */
#include "gpu_msg.h"

#include <inttypes.h>
#include <string.h>

#include "records.h"

#define RECORD (8u + 8u * GF_N_GPU_FIGURES)

_Static_assert(GF_N_GPU_FIGURES < 64, "a bit per figure");

#define GF_GPU(name, family, labels, units, max) max,
static const uint64_t g_max[GF_N_GPU_FIGURES] = {
#include "gpu_figures.def"
};
#undef GF_GPU

bool gf_gpu_knows(const struct gf_gpu_figures *f, enum gf_gpu_figure figure)
{
    return (f->known >> figure & 1) != 0;
}

void gf_gpu_set(struct gf_gpu_figures *f, enum gf_gpu_figure figure, uint64_t value)
{
    if (value > g_max[figure])
        return;
    f->known |= UINT64_C(1) << figure;
    f->of[figure] = value;
}

/* Whether the text can be a label of a figure as it is. */
static bool text_is_fine(const char *text)
{
    return strlen(text) < GF_GPU_TEXT &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:-_+") == strlen(text);
}

void gf_gpu_set_text(char to[GF_GPU_TEXT], const char *text)
{
    memset(to, 0, GF_GPU_TEXT);
    if (text_is_fine(text))
        memcpy(to, text, strlen(text));
}

static void put_text(struct gf_writer *w, uint16_t id, const char *text)
{
    if (text[0] != '\0')
        gf_put_string(w, id, text);
}

void gf_gpu_encode(struct gf_writer *w, const struct gf_gpu_figures *f)
{
    uint8_t r[RECORD];
    gf_store_u64(r, f->known);
    for (uint32_t i = 0; i < GF_N_GPU_FIGURES; i++)
        gf_store_u64(r + 8 + 8 * i, f->of[i]);
    if (f->known != 0)
        gf_put(w, GF_ATTR_GPU_FIGURES, GF_TYPE_BYTES, r, sizeof r);
    put_text(w, GF_ATTR_GPU_PCI, f->pci);
    put_text(w, GF_ATTR_GPU_DRIVER, f->driver);
    put_text(w, GF_ATTR_GPU_CUDA, f->cuda);
}

static enum gf_status read_figures(const struct gf_attr *a, struct gf_gpu_figures *f, struct gf_error *err)
{
    enum gf_status status = gf_attr_record(a, RECORD, err);
    if (status != GF_OK)
        return status;
    f->known = gf_load_u64(a->value);
    if (f->known == 0 || f->known >> GF_N_GPU_FIGURES != 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "worker tells the set %#" PRIx64 " of %d figures of its GPU",
                            f->known, GF_N_GPU_FIGURES);
    for (uint32_t i = 0; i < GF_N_GPU_FIGURES; i++) {
        f->of[i] = gf_load_u64(a->value + 8 + 8 * i);
        const uint64_t max = gf_gpu_knows(f, i) ? g_max[i] : 0;
        if (f->of[i] > max)
            return gf_error_set(err, GF_E_BAD_REQUEST,
                                "figure %" PRIu32 " of the worker's GPU is %" PRIu64 "; allowed: 0..%" PRIu64, i,
                                f->of[i], max);
    }
    return GF_OK;
}

static enum gf_status read_text(const struct gf_attr *a, char to[GF_GPU_TEXT], struct gf_error *err)
{
    enum gf_status status = gf_attr_string(a, to, GF_GPU_TEXT, err);
    if (status == GF_OK && !text_is_fine(to))
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s '%s'; allowed: ASCII letters, digits and . : - _ +",
                            gf_attr_name(a->id), to);
    return status;
}

static enum gf_status read_attr(const struct gf_attr *a, void *ret, struct gf_error *err)
{
    struct gf_gpu_figures *f = ret;
    switch (a->id) {
    case GF_ATTR_GPU_FIGURES:
        return read_figures(a, f, err);
    case GF_ATTR_GPU_PCI:
        return read_text(a, f->pci, err);
    case GF_ATTR_GPU_DRIVER:
        return read_text(a, f->driver, err);
    case GF_ATTR_GPU_CUDA:
        return read_text(a, f->cuda, err);
    default:
        return gf_attr_foreign(a, err);
    }
}

enum gf_status gf_gpu_decode(const uint8_t *body, size_t size, struct gf_gpu_figures *ret, struct gf_error *err)
{
    struct gf_gpu_figures figures = {.known = 0};
    enum gf_status status = gf_attrs_take(body, size, read_attr, &figures, err);
    if (status == GF_OK)
        *ret = figures;
    return status;
}
