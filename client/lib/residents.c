/* SPDX-License-Identifier: MIT */
/* Resident buffers and the handles of their contents; see residents.h. */
#include "residents.h"

#include <search.h>
#include <stdatomic.h>

#include "client.h"
#include "protocol/base/limits.h"
#include "protocol/wire/request.h"

#define PAGE 4096ull

/* Addresses of resident buffers have bit 55 and a byte above it that is not 0, at most 0x7f: no processor of today
 * gives such an address to a program. (x86-64 gives up to 56 bits; AArch64 ignores the highest byte, but bit 55 makes
 * an address the kernel's.) There are 127 windows of 2^55 bytes. */
#define WINDOW_BITS 55
#define WINDOW_SIZE (UINT64_C(1) << WINDOW_BITS)
#define N_WINDOWS 127u
_Static_assert(WINDOW_SIZE > GF_MAX_BYTES + PAGE, "a buffer lies in one window");

struct gf_handle *gf_handle_new(gpufilter_client *client, const struct gf_resident *resident)
{
    struct gf_handle *h = calloc(1, sizeof(*h));
    if (h == NULL)
        return NULL;
    h->refs = 1;
    h->number = ++client->last_handle;
    h->base = resident->base;
    h->before = resident->newest;
    h->client = client;
    gf_hash_add(&client->residents.handles, h->number, &h->by_number);
    return h;
}

struct gf_handle *gf_handle_ref(struct gf_handle *h)
{
    h->refs++;
    return h;
}

static enum gf_prepared write_free(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                   struct gf_error *err)
{
    const struct gf_handle *h = x->context;
    (void)payload;
    if (h->connection != h->client->connection) {
        gf_error_set(err, GF_E_CONNECTION_LOST, "it was lost with its connection");
        return GF_PREPARED_NEVER;
    }
    gf_free_request_encode(head, h->number);
    return GF_PREPARED;
}

/* The handle was freed, did not exist, or went with the connection. */
static void freed(struct gf_exchange *x)
{
    struct gf_handle *h = x->context;
    h->client->n_releases--;
    free(h);
}

struct gf_handle *gf_handle_unref(struct gf_handle *h)
{
    while (h != NULL && --h->refs == 0) {
        struct gf_handle *before = h->before;
        gpufilter_client *client = h->client;
        h->before = NULL;
        gf_hash_remove(&client->residents.handles, &h->by_number);
        if (h->connection != 0 && h->connection == client->connection && client->channel.open) {
            h->release = (struct gf_exchange){.kind = GF_FRAME_FREE,
                                              .answer_kind = GF_FRAME_DONE,
                                              .fd = -1,
                                              .deadline = INT64_MAX,
                                              .context = h,
                                              .prepare = write_free,
                                              .done = freed};
            client->n_releases++;
            gf_channel_add_first(&client->channel, &h->release);
        } else {
            free(h);
        }
        h = before;
    }
    return NULL;
}

void gf_handle_settle(struct gf_handle *h, bool made)
{
    h->state = made ? GF_CONTENTS_MADE : GF_CONTENTS_FAILED;
    if (made)
        h->before = gf_handle_unref(h->before);
}

/* Buffers do not overlap, so that the one which contains an address equals one of a byte there. */
static int by_address(const void *left, const void *right)
{
    const struct gf_resident *a = left, *b = right;
    if ((uintptr_t)a->base + a->size <= (uintptr_t)b->base)
        return -1;
    return (uintptr_t)a->base >= (uintptr_t)b->base + b->size;
}

static void resident_free(void *resident)
{
    struct gf_resident *r = resident;
    gf_handle_unref(r->newest);
    free(r);
}

void gf_residents_deinit(struct gf_residents *residents)
{
    tdestroy(residents->buffers, resident_free);
    residents->buffers = NULL;
    gf_hash_deinit(&residents->handles);
}

/* Gives out addresses, each once in a process. At 1 GB of new buffers a second they last for a century. 0: no more. */
static uint64_t take_addresses(uint64_t size)
{
    static _Atomic uint64_t taken;
    uint64_t before = atomic_load(&taken), begin;
    do {
        begin = before;
        if (begin % WINDOW_SIZE + size > WINDOW_SIZE)
            begin = (begin / WINDOW_SIZE + 1) * WINDOW_SIZE;
        if (begin / WINDOW_SIZE >= N_WINDOWS)
            return 0;
    } while (!atomic_compare_exchange_weak(&taken, &before, begin + size));
    return (begin / WINDOW_SIZE + 1) << (WINDOW_BITS + 1) | WINDOW_SIZE | begin % WINDOW_SIZE;
}

bool gf_residents_name(const void *data)
{
    uint64_t at = (uintptr_t)data;
    return (at & WINDOW_SIZE) != 0 && at >> (WINDOW_BITS + 1) != 0;
}

enum gf_status gf_residents_add(struct gf_residents *residents, const struct gf_view *view,
                                struct gf_resident **ret_resident, struct gf_error *err)
{
    if (sizeof(uintptr_t) < sizeof(uint64_t))
        return gf_error_set(err, GF_E_UNSUPPORTED, "resident buffers need pointers of 64 bits");
    struct gf_resident *r = calloc(1, sizeof(*r));
    uint64_t size = gf_round_up(gf_view_bytes(view), PAGE), base = take_addresses(size);
    if (r != NULL && base != 0) {
        *r = (struct gf_resident){.base = (uint8_t *)(uintptr_t)base, .size = size, .view = *view};
        if (tsearch(r, &residents->buffers, by_address) != NULL) {
            *ret_resident = r;
            return GF_OK;
        }
    }
    free(r);
    return gf_error_set(err, GF_E_NO_MEMORY, base != 0 ? "out of memory" : "out of addresses of resident buffers");
}

struct gf_resident *gf_residents_find(const struct gf_residents *residents, const void *data)
{
    const struct gf_resident at = {.base = (uint8_t *)(uintptr_t)data, .size = 1};
    struct gf_resident *const *found = tfind(&at, &residents->buffers, by_address);
    return found != NULL ? *found : NULL;
}

const uint8_t *gf_residents_of_handle(const struct gf_residents *residents, uint32_t number, uint64_t connection)
{
    const struct gf_hash_node *node = gf_hash_find(&residents->handles, number);
    const struct gf_handle *h = node != NULL ? gf_container(node, struct gf_handle, by_number) : NULL;
    return h != NULL && h->connection == connection && gf_residents_find(residents, h->base) != NULL ? h->base : NULL;
}

void gf_residents_restore(struct gf_residents *residents, const void *base)
{
    struct gf_resident *r = gf_residents_find(residents, base);
    while (r != NULL && r->newest != NULL && r->newest->state == GF_CONTENTS_FAILED) {
        struct gf_handle *h = r->newest;
        r->newest = h->before != NULL ? gf_handle_ref(h->before) : NULL;
        gf_handle_unref(h);
    }
}

void gf_residents_remove(struct gf_residents *residents, struct gf_resident *resident)
{
    tdelete(resident, &residents->buffers, by_address);
    resident_free(resident);
}
