/* SPDX-License-Identifier: MIT */
/* Tables of resize for a GPU; see resize_tables.h. */
#include "resize_tables.h"

#include <math.h>
#include <string.h>

/* Groups of columns of a tile: a multiple of the warps of a block, if possible. */
#define TILE_GROUPS 8
#define MAX_TILE_GROUPS 64

/* An axis in groups, without its weights. */
struct groups {
    int32_t n;
    int32_t *first, *at;
};

static void groups_deinit(struct groups *g)
{
    free(g->first);
    free(g->at);
}

static enum gf_status no_memory(struct gf_error *err)
{
    return gf_error_set(err, GF_E_NO_MEMORY, "resize: no memory for its weights");
}

static uint32_t group_end(const struct gf_resize_axis *axis, uint32_t group)
{
    uint32_t end = (group + 1) * GF_RESIZE_GROUP;
    return end < axis->n ? end : axis->n;
}

/* The source pixels of a group: the union of its windows. */
static void unite(const struct gf_resize_axis *axis, uint32_t group, uint32_t *ret_first, uint32_t *ret_end)
{
    uint32_t first = UINT32_MAX, end = 0;
    for (uint32_t i = group * GF_RESIZE_GROUP; i < group_end(axis, group); i++) {
        uint32_t past = axis->first[i] + (axis->at[i + 1] - axis->at[i]);
        first = axis->first[i] < first ? axis->first[i] : first;
        end = past > end ? past : end;
    }
    *ret_first = first;
    *ret_end = end;
}

/* Fills group after group, so that memory written twice is still in the cache. */
static void fill_weights(const struct gf_resize_axis *axis, float none, const struct groups *g,
                         struct gf_resize_weights *ret)
{
    for (uint32_t group = 0; group < (uint32_t)g->n; group++) {
        struct gf_resize_weights *w = ret + g->at[group];
        const uint32_t begin = group * GF_RESIZE_GROUP, n = (uint32_t)(g->at[group + 1] - g->at[group]);
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t r = 0; r < GF_RESIZE_GROUP; r++)
                w[k].of[r] = none;
        for (uint32_t i = begin; i < group_end(axis, group); i++) {
            const float *from = axis->weights + axis->at[i];
            struct gf_resize_weights *to = w + (axis->first[i] - (uint32_t)g->first[group]);
            for (uint32_t k = 0; k < axis->at[i + 1] - axis->at[i]; k++)
                to[k].of[i - begin] = from[k];
        }
    }
}

static enum gf_status groups_init(struct groups *ret, const struct gf_resize_axis *axis, struct gf_error *err)
{
    uint32_t n = (axis->n + GF_RESIZE_GROUP - 1) / GF_RESIZE_GROUP, first, end;
    ret->n = (int32_t)n;
    ret->first = malloc(n * sizeof *ret->first);
    ret->at = calloc((size_t)n + 1, sizeof *ret->at);
    if (!ret->first || !ret->at)
        return no_memory(err);
    for (uint32_t g = 0; g < n; g++) {
        unite(axis, g, &first, &end);
        ret->first[g] = (int32_t)first;
        ret->at[g + 1] = ret->at[g] + (int32_t)(end - first);
    }
    return GF_OK;
}

/* Finds the spans of tile columns of `groups` groups. Returns the quads of the widest; `spans` may be NULL. */
static int32_t find_spans(const struct groups *x, int32_t channels, int32_t groups, struct gf_resize_span *spans)
{
    int32_t widest = 0;
    for (int32_t g = 0; g < x->n; g += groups) {
        int32_t first = INT32_MAX, end = 0;
        for (int32_t i = g; i < g + groups && i < x->n; i++) {
            int32_t past = x->first[i] + (x->at[i + 1] - x->at[i]);
            first = x->first[i] < first ? x->first[i] : first;
            end = past > end ? past : end;
        }
        int32_t flat = first * channels / 4 * 4, quads = (end * channels - flat + 3) / 4;
        widest = quads > widest ? quads : widest;
        if (spans)
            spans[g / groups] = (struct gf_resize_span){flat, quads};
    }
    return widest;
}

/* Chooses as many groups per tile as fit in shared memory; none if windows are too wide. */
static void choose_tile(struct gf_resize_tables *t, const struct groups *x, int32_t channels, size_t bytes)
{
    for (int32_t groups = MAX_TILE_GROUPS; groups > 0; groups -= groups > TILE_GROUPS ? TILE_GROUPS : 1) {
        int32_t quads = find_spans(x, channels, groups, NULL);
        if (gf_resize_tile_bytes(groups, quads, channels) > bytes)
            continue;
        t->tile_groups = groups;
        t->quads = quads;
        return;
    }
}

/* Joins the tables, each at a multiple of 16 bytes. Tables without a part are filled later. */
static enum gf_status join(struct gf_resize_tables *t, const void *const *parts, const size_t *sizes, uint32_t n,
                           struct gf_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        t->at[i] = t->size;
        t->size += gf_round_up(sizes[i], 16);
    }
    t->data = malloc(t->size);
    if (!t->data)
        return no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        char *to = (char *)t->data + t->at[i];
        size_t size = parts[i] ? sizes[i] : 0;
        if (size > 0)
            memcpy(to, parts[i], size);
        memset(to + sizes[i], 0, gf_round_up(sizes[i], 16) - sizes[i]);
    }
    return GF_OK;
}

static enum gf_status join_groups(struct gf_resize_tables *t, const struct groups *x, const struct groups *y,
                                  int32_t channels, struct gf_error *err)
{
    gf_cleanup(gf_freep) struct gf_resize_span *spans = NULL;
    size_t nx = (size_t)x->n, ny = (size_t)y->n, number = sizeof *x->first, weight = sizeof(struct gf_resize_weights);
    size_t n_spans = t->quads == 0 ? 0 : (nx + (size_t)t->tile_groups - 1) / (size_t)t->tile_groups;
    if (n_spans > 0) {
        spans = malloc(n_spans * sizeof *spans);
        if (!spans)
            return no_memory(err);
        (void)find_spans(x, channels, t->tile_groups, spans);
    }
    const void *parts[] = {x->first, x->at, y->first, y->at, spans, NULL, NULL};
    const size_t sizes[] = {nx * number,
                            (nx + 1) * number,
                            ny * number,
                            (ny + 1) * number,
                            n_spans * sizeof *spans,
                            (size_t)x->at[nx] * weight,
                            (size_t)y->at[ny] * weight};
    return join(t, parts, sizes, GF_RESIZE_N_TABLES, err);
}

/* The address of table `i`. */
static void *table_of(const struct gf_resize_tables *t, enum gf_resize_table i)
{
    return (char *)t->data + t->at[i];
}

enum gf_status gf_resize_tables_init(struct gf_resize_tables *tables, const struct gf_resize *resize, uint32_t dtype,
                                     uint32_t channels, size_t tile_bytes, struct gf_error *err)
{
    gf_cleanup(groups_deinit) struct groups x = {.n = 0}, y = {.n = 0};
    const void *parts[] = {resize->x.first, resize->y.first};
    const size_t sizes[] = {resize->x.n * sizeof *resize->x.first, resize->y.n * sizeof *resize->y.first};
    /* Infinity and NaN times 0 give NaN, so for floats 0 cannot mark a pixel that is not a tap. */
    float none = gf_dtype_kind(dtype) == GF_KIND_FLOAT ? nanf("") : 0.0f;
    *tables = GF_RESIZE_TABLES_NULL;
    if (resize->nearest)
        return join(tables, parts, sizes, 2, err);
    enum gf_status status = groups_init(&x, &resize->x, err);
    if (status == GF_OK)
        status = groups_init(&y, &resize->y, err);
    if (status != GF_OK)
        return status;
    tables->most_x = resize->x.most;
    tables->most_y = resize->y.most;
    tables->columns = x.n;
    tables->rows = y.n;
    choose_tile(tables, &x, (int32_t)channels, tile_bytes);
    status = join_groups(tables, &x, &y, (int32_t)channels, err);
    if (status != GF_OK)
        return status;
    fill_weights(&resize->x, none, &x, table_of(tables, GF_RESIZE_X_WEIGHTS));
    fill_weights(&resize->y, none, &y, table_of(tables, GF_RESIZE_Y_WEIGHTS));
    return GF_OK;
}

void gf_resize_tables_deinit(struct gf_resize_tables *tables)
{
    free(tables->data);
    *tables = GF_RESIZE_TABLES_NULL;
}
