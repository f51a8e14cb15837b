/* SPDX-License-Identifier: MIT */
/* The functions of expressions of f64, docs/numerics.md, "Functions", operation by operation. Called by
 * reference_expr.c; gf_reference_far_angle by the functions of f32. */
#include "reference_functions.h"

#include <math.h>
#include <stdbool.h>

#include "protocol/base/base.h"

#define M 0x1.8p52
#define LN2_1 0x1.62e42fefa3800p-1
#define LN2_2 0x1.ef35793c76730p-45
#define PER_LN2 0x1.71547652b82fep+0
#define TWO_PER_PI 0x1.45f306dc9c883p-1
#define HALF_PI_1 0x1.921fb54442d18p+0
#define HALF_PI_2 0x1.1a62633145c07p-54
#define HALF_PI_3 (-0x1.f1976b7ed8fbcp-110)

/* Coefficients of the polynomials E, L, S, C, A and Q. */
static const double c_e[] = {0x1.000000000000ap-1,  0x1.5555555555503p-3,  0x1.5555555550605p-5,  0x1.1111111124d2bp-7,
                             0x1.6c16c184b5bc9p-10, 0x1.a01a013d5ea63p-13, 0x1.a019988b5e987p-16, 0x1.71def3cfbd0b9p-19,
                             0x1.28aedcf5ac8f5p-22, 0x1.add8adce10e4ap-26};
static const double c_l[] = {0x1.5555555555592p-1, 0x1.999999997ff4fp-2, 0x1.24924941dd197p-2, 0x1.c71c521830d1ep-3,
                             0x1.74663c1a31465p-3, 0x1.39a1fe0b49dd3p-3, 0x1.2f02e8f79aa47p-3};
static const double c_s[] = {-0x1.5555555555548p-3, 0x1.111111110f730p-7,   -0x1.a01a019be9219p-13,
                             0x1.71de35552ba9bp-19, -0x1.ae5e4b846f8e3p-26, 0x1.5d8b55d5d3900p-33};
static const double c_c[] = {0x1.555555555554bp-5,   -0x1.6c16c16c15013p-10, 0x1.a01a019c8ed06p-16,
                             -0x1.27e4f7f140fe9p-22, 0x1.1ee9db8e27c2fp-29,  -0x1.8fa65e90cf343p-37};
static const double c_a[] = {
    -0x1.5555555555526p-2, 0x1.99999999955b2p-3,  -0x1.249249237f4fdp-3, 0x1.c71c717fcdc6bp-4,   -0x1.745d11ae5af3dp-4,
    0x1.3b1366992c693p-4,  -0x1.110e51204d47ep-4, 0x1.e1bba62b6cf82p-5,  -0x1.ae5e71db1019ap-5,  0x1.82dad53d42187p-5,
    -0x1.59a3fa7d63b79p-5, 0x1.2c2e560cbe6d1p-5,  -0x1.e9f9fff162b3dp-6, 0x1.683cc11860febp-6,   -0x1.c78fcb9755d11p-7,
    0x1.d7b93734093f4p-8,  -0x1.7a39bb6686835p-9, 0x1.b3fb0f252e01dp-11, -0x1.3f3698822fc3cp-13, 0x1.bbee30cf01c75p-17};
static const double c_q[] = {0x1.2776c50ef9bfcp-1, 0x1.a61762a7aeddbp-2, 0x1.484b13d6ad2d1p-2, 0x1.0c9a853aceadap-2,
                             0x1.c68ee975bcfeep-3, 0x1.8a09b451b69fbp-3, 0x1.58fd158b4fc6fp-3, 0x1.61ee712bf5218p-3};

#define POLYNOMIAL(c, u) polynomial((c), GF_ARRAY_LEN(c), (u))

static double polynomial(const double *c, size_t n, double u)
{
    double t = c[n - 1];
    for (size_t k = n - 1; k-- > 0;)
        t = fma(t, u, c[k]);
    return t;
}

/* p * 2^floor(n / 2) * 2^(n - floor(n / 2)). */
static double scaled(double p, double n)
{
    int half = (int)floor(n / 2.0);
    return ldexp(ldexp(p, half), (int)n - half);
}

double gf_reference_exp_f64(double v)
{
    if (isnan(v))
        return v;
    double x = v < -746.0 ? -746.0 : v > 710.0 ? 710.0 : v;
    double n = fma(x, PER_LN2, M) - M, g = fma(n, -LN2_1, x), w = fma(n, -LN2_2, g), d = fma(n, -LN2_2, g - w);
    double p = 1.0 + (w + fma(w * w, POLYNOMIAL(c_e, w), d));
    return scaled(p, n);
}

/* v = m * 2^e. */
static double mantissa(double v, double *ret_e)
{
    int e;
    double m = frexp(v, &e);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2.0;
        e--;
    }
    *ret_e = (double)e;
    return m;
}

double gf_reference_log_f64(double v)
{
    if (isnan(v) || v < 0.0)
        return (double)NAN;
    if (v == 0.0 || isinf(v))
        return v == 0.0 ? -(double)INFINITY : v;
    double e, m = mantissa(v, &e);
    double f = m - 1.0, s = f / (2.0 + f), z = s * s, h = 0.5 * f * f;
    double t = fma(s, fma(z, POLYNOMIAL(c_l, z), h), -h);
    double a = e * LN2_1, b = a + f, c = a - b + f;
    return b + (t + fma(e, LN2_2, c));
}

/* An angle without its quarters of a turn: r + d, and the number of quarters modulo 4. */
static struct gf_reference_angle angle(double u)
{
    if (u > 0x1p30)
        return gf_reference_far_angle(u);
    double n = fma(u, TWO_PER_PI, M) - M, g = fma(n, -HALF_PI_1, u), p = n * HALF_PI_2, r = g - p;
    double d = fma(n, -HALF_PI_3, g - r - p - fma(n, HALF_PI_2, -p));
    return (struct gf_reference_angle){.r = r, .d = d, .quarters = (uint32_t)((int64_t)n & 3)};
}

/* The sine of an angle of so many quarters more. */
static double sine(double u, uint32_t quarters)
{
    struct gf_reference_angle of = angle(u);
    double r = of.r, d = of.d;
    double z = fma(r, r, (r + r) * d), s = r + fma(r * z, POLYNOMIAL(c_s, z), d);
    double c = fma(fma(POLYNOMIAL(c_c, z), z, -0.5), z, 1.0);
    quarters = (quarters + of.quarters) % 4;
    double v = quarters % 2 == 0 ? s : c;
    return quarters < 2 ? v : -v;
}

double gf_reference_sin_f64(double v)
{
    if (isnan(v) || isinf(v))
        return (double)NAN;
    return signbit(v) ? -sine(-v, 0) : sine(v, 0);
}

double gf_reference_cos_f64(double v)
{
    return isnan(v) || isinf(v) ? (double)NAN : sine(fabs(v), 1);
}

double gf_reference_atan2_f64(double y, double x)
{
    double n = fabs(y), d = x, k = signbit(x) ? 2.0 : 0.0;
    if (isnan(y) || isnan(x))
        return (double)NAN;
    if (fabs(y) == fabs(x)) {
        n = y == 0.0 ? 0.0 : 1.0;
        d = signbit(x) ? -1.0 : 1.0;
    } else if (fabs(y) > fabs(x)) {
        n = -x;
        d = fabs(y);
        k = 1.0;
    }
    if (fabs(d) < 0x1p-512) { /* or the quotient would lose what it has left */
        n *= 0x1p512;
        d *= 0x1p512;
    }
    double t = n / d, z = t * t, rest = isinf(d) ? 0.0 : fma(-t, d, n) / fma(d, z, d);
    double a = k * HALF_PI_1, b = a + t, c = fma(k, HALF_PI_2, a - b + t + rest);
    double v = b + fma(t * z, POLYNOMIAL(c_a, z), c);
    return signbit(y) ? -v : v;
}

/* 1 and NaN where x^y is that whatever the power of |x| is. */
static bool is_settled(double x, double y, double *ret_v)
{
    bool whole = isinf(y) || floor(y) == y;
    if (y == 0.0 || x == 1.0 || (x == -1.0 && isinf(y)))
        *ret_v = 1.0;
    else if (isnan(x) || isnan(y) || (x < 0.0 && !isinf(x) && !whole))
        *ret_v = (double)NAN;
    else
        return false;
    return true;
}

static bool is_odd(double y)
{
    return !isinf(y) && floor(y) == y && floor(y / 2.0) * 2.0 != y;
}

/* h + t. */
struct pair {
    double h, t;
};

static struct pair product(struct pair a, struct pair b)
{
    double h = a.h * b.h;
    return (struct pair){h, fma(a.t, b.h, fma(a.h, b.t, fma(a.h, b.h, -h)))};
}

static struct pair sum(struct pair a, struct pair b)
{
    double h = a.h + b.h;
    return (struct pair){h, (a.h - h + b.h) + (a.t + b.t)};
}

/* The logarithm to the base 2 of a finite v > 0. */
static struct pair logarithm(double v)
{
    const struct pair k0 = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55},
                      k1 = {0x1.ec709dc3a03fdp-1, 0x1.d27f05548af0cp-55};
    double e, m = mantissa(v, &e);
    double u = m - 1.0, d = m + 1.0, rest = m - (d - 1.0), i = 1.0 / d, s = u * i;
    struct pair sine_like = {s, i * fma(-s, rest, fma(-s, d, u))}, z = product(sine_like, sine_like);
    double q = POLYNOMIAL(c_q, z.h), a = z.h * q;
    struct pair tail = {a, fma(z.t, q, fma(z.h, q, -a))};
    return sum((struct pair){e, 0.0}, product(sine_like, sum(k0, product(z, sum(k1, tail)))));
}

/* 2^(t.h + t.t). */
static double power_of_two(struct pair t)
{
    const double ln2_1 = 0x1.62e42fefa39efp-1, ln2_2 = 0x1.abc9e3b39803fp-56;
    double n = t.h + M - M, r = t.h - n, rr = r + t.t, rest = r - rr + t.t, w = rr * ln2_1;
    double d = fma(rest, ln2_1, fma(rr, ln2_2, fma(rr, ln2_1, -w)));
    d = fma(d, w, d);
    return scaled(1.0 + (w + fma(w * w, POLYNOMIAL(c_e, w), d)), n);
}

double gf_reference_pow_plain(double x, double y)
{
    bool half = floor(y) != y;
    double v = !half ? x : x == -(double)INFINITY ? (double)INFINITY : x + 0.0, q = half ? sqrt(v) : 1.0;
    for (int k = 0; k < (int)floor(fabs(y)); k++)
        q *= v;
    return y < 0.0 ? 1.0 / q : q;
}

double gf_reference_pow_f64(double x, double y)
{
    static const double plain[] = {-1.0, 0.5, 1.0, 2.0};
    for (size_t k = 0; k < GF_ARRAY_LEN(plain); k++)
        if (y == plain[k])
            return gf_reference_pow_plain(x, y);
    double settled;
    if (is_settled(x, y, &settled))
        return settled;
    struct pair l = x == 0.0   ? (struct pair){-(double)INFINITY, 0.0}
                    : isinf(x) ? (struct pair){(double)INFINITY, 0.0}
                               : logarithm(fabs(x));
    double h = y * l.h;
    struct pair t = {h, fma(y, l.t, fma(y, l.h, -h))};
    if (!(fabs(h) < 1100.0))
        t = (struct pair){h < 0.0 ? -1100.0 : 1100.0, 0.0};
    double p = power_of_two(t);
    return signbit(x) && is_odd(y) ? -p : p;
}

__extension__ typedef unsigned __int128 u128;

/* 2 / pi, the first bit counting 1/2; by Machin's formula. */
static const uint64_t two_per_pi[] = {0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
                                      0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
                                      0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F,
                                      0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B,
                                      0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB, 0xF0CFBC209AF4361D};

/* 64 bits of floor(2^shift * (2 / pi)), from the one that counts 2^first. */
static uint64_t bits_at(int shift, int first)
{
    uint64_t bits = 0;
    for (int j = 0; j < 64; j++) {
        int i = shift - (first + j) - 1; /* it counts 2^-(i + 1) of 2 / pi */
        if (i >= 0 && (two_per_pi[i / 64] >> (63 - i % 64) & 1) != 0)
            bits |= UINT64_C(1) << j;
    }
    return bits;
}

/* T of m * 2^e. */
static u128 turned(uint64_t m, int e)
{
    u128 low = (u128)m * bits_at(e + 190, 0), middle = (u128)m * bits_at(e + 190, 64) + (uint64_t)(low >> 64),
         high = (u128)m * bits_at(e + 190, 128) + (uint64_t)(middle >> 64);
    return high << 64 | (uint64_t)middle;
}

static int length(u128 v)
{
    int n = 0;
    for (; v != 0; v >>= 1)
        n++;
    return n;
}

/* The 53 leading bits of v * 2^-126, and what stays of v. */
static double leading(u128 v, int n_bits, u128 *ret_rest)
{
    int shift = n_bits > 53 ? n_bits - 53 : 0;
    *ret_rest = v - (v >> shift << shift);
    return ldexp((double)(uint64_t)(v >> shift), shift - 126);
}

struct gf_reference_angle gf_reference_far_angle(double u)
{
    int exponent;
    double fraction = frexp(u, &exponent); /* of 53 bits */
    u128 t = turned((uint64_t)ldexp(fraction, 53), exponent - 53), rest, none;
    uint32_t n = (uint32_t)(((t >> 125) + 1) >> 1);
    bool below = n == 4 || t < (u128)n << 126;
    u128 f_bits = below ? ((u128)n << 126) - t : t - ((u128)n << 126); /* 4 * 2^126 is 0 here, modulo 2^128 */
    int n_bits = length(f_bits);
    double f = leading(f_bits, n_bits, &rest), g = leading(rest, n_bits > 53 ? n_bits - 53 : 0, &none);
    double r = f * HALF_PI_1, d = fma(f, HALF_PI_2, fma(g, HALF_PI_1, fma(f, HALF_PI_1, -r)));
    return (struct gf_reference_angle){.r = below ? -r : r, .d = below ? -d : d, .quarters = n % 4};
}
