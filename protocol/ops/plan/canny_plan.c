/* SPDX-License-Identifier: MIT */
#include "canny_plan.h"

static struct gf_canny_offsets add_line(const struct gf_canny_kind *kind, size_t n, size_t *end)
{
    const size_t part = n * gf_canny_part_size(kind), size = gf_canny_magnitude_size(kind);
    struct gf_canny_offsets line = {.dx = gf_layout_add(end, part)};
    line.dy = gf_layout_add(end, part);
    line.magnitudes = gf_layout_add(end, (n + 2) * size) + size;
    return line;
}

struct gf_canny_plan gf_canny_plan(const struct gf_step *step, const struct gf_view *in)
{
    const struct gf_canny_params p = gf_canny_params_get(&step->params);
    struct gf_canny_plan plan = {.kind = {in->dtype, in->channels, p.aperture / 2, p.l2 != 0},
                                 .words = (size_t)in->width / 64 + 1};
    const size_t words = (size_t)in->height * plan.words, width = (size_t)in->width, samples = width * in->channels;
    const size_t halo = plan.kind.radius * in->channels, part = gf_canny_part_size(&plan.kind);
    plan.weak = gf_layout_add(&plan.rooms, words * sizeof(uint64_t));
    plan.strong = gf_layout_add(&plan.rooms, words * sizeof(uint64_t));
    plan.stack = gf_layout_add(&plan.rooms, words * sizeof(uint32_t));
    plan.waits = gf_layout_add(&plan.rooms, words * sizeof(uint8_t));
    plan.smooth = gf_layout_add(&plan.room, (samples + 2 * halo) * part) + halo * part;
    plan.slope = gf_layout_add(&plan.room, (samples + 2 * halo) * part) + halo * part;
    if (in->channels > 1)
        plan.samples = add_line(&plan.kind, samples, &plan.room);
    for (uint32_t i = 0; i < 3; i++)
        plan.rows[i] = add_line(&plan.kind, width, &plan.room);
    return plan;
}
