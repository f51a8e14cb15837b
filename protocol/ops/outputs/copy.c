/* SPDX-License-Identifier: MIT */
/* Output and channel check of copy. Called by gf_op_infer. */
#include <inttypes.h>

#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/copy.h"

enum gf_status gf_outputs_copy(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    uint32_t channel = gf_copy_params_get(params).channel, channels = in->channels;
    if (channel > channels)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: channel=%" PRIu32 " of src with %" PRIu32 " channel%s; allowed: 1..%" PRIu32
                            ", or 0 for all",
                            op->name, channel, channels, channels == 1 ? "" : "s", channels);
    *ret_out = gf_view_tight(in->dtype, in->width, in->height, channel == 0 ? channels : 1);
    return GF_OK;
}
