/* SPDX-License-Identifier: MIT */
/* The memory of the device that computes nothing, for tests that compute in its place; see fake_cuda.c. */
#ifndef GF_TESTS_FAKE_CUDA_H
#define GF_TESTS_FAKE_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Where the bytes at an address of the device are kept. An address of the host is returned as it is. */
void *gf_fake_cuda_content(void *data);

#ifdef __cplusplus
}
#endif
#endif
