/* SPDX-License-Identifier: MIT */
/* Blocks of huge pages, some of which are kept for reuse; see pages.h. Called by cpu_backend.c and cpu_run.c. */
#include "pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "protocol/base/base.h"

#define HUGE_PAGE ((uint64_t)2 << 20)
#define PAGE ((uint64_t)64 << 10) /* a multiple of every system's page size */
/* Blocks below SMALLEST come from the C library. Blocks above LARGEST_KEPT are not kept: new pages, which the system
 * clears, cost no more than clearing kept ones. */
#define SMALLEST HUGE_PAGE
#define LARGEST_KEPT (16 * HUGE_PAGE)

void gf_cpu_pages_init(struct gf_cpu_pages *pages)
{
    *pages = (struct gf_cpu_pages){.n = 0};
    pthread_mutex_init(&pages->lock, NULL);
}

/* Removes kept block i from the list. The caller holds the lock. */
static struct gf_cpu_block take_out(struct gf_cpu_pages *pages, uint32_t i)
{
    struct gf_cpu_block block = pages->kept[i];
    pages->bytes -= block.size;
    pages->n--;
    memmove(&pages->kept[i], &pages->kept[i + 1], (pages->n - i) * sizeof(block));
    return block;
}

void gf_cpu_pages_deinit(struct gf_cpu_pages *pages)
{
    while (pages->n > 0) {
        struct gf_cpu_block block = take_out(pages, pages->n - 1);
        munmap(block.data, block.size);
    }
    pthread_mutex_destroy(&pages->lock);
}

/* The most recently kept block of exactly this size, or NULL. Removes it from the list. */
static void *find_kept(struct gf_cpu_pages *pages, uint64_t size)
{
    void *data = NULL;
    pthread_mutex_lock(&pages->lock);
    for (uint32_t i = pages->n; i > 0 && !data; i--)
        if (pages->kept[i - 1].size == size)
            data = take_out(pages, i - 1).data;
    pthread_mutex_unlock(&pages->lock);
    return data;
}

/* Maps new pages, all zero, aligned to a huge page. */
static void *new_block(uint64_t size)
{
    if (size > SIZE_MAX - HUGE_PAGE)
        return NULL;
    char *all = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    uint64_t before = (HUGE_PAGE - (uintptr_t)all % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + size, HUGE_PAGE - before);
    (void)madvise(
        all + before, size - size % HUGE_PAGE,
        MADV_HUGEPAGE); /* whole huge pages only: one for the remainder would take more memory than was asked for */
    return all + before;
}

static uint64_t whole_pages(uint64_t size)
{
    uint64_t whole;
    return gf_align_u64(size, PAGE, &whole) ? whole : UINT64_MAX;
}

void *gf_cpu_pages_alloc(struct gf_cpu_pages *pages, uint64_t size, bool clear)
{
    if (size < SMALLEST)
        return size == 0 ? NULL : clear ? calloc(1, (size_t)size) : malloc((size_t)size);
    size = whole_pages(size);
    void *data = find_kept(pages, size);
    if (!data)
        return new_block(size);
    if (clear)
        memset(data, 0, size);
    return data;
}

void gf_cpu_pages_free(struct gf_cpu_pages *pages, void *data, uint64_t size)
{
    struct gf_cpu_block dropped[GF_CPU_PAGES_KEPT];
    uint32_t n_dropped = 0;
    if (!data || size < SMALLEST) {
        free(data);
        return;
    }
    size = whole_pages(size);
    if (size > LARGEST_KEPT) {
        munmap(data, size);
        return;
    }
    (void)madvise(data, size, MADV_FREE);
    pthread_mutex_lock(&pages->lock);
    while (pages->n == GF_CPU_PAGES_KEPT || pages->bytes > GF_CPU_PAGES_MAX_BYTES - size)
        dropped[n_dropped++] = take_out(pages, 0);
    pages->kept[pages->n++] = (struct gf_cpu_block){data, size};
    pages->bytes += size;
    pthread_mutex_unlock(&pages->lock);
    while (n_dropped-- > 0)
        munmap(dropped[n_dropped].data, dropped[n_dropped].size);
}
