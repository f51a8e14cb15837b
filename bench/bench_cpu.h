/* SPDX-License-Identifier: MIT */
/*
 * The CPU backend as a shared library: opens it with a number of threads, holds a step with its memory, runs it. Loaded
 * by peers.py, which times it beside other libraries in one process.
 */
#ifndef GF_BENCH_BENCH_CPU_H
#define GF_BENCH_BENCH_CPU_H

#include <stdint.h>

struct bench_device;
struct bench_step;

/* An array or picture; peers.py declares the same layout. */
struct bench_array {
    void *data;
    const char *dtype; /* "u8" */
    uint64_t width, height, channels;
};

/* The reason why the last call failed. */
const char *bench_error(void);
/* Opens the CPU with a number of threads; 0: all. NULL: see bench_error. Lives until the process ends. */
struct bench_device *bench_open(uint32_t threads);
/* Makes a step of one op, with parameters as "name=value name=value". The inputs must outlive the step. NULL: see
 * bench_error. */
struct bench_step *bench_step_new(struct bench_device *device, const char *op, const char *params, uint32_t n_inputs,
                                  const struct bench_array *inputs);
void bench_step_free(struct bench_step *step);
/* The shape of output number i. Its data are NULL until it is placed. There is no dtype past the last output. */
struct bench_array bench_output(const struct bench_step *step, uint32_t i);
/* Gives an output its memory, which must outlive the step. All outputs must be placed before the step runs. */
void bench_place(struct bench_step *step, uint32_t i, void *data);
/* Runs the step once. Returns 0, or 1 with the reason in bench_error. */
int bench_run(struct bench_step *step);

#endif
