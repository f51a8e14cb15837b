/* SPDX-License-Identifier: MIT */
/* Maps each sample of a picture to a new value by its channel, on all threads: the last step of the tone ops. */
#ifndef GF_KERNELS_CPU_INTENSITY_H
#define GF_KERNELS_CPU_INTENSITY_H

#include "kernels/cpu/histogram/count.h"
#include "protocol/ops/enums.h"

/* out = tables[c][bits of in], for u8, u16 or i16. Channels whose table is NULL are copied. CANCELLED, DEADLINE. */
enum gf_status gf_cpu_intensity_by_table(const struct gf_cpu_call *call, uint16_t *const tables[GF_MAX_CHANNELS],
                                         struct gf_error *err);

/* out = in >= limit[c] ? greatest : 0 for the first `n` channels; the remaining channels are copied. A NaN limit is
 * above all samples. If the output has fewer channels than the input, its first channel is computed from the
 * brightness, and alpha follows. */
struct gf_cpu_limits {
    uint32_t n;
    float limit[GF_MAX_CHANNELS];
};
enum gf_status gf_cpu_intensity_by_limit(const struct gf_cpu_call *call, const struct gf_cpu_limits *limits,
                                         struct gf_error *err);

/* f32: out = (in - lo[c]) * slope[c] where change[c] is set, otherwise a copy. */
struct gf_cpu_ramps {
    bool change[GF_MAX_CHANNELS];
    float lo[GF_MAX_CHANNELS], slope[GF_MAX_CHANNELS];
};
enum gf_status gf_cpu_intensity_by_ramp(const struct gf_cpu_call *call, const struct gf_cpu_ramps *ramps,
                                        struct gf_error *err);

#endif
