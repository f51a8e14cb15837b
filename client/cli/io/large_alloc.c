/* SPDX-License-Identifier: MIT */
/* Memory in huge pages; see large_alloc.h. */
#include "large_alloc.h"

#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *gf_large_alloc(size_t size)
{
    if (size < HUGE_PAGE || size > SIZE_MAX - HUGE_PAGE)
        return malloc(size);
    void *data = aligned_alloc(HUGE_PAGE, (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (data)
        (void)madvise(data, size, MADV_HUGEPAGE);
    return data;
}
