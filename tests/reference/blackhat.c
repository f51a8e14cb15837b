/* SPDX-License-Identifier: MIT */
/* blackhat, docs/numerics.md 19. */
#include "reference_morphology.h"
#include "reference_ops.h"

enum gf_status gf_reference_blackhat(const struct gf_op *op, const union gf_params *params,
                                     const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                     struct gf_error *err)
{
    struct gf_reference_image gf_cleanup(gf_reference_image_deinit) first = {0}, second = {0};
    enum gf_status status = gf_reference_extrema(op, &params->erode, "de", in, &first, err);
    if (status == GF_OK)
        status = gf_reference_extrema(op, &params->erode, "", in, &second, err);
    if (status == GF_OK)
        gf_reference_store_extrema(&first, &second, &params->erode, in, out);
    return status;
}
