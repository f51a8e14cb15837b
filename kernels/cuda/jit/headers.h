/* SPDX-License-Identifier: MIT */
/* The headers that kernels compiled at run time include, as text, in a file that embed.cmake writes. Read by nvrtc.c
 * and make.c. */
#ifndef GF_JIT_HEADERS_H
#define GF_JIT_HEADERS_H

#include <stdint.h>

struct gf_jit_header {
    const char *name; /* the name under which it is included */
    const char *text;
};

extern const struct gf_jit_header gf_jit_headers[];
extern const uint32_t gf_jit_n_headers;
/* A hash, of 64 digits, of the headers and of the code that writes sources. A kernel made from other files has another
 * key. */
extern const char gf_jit_sources[];

#endif
