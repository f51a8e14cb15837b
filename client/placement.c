/* SPDX-License-Identifier: MIT */
/* Decides between inline and arena, and copies. Called by run.c. */
#include "placement.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/request.h"

#define LARGE_RUN (256u << 10)  /* loose bytes from which a run counts as large */
#define SMALL_PLACE (16u << 10) /* data up to this goes inline in any case: masks, tables */
#define ARENA_HEAD 256          /* room for an ARENA frame's attributes */
#define FREE_HEAD 256           /* and for one of FREE */
#define ARENA_TIMEOUT_MS 30000

static void copy_rows(void *to, const struct gf_view *to_view, const void *from, const struct gf_view *from_view)
{
    uint64_t row = gf_view_row_bytes(from_view);
    if (to_view->pitch == row && from_view->pitch == row) {
        memcpy(to, from, row * from_view->height);
        return;
    }
    for (uint64_t y = 0; y < from_view->height; y++)
        memcpy((uint8_t *)to + y * to_view->pitch, (const uint8_t *)from + y * from_view->pitch, row);
}

static struct gf_view tight(const struct gf_view *v)
{
    return gf_view_tight(v->dtype, v->width, v->height, v->channels);
}

/* Bytes that lie neither in an arena nor in a resident buffer and would have to be copied. */
static uint64_t loose(gpufilter_client *client, const struct gf_place *place)
{
    struct gf_view v = tight(&place->view);
    if (place->resident != NULL)
        return 0;
    bool shared = place->data != NULL && gf_memory_find(&client->memory, place->data, &place->view) != NULL;
    return shared ? 0 : gf_view_bytes(&v);
}

/* Whether loose data goes through arenas. */
static bool wants_arena(struct gf_placement *p, gpufilter_client *client)
{
    uint64_t in = 0, out = 0;
    for (uint32_t i = 0; i < p->n_operands; i++)
        in += loose(client, &p->operands[i]) + GF_INLINE_ALIGN;
    for (uint32_t i = 0; i < p->n_results; i++)
        out += loose(client, &p->results[i]) + GF_INLINE_ALIGN;
    bool large = in + out > LARGE_RUN;
    client->n_large += large && client->n_large < UINT32_MAX;
    return client->shares && ((large && client->n_large > 1) || in > client->max_inline || out > client->max_inline);
}

/* Moves an operand into an arena; where there is no room it stays where it is. */
static void stage_operand(struct gf_place *place, gpufilter_client *client)
{
    struct gf_view v = tight(&place->view);
    if (loose(client, place) <= SMALL_PLACE ||
        gf_memory_shared(&client->memory, gf_view_bytes(&v), &place->staged, NULL) != GF_OK)
        return;
    copy_rows(place->staged, &v, place->data, &place->view);
    place->data = place->staged;
    place->view = v;
}

/* An operand that is a part of a resident buffer. */
static enum gf_status check_resident_operand(const gpufilter_client *client, const struct gf_place *place, uint32_t i,
                                             struct gf_error *err)
{
    if (place->resident->connection != client->connection)
        return gf_error_set(err, GF_E_HANDLE_LOST,
                            "operand %" PRIu32 " is a resident buffer of a connection that has ended", i);
    return GF_OK;
}

/* A result that becomes a resident buffer: a new one, or new contents of all of one. */
static enum gf_status place_resident_result(struct gf_place *place, gpufilter_client *client, uint32_t i,
                                            struct gf_error *err)
{
    struct gf_view v = tight(&place->view);
    if (place->data == GPUFILTER_RESIDENT) {
        enum gf_status status = gf_residents_add(&client->residents, &v, &place->resident, err);
        if (status != GF_OK)
            return status;
        place->added = true;
        place->data = place->resident->base;
        place->view = v;
    }
    if (place->data != place->resident->base || !gf_view_same_shape(&v, &place->resident->view))
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "result %" PRIu32 " is a part of a resident buffer; it must be all of it", i);
    place->handle = ++client->residents.last_handle;
    return GF_OK;
}

/* Gives a result memory: an arena's where wanted, to be copied from or to be the caller's. */
static enum gf_status place_result(struct gf_place *place, gpufilter_client *client, bool arena, uint32_t i,
                                   struct gf_error *err)
{
    if (place->data == GPUFILTER_RESIDENT || place->resident != NULL)
        return place_resident_result(place, client, i, err);
    struct gf_view v = tight(&place->view);
    uint64_t bytes = gf_view_bytes(&v);
    void *block = NULL;
    if (arena && loose(client, place) > SMALL_PLACE)
        gf_memory_shared(&client->memory, bytes, &block, NULL);
    if (place->data != NULL && block == NULL)
        return GF_OK;
    if (place->data != NULL) {
        place->staged = block;
    } else {
        enum gf_status status = block != NULL ? GF_OK : gf_memory_plain(&client->memory, bytes, &block, err);
        if (status != GF_OK)
            return status;
        place->given = block;
    }
    place->data = block;
    place->view = v;
    return GF_OK;
}

enum gf_status gf_placement_init(struct gf_placement *p, gpufilter_client *client, const gpufilter_result *results,
                                 struct gf_error *err)
{
    const struct gf_call *call = &client->call;
    p->n_operands = call->program.n_operands;
    p->n_results = call->program.n_results;
    p->n_copied = 0;
    for (uint32_t i = 0; i < p->n_operands; i++)
        p->operands[i] = (struct gf_place){.data = (void *)(uintptr_t)call->data[i],
                                           .view = call->views[i],
                                           .resident = gf_residents_find(&client->residents, call->data[i])};
    for (uint32_t i = 0; i < p->n_results; i++) {
        p->results[i] = (struct gf_place){.data = results[i].view.data,
                                          .view = call->program.results[i].view,
                                          .resident = gf_residents_find(&client->residents, results[i].view.data)};
        if (results[i].view.data != NULL && results[i].view.data != GPUFILTER_RESIDENT)
            p->results[i].view = gf_view_in(&results[i].view);
    }
    bool arena = wants_arena(p, client);
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; arena && i < p->n_operands; i++)
        stage_operand(&p->operands[i], client);
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++)
        status = place_result(&p->results[i], client, arena, i, err);
    return status;
}

/* Tells the daemon of an arena, once on each connection. */
static enum gf_status declare(gpufilter_client *client, struct gf_arena *a, struct gf_error *err)
{
    if (a->declared == client->connection)
        return GF_OK;
    uint8_t bytes[ARENA_HEAD];
    struct gf_writer head;
    gf_writer_init(&head, bytes, sizeof(bytes));
    gf_arena_request_encode(&head, &(struct gf_arena_request){.arena = a->id, .size = a->size});
    struct gf_exchange x = {.head = &head,
                            .kind = GF_FRAME_ARENA,
                            .answer_kind = GF_FRAME_DONE,
                            .fd = a->fd,
                            .deadline = gf_after_ms(ARENA_TIMEOUT_MS)};
    enum gf_status status = gf_channel_ask(&client->channel, &x, err);
    if (status == GF_OK)
        a->declared = client->connection;
    return status;
}

/* The arena a place lies in, declared; NULL: it goes inline. A refusal ends sharing on this connection. */
static enum gf_status share(gpufilter_client *client, const struct gf_place *place, struct gf_arena **ret,
                            struct gf_error *err)
{
    bool mine = client->shares && place->resident == NULL;
    struct gf_arena *a = mine ? gf_memory_find(&client->memory, place->data, &place->view) : NULL;
    enum gf_status status = a != NULL ? declare(client, a, err) : GF_OK;
    if (status >= GF_STATUS_FATAL)
        return status;
    client->shares = client->shares && status == GF_OK;
    *ret = status == GF_OK ? a : NULL;
    return GF_OK;
}

/* Declares every arena there is data in. */
static enum gf_status declare_all(struct gf_placement *p, gpufilter_client *client, struct gf_error *err)
{
    struct gf_arena *a;
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < p->n_operands && status == GF_OK; i++)
        status = share(client, &p->operands[i], &a, err);
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++)
        status = share(client, &p->results[i], &a, err);
    return status;
}

static void set_operand(struct gf_operand *o, const struct gf_place *place, const struct gf_arena *a)
{
    if (place->resident != NULL) {
        *o = (struct gf_operand){.way = GF_WAY_HANDLE,
                                 .id = place->resident->handle,
                                 .offset = (uint64_t)((const uint8_t *)place->data - place->resident->base),
                                 .view = place->view};
        return;
    }
    struct gf_view v = a != NULL ? place->view : tight(&place->view);
    *o = (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&v), .view = v};
    if (a == NULL)
        return;
    o->way = GF_WAY_ARENA;
    o->id = a->id;
    o->offset = (uint64_t)((const uint8_t *)place->data - a->base);
}

static void set_result(struct gf_result *o, const struct gf_place *place, const struct gf_arena *a)
{
    *o = (struct gf_result){.step = o->step, .output = o->output, .way = GF_WAY_INLINE};
    if (place->resident != NULL) {
        o->way = GF_WAY_HANDLE;
        o->id = place->handle;
        return;
    }
    if (a == NULL)
        return;
    o->way = GF_WAY_ARENA;
    o->id = a->id;
    o->offset = (uint64_t)((const uint8_t *)place->data - a->base);
    o->length = gf_view_bytes(&place->view);
    o->view.pitch = place->view.pitch;
}

enum gf_status gf_placement_ways(struct gf_placement *p, gpufilter_client *client, struct gf_program *program,
                                 struct gf_error *err)
{
    enum gf_status status = declare_all(p, client, err);
    p->n_copied = 0;
    for (uint32_t i = 0; i < p->n_operands && status == GF_OK; i++) {
        struct gf_arena *a = NULL;
        status = p->operands[i].resident != NULL ? check_resident_operand(client, &p->operands[i], i, err)
                                                 : share(client, &p->operands[i], &a, err);
        set_operand(&program->operands[i], &p->operands[i], a);
        p->n_copied += p->operands[i].resident == NULL && (a == NULL || p->operands[i].staged != NULL);
    }
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++) {
        struct gf_arena *a = NULL;
        status = share(client, &p->results[i], &a, err);
        set_result(&program->results[i], &p->results[i], a);
        p->n_copied += p->results[i].resident == NULL && (a == NULL || p->results[i].staged != NULL);
    }
    return status;
}

/* The buffer has what the run made; what it had before is let go of. */
static void deliver_resident(struct gf_place *place, gpufilter_client *client, gpufilter_result *result)
{
    struct gf_resident *r = place->resident;
    uint64_t connection = r->connection;
    uint32_t handle = r->handle;
    gf_view_out(&r->view, &result->view);
    result->view.data = r->base;
    r->connection = client->connection;
    r->handle = place->handle;
    place->added = false;
    gf_placement_release(client, connection, handle);
}

void gf_placement_deliver(struct gf_placement *p, gpufilter_client *client, gpufilter_result *results)
{
    for (uint32_t i = 0; i < p->n_results; i++) {
        struct gf_place *place = &p->results[i];
        struct gf_view wanted = tight(&client->call.program.results[i].view);
        if (place->resident != NULL) {
            deliver_resident(place, client, &results[i]);
            continue;
        }
        if (place->given != NULL) {
            gf_view_out(&wanted, &results[i].view);
            results[i].view.data = place->given;
            continue;
        }
        struct gf_view v = gf_view_in(&results[i].view);
        if (place->staged != NULL)
            copy_rows(results[i].view.data, &v, place->staged, &place->view);
        gf_view_out(&v, &results[i].view);
    }
}

void gf_placement_release(gpufilter_client *client, uint64_t connection, uint32_t handle)
{
    if (connection == 0 || connection != client->connection || !gf_channel_usable(&client->channel))
        return;
    uint8_t bytes[FREE_HEAD];
    uint32_t retry_ms = client->channel.retry_ms; /* of a run that failed: the caller is told */
    struct gf_writer head;
    gf_writer_init(&head, bytes, sizeof(bytes));
    gf_free_request_encode(&head, handle);
    struct gf_exchange x = {.head = &head,
                            .kind = GF_FRAME_FREE,
                            .answer_kind = GF_FRAME_DONE,
                            .fd = -1,
                            .deadline = gf_after_ms(ARENA_TIMEOUT_MS)};
    gf_channel_ask(&client->channel, &x, NULL);
    client->channel.retry_ms = retry_ms;
}

void gf_placement_deinit(struct gf_placement *p, gpufilter_client *client, bool late, bool failed)
{
    struct gf_memory *memory = &client->memory;
    for (uint32_t i = 0; i < p->n_results && failed; i++) {
        struct gf_place *place = &p->results[i];
        if (place->handle != 0) /* the daemon may know it as one that failed */
            gf_placement_release(client, client->connection, place->handle);
        if (place->added)
            gf_residents_remove(&client->residents, place->resident);
    }
    for (uint32_t i = 0; i < p->n_operands; i++)
        gf_memory_free(memory, p->operands[i].staged);
    for (uint32_t i = 0; i < p->n_results; i++) {
        if (late && p->results[i].resident == NULL)
            gf_memory_taint(memory, p->results[i].data);
        gf_memory_free(memory, p->results[i].staged);
        if (failed)
            gf_memory_free(memory, p->results[i].given);
    }
}
