/* SPDX-License-Identifier: MIT */
/* The layout of the memory of look-back; see tile_memory.h. */
#include "tile_memory.h"

#include "cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "protocol/base/base.h"

#define WORD 16u /* bytes of a published word with its flag; also of the counter of tickets */

enum gf_status gf_cuda_alloc_tile_state(struct gf_exec *exec, const struct gf_lookback_tiles *tiles,
                                        struct gf_tile_state *ret, struct gf_error *err)
{
    bool cut = tiles->segments || tiles->n == 0;
    uint64_t groups = cut ? tiles->n : tiles->n / GF_LOOKBACK_GROUP + tiles->sequences,
             supers = cut ? tiles->n : tiles->n / GF_LOOKBACK_SUPER + tiles->sequences;
    uint64_t counts, items, bytes, item = WORD * tiles->words;
    void *data = NULL;
    *ret = (struct gf_tile_state){0};
    if (!gf_add_u64(groups, supers, &counts) || !gf_add_u64(tiles->n, counts, &items) ||
        !gf_mul_u64(items, item, &items) || !gf_mul_u64(counts, sizeof(unsigned), &bytes) ||
        !gf_add_u64(bytes, items, &bytes) || !gf_add_u64(bytes, WORD, &bytes))
        return gf_error_set(err, GF_E_TOO_LARGE, "scan: too many blocks");
    enum gf_status status = gf_cuda_alloc(exec, (size_t)bytes, &data, err);
    if (status != GF_OK)
        return status;
    ret->tickets = data;
    ret->tiles = (char *)data + WORD;
    ret->groups = (char *)ret->tiles + tiles->n * item;
    ret->supers = (char *)ret->groups + groups * item;
    ret->group_counts = (unsigned *)((char *)ret->supers + supers * item);
    ret->super_counts = ret->group_counts + groups;
    return gf_cuda_status(cudaMemsetAsync(data, 0, (size_t)bytes, exec->main), "clearing the state of a scan", err);
}
