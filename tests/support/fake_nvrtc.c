/* SPDX-License-Identifier: MIT */
/*
 * A library that $GPUFILTER_NVRTC can name in NVRTC's place: version 13.1 with the architectures that $GF_FAKE_NVRTC
 * lists, such as "75 80 90". It compiles for these alone, and its code is the name of the architecture.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARCHS_MAX 16
#define FAILED 5

static char g_code[16];

/* Declares a function and begins its definition. */
#define NVRTC(type, name, params)                                                                                      \
    __attribute__((visibility("default"))) type name params;                                                           \
    type name params

static int list(int archs[ARCHS_MAX])
{
    const char *at = getenv("GF_FAKE_NVRTC");
    int n = 0;
    for (char *end; at && *at && n < ARCHS_MAX; at = end)
        archs[n++] = (int)strtol(at, &end, 10);
    return n;
}

NVRTC(int, nvrtcVersion, (int *major, int *minor))
{
    *major = 13;
    *minor = 1;
    return 0;
}

NVRTC(int, nvrtcGetNumSupportedArchs, (int *n))
{
    int archs[ARCHS_MAX];
    *n = list(archs);
    return 0;
}

NVRTC(int, nvrtcGetSupportedArchs, (int *archs))
{
    (void)list(archs);
    return 0;
}

NVRTC(int, nvrtcCreateProgram,
      (void **program, const char *source, const char *name, int n_headers, const char *const *headers,
       const char *const *names))
{
    (void)source, (void)name, (void)n_headers, (void)headers, (void)names;
    *program = g_code;
    return 0;
}

NVRTC(int, nvrtcCompileProgram, (void *program, int n_options, const char *const *options))
{
    int archs[ARCHS_MAX], n = list(archs), asked = 0;
    (void)program;
    for (int i = 0; i < n_options && asked == 0; i++)
        (void)sscanf(options[i], "--gpu-architecture=sm_%d", &asked);
    while (n > 0 && archs[n - 1] != asked)
        n--;
    (void)snprintf(g_code, sizeof(g_code), "sm_%d", asked);
    return n > 0 ? 0 : FAILED;
}

NVRTC(int, nvrtcDestroyProgram, (void **program))
{
    *program = NULL;
    return 0;
}

NVRTC(int, nvrtcGetCUBINSize, (void *program, size_t *size))
{
    (void)program;
    *size = strlen(g_code);
    return 0;
}

NVRTC(int, nvrtcGetCUBIN, (void *program, char *code))
{
    (void)program;
    memcpy(code, g_code, strlen(g_code));
    return 0;
}

NVRTC(int, nvrtcGetProgramLogSize, (void *program, size_t *size))
{
    (void)program;
    *size = 0;
    return 0;
}

NVRTC(int, nvrtcGetProgramLog, (void *program, char *log))
{
    (void)program, (void)log;
    return 0;
}

NVRTC(const char *, nvrtcGetErrorString, (int error))
{
    return error == 0 ? "success" : "no such architecture";
}
