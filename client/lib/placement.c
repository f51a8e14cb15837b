/* SPDX-License-Identifier: MIT */
/*
 * Chooses between inline and arena, names resident buffers, and copies. Called by requests.c.
 */
#include "placement.h"

#include <inttypes.h>

#include "arenas.h"
#include "memory/copy.h"
#include "protocol/base/dtype.h"

#define LARGE_RUN (256u << 10)  /* bytes of loose data from which a run counts as large */
#define SMALL_PLACE (16u << 10) /* data up to this size always goes inline: masks, tables */

static struct gf_view tight(const struct gf_view *v)
{
    return gf_view_tight(v->dtype, v->width, v->height, v->channels);
}

static uint64_t bytes_of(const struct gf_view *v)
{
    struct gf_view t = tight(v);
    return gf_view_bytes(&t);
}

/* The data that is sent or shared: the staged block, otherwise the caller's memory. */
static void *wire_data(const struct gf_place *place)
{
    return place->staged != NULL ? place->staged->data : place->data;
}

static struct gf_view wire_view(const struct gf_place *place)
{
    return place->staged != NULL ? tight(&place->view) : place->view;
}

/* The arena in which the daemon can read an operand or store a result without a copy, or NULL. */
static struct gf_arena *arena_of(const struct gf_place *place)
{
    if (place->staged != NULL)
        return place->staged->arena;
    bool aligned = (uintptr_t)place->data % gf_dtype_size(place->view.dtype) == 0;
    return place->block != NULL && aligned ? place->block->arena : NULL;
}

/* Bytes that lie neither in an arena nor in a resident buffer and must be copied. */
static uint64_t loose(const struct gf_place *place)
{
    bool resident = place->data == GPUFILTER_RESIDENT || gf_residents_name(place->data);
    return resident || arena_of(place) != NULL ? 0 : bytes_of(&place->view);
}

/* Whether loose data goes through arenas. */
static bool wants_arena(const struct gf_placement *p, gpufilter_client *client)
{
    uint64_t in = 0, out = 0;
    for (uint32_t i = 0; i < p->n_operands; i++)
        in += loose(&p->operands[i]) + GF_INLINE_ALIGN;
    for (uint32_t i = 0; i < p->n_results; i++)
        out += loose(&p->results[i]) + GF_INLINE_ALIGN;
    bool large = in + out > LARGE_RUN;
    client->n_large += large && client->n_large < UINT32_MAX;
    return client->shares && ((large && client->n_large > 1) || in > client->max_inline || out > client->max_inline);
}

/* Whether an operand lies in an arena; results then get arena memory too. */
static bool has_arena(const struct gf_placement *p)
{
    for (uint32_t i = 0; i < p->n_operands; i++)
        if (arena_of(&p->operands[i]) != NULL)
            return true;
    return false;
}

/* Keeps the library's memory that contains operand or result i, if it does; all of it must lie in one block. */
static enum gf_status hold(struct gf_place *place, gpufilter_client *client, bool operand, uint32_t i,
                           struct gf_error *err)
{
    const char *what = operand ? "operand" : "result";
    uint64_t bytes = gf_view_bytes(&place->view);
    struct gf_block *b = gf_memory_find(&client->memory, place->data);
    if (b == NULL && !gf_memory_touches(&client->memory, place->data, bytes))
        return GF_OK;
    if (b == NULL || b->freed)
        return gf_error_set(err, GF_E_BAD_ARGUMENT,
                            "%s %" PRIu32 " lies in memory that was freed by gpufilter_free, or never allocated", what,
                            i);
    uint64_t offset = (uint64_t)((const uint8_t *)place->data - b->data);
    uint64_t left = b->length > offset ? b->length - offset : 0;
    if (bytes <= left) {
        place->block = gf_memory_hold(&client->memory, b);
        return GF_OK;
    }
    gf_error_set(err, operand ? GF_E_BAD_VIEW : GF_E_OUTPUT_TOO_SMALL,
                 "%s %" PRIu32 " takes %" PRIu64 " bytes; its memory of gpufilter_alloc has %" PRIu64 " from there on",
                 what, i, bytes, left);
    err->needed = operand ? 0 : bytes;
    return (enum gf_status)err->status;
}

static enum gf_status no_resident(const char *what, uint32_t i, struct gf_error *err)
{
    return gf_error_set(err, GF_E_NO_SUCH_HANDLE,
                        "%s %" PRIu32 " is no resident buffer of this client: it was freed, or is another client's",
                        what, i);
}

/* Places an operand in memory, or refers to the latest contents of the resident buffer that it is part of. */
static enum gf_status place_operand(struct gf_place *place, gpufilter_client *client, const struct gf_call *call,
                                    uint32_t i, struct gf_error *err)
{
    *place = (struct gf_place){.data = (void *)(uintptr_t)call->data[i], .view = call->views[i]};
    if (!gf_residents_name(place->data))
        return hold(place, client, true, i, err);
    const struct gf_resident *r = gf_residents_find(&client->residents, place->data);
    if (r == NULL)
        return no_resident("operand", i, err);
    if (r->newest == NULL)
        return gf_error_set(err, GF_E_DEPENDENCY,
                            "operand %" PRIu32 " is an empty resident buffer: the request that should have filled it"
                            " failed",
                            i);
    place->handle = gf_handle_ref(r->newest);
    place->offset = (uint64_t)((const uint8_t *)place->data - r->base);
    return GF_OK;
}

/* Places a result that becomes a resident buffer: a new buffer, or new contents of an existing one. */
static enum gf_status place_resident(struct gf_place *place, gpufilter_client *client, uint32_t i, struct gf_error *err)
{
    struct gf_view v = tight(&place->view);
    struct gf_resident *r = gf_residents_find(&client->residents, place->data), *added = NULL;
    if (r == NULL && place->data != GPUFILTER_RESIDENT)
        return no_resident("result", i, err);
    if (r == NULL) {
        enum gf_status status = gf_residents_add(&client->residents, &v, &added, err);
        if (status != GF_OK)
            return status;
        r = added;
        place->data = r->base;
    }
    if (place->data != r->base || !gf_view_same_shape(&v, &r->view))
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "result %" PRIu32 " is a part of a resident buffer; it must be all of it", i);
    place->view = v;
    place->handle = gf_handle_new(client, r);
    if (place->handle == NULL) {
        if (added != NULL)
            gf_residents_remove(&client->residents, added);
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    }
    r->newest = gf_handle_ref(place->handle);
    return GF_OK;
}

/* Places a result in the caller's memory, in memory allocated for it, or in a resident buffer. */
static enum gf_status place_result(struct gf_place *place, gpufilter_client *client, bool arena, uint32_t i,
                                   struct gf_error *err)
{
    if (place->data == GPUFILTER_RESIDENT || gf_residents_name(place->data))
        return place_resident(place, client, i, err);
    if (place->data != NULL)
        return GF_OK;
    uint64_t bytes = bytes_of(&place->view);
    struct gf_block *b = NULL;
    enum gf_status status = GF_E_NO_MEMORY;
    if (arena && bytes > SMALL_PLACE)
        status = gf_memory_shared(&client->memory, bytes, &b, NULL);
    if (status != GF_OK)
        status = gf_memory_plain(&client->memory, bytes, &b, err);
    if (status != GF_OK)
        return status;
    place->block = gf_memory_hold(&client->memory, b);
    place->data = b->data;
    return GF_OK;
}

/* Whether the bytes from the first to past the last sample overlap, even where rows interleave. */
static bool overlap(const struct gf_place *a, const struct gf_place *b)
{
    const uintptr_t at = (uintptr_t)a->data, bt = (uintptr_t)b->data;
    return a->handle == NULL && b->handle == NULL && at < bt + gf_view_bytes(&b->view) &&
           bt < at + gf_view_bytes(&a->view);
}

/* Result i lies in the caller's memory. It is stored elsewhere first if that is an operand's: the operand must stay as
 * it is until the answer is there, since the request may have to be sent again. */
static enum gf_status keep_apart(struct gf_placement *p, uint32_t i, struct gf_error *err)
{
    struct gf_place *place = &p->results[i];
    for (uint32_t k = 0; k < p->n_operands && !place->apart; k++)
        place->apart = overlap(place, &p->operands[k]);
    for (uint32_t k = 0; k < i && place->block != NULL; k++)
        if (place->block == p->results[k].block && overlap(place, &p->results[k]))
            return gf_error_set(err, GF_E_OVERLAP,
                                "result %" PRIu32 " overlaps result %" PRIu32 " in the same memory of gpufilter_alloc",
                                i, k);
    return GF_OK;
}

/* Undoes the placement of the first n results. */
static void take_back(struct gf_placement *p, gpufilter_client *client, const gpufilter_result *results, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;) {
        struct gf_place *place = &p->results[i];
        if (place->handle != NULL) {
            gf_handle_settle(place->handle, false);
            gf_residents_restore(&client->residents, place->data);
        }
        if (results[i].view.data == GPUFILTER_RESIDENT)
            gf_residents_remove(&client->residents, gf_residents_find(&client->residents, place->data));
        else if (results[i].view.data == NULL)
            gf_memory_free(&client->memory, place->data);
    }
}

enum gf_status gf_placement_init(struct gf_placement *p, gpufilter_client *client, const struct gf_call *call,
                                 gpufilter_result *results, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    uint32_t n_placed = 0;
    p->n_operands = p->n_results = p->n_copied = 0;
    p->staged = false;
    while (p->n_operands < call->program.n_operands && status == GF_OK) {
        status = place_operand(&p->operands[p->n_operands], client, call, p->n_operands, err);
        p->n_operands++;
    }
    for (; p->n_results < call->program.n_results; p->n_results++) {
        const gpufilter_view *v = &results[p->n_results].view;
        struct gf_place *place = &p->results[p->n_results];
        bool given = gf_view_has_memory(v);
        *place = (struct gf_place){.data = v->data,
                                   .view = given ? gf_view_in(v) : call->program.results[p->n_results].view};
        if (given && status == GF_OK && !gf_residents_name(v->data)) {
            status = hold(place, client, false, p->n_results, err);
            if (status == GF_OK)
                status = keep_apart(p, p->n_results, err);
        }
    }
    p->stages = wants_arena(p, client);
    bool arena = p->stages || (client->shares && has_arena(p));
    for (; n_placed < p->n_results && status == GF_OK; n_placed += status == GF_OK)
        status = place_result(&p->results[n_placed], client, arena, n_placed, err);
    if (status != GF_OK) {
        take_back(p, client, results, n_placed);
        gf_placement_deinit(p, client, false, false);
        return status;
    }
    for (uint32_t i = 0; i < p->n_results; i++) {
        if (gf_view_has_memory(&results[i].view))
            continue; /* its pitch of 0 may serve for another width */
        gf_call_result_out(call, i, &results[i].view);
        results[i].view.data = p->results[i].data;
    }
    return GF_OK;
}

/* Allocates the memory through which a place is copied, if it is; without shared memory it goes inline. */
static enum gf_status stage_place(struct gf_place *place, gpufilter_client *client, bool stages, struct gf_error *err)
{
    const uint64_t bytes = bytes_of(&place->view);
    const bool in_arena = place->block != NULL && place->block->arena != NULL;
    struct gf_block *b = NULL;
    if (!place->apart && (!stages || loose(place) == 0 || bytes <= SMALL_PLACE))
        return GF_OK;
    enum gf_status status = GF_E_NO_MEMORY;
    if (client->shares && (stages || in_arena) && bytes > SMALL_PLACE)
        status = gf_memory_staging(&client->memory, true, bytes, &b, NULL);
    if (status != GF_OK && !place->apart)
        return GF_OK;
    if (status != GF_OK)
        status = gf_memory_staging(&client->memory, false, bytes, &b, err);
    if (status == GF_OK)
        place->staged = gf_memory_hold(&client->memory, b);
    return status;
}

/* Copies operands to where they are read, and has results stored where they can be. */
static enum gf_status stage(struct gf_placement *p, gpufilter_client *client, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < p->n_operands && status == GF_OK; i++) {
        struct gf_place *place = &p->operands[i];
        struct gf_view v = tight(&place->view);
        status = stage_place(place, client, p->stages, err);
        if (place->staged != NULL)
            gf_copy_rows(place->staged->data, &v, place->data, &place->view);
    }
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++)
        status = stage_place(&p->results[i], client, p->stages, err);
    p->staged = true;
    return status;
}

/* Whether a handle can be read on the current connection. */
static enum gf_status check_handle(const gpufilter_client *client, const struct gf_handle *h, uint32_t i,
                                   struct gf_error *err)
{
    if (h->state == GF_CONTENTS_FAILED)
        return gf_error_set(err, GF_E_DEPENDENCY,
                            "operand %" PRIu32 " is a resident buffer; the request that should have filled it failed",
                            i);
    if (h->connection != client->connection)
        return gf_error_set(err, GF_E_HANDLE_LOST,
                            "operand %" PRIu32 " is a resident buffer of a connection that has ended", i);
    return GF_OK;
}

static void set_operand(struct gf_operand *o, const struct gf_place *place, const struct gf_arena *a)
{
    if (place->handle != NULL) {
        *o = (struct gf_operand){
            .way = GF_WAY_HANDLE, .id = place->handle->number, .offset = place->offset, .view = place->view};
        return;
    }
    struct gf_view v = a != NULL ? wire_view(place) : tight(&place->view);
    *o = (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&v), .view = v};
    if (a == NULL)
        return;
    o->way = GF_WAY_ARENA;
    o->id = a->id;
    o->offset = (uint64_t)((const uint8_t *)wire_data(place) - a->base);
}

static void set_result(struct gf_result *o, const struct gf_place *place, const struct gf_arena *a)
{
    *o = (struct gf_result){.step = o->step, .output = o->output, .way = GF_WAY_INLINE};
    if (place->handle != NULL) {
        o->way = GF_WAY_HANDLE;
        o->id = place->handle->number;
        return;
    }
    if (a == NULL)
        return;
    struct gf_view v = wire_view(place);
    o->way = GF_WAY_ARENA;
    o->id = a->id;
    o->offset = (uint64_t)((const uint8_t *)wire_data(place) - a->base);
    o->length = gf_view_bytes(&v);
    o->view.pitch = v.pitch;
}

/* The arena of a place, if the daemon accepts it on this connection; NULL: the data must go inline. A refusal ends
 * sharing on the connection. *ret_later is set to true if the daemon must answer first. NO_MEMORY. */
static enum gf_status share(gpufilter_client *client, const struct gf_place *place, struct gf_arena **ret_arena,
                            bool *ret_later, struct gf_error *err)
{
    struct gf_arena *a = client->shares ? arena_of(place) : NULL;
    enum gf_status status = GF_OK;
    if (a != NULL && a->asked != client->connection)
        status = gf_arena_declare(client, a, err);
    if (a != NULL && a->declared != client->connection)
        *ret_later = true;
    *ret_arena = a;
    return status;
}

enum gf_status gf_placement_ways(struct gf_placement *p, gpufilter_client *client, struct gf_program *program,
                                 bool *ret_later, struct gf_error *err)
{
    enum gf_status status = p->staged ? GF_OK : stage(p, client, err);
    p->n_copied = 0;
    for (uint32_t i = 0; i < p->n_operands + p->n_results && status == GF_OK; i++) {
        bool operand = i < p->n_operands;
        const struct gf_place *place = operand ? &p->operands[i] : &p->results[i - p->n_operands];
        struct gf_arena *a = NULL;
        if (place->handle == NULL)
            status = share(client, place, &a, ret_later, err);
        else if (operand)
            status = check_handle(client, place->handle, i, err);
        if (operand)
            set_operand(&program->operands[i], place, a);
        else
            set_result(&program->results[i - p->n_operands], place, a);
        p->n_copied += place->handle == NULL && (a == NULL || place->staged != NULL);
    }
    return status;
}

void gf_placement_payload(const struct gf_placement *p, const struct gf_program *program, struct gf_stream *ret)
{
    for (uint32_t i = 0; i < p->n_operands; i++) {
        struct gf_view v = wire_view(&p->operands[i]);
        if (program->operands[i].way == GF_WAY_INLINE)
            gf_stream_add(ret, program->operands[i].offset, wire_data(&p->operands[i]), &v);
    }
    gf_stream_end(ret, program->payload_in);
}

void gf_placement_answer(const struct gf_placement *p, const struct gf_program *program, struct gf_stream *ret)
{
    for (uint32_t i = 0; i < p->n_results; i++) {
        struct gf_view v = wire_view(&p->results[i]);
        if (program->results[i].way == GF_WAY_INLINE)
            gf_stream_add(ret, program->results[i].offset, wire_data(&p->results[i]), &v);
    }
    gf_stream_end(ret, program->payload_out);
}

bool gf_placement_starved(const struct gf_placement *p)
{
    for (uint32_t i = 0; i < p->n_operands; i++)
        if (p->operands[i].handle != NULL && p->operands[i].handle->state == GF_CONTENTS_FAILED)
            return true;
    return false;
}

/* Releases the memory of a place. */
static void release(gpufilter_client *client, struct gf_place *place)
{
    if (place->staged != NULL) {
        gf_memory_free(&client->memory, place->staged->data);
        gf_memory_release(&client->memory, place->staged);
    }
    gf_memory_release(&client->memory, place->block);
}

void gf_placement_deinit(struct gf_placement *p, gpufilter_client *client, bool made, bool late)
{
    for (uint32_t i = 0; i < p->n_operands; i++) {
        release(client, &p->operands[i]);
        gf_handle_unref(p->operands[i].handle);
    }
    for (uint32_t i = 0; i < p->n_results; i++) {
        struct gf_place *place = &p->results[i];
        struct gf_view v = tight(&place->view);
        if (made && place->staged != NULL)
            gf_copy_rows(place->data, &place->view, place->staged->data, &v);
        if (late)
            gf_memory_taint(place->staged != NULL ? place->staged : place->block);
        release(client, place);
        if (place->handle == NULL)
            continue;
        gf_handle_settle(place->handle, made);
        if (!made)
            gf_residents_restore(&client->residents, place->data);
        gf_handle_unref(place->handle);
    }
    gf_memory_ended(&client->memory);
}
