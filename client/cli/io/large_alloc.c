/* SPDX-License-Identifier: MIT */
/* Memory in huge pages; see large_alloc.h. */
#include "large_alloc.h"

#include <sys/mman.h>

#include "protocol/base/base.h"

#define HUGE_PAGE ((size_t)2 << 20)

void *gf_large_alloc(size_t size)
{
    if (size < HUGE_PAGE || size > SIZE_MAX - HUGE_PAGE)
        return malloc(size);
    void *data = aligned_alloc(HUGE_PAGE, gf_round_up(size, HUGE_PAGE));
    if (data)
        (void)madvise(data, size, MADV_HUGEPAGE);
    return data;
}
