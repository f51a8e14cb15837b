/* SPDX-License-Identifier: MIT */
/* Memory for whole files and pictures. Called by input.c and image.c. */
#ifndef GF_CLI_LARGE_ALLOC_H
#define GF_CLI_LARGE_ALLOC_H

#include "protocol/base/base.h"

/* malloc(), but from 2 MiB on in huge pages if the system has them: the first touch of new memory, page by page, takes
 * longer than copying it. The result may be passed to free() and realloc(). */
void *gf_large_alloc(size_t size);

#endif
