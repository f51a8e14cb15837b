/* SPDX-License-Identifier: MIT */
/* Applies one formula to every sample on the CPU. Called through the op's row. */
#include "protocol/ops/params/map.h"
#include "kernels/shared/point.h"
#include "point.h"
#include "protocol/ops/enums.h"

enum gf_status gf_cpu_map(const struct gf_cpu_call *call, struct gf_error *err)
{
    gf_cleanup(gf_map_deinit) struct gf_map map = GF_MAP_NULL;
    const struct gf_view *src = &call->in[0].view;
    enum gf_status status = gf_map_init(&map, call->step, src, call->in[1].data ? &call->in[1] : NULL, err);
    if (status != GF_OK)
        return status;
    struct gf_cpu_formula formula = {map.scale, map.offset, map.gamma, map.multiply, map.divide};
    struct gf_cpu_point p;
    gf_cpu_point_init(&p, call, gf_copies_alpha(gf_map_params_get(&call->step->params).alpha, src->channels));
    uint8_t bytes[2][256];
    if (map.table && src->dtype == GF_U8 && p.target.dtype == GF_U8) {
        for (uint32_t v = 0; v < 256; v++) {
            bytes[0][v] = (uint8_t)map.table[v];
            bytes[1][v] = (uint8_t)v;
        }
        for (uint32_t c = 0; c < p.source.channels; c++)
            p.tables[c] = bytes[p.target.copy_alpha && c + 1 == p.source.channels];
    } else if (map.table) {
        p.source.decode = map.table - map.first;
    } else if (map.gamma == 1.0f && map.multiply == 1.0f && map.divide == 1.0f) {
        p.target.scale = map.scale;
        p.target.offset = map.offset;
    } else {
        p.formula = &formula;
    }
    return gf_cpu_point_run(&p, err);
}
