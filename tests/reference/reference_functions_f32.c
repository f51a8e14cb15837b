/* SPDX-License-Identifier: MIT */
/* The functions of expressions of f32, docs/numerics.md, "Functions", operation by operation. Called by
 * reference_expr.c; logarithm and power of two by point.c. */
#include "reference_functions.h"

#include <math.h>

#include "protocol/base/base.h"

#define LOWEST 0x1.6a09ep-1 /* of docs/numerics.md, "Power of f32" */
#define M 0x1.8p23f
#define LN2_1 0x1.62e400p-1f
#define LN2_2 0x1.7f7d1cp-20f
#define PER_LN2 0x1.715476p+0f
#define TWO_PER_PI 0x1.45f306p-1f
#define HALF_PI_1 0x1.921fb6p+0f
#define HALF_PI_2 (-0x1.777a5cp-25f)
#define HALF_PI_3 (-0x1.ee59dap-50f)

/* Coefficients of the polynomials E, L, S, C and A. */
static const float c_e[] = {0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123deep-7f, 0x1.6ac84ap-10f};
static const float c_l[] = {0x1.55557ap-1f, 0x1.995ed8p-2f, 0x1.31e03cp-2f};
static const float c_s[] = {-0x1.555544p-3f, 0x1.1106c6p-7f, -0x1.991c26p-13f};
static const float c_c[] = {0x1.55554ap-5f, -0x1.6c0c14p-10f, 0x1.99de6ap-16f};
static const float c_a[] = {-0x1.55553ep-2f, 0x1.9991e4p-3f,  -0x1.242086p-3f, 0x1.c08c4ep-4f,  -0x1.58091cp-4f,
                            0x1.da2a0ep-5f,  -0x1.fd7e12p-6f, 0x1.6424c2p-7f,  -0x1.d35986p-10f};

#define POLYNOMIAL(c, u) polynomial((c), GF_ARRAY_LEN(c), (u))

static float polynomial(const float *c, size_t n, float u)
{
    float t = c[n - 1];
    for (size_t k = n - 1; k-- > 0;)
        t = fmaf(t, u, c[k]);
    return t;
}

/* p * 2^floor(n / 2) * 2^(n - floor(n / 2)). */
static float scaled(float p, float n)
{
    int half = (int)floorf(n / 2.0f);
    return ldexpf(ldexpf(p, half), (int)n - half);
}

float gf_reference_exp_f32(float v)
{
    if (isnan(v))
        return v;
    float x = v < -104.0f ? -104.0f : v > 89.0f ? 89.0f : v;
    float n = fmaf(x, PER_LN2, M) - M, g = fmaf(n, -LN2_1, x), w = fmaf(n, -LN2_2, g), d = fmaf(n, -LN2_2, g - w);
    float p = 1.0f + (w + fmaf(w * w, POLYNOMIAL(c_e, w), d));
    return scaled(p, n);
}

/* v = m * 2^e. */
static float mantissa(float v, float *ret_e)
{
    int e;
    float m = frexpf(v, &e);
    if (m < 0x1.6a09e6p-1f) {
        m *= 2.0f;
        e--;
    }
    *ret_e = (float)e;
    return m;
}

float gf_reference_log_f32(float v)
{
    if (isnan(v) || v < 0.0f)
        return NAN;
    if (v == 0.0f || isinf(v))
        return v == 0.0f ? -INFINITY : v;
    float e, m = mantissa(v, &e);
    float f = m - 1.0f, s = f / (2.0f + f), z = s * s, h = 0.5f * f * f;
    float t = fmaf(s, fmaf(z, POLYNOMIAL(c_l, z), h), -h);
    float a = e * LN2_1, b = a + f, c = a - b + f;
    return b + (t + fmaf(e, LN2_2, c));
}

/* An angle without its quarters of a turn: r + d, and the number of quarters modulo 4. */
static struct gf_reference_angle angle(float u)
{
    if (u > 0x1p17f)
        return gf_reference_far_angle((double)u);
    float n = fmaf(u, TWO_PER_PI, M) - M, g = fmaf(n, -HALF_PI_1, u), p = n * HALF_PI_2, r = g - p;
    float d = fmaf(n, -HALF_PI_3, g - r - p - fmaf(n, HALF_PI_2, -p));
    return (struct gf_reference_angle){.r = r, .d = d, .quarters = (uint32_t)((int64_t)n & 3)};
}

/* The sine of an angle of so many quarters more. */
static float sine(float u, uint32_t quarters)
{
    struct gf_reference_angle of = angle(u);
    float r = (float)of.r, d = (float)of.d;
    if (u > 0x1p17f)
        d = (float)(of.r - (double)r);
    float z = fmaf(r, r, (r + r) * d), s = r + fmaf(r * z, POLYNOMIAL(c_s, z), d);
    float c = fmaf(fmaf(POLYNOMIAL(c_c, z), z, -0.5f), z, 1.0f);
    quarters = (quarters + of.quarters) % 4;
    float v = quarters % 2 == 0 ? s : c;
    return quarters < 2 ? v : -v;
}

float gf_reference_sin_f32(float v)
{
    if (isnan(v) || isinf(v))
        return NAN;
    return signbit(v) ? -sine(-v, 0) : sine(v, 0);
}

float gf_reference_cos_f32(float v)
{
    return isnan(v) || isinf(v) ? NAN : sine(fabsf(v), 1);
}

float gf_reference_atan2_f32(float y, float x)
{
    float n = fabsf(y), d = x, k = signbit(x) ? 2.0f : 0.0f;
    if (isnan(y) || isnan(x))
        return NAN;
    if (fabsf(y) == fabsf(x)) {
        n = y == 0.0f ? 0.0f : 1.0f;
        d = signbit(x) ? -1.0f : 1.0f;
    } else if (fabsf(y) > fabsf(x)) {
        n = -x;
        d = fabsf(y);
        k = 1.0f;
    }
    if (fabsf(d) < 0x1p-64f) { /* or the quotient would lose what it has left */
        n *= 0x1p64f;
        d *= 0x1p64f;
    }
    float t = n / d, z = t * t, rest = isinf(d) ? 0.0f : fmaf(-t, d, n) / fmaf(d, z, d);
    float a = k * HALF_PI_1, b = a + t, c = fmaf(k, HALF_PI_2, a - b + t + rest);
    float v = b + fmaf(t * z, POLYNOMIAL(c_a, z), c);
    return signbit(y) ? -v : v;
}

/* 1 and NaN where x^y is that whatever the power of |x| is. */
static bool is_settled(float x, float y, float *ret_v)
{
    bool whole = isinf(y) || floorf(y) == y;
    if (y == 0.0f || x == 1.0f || (x == -1.0f && isinf(y)))
        *ret_v = 1.0f;
    else if (isnan(x) || isnan(y) || (x < 0.0f && !isinf(x) && !whole))
        *ret_v = NAN;
    else
        return false;
    return true;
}

static bool is_odd(float y)
{
    return !isinf(y) && floorf(y) == y && floorf(y / 2.0f) * 2.0f != y;
}

double gf_reference_log2(double x)
{
    /* f64 nearest to 2 / ((2k + 1) ln 2). */
    static const double l[8] = {0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1, 0x1.a61762a7aded9p-2,
                                0x1.484b13d7c02a9p-2, 0x1.0c9a84994022dp-2, 0x1.c68f568d31760p-3, 0x1.89f3b1694cffep-3};
    int e = 0;
    double m = x;
    while (m < LOWEST) {
        m *= 2.0;
        e--;
    }
    while (m >= 2.0 * LOWEST) {
        m *= 0.5;
        e++;
    }
    double s = (m - 1.0) / (m + 1.0), z = s * s, p = l[7];
    for (int k = 6; k >= 0; k--)
        p = fma(p, z, l[k]);
    return fma(s, p, (double)e);
}

double gf_reference_exp2(double y)
{
    /* f64 nearest to (ln 2)^k / k!. */
    static const double c[12] = {0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,
                                 0x1.c6b08d704a0c0p-5,  0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6731p-10,
                                 0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20,
                                 0x1.b5253d395e7c4p-24, 0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32};
    double n = rint(y), r = y - n, p = c[11];
    for (int k = 10; k >= 0; k--)
        p = fma(p, r, c[k]);
    return ldexp(p, (int)n);
}

float gf_reference_pow_f32(float x, float y)
{
    if (fabsf(y) <= 4.0f && floorf(2.0f * y) == 2.0f * y)
        return (float)gf_reference_pow_plain((double)x, (double)y);
    float settled;
    if (is_settled(x, y, &settled))
        return settled;
    double l = x == 0.0f ? -(double)INFINITY : isinf(x) ? (double)INFINITY : gf_reference_log2((double)fabsf(x));
    double t = (double)y * l;
    float p = (float)gf_reference_exp2(t < -1000.0 ? -1000.0 : t > 1000.0 ? 1000.0 : t);
    return signbit(x) && is_odd(y) ? -p : p;
}
