/* SPDX-License-Identifier: MIT */
/* The headers that kernels made at run time include, as text: embed.cmake writes the file that has them. Read by
 * nvrtc.c and make.c. */
#ifndef GF_JIT_HEADERS_H
#define GF_JIT_HEADERS_H

#include <stdint.h>

struct gf_jit_header {
    const char *name; /* by which it is included */
    const char *text;
};

extern const struct gf_jit_header gf_jit_headers[];
extern const uint32_t gf_jit_n_headers;
/* A hash, 64 digits, of these and of what writes sources: a kernel that was made from others is another kernel. */
extern const char gf_jit_sources[];

#endif
