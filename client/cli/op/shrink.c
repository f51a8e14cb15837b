/* SPDX-License-Identifier: MIT */
/* Shrinking on load, and only shrinking; see shrink.h. */
#include "shrink.h"

#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/op_table.h"
#include "protocol/ops/outputs_geometry.h"
#include "protocol/ops/params/resize.h"

/* The reduction that resize must have left to do, so that the lost detail does not show. */
#define LEFT 2.0
#define MAX_SHRINK 8u

bool gf_shrink_may(const struct gf_step *step)
{
    const struct gf_resize_params p = gf_resize_params_get(&step->params);
    return step->op->index == GF_INDEX_resize && p.filter != GF_RESIZE_NEAREST && p.antialias != 0;
}

/* The result for a picture of this size, and the region it is made from. Returns false if there is none. */
static bool find_result(const struct gf_step *step, uint64_t width, uint64_t height, struct gf_view *ret_out,
                        struct gf_region *ret_region)
{
    struct gf_view in = gf_view_tight(GF_U8, width, height, 1);
    if (gf_op_infer(step->op, &in, 1, &step->params, ret_out, NULL) != GF_OK)
        return false;
    const struct gf_resize_params p = gf_resize_params_get(&step->params);
    *ret_region = gf_resize_region(&p, &in);
    return true;
}

uint32_t gf_shrink_choose(void *user, uint64_t width, uint64_t height)
{
    struct gf_view out;
    struct gf_region region;
    uint32_t shrink = MAX_SHRINK;
    if (!find_result(user, width, height, &out, &region))
        return 1;
    double x = region.width / (double)out.width, y = region.height / (double)out.height, ratio = x < y ? x : y;
    while (shrink > 1 && ratio < LEFT * shrink)
        shrink /= 2;
    return shrink;
}

/* How far the smaller picture begins left of, or above, the whole one. The smaller picture is rounded up to whole
 * pixels, and the excess lies at the right and bottom as stored in the file. */
static double begin_of(uint64_t made, double whole, bool from_end)
{
    return from_end ? (double)made - whole : 0.0;
}

void gf_shrink_fit(struct gf_step *step, const struct gf_image *image, uint32_t orientation)
{
    struct gf_resize_params p = gf_resize_params_get(&step->params);
    struct gf_view out;
    struct gf_region r;
    double shrink = image->shrink;
    bool turned = orientation >= 5;
    uint64_t width = turned ? image->full_height : image->full_width;
    uint64_t height = turned ? image->full_width : image->full_height;
    bool from_right = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    bool from_bottom = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    if (image->shrink <= 1 || !find_result(step, width, height, &out, &r))
        return;
    p.size = (struct gf_u32v){.n = 2, .v = {(uint32_t)out.width, (uint32_t)out.height}};
    p.scale.n = p.fit.n = p.fill.n = 0;
    p.box = (struct gf_f64v){.n = 4,
                             .v = {begin_of(image->view.width, (double)width / shrink, from_right) + r.x / shrink,
                                   begin_of(image->view.height, (double)height / shrink, from_bottom) + r.y / shrink,
                                   r.width / shrink, r.height / shrink}};
    gf_resize_params_set(&step->params, &p);
}

bool gf_shrink_has_fit(const struct gf_step *step)
{
    return step->op->index == GF_INDEX_resize && gf_resize_params_get(&step->params).fit.n > 0;
}

static uint32_t whole_side(double side)
{
    return side < 1.0 ? 1 : (uint32_t)lround(side);
}

bool gf_shrink_keep(struct gf_step *step, const struct gf_view *in)
{
    struct gf_resize_params p = gf_resize_params_get(&step->params);
    const struct gf_region r = gf_resize_region(&p, in);
    const uint32_t width = whole_side(r.width), height = whole_side(r.height);
    if (width > p.fit.v[0] || height > p.fit.v[p.fit.n - 1])
        return false;
    p.size = (struct gf_u32v){.n = 2, .v = {width, height}};
    p.fit.n = 0;
    if (p.box.n == 0)
        p.filter = GF_RESIZE_NEAREST;
    gf_resize_params_set(&step->params, &p);
    return true;
}
