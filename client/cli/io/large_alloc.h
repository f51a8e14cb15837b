/* SPDX-License-Identifier: MIT */
/* Memory for complete files and pictures. Called by input.c and image.c. */
#ifndef GF_CLI_LARGE_ALLOC_H
#define GF_CLI_LARGE_ALLOC_H

#include "protocol/base/base.h"

/* malloc(), from 2 MiB on of huge pages where the system has them: touching new memory for the first time takes longer
 * than copying it, page by page. free() and realloc() take it. */
void *gf_large_alloc(size_t size);

#endif
