/* SPDX-License-Identifier: MIT */
/* The functions of docs/numerics.md, "Functions", of both floats. Called by reference_expr.c and point.c. */
#ifndef GF_TESTS_REFERENCE_FUNCTIONS_H
#define GF_TESTS_REFERENCE_FUNCTIONS_H

#include <stdint.h>

float gf_reference_exp_f32(float v);
float gf_reference_log_f32(float v);
float gf_reference_pow_f32(float x, float y);
float gf_reference_sin_f32(float v);
float gf_reference_cos_f32(float v);
float gf_reference_atan2_f32(float y, float x);

double gf_reference_exp_f64(double v);
double gf_reference_log_f64(double v);
/* x to the power of a plain y, in f64. */
double gf_reference_pow_plain(double x, double y);
double gf_reference_pow_f64(double x, double y);
double gf_reference_sin_f64(double v);
double gf_reference_cos_f64(double v);
double gf_reference_atan2_f64(double y, double x);

/* l of a finite v > 0 and u * 2^n of docs/numerics.md, "Power of f32", for y of -1000 to 1000. */
double gf_reference_log2(double v);
double gf_reference_exp2(double y);

/* What is left of an angle without quarters of a turn, r + d, and their number modulo 4. */
struct gf_reference_angle {
    double r, d;
    uint32_t quarters;
};

/* Of u > 2^17, by whole numbers; r and d in f64. In reference_functions_f64.c. */
struct gf_reference_angle gf_reference_far_angle(double u);

#endif
