/* SPDX-License-Identifier: MIT */
/* Combines two pictures sample by sample on the CPU. Called through the op's row. */
#include "protocol/ops/params/combine.h"
#include "point.h"
#include "protocol/ops/enums.h"

enum gf_status gf_cpu_combine(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_combine_params q = gf_combine_params_get(&call->step->params);
    struct gf_cpu_point p;
    gf_cpu_point_init(&p, call, gf_copies_alpha(q.alpha, call->in[0].view.channels));
    p.mode = q.mode;
    p.factors[0] = q.a;
    p.factors[1] = q.b;
    p.factors[2] = q.c;
    return gf_cpu_point_run(&p, err);
}
