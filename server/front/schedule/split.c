/* SPDX-License-Identifier: MIT */
/* Splits a task into parts and joins their answers; see split.h. */
#include "split.h"

#include <string.h>

#include "protocol/base/text.h"
#include "protocol/wire/frame.h"
#include "routing.h"

/* Writes number and part into the copy of the whole task's frame, which has room for them. */
static void stamp(struct gf_task *part, uint32_t i, uint32_t n)
{
    struct gf_header header;
    struct gf_reader r = {.data = part->frame + GF_HEADER_SIZE, .size = part->frame_size - GF_HEADER_SIZE};
    struct gf_attr attr;
    if (gf_header_decode(part->frame, &header, NULL) == GF_OK) {
        header.id = part->number;
        gf_header_encode(&header, part->frame);
    }
    while (gf_attr_next(&r, &attr, NULL) == 1 && attr.id != GF_ATTR_OPERAND)
        if (attr.id == GF_ATTR_PART) {
            uint8_t *value = part->frame + (attr.value - part->frame);
            gf_store_u32(value, i);
            gf_store_u32(value + 4, n);
        }
}

/* A part's share of the work, for estimates. */
static void share_work(struct gf_work *part, const struct gf_work *whole, uint32_t n)
{
    part->n_needs = whole->n_needs;
    part->user = whole->user;
    part->in = whole->in / n;
    part->out = whole->out / n;
    for (uint32_t k = 0; k < whole->n_needs; k++) {
        part->needs[k] = whole->needs[k];
        part->needs[k].touched /= n;
        part->needs[k].taps /= n;
        part->needs[k].cpu_taps /= n; /* where a GPU died, the CPU takes its part */
    }
}

static struct gf_task *part_new(struct gf_task *whole, uint32_t device, uint64_t number, uint32_t i, uint32_t n)
{
    struct gf_task *part = calloc(1, sizeof(*part));
    if (!part)
        return NULL;
    gf_node_init(&part->node);
    gf_node_init(&part->mine);
    part->whole = whole;
    part->device = device;
    part->number = number;
    part->trace = whole->trace;
    part->received_ns = whole->received_ns;
    part->deadline_ns = whole->deadline_ns;
    part->footprint = whole->footprint;
    part->frame_size = whole->frame_size;
    part->frame = malloc(whole->frame_size);
    part->memories = calloc(whole->n_memories + 1u, sizeof(struct gf_memory *));
    part->work.needs = calloc(whole->work.n_needs + 1u, sizeof(struct gf_step_cost));
    if (!part->frame || !part->memories || !part->work.needs)
        return gf_task_free(part);
    memcpy(part->frame, whole->frame, whole->frame_size);
    stamp(part, i, n);
    for (; part->n_memories < whole->n_memories; part->n_memories++)
        part->memories[part->n_memories] = gf_memory_ref(whole->memories[part->n_memories]);
    share_work(&part->work, &whole->work, n);
    return part;
}

static bool takes_part(const struct gf_worker *w, const struct gf_task *whole)
{
    return !gf_worker_is_cpu(w) && gf_worker_usable(w) &&
           (gf_worker_device_state(w) != GF_DEVICE_READY || gf_worker_supports(w, &whole->work));
}

enum gf_status gf_split_begin(struct gf_task *whole, const struct gf_workers *workers, uint64_t *last_number,
                              struct gf_error *err)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < workers->n; i++)
        n += takes_part(workers->list[i], whole);
    if (n == 0)
        return gf_error_set(err, gf_routing_absence(&whole->work), "no GPU can run this request");
    struct gf_split *split = calloc(1, sizeof(*split));
    if (!split)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    whole->split = split;
    gf_node_init(&split->parts);
    gf_text_append(whole->why, sizeof(whole->why), "a slab of rows on each of");
    for (uint32_t i = 0; i < workers->n; i++) {
        struct gf_worker *w = workers->list[i];
        if (!takes_part(w, whole))
            continue;
        struct gf_task *part = part_new(whole, w->index, ++*last_number, split->n_left, n);
        if (!part)
            break;
        gf_list_push(&split->parts, &part->mine);
        split->n_left++;
        gf_text_append(whole->why, sizeof(whole->why), " %s", w->hello.device.name);
    }
    if (split->n_left < n) {
        gf_list_each(it, after, &split->parts) gf_task_free(gf_container(it, struct gf_task, mine));
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    }
    whole->state = GF_TASK_SPLIT;
    return GF_OK;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Adds a part's reply. The parts ran in parallel, so each stage took as long as in the slowest part. */
static void add_reply(struct gf_split *split, const struct gf_run_reply *reply)
{
    struct gf_run_reply *all = &split->reply;
    struct gf_stage_times times = all->times;
    uint32_t n_spans = all->n_spans, room = GF_MAX_SPANS - n_spans;
    uint32_t n = reply->n_spans < room ? reply->n_spans : room;
    if (n > 0)
        memcpy(split->spans + (size_t)n_spans * GF_RECORD_SPAN, reply->spans, (size_t)n * GF_RECORD_SPAN);
    *all = *reply;
    memcpy(all->device, GF_ALL_GPUS, sizeof(GF_ALL_GPUS));
    all->times.copy_in = longer(times.copy_in, reply->times.copy_in);
    all->times.kernel = longer(times.kernel, reply->times.kernel);
    all->times.copy_out = longer(times.copy_out, reply->times.copy_out);
    all->spans = split->spans;
    all->n_spans = n_spans + n;
}

void gf_split_take(struct gf_task *part, const struct gf_run_reply *reply, const struct gf_error *error)
{
    struct gf_task *whole = part->whole;
    struct gf_split *split = whole->split;
    if (reply)
        add_reply(split, reply);
    else if (!split->failed) {
        split->failed = true;
        split->error = *error;
    }
    if (part->started_ns && (!whole->started_ns || part->started_ns < whole->started_ns))
        whole->started_ns = part->started_ns;
    gf_task_free(part);
    split->n_left--;
}
