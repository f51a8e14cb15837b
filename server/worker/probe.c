/* SPDX-License-Identifier: MIT */
/* Runs a 3 x 3 mean over a ramp, which leaves the ramp unchanged away from the edges; see probe.h. */
#include "probe.h"

#include <string.h>

#include "protocol/ops/op_codec.h"

#define SIDE 64u
#define SLOPE 4u /* 4 * 63 fits into a sample */

enum gf_status gf_probe_init(struct gf_probe *probe, struct gf_error *err)
{
    struct gf_program *p = &probe->program;
    *p = (struct gf_program){.device = "auto", .n_operands = 1, .n_steps = 1, .n_results = 1};
    p->operands[0] = (struct gf_operand){.way = GF_WAY_INLINE, .view = gf_view_tight(GF_U8, SIDE, SIDE, 1)};
    p->operands[0].length = gf_view_bytes(&p->operands[0].view);
    p->steps[0].op = gf_op_by_name("box");
    gf_op_params_default(p->steps[0].op, &p->steps[0].params);
    p->results[0] = (struct gf_result){.way = GF_WAY_INLINE, .view = p->operands[0].view};
    return gf_program_check(p, true, err);
}

static uint8_t ramp(uint32_t x)
{
    return (uint8_t)(SLOPE * x);
}

enum gf_status gf_probe_run(const struct gf_probe *probe, const struct gf_backend *backend, struct gf_exec *exec,
                            struct gf_error *err)
{
    const struct gf_program *p = &probe->program;
    uint8_t from[SIDE][SIDE], to[SIDE][SIDE];
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            from[y][x] = ramp(x);
    memset(to, 0xFF, sizeof to);
    struct gf_buf operand = {.data = from, .view = p->operands[0].view};
    struct gf_sink sink = {.buf = {.data = to, .view = p->results[0].view}};
    struct gf_job job = {
        .steps = p->steps, .operands = &operand, .sinks = &sink, .n_steps = 1, .n_operands = 1, .n_sinks = 1};
    enum gf_status status = backend->run(exec, &job, err);
    if (status != GF_OK)
        return status;
    for (uint32_t y = 1; y + 1 < SIDE; y++)
        for (uint32_t x = 1; x + 1 < SIDE; x++)
            if (to[y][x] != ramp(x))
                return gf_error_set(err, GF_E_DEVICE_LOST,
                                    "the device computes wrong results: %u instead of %u at %u,%u", to[y][x], ramp(x),
                                    x, y);
    return GF_OK;
}
