/* SPDX-License-Identifier: MIT */
/* atan2 of numerics.md, "Functions", for expressions on both backends. */
#ifndef GF_KERNELS_EXPR_ATAN2_H
#define GF_KERNELS_EXPR_ATAN2_H

#include "kernels/shared/expr/bits.h"

/* (atan(t) - t) / t^3 of z = t^2 from 0 to 1. */
GF_EXPR_FN float gf_expr_atan_tail_f32(float z)
{
    float q = -0x1.d35986p-10f;
    q = gf_expr_fma_f32(q, z, 0x1.6424c2p-7f);
    q = gf_expr_fma_f32(q, z, -0x1.fd7e12p-6f);
    q = gf_expr_fma_f32(q, z, 0x1.da2a0ep-5f);
    q = gf_expr_fma_f32(q, z, -0x1.58091cp-4f);
    q = gf_expr_fma_f32(q, z, 0x1.c08c4ep-4f);
    q = gf_expr_fma_f32(q, z, -0x1.242086p-3f);
    q = gf_expr_fma_f32(q, z, 0x1.9991e4p-3f);
    return gf_expr_fma_f32(q, z, -0x1.55553ep-2f);
}

/* The same in f64. */
GF_EXPR_FN double gf_expr_atan_tail_f64(double z)
{
    double q = 0x1.bbee30cf01c75p-17;
    q = gf_expr_fma_f64(q, z, -0x1.3f3698822fc3cp-13);
    q = gf_expr_fma_f64(q, z, 0x1.b3fb0f252e01dp-11);
    q = gf_expr_fma_f64(q, z, -0x1.7a39bb6686835p-9);
    q = gf_expr_fma_f64(q, z, 0x1.d7b93734093f4p-8);
    q = gf_expr_fma_f64(q, z, -0x1.c78fcb9755d11p-7);
    q = gf_expr_fma_f64(q, z, 0x1.683cc11860febp-6);
    q = gf_expr_fma_f64(q, z, -0x1.e9f9fff162b3dp-6);
    q = gf_expr_fma_f64(q, z, 0x1.2c2e560cbe6d1p-5);
    q = gf_expr_fma_f64(q, z, -0x1.59a3fa7d63b79p-5);
    q = gf_expr_fma_f64(q, z, 0x1.82dad53d42187p-5);
    q = gf_expr_fma_f64(q, z, -0x1.ae5e71db1019ap-5);
    q = gf_expr_fma_f64(q, z, 0x1.e1bba62b6cf82p-5);
    q = gf_expr_fma_f64(q, z, -0x1.110e51204d47ep-4);
    q = gf_expr_fma_f64(q, z, 0x1.3b1366992c693p-4);
    q = gf_expr_fma_f64(q, z, -0x1.745d11ae5af3dp-4);
    q = gf_expr_fma_f64(q, z, 0x1.c71c717fcdc6bp-4);
    q = gf_expr_fma_f64(q, z, -0x1.249249237f4fdp-3);
    q = gf_expr_fma_f64(q, z, 0x1.99999999955b2p-3);
    return gf_expr_fma_f64(q, z, -0x1.5555555555526p-2);
}

/* The angle of the point (x, y), within 1.125 ulp. For |y| it is k right angles plus the arc tangent of a quotient of
 * at most 1; the sign of y follows. */
GF_EXPR_FN float gf_expr_atan2_f32(float y, float x)
{
    const float ay = gf_expr_abs_f32(y), ax = gf_expr_abs_f32(x);
    const gf_expr_u32 sign = gf_expr_bits_f32(x) & GF_EXPR_SIGN_F32;
    const int steep = ay > ax, same = ay == ax;
    const float k = steep ? 1.0f : sign ? 2.0f : 0.0f;
    /* Two zeros and two infinities have no quotient. */
    const float numerator = same ? (ay > 0.0f ? 1.0f : 0.0f) : steep ? -x : ay;
    const float denominator = same ? gf_expr_of_f32(sign | 0x3F800000u) : steep ? ay : x;
    /* Scaling keeps the remainder of the quotient above the least denormal. */
    const float scale = gf_expr_abs_f32(denominator) < 0x1p-64f ? 0x1p64f : 1.0f;
    const float n = numerator * scale, d = denominator * scale, t = n / d, z = t * t;
    const float lost = gf_expr_fma_f32(-t, d, n) / gf_expr_fma_f32(d, z, d);
    const float rest = gf_expr_abs_f32(d) < gf_expr_infinity_f32() ? lost : 0.0f;
    const float a = k * 0x1.921fb6p+0f, sum = a + t;
    const float low = gf_expr_fma_f32(k, -0x1.777a5cp-25f, a - sum + t + rest);
    const float angle = sum + gf_expr_fma_f32(t * z, gf_expr_atan_tail_f32(z), low);
    return gf_expr_of_f32(gf_expr_bits_f32(angle) ^ (gf_expr_bits_f32(y) & GF_EXPR_SIGN_F32));
}

/* The same in f64. */
GF_EXPR_FN double gf_expr_atan2_f64(double y, double x)
{
    const double ay = gf_expr_abs_f64(y), ax = gf_expr_abs_f64(x);
    const gf_expr_u64 sign = gf_expr_bits_f64(x) & GF_EXPR_SIGN_F64;
    const int steep = ay > ax, same = ay == ax;
    const double k = steep ? 1.0 : sign ? 2.0 : 0.0;
    const double numerator = same ? (ay > 0.0 ? 1.0 : 0.0) : steep ? -x : ay;
    const double denominator = same ? gf_expr_of_f64(sign | 0x3FF0000000000000ull) : steep ? ay : x;
    const double scale = gf_expr_abs_f64(denominator) < 0x1p-512 ? 0x1p512 : 1.0;
    const double n = numerator * scale, d = denominator * scale, t = n / d, z = t * t;
    const double lost = gf_expr_fma_f64(-t, d, n) / gf_expr_fma_f64(d, z, d);
    const double rest = gf_expr_abs_f64(d) < gf_expr_infinity_f64() ? lost : 0.0;
    const double a = k * 0x1.921fb54442d18p+0, sum = a + t;
    const double low = gf_expr_fma_f64(k, 0x1.1a62633145c07p-54, a - sum + t + rest);
    const double angle = sum + gf_expr_fma_f64(t * z, gf_expr_atan_tail_f64(z), low);
    return gf_expr_of_f64(gf_expr_bits_f64(angle) ^ (gf_expr_bits_f64(y) & GF_EXPR_SIGN_F64));
}

#endif
