/* SPDX-License-Identifier: MIT */
/* Whether a job should go no further. Asked by the backends between work units, and by admission.c. */
#ifndef GF_KERNELS_STOP_H
#define GF_KERNELS_STOP_H

#include "backend.h"

/* CANCELLED or DEADLINE where the job has been cancelled or is too late, else OK; that the job asked is noted as its
 * sign of life. Any thread. */
enum gf_status gf_stop_reason(const struct gf_job *job, struct gf_error *err);

#endif
