/* SPDX-License-Identifier: MIT */
/* Chooses the inner loops for this processor. Called when the device opens. */
#include "simd.h"

#include <stdbool.h>
#include <string.h>

#include "protocol/base/base.h"

#ifdef GF_CPU_X86
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}

static bool has_avx512vnni(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512vnni");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

static bool always(void)
{
    return true;
}

/* Fastest first. */
static const struct {
    const struct gf_simd *simd;
    bool (*runs)(void);
} choices[] = {
#ifdef GF_CPU_X86
    {&gf_simd_avx512vnni, has_avx512vnni},
    {&gf_simd_avx512, has_avx512},
    {&gf_simd_avx2, has_avx2},
#endif
    {&gf_simd_generic, always},
};

const struct gf_simd *gf_simd_best(void)
{
    size_t i = 0;
    while (!choices[i].runs())
        i++;
    return choices[i].simd;
}

const struct gf_simd *gf_simd_by_name(const char *name)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(choices); i++)
        if (strcmp(choices[i].simd->name, name) == 0)
            return choices[i].runs() ? choices[i].simd : NULL;
    return NULL;
}
