/* SPDX-License-Identifier: MIT */
/* For which chips the build has machine code. For all others the driver assembles the kernels' PTX. */
#ifndef GF_CUDA_CODE_H
#define GF_CUDA_CODE_H

#include <stdbool.h>

/* Whether the kernels of this build run on a device of this compute capability as they are. False, too, where
 * CUDA_FORCE_PTX_JIT makes the driver assemble them anyway. */
bool gf_cuda_has_code(int major, int minor);

/* Whether code for an architecture, such as 86, runs on a device: on the same and later minor revisions. */
bool gf_cuda_code_runs(int architecture, int major, int minor);

#endif
