/* SPDX-License-Identifier: MIT */
/* Decides between inline and arena, and copies. Called by run.c. */
#include "placement.h"

#include <string.h>

#include "protocol/request.h"

#define LARGE_RUN (256u << 10)  /* loose bytes from which a run counts as large */
#define SMALL_PLACE (16u << 10) /* data up to this goes inline in any case: masks, tables */
#define ARENA_HEAD 256          /* room for an ARENA frame's attributes */
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

/* Bytes that lie in no arena and would have to be copied. */
static uint64_t loose(gpufilter_client *client, const struct gf_place *place)
{
    struct gf_view v = tight(&place->view);
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

/* Gives a result memory: an arena's where wanted, to be copied from or to be the caller's. */
static enum gf_status place_result(struct gf_place *place, gpufilter_client *client, bool arena, struct gf_error *err)
{
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
        p->operands[i] = (struct gf_place){.data = (void *)(uintptr_t)call->data[i], .view = call->views[i]};
    for (uint32_t i = 0; i < p->n_results; i++) {
        p->results[i] = (struct gf_place){.data = results[i].view.data, .view = call->program.results[i].view};
        if (results[i].view.data != NULL)
            p->results[i].view = gf_view_in(&results[i].view);
    }
    bool arena = wants_arena(p, client);
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; arena && i < p->n_operands; i++)
        stage_operand(&p->operands[i], client);
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++)
        status = place_result(&p->results[i], client, arena, err);
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
    struct gf_arena *a = client->shares ? gf_memory_find(&client->memory, place->data, &place->view) : NULL;
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
        status = share(client, &p->operands[i], &a, err);
        set_operand(&program->operands[i], &p->operands[i], a);
        p->n_copied += a == NULL || p->operands[i].staged != NULL;
    }
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++) {
        struct gf_arena *a = NULL;
        status = share(client, &p->results[i], &a, err);
        set_result(&program->results[i], &p->results[i], a);
        p->n_copied += a == NULL || p->results[i].staged != NULL;
    }
    return status;
}

void gf_placement_deliver(struct gf_placement *p, const struct gf_program *program, gpufilter_result *results)
{
    for (uint32_t i = 0; i < p->n_results; i++) {
        struct gf_place *place = &p->results[i];
        struct gf_view wanted = tight(&program->results[i].view);
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

void gf_placement_deinit(struct gf_placement *p, struct gf_memory *memory, bool late, bool failed)
{
    for (uint32_t i = 0; i < p->n_operands; i++)
        gf_memory_free(memory, p->operands[i].staged);
    for (uint32_t i = 0; i < p->n_results; i++) {
        if (late)
            gf_memory_taint(memory, p->results[i].data);
        gf_memory_free(memory, p->results[i].staged);
        if (failed)
            gf_memory_free(memory, p->results[i].given);
    }
}
