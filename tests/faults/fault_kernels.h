/* SPDX-License-Identifier: MIT */
/* Faults of a GPU that a test's request can ask for: fault_kernels.cu, fault_kernels_absent.c without CUDA, or
 * fault_kernels_fake.c with a device that computes nothing. */
#ifndef GF_TESTS_FAULT_KERNELS_H
#define GF_TESTS_FAULT_KERNELS_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gf_fault {
    GF_FAULT_NONE,
    GF_FAULT_EXIT, /* the process ends */
    GF_FAULT_HANG, /* the job never does */
    GF_FAULT_TRAP, /* of a GPU alone, from here on: a trap, */
    GF_FAULT_WILD, /* a store to no memory */
    GF_N_FAULTS
};

/* Launches a kernel with the fault and does not wait for it. GF_FAULT_HANG occupies the whole device. */
void gf_fault_launch(enum gf_fault fault);

/* Computes the results of a job that has run, if its device computes nothing. */
enum gf_status gf_fault_compute(const struct gf_job *job, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
