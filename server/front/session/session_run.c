/* SPDX-License-Identifier: MIT */
/*
 * Admits a RUN: turns a validated program into a task that owns everything it needs. The payload is not read before
 * memory for operands and results is granted. A request that has to wait is kept as it was decoded, and admitted anew
 * when it fits.
 */
#include <inttypes.h>
#include <string.h>

#include "protocol/base/clock.h"
#include "protocol/fuse/fuse.h"
#include "protocol/ops/texts/parsed.h"
#include "protocol/wire/request.h"
#include "server/front/schedule/routing.h"
#include "session.h"

#define ANY "auto"

static bool names_handles(const struct gf_program *p)
{
    for (uint32_t i = 0; i < p->n_operands; i++)
        if (p->operands[i].way == GF_WAY_HANDLE)
            return true;
    for (uint32_t i = 0; i < p->n_results; i++)
        if (p->results[i].way == GF_WAY_HANDLE)
            return true;
    return false;
}

/* Refuses what this server does not offer or what exceeds its limits. */
static enum gf_status check_policy(const struct gf_session *s, const struct gf_program *p, struct gf_error *err)
{
    const struct gf_options *o = s->all->options;
    enum gf_status status = gf_session_check_service(s, err);
    if (status != GF_OK)
        return status;
    if (p->n_parts > 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "PART is for workers; use device " GF_ALL_GPUS);
    if (p->keyed)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "KEYS are for workers; operands and results name arenas and handles");
    if (o->handles == 0 && names_handles(p))
        return gf_error_set(err, GF_E_UNSUPPORTED,
                            "this server does not offer resident buffers (handles=0); send data inline or in an arena");
    if (p->payload_out <= o->max_inline)
        return GF_OK;
    gf_error_set(err, GF_E_TOO_LARGE, "inline results of %" PRIu64 " bytes; the limit is %" PRIu64 "; use an arena",
                 p->payload_out, o->max_inline);
    err->needed = p->payload_out;
    return GF_E_TOO_LARGE;
}

/* Keeps the memory of an arena for the task. */
static enum gf_status use_arena(struct gf_session *s, struct gf_task *task, const char *what, uint32_t index,
                                uint64_t id, uint64_t offset, uint64_t length, struct gf_error *err)
{
    struct gf_arena *arena;
    uint64_t end;
    enum gf_status status = gf_arenas_find(&s->arenas, (uint32_t)id, &arena, err);
    if (status != GF_OK)
        return status;
    if (!gf_add_u64(offset, length, &end) || end > arena->memory->size)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s %u: %" PRIu64 " bytes at %" PRIu64 " are outside arena %u of %" PRIu64 " bytes", what,
                            index, length, offset, arena->id, arena->memory->size);
    task->memories[task->n_memories++] = gf_memory_ref(arena->memory);
    return GF_OK;
}

/* Adds the memory of the arenas: those of operands, then those of results. */
static enum gf_status use_arenas(struct gf_session *s, struct gf_task *task, const struct gf_program *p,
                                 struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < p->n_operands && status == GF_OK; i++) {
        const struct gf_operand *o = &p->operands[i];
        if (o->way == GF_WAY_ARENA)
            status = use_arena(s, task, "operand", i, o->id, o->offset, o->length, err);
    }
    for (uint32_t i = 0; i < p->n_results && status == GF_OK; i++) {
        const struct gf_result *r = &p->results[i];
        if (r->way == GF_WAY_ARENA)
            status = use_arena(s, task, "result", i, r->id, r->offset, r->length, err);
    }
    return status;
}

/* Adds the buffers that the task reads, each with a reference. */
static enum gf_status use_handles(struct gf_session *s, struct gf_task *task, const struct gf_program *p,
                                  struct gf_error *err)
{
    uint64_t x, y;
    for (uint32_t i = 0; i < p->n_operands; i++) {
        const struct gf_operand *o = &p->operands[i];
        struct gf_handle *handle;
        if (o->way != GF_WAY_HANDLE)
            continue;
        enum gf_status status = gf_handles_find(&s->handles, (uint32_t)o->id, &handle, err);
        if (status == GF_OK)
            status = gf_operand_place(o, &handle->view, &x, &y, err);
        if (status != GF_OK)
            return status;
        task->reads[task->n_reads++] = gf_handle_ref(handle);
    }
    return GF_OK;
}

/* Replaces the client's numbers of arenas and of buffers that are read by keys, in the order in which both were added.
 */
static void use_keys(const struct gf_task *task, struct gf_program *p)
{
    uint32_t n_memories = 0, n_reads = 0;
    for (uint32_t i = 0; i < p->n_operands; i++) {
        struct gf_operand *o = &p->operands[i];
        if (o->way == GF_WAY_ARENA)
            o->id = task->memories[n_memories++]->key;
        else if (o->way == GF_WAY_HANDLE)
            o->id = task->reads[n_reads++]->key;
    }
    for (uint32_t i = 0; i < p->n_results; i++)
        if (p->results[i].way == GF_WAY_ARENA)
            p->results[i].id = task->memories[n_memories++]->key;
}

/* Chooses the device for the first handle of a connection. */
static enum gf_status place(const struct gf_session *s, struct gf_task *task, struct gf_error *err)
{
    uint32_t homes[GF_MAX_DEVICES] = {0};
    gf_list_each(it, after, &s->all->list)
    {
        const struct gf_worker *home = gf_handles_worker(&gf_container(it, struct gf_session, node)->handles);
        if (home)
            homes[home->index]++;
    }
    return gf_routing_place(s->all->workers, &task->work, homes, &task->device, err);
}

/* Chooses where the program runs. All handles of a connection live on one device, so programs with handles run there.
 * HELLO or the first such request names the device. */
static enum gf_status route(struct gf_session *s, struct gf_task *task, const struct gf_program *p,
                            struct gf_error *err)
{
    const struct gf_workers *ws = s->all->workers;
    if (!names_handles(p))
        return gf_routing_find(ws, p->device, &task->work, &task->device, err);
    const struct gf_worker *home = gf_handles_worker(&s->handles);
    const char *device = home ? home->hello.device.name : s->device;
    if (strcmp(device, ANY) == 0)
        device = p->device;
    else if (strcmp(p->device, ANY) != 0 && gf_workers_find(ws, p->device) != gf_workers_find(ws, device))
        return gf_error_set(err, GF_E_WRONG_DEVICE, "device %s is requested; this connection's handles are on %s",
                            p->device, device);
    enum gf_status status = gf_routing_find(ws, device, &task->work, &task->device, err);
    if (status == GF_OK && task->device == GF_EVERY_GPU)
        return gf_error_set(err, GF_E_UNSUPPORTED, "resident buffers are on one device, not on " GF_ALL_GPUS);
    if (status == GF_OK && task->device == GF_ANY_DEVICE)
        status = place(s, task, err);
    return status;
}

/* Undoes make_handles() for a task that is not accepted. */
static void unmake_handles(struct gf_task *task)
{
    for (uint32_t i = 0; i < task->n_makes; i++) {
        gf_handles_undo(task->makes[i]);
        gf_handle_unref(task->makes[i]);
    }
    task->n_makes = 0;
}

/* Adds the buffers that the task makes, each with a reference. */
static enum gf_status make_handles(struct gf_session *s, struct gf_task *task, struct gf_program *p,
                                   struct gf_error *err)
{
    for (uint32_t i = 0; i < p->n_results; i++) {
        struct gf_result *r = &p->results[i];
        struct gf_handle *handle;
        if (r->way != GF_WAY_HANDLE)
            continue;
        enum gf_status status = gf_handles_add(&s->handles, s->account, s->all->workers->list[task->device],
                                               (uint32_t)r->id, ++s->all->last_key, &r->view, &handle, err);
        if (status != GF_OK) {
            unmake_handles(task);
            return status;
        }
        task->makes[task->n_makes++] = gf_handle_ref(handle);
        r->id = handle->key;
    }
    return GF_OK;
}

/* Copies what the task needs of the program, which is encoded next. */
static void describe(struct gf_task *task, const struct gf_program *p)
{
    gf_work_describe(p, &task->work);
    for (uint32_t i = 0; i < p->n_operands; i++)
        task->traffic.in[p->operands[i].way] += gf_view_bytes(&p->operands[i].view);
    for (uint32_t i = 0; i < p->n_results; i++) {
        const struct gf_result *r = &p->results[i];
        task->traffic.out[r->way] += gf_view_bytes(&r->view);
        task->targets[task->n_targets++] = (struct gf_target){.view = r->view, .offset = r->offset};
    }
    task->trace = p->trace;
    task->payload_in = p->payload_in;
    task->payload_out = p->payload_out;
}

void gf_reservation_deinit(struct gf_reservation *reservation)
{
    gf_staging_release(reservation->slot);
    gf_charge_deinit(&reservation->request);
    gf_charge_deinit(&reservation->staging);
    gf_charge_deinit(&reservation->scratch);
    *reservation = (struct gf_reservation){0};
}

/* Charges the user and takes a slot. BUSY if either must wait. */
static enum gf_status reservation_init(struct gf_session *s, uint64_t size, uint64_t scratch, struct gf_error *err)
{
    struct gf_sessions *all = s->all;
    struct gf_reservation *reservation = &s->reservation;
    const uint64_t need[GF_N_RES] = {[GF_RES_REQUESTS] = 1, [GF_RES_STAGING] = size, [GF_RES_SCRATCH] = scratch};
    if (!gf_session_request(s, need))
        return GF_E_BUSY;
    enum gf_status status = GF_OK;
    if (gf_charge_init(&reservation->request, s->account, GF_RES_REQUESTS, 1, NULL) != GF_OK ||
        (scratch > 0 && gf_charge_init(&reservation->scratch, s->account, GF_RES_SCRATCH, scratch, NULL) != GF_OK) ||
        (size > 0 && gf_charge_init(&reservation->staging, s->account, GF_RES_STAGING, size, NULL) != GF_OK))
        status = GF_E_BUSY;
    else if (size > 0)
        status = gf_staging_take(all->staging, size, s->account->owner, s, &reservation->slot, err);
    if (status != GF_OK)
        gf_reservation_deinit(reservation);
    return status;
}

/* Finds what the program needs in a worker, beside operands and results, when its steps are fused. */
static void find_footprint(const struct gf_session *s, struct gf_task *task, const struct gf_program *p)
{
    struct gf_sessions *all = s->all;
    const struct gf_waiting_run *known = s->waiting;
    const bool in_slabs = task->device == GF_EVERY_GPU;
    gf_cleanup(gf_fused_deinit) struct gf_fused fused = {.n_runs = 0};
    if (known && known->threads == all->workers->threads && known->in_slabs == in_slabs) {
        task->footprint = known->footprint;
        return;
    }
    gf_program_copy(&all->fused, p);
    gf_fuse(&all->fused, all->workers->threads, in_slabs, &fused);
    task->footprint = fused.footprint;
}

/* What the task needs in a worker. QUOTA if it could never be granted. */
static enum gf_status find_scratch(const struct gf_session *s, struct gf_task *task, const struct gf_program *p,
                                   uint64_t *ret_need, struct gf_error *err)
{
    struct gf_sessions *all = s->all;
    const struct gf_worker *cpu = all->workers->cpu;
    bool on_cpu = cpu && (task->device == GF_ANY_DEVICE || task->device == cpu->index);
    find_footprint(s, task, p);
    uint64_t need = gf_footprint_total(&task->footprint, on_cpu), user = gf_quota_limit(all->quota, GF_RES_SCRATCH);
    uint64_t worker = gf_worker_scratch_limit(all->workers), limit = user < worker ? user : worker;
    *ret_need = need;
    if (need <= limit)
        return GF_OK;
    all->quota->refused[GF_RES_SCRATCH]++;
    gf_error_set(err, GF_E_QUOTA,
                 "the program needs %" PRIu64 " scratch bytes; the limit is %" PRIu64
                 " (%s); use fewer or smaller steps in one request",
                 need, limit, user < worker ? "user-scratch-bytes" : "worker-scratch");
    err->needed = need;
    return GF_E_QUOTA;
}

/* Reserves the task's room. BUSY if it must wait or the slot is being prepared; in the second case s->reservation holds
 * the slot. */
static enum gf_status reserve(struct gf_session *s, struct gf_task *task, uint64_t scratch, struct gf_error *err)
{
    struct gf_sessions *all = s->all;
    uint64_t size, limit = gf_quota_limit(all->quota, GF_RES_STAGING);
    if (!gf_align_u64(task->payload_in, GF_STAGING_ALIGN, &task->out_offset) ||
        !gf_add_u64(task->out_offset, task->payload_out, &size))
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "inline data of %" PRIu64 " and %" PRIu64 " bytes; the limit is %" PRIu64 " (staging, "
                            "user-staging)",
                            task->payload_in, task->payload_out, limit);
    if (size > limit && limit < all->staging->max) {
        all->quota->refused[GF_RES_STAGING]++;
        gf_error_set(err, GF_E_QUOTA,
                     "inline data of %" PRIu64 " bytes; the limit is %" PRIu64 " (staging, user-staging)", size, limit);
        err->needed = size;
        return GF_E_QUOTA;
    }
    if (size > all->staging->max)
        return gf_staging_take(all->staging, size, s->account->owner, s, &task->slot, err); /* returns TOO_LARGE */
    struct gf_reservation *reservation = &s->reservation;
    enum gf_status status =
        reservation->request.account ? reservation->error.status : reservation_init(s, size, scratch, err);
    if (status != GF_OK && reservation->error.status != GF_OK)
        return gf_error_set(err, status, "%s", reservation->error.text);
    if (status != GF_OK)
        return status;
    if (reservation->slot && reservation->slot->pending)
        return GF_E_BUSY;
    task->request_charge = reservation->request;
    task->staging_charge = reservation->staging;
    task->scratch_charge = reservation->scratch;
    task->slot = reservation->slot;
    *reservation = (struct gf_reservation){0};
    return GF_OK;
}

/* Replaces inline operands and results by places in the slot. */
static void use_slot(struct gf_task *task, struct gf_program *p)
{
    if (!task->slot)
        return;
    struct gf_memory *memory = gf_slot_memory(task->slot);
    task->memories[task->n_memories++] = gf_memory_ref(memory);
    for (uint32_t i = 0; i < p->n_operands; i++) {
        struct gf_operand *o = &p->operands[i];
        if (o->way != GF_WAY_INLINE)
            continue;
        o->way = GF_WAY_ARENA;
        o->id = memory->key;
        o->offset += task->slot->offset;
    }
    for (uint32_t i = 0; i < p->n_results; i++) {
        struct gf_result *r = &p->results[i];
        if (r->way != GF_WAY_INLINE)
            continue;
        r->way = GF_WAY_ARENA;
        r->id = memory->key;
        r->offset += task->slot->offset + task->out_offset;
    }
}

static enum gf_status encode(struct gf_sessions *all, struct gf_task *task, const struct gf_program *p,
                             struct gf_error *err)
{
    struct gf_writer w;
    gf_writer_init(&w, all->frame, sizeof(all->frame));
    gf_program_encode(&w, p);
    task->number = gf_dispatcher_number(all->dispatcher);
    if (!gf_writer_finish(&w, GF_FRAME_RUN, task->number, 0, 0))
        return gf_error_set(err, GF_E_INTERNAL, "the request does not fit a worker's message");
    task->frame = malloc(w.size);
    if (!task->frame)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    memcpy(task->frame, all->frame, w.size);
    task->frame_size = w.size;
    return GF_OK;
}

/* Keeps the decoded program of a request that has to wait, whose texts move. It takes about as much memory as its
 * frame. Without memory it is decoded again. */
static void keep_waiting(struct gf_session *s, const struct gf_task *task, struct gf_program *p)
{
    const size_t size = gf_program_packed_size(p);
    if (s->waiting)
        return;
    struct gf_waiting_run *waiting = malloc(sizeof(*waiting) + size + gf_program_texts_size(p));
    if (!waiting)
        return;
    gf_program_texts_move(p, waiting->program + size);
    gf_program_pack(p, waiting->program);
    waiting->footprint = task->footprint;
    waiting->threads = s->all->workers->threads;
    waiting->in_slabs = task->device == GF_EVERY_GPU;
    s->waiting = waiting;
}

/* Decodes the session's next request, unless it has waited. */
static enum gf_status decode(const struct gf_session *s, const struct gf_frame *frame, struct gf_parsed *parsed,
                             struct gf_error *err)
{
    struct gf_sessions *all = s->all;
    if (s->waiting) {
        gf_program_unpack(s->waiting->program, &all->program);
        return GF_OK;
    }
    all->dispatcher->metrics->decoded++;
    return gf_program_decode(frame->body, frame->header.body_len, frame->header.payload_len, &all->program, parsed,
                             err);
}

static enum gf_status admit(struct gf_session *s, const struct gf_frame *frame, struct gf_task **ret_task,
                            struct gf_error *err)
{
    struct gf_sessions *all = s->all;
    struct gf_program *p = &all->program;
    gf_cleanup(gf_parsed_deinit) struct gf_parsed parsed;
    parsed.n = 0;
    enum gf_status status = decode(s, frame, &parsed, err);
    if (status == GF_OK)
        status = check_policy(s, p, err);
    if (status != GF_OK)
        return status;
    gf_cleanup(gf_task_freep) struct gf_task *task = gf_task_new(p);
    if (!task)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    uint64_t scratch = 0;
    describe(task, p);
    task->work.user = s->account->id;
    status = use_handles(s, task, p, err);
    if (status == GF_OK)
        status = route(s, task, p, err);
    if (status == GF_OK)
        status = gf_routing_check_progress(s->all->workers, task, err);
    if (status == GF_OK)
        status = use_arenas(s, task, p, err);
    if (status == GF_OK)
        status = find_scratch(s, task, p, &scratch, err);
    if (status == GF_OK)
        status = reserve(s, task, scratch, err);
    if (status == GF_E_BUSY)
        keep_waiting(s, task, p);
    if (status == GF_OK)
        status = make_handles(s, task, p, err);
    if (status != GF_OK)
        return status;
    use_keys(task, p);
    use_slot(task, p);
    p->keyed = true;
    p->user = task->work.user;
    p->n_parts = task->device == GF_EVERY_GPU; /* room for the part's numbers in the frame */
    status = encode(all, task, p, err);
    if (status != GF_OK) {
        unmake_handles(task);
        return status;
    }
    task->request_id = frame->header.id;
    task->received_ns = frame->received_ns;
    task->deadline_ns = p->deadline_ms ? frame->received_ns + p->deadline_ms * GF_NS_PER_MS : 0;
    *ret_task = gf_steal_ptr(&task);
    return GF_OK;
}

enum gf_frame_outcome gf_session_run(struct gf_session *s, struct gf_frame *frame, uint8_t **ret_payload)
{
    struct gf_error error = {0};
    struct gf_trace_context context;
    struct gf_task *task = NULL;
    enum gf_status status = GF_OK;
    if (s->all->draining && frame->position >= s->drain_position)
        status = gf_error_set(&error, GF_E_SHUTDOWN, "the server is shutting down");
    else if (frame->header.nfds > 0)
        status = gf_error_set(&error, GF_E_BAD_REQUEST, "RUN carries no descriptor");
    if (status == GF_OK)
        status = admit(s, frame, &task, &error);
    if (status == GF_E_BUSY && !s->reservation.slot) {
        gf_wait_queue_add(&s->all->wait_queue, &s->waiter);
        return GF_TAKE_LATER;
    }
    if (status != GF_E_BUSY) {
        gf_reservation_deinit(&s->reservation);
        free(gf_steal_ptr(&s->waiting));
    }
    gf_session_resume(s);
    if (status == GF_E_BUSY)
        return GF_TAKE_LATER; /* until the slot is prepared */
    gf_trace_context_decode(frame->body, frame->header.body_len, &context);
    if (status != GF_OK) {
        gf_session_refuse(s, frame->header.id, &context, &error);
        return GF_TAKEN;
    }
    task->context = context;
    task->session = s;
    gf_list_push(&s->tasks, &task->mine);
    s->n_tasks++;
    if (task->payload_in > 0) {
        s->uploading = task;
        *ret_payload = gf_slot_data(task->slot);
    } else
        gf_dispatcher_submit(s->all->dispatcher, &s->source, task);
    return GF_TAKEN;
}
