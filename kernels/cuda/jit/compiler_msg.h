/* SPDX-License-Identifier: MIT */
/*
 * Messages between the worker and the process that compiles: one request on the child's standard input, one answer on
 * its standard output, each a head followed by as many bytes as the head says. Both ends are the same program file, so
 * numbers are in the machine's format. Included by compile.c and compiler.c.
 */
#ifndef GF_JIT_COMPILER_MSG_H
#define GF_JIT_COMPILER_MSG_H

#include <stdint.h>

#include "protocol/base/error.h"

#define GF_JIT_MAGIC 0x4A584647u             /* "GFXJ" */
#define GF_JIT_SOURCE_MAX (512u * 1024u)     /* bytes of a source */
#define GF_JIT_CODE_MAX (8u * 1024u * 1024u) /* bytes of code */
#define GF_JIT_REASON_MAX GF_ERROR_TEXT      /* bytes of the reason for a failure */

#define GF_JIT_COMPILER_ARGUMENT "--compile-kernel"

enum gf_jit_answer {
    GF_JIT_MADE = 1, /* the code follows; nothing if the source was empty, which asks for the version alone */
    GF_JIT_NO_NVRTC, /* there is no compiler for the device, or it cannot be confined; the reason follows */
    GF_JIT_REFUSED,  /* the compiler refused the source, or failed; the reason follows */
};

struct gf_jit_request_head {
    uint32_t magic;
    uint32_t arch; /* the device's, 90 for sm_90 */
    uint32_t size; /* bytes of the source that follow */
};

struct gf_jit_answer_head {
    uint32_t magic;
    uint32_t answer;  /* enum gf_jit_answer */
    uint32_t version; /* of NVRTC: 13000 for 13.0 */
    uint32_t size;    /* bytes that follow */
};

#endif
