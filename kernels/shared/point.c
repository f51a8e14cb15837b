/* SPDX-License-Identifier: MIT */
/* Prepares the ops that work sample by sample. Called once per step by both backends. */
#include "point.h"

#include <math.h>

#include "filter.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/map.h"

/* Rounds an exact number as a store does; f16 is rounded again when it is stored. */
static float store(long double v, uint32_t dtype)
{
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
        return (float)v;
    long double lo = (long double)gf_sample_min(dtype), hi = (long double)gf_sample_max(dtype), r = rintl(v);
    return (float)(r < lo ? lo : r > hi ? hi : r);
}

static enum gf_status table_new(struct gf_map *map, uint32_t from, struct gf_error *err)
{
    map->first = (int32_t)gf_sample_min(from);
    map->n_table = (uint32_t)((int32_t)gf_sample_max(from) - map->first) + 1;
    map->table = malloc(map->n_table * sizeof(*map->table));
    if (!map->table)
        return gf_error_no_memory(err, "map", map->n_table * sizeof(*map->table));
    return GF_OK;
}

static enum gf_status init_power(struct gf_map *map, uint32_t from, uint32_t to, struct gf_error *err)
{
    long double max = (long double)gf_sample_max(from);
    enum gf_status status = table_new(map, from, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < map->n_table; i++) {
        long double v = (long double)fmaf((float)(map->first + (int32_t)i), map->scale, map->offset);
        long double power = v > 0.0L ? max * powl(v / max, (long double)map->gamma) : 0.0L;
        map->table[i] = store(power * (long double)map->multiply / (long double)map->divide, to);
    }
    return GF_OK;
}

static float entry(const struct gf_buf *table, uint32_t i)
{
    if (table->view.dtype == GF_F32)
        return ((const float *)table->data)[i];
    if (table->view.dtype == GF_U8)
        return ((const uint8_t *)table->data)[i];
    if (table->view.dtype == GF_U16)
        return ((const uint16_t *)table->data)[i];
    return ((const int16_t *)table->data)[i];
}

static enum gf_status read_table(struct gf_map *map, uint32_t from, uint32_t to, const struct gf_buf *table,
                                 struct gf_error *err)
{
    enum gf_status status = table_new(map, from, err);
    for (uint32_t i = 0; i < map->n_table && status == GF_OK; i++) {
        float v = entry(table, i);
        map->table[i] = isnan(v) && gf_dtype_kind(to) != GF_KIND_FLOAT ? 0.0f : store((long double)v, to);
    }
    return status;
}

enum gf_status gf_map_init(struct gf_map *map, const struct gf_step *step, const struct gf_view *src,
                           const struct gf_buf *table, struct gf_error *err)
{
    const struct gf_map_params p = gf_map_params_get(&step->params);
    uint32_t to = p.dtype == GF_DTYPE_SAME ? src->dtype : p.dtype;
    const struct gf_dtype_ratio ratio =
        p.range == GF_RANGE_VALUE ? (struct gf_dtype_ratio){1.0f, 1.0f} : gf_dtype_full_range(src->dtype, to);
    *map = (struct gf_map){
        .scale = p.scale, .offset = p.offset, .gamma = p.gamma, .multiply = ratio.multiply, .divide = ratio.divide};
    if (table)
        return read_table(map, src->dtype, to, table, err);
    return p.gamma != 1.0f && gf_dtype_kind(src->dtype) != GF_KIND_FLOAT ? init_power(map, src->dtype, to, err) : GF_OK;
}

void gf_map_deinit(struct gf_map *map)
{
    free(map->table);
    *map = GF_MAP_NULL;
}
