/* SPDX-License-Identifier: MIT */
/* Whether a job must stop. Called by the backends between work units, and by admission.c. */
#ifndef GF_KERNELS_STOP_H
#define GF_KERNELS_STOP_H

#include "backend.h"

/* Returns CANCELLED or DEADLINE where the job is cancelled or past its deadline, otherwise OK. The call also counts as
 * the job's sign of life. Any thread may call it. */
enum gf_status gf_stop_reason(const struct gf_job *job, struct gf_error *err);

#endif
