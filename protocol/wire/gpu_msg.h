/* SPDX-License-Identifier: MIT */
/*
 * WORKER_GPU between front and worker. The front asks with an empty body; a worker with a GPU answers with what the
 * driver tells about the GPU, or with an empty body if the driver tells nothing. The message is no sign of life, since
 * a thread of its own sends it. Called by server/worker and server/front.
 */
#ifndef GF_PROTOCOL_GPU_MSG_H
#define GF_PROTOCOL_GPU_MSG_H

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_GPU_COUNT_MAX (UINT64_C(1) << 53) /* a double has every whole number up to this */
#define GF_GPU_CLOCK_MAX UINT64_C(1000000000000)

#define GF_GPU(name, family, labels, units, max) GF_GPU_##name,
enum gf_gpu_figure {
#include "gpu_figures.def"
    GF_N_GPU_FIGURES
};
#undef GF_GPU

#define GF_GPU_TEXT 32u /* room for a text and its terminator */

/* A GPU as its driver describes it. */
struct gf_gpu_figures {
    uint64_t known;                                                /* a bit per figure that the driver gives */
    uint64_t of[GF_N_GPU_FIGURES];                                 /* 0 where it is not known */
    char pci[GF_GPU_TEXT], driver[GF_GPU_TEXT], cuda[GF_GPU_TEXT]; /* "00000000:1B:00.0", "580.95.05", "13.0"; may be
                                                                      empty */
};

bool gf_gpu_knows(const struct gf_gpu_figures *figures, enum gf_gpu_figure figure);
/* Stores a figure. A value above the figure's highest one cannot be right and is left out. */
void gf_gpu_set(struct gf_gpu_figures *figures, enum gf_gpu_figure figure, uint64_t value);
/* Stores a text, or nothing if it is too long or has other characters than ASCII letters, digits and ". : - _ +". */
void gf_gpu_set_text(char to[GF_GPU_TEXT], const char *text);

void gf_gpu_encode(struct gf_writer *w, const struct gf_gpu_figures *figures);
/* BAD_REQUEST for figures and texts that gf_gpu_set and gf_gpu_set_text leave out, and for unknown attributes. */
enum gf_status gf_gpu_decode(const uint8_t *body, size_t size, struct gf_gpu_figures *ret, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
