/* SPDX-License-Identifier: MIT */
/* recurrence, docs/numerics.md, "recurrence": the second components of a scan of affine maps. */
#include <math.h>
#include <stdlib.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/recurrence.h"
#include "reference_ops.h"
#include "reference_scan.h"

GF_REFERENCE(recurrence)
{
    const struct gf_recurrence_params p = gf_recurrence_params_get(params);
    uint64_t n = gf_reference_length(&in->view, p.axis);
    struct gf_reference_item gf_cleanup(gf_freep) *e = calloc(n, sizeof(*e));
    if (e == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of %s", op->name);
    for (uint64_t s = 0; s < gf_reference_scan_sequences(&in->view, p.axis); s++) {
        for (uint64_t i = 0; i < n; i++) {
            double x = gf_reference_get_float(gf_reference_element(in, p.axis, s, i), in->view.dtype);
            e[i] = (struct gf_reference_item){.present = true, .a = p.a, .v = p.b * x};
        }
        if (p.start == GF_START_INITIAL)
            e[0].v = fma(p.a, p.initial, e[0].v);
        if (p.axis == GF_AXIS_COLS) {
            gf_reference_scan_columns(&gf_reference_affine, e, n);
        } else {
            enum gf_status status = gf_reference_scan_tree(&gf_reference_affine, e, n, err);
            if (status != GF_OK)
                return status;
        }
        for (uint64_t i = 0; i < n; i++)
            gf_reference_put_float(gf_reference_element(out, p.axis, s, i), out->view.dtype, e[i].v);
    }
    return GF_OK;
}
