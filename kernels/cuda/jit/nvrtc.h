/* SPDX-License-Identifier: MIT */
/*
 * NVRTC, the compiler of CUDA C++, loaded at run time, so that neither build nor package depends on it. Called by the
 * process that compiles (compiler.c), never by the worker itself.
 */
#ifndef GF_JIT_NVRTC_H
#define GF_JIT_NVRTC_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/base/error.h"

struct gf_nvrtc {
    void *library;
    uint32_t version; /* 13000 for 13.0 */
    int (*count_archs)(int *ret_n);
    int (*archs)(int *ret_archs);
    int (*create)(void **ret_program, const char *source, const char *name, int n_headers, const char *const *headers,
                  const char *const *names);
    int (*compile)(void *program, int n_options, const char *const *options);
    int (*destroy)(void **program);
    int (*code_size)(void *program, size_t *ret_size);
    int (*code)(void *program, char *ret_code);
    int (*log_size)(void *program, size_t *ret_size);
    int (*log)(void *program, char *ret_log);
    const char *(*error_text)(int error);
};

/* Loads the library that $GPUFILTER_NVRTC names, otherwise one of the toolkits that this build knows. UNSUPPORTED with
 * the reason if there is none. */
enum gf_status gf_nvrtc_open(struct gf_nvrtc *ret_nvrtc, struct gf_error *err);
void gf_nvrtc_close(struct gf_nvrtc *nvrtc);

/* Returns the architecture to compile for, 90 for sm_90: the device's, or the highest lower one of the same major
 * version, whose code the device runs as well. UNSUPPORTED if this NVRTC, older than the device, knows none. */
enum gf_status gf_nvrtc_arch(const struct gf_nvrtc *nvrtc, uint32_t device, uint32_t *ret_arch, struct gf_error *err);

/* Compiles a source, which may include gf_jit_headers, for an architecture, 90 for sm_90. *ret_code is from malloc.
 * INTERNAL with the first line of the compiler's log; NO_MEMORY. */
enum gf_status gf_nvrtc_compile(const struct gf_nvrtc *nvrtc, const char *source, uint32_t arch, char **ret_code,
                                size_t *ret_size, struct gf_error *err);

#endif
