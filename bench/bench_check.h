/* SPDX-License-Identifier: MIT */
/*
 * The expected result of a step, computed on the host: by the reference if that is fast enough, otherwise by the CPU
 * backend, which the conformance tests compare with the reference. Called by bench_case.cu.
 */
#ifndef GF_BENCH_BENCH_CHECK_H
#define GF_BENCH_BENCH_CHECK_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bench_check {
    struct gf_device *device;
    struct gf_exec *exec;
};

enum gf_status bench_check_open(struct bench_check *ret_check, struct gf_error *err);
void bench_check_close(struct bench_check *check);
/* Runs the step on operand in[i] for input i, with results in out[i], whose views are tight. The CPU backend skips an
 * output without data. */
enum gf_status bench_check_run(const struct bench_check *check, bool reference, const struct gf_step *step,
                               const struct gf_buf *in, const struct gf_buf *out, struct gf_error *err);
/* Continues `hash` by FNV-1a over words of 64 bits. The last word is padded with zeros. */
uint64_t bench_check_hash(uint64_t hash, const void *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
