/* SPDX-License-Identifier: MIT */
/* The choice of the next task; see scheduler.h. */
#include "scheduler.h"

/* How much less service one may have than the virtual time; a larger deficit is lost. A flow falls behind while it
 * waits for another device or was charged too much. */
#define BEHIND_NS UINT64_C(10000000)
/* How much more service one may have had than the next in line and still pass it. */
#define PASS_NS UINT64_C(10000000)

/* A user's flow. Outlives the user's connections while tasks run and while it is ahead of others. */
struct gf_flow {
    struct gf_node node;
    struct gf_node sources; /* sources with queued tasks */
    struct gf_service served;
    struct gf_service virtual_time; /* service of the source that was served last */
    gf_user_id user;
    uint32_t refs; /* of sources and of running tasks */
};

void gf_scheduler_init(struct gf_scheduler *scheduler)
{
    *scheduler = (struct gf_scheduler){0};
    gf_node_init(&scheduler->users);
    gf_node_init(&scheduler->idle_flows);
}

static struct gf_flow *flow_of(struct gf_node *node)
{
    return gf_container(node, struct gf_flow, node);
}

static struct gf_source *source_of(struct gf_node *node)
{
    return gf_container(node, struct gf_source, node);
}

static bool is_ahead(const struct gf_flow *flow, const struct gf_service *virtual_time)
{
    for (uint32_t i = 0; i < GF_MAX_DEVICES; i++)
        if (flow->served.ns[i] > virtual_time->ns[i])
            return true;
    return false;
}

/* Frees users without references, unless they are ahead of others while tasks are queued. */
static void forget_flows(struct gf_scheduler *scheduler)
{
    gf_list_each(it, after, &scheduler->idle_flows)
    {
        struct gf_flow *flow = flow_of(it);
        if (flow->refs > 0 || (scheduler->n_queued > 0 && is_ahead(flow, &scheduler->virtual_time)))
            continue;
        gf_list_remove(&flow->node);
        free(flow);
    }
}

void gf_scheduler_deinit(struct gf_scheduler *scheduler)
{
    forget_flows(scheduler);
}

static struct gf_flow *find_flow(struct gf_node *list, gf_user_id user)
{
    gf_list_each(it, after, list) if (flow_of(it)->user == user) return flow_of(it);
    return NULL;
}

static struct gf_flow *flow_get(struct gf_scheduler *scheduler, gf_user_id user)
{
    struct gf_flow *flow = find_flow(&scheduler->users, user);
    if (!flow)
        flow = find_flow(&scheduler->idle_flows, user);
    if (!flow) {
        forget_flows(scheduler);
        flow = calloc(1, sizeof(*flow));
        if (!flow)
            return NULL;
        flow->user = user;
        gf_node_init(&flow->sources);
        gf_list_push(&scheduler->idle_flows, &flow->node);
    }
    flow->refs++;
    return flow;
}

enum gf_status gf_source_init(struct gf_source *source, struct gf_scheduler *scheduler, gf_user_id user,
                              struct gf_error *err)
{
    struct gf_flow *flow = flow_get(scheduler, user);
    if (!flow)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *source = (struct gf_source){.scheduler = scheduler, .flow = flow};
    gf_node_init(&source->node);
    gf_node_init(&source->tasks);
    return GF_OK;
}

void gf_source_deinit(struct gf_source *source)
{
    if (!source->flow)
        return;
    gf_list_remove(&source->node);
    source->flow->refs--;
    source->flow = NULL;
}

/* A returning flow starts with at least the current virtual time. */
static void catch_up(struct gf_service *served, const struct gf_service *virtual_time)
{
    for (uint32_t i = 0; i < GF_MAX_DEVICES; i++)
        if (served->ns[i] < virtual_time->ns[i])
            served->ns[i] = virtual_time->ns[i];
}

static void wake(struct gf_source *source)
{
    struct gf_flow *flow = source->flow;
    if (gf_list_empty(&flow->sources)) {
        gf_list_remove(&flow->node);
        gf_list_push(&source->scheduler->users, &flow->node);
        catch_up(&flow->served, &source->scheduler->virtual_time);
    }
    gf_list_push(&flow->sources, &source->node);
    catch_up(&source->served, &flow->virtual_time);
}

void gf_scheduler_push(struct gf_source *source, struct gf_task *task, bool again)
{
    if (gf_list_empty(&source->tasks))
        wake(source);
    task->source = source;
    task->state = GF_TASK_QUEUED;
    if (again)
        gf_list_push_front(&source->tasks, &task->node);
    else
        gf_list_push(&source->tasks, &task->node);
    source->scheduler->n_queued++;
    source->scheduler->n_suspects += task->deaths > 0;
}

void gf_scheduler_remove(struct gf_task *task)
{
    struct gf_source *source = task->source;
    gf_list_remove(&task->node);
    source->scheduler->n_queued--;
    source->scheduler->n_suspects -= task->deaths > 0;
    if (!gf_list_empty(&source->tasks))
        return;
    gf_list_remove(&source->node);
    if (!gf_list_empty(&source->flow->sources))
        return;
    gf_list_remove(&source->flow->node);
    gf_list_push(&source->scheduler->idle_flows, &source->flow->node);
}

static bool has_other(const struct gf_node *flows, const struct gf_flow *flow)
{
    gf_list_each(it, after, flows)
    {
        const struct gf_flow *other = flow_of(it);
        if (other != flow && other->refs > 0)
            return true;
    }
    return false;
}

bool gf_source_has_others(const struct gf_source *source)
{
    return has_other(&source->scheduler->users, source->flow) ||
           has_other(&source->scheduler->idle_flows, source->flow);
}

/* The service on a device, with the deficit limited to BEHIND_NS. */
static uint64_t had(const struct gf_service *served, const struct gf_service *virtual_time, uint32_t device)
{
    uint64_t present = virtual_time->ns[device], lowest_ns = present > BEHIND_NS ? present - BEHIND_NS : 0;
    return served->ns[device] > lowest_ns ? served->ns[device] : lowest_ns;
}

static struct gf_task *first_fit(struct gf_source *source, bool (*fits)(void *data, struct gf_task *task), void *data)
{
    gf_list_each(it, after, &source->tasks)
    {
        struct gf_task *task = gf_container(it, struct gf_task, node);
        if (fits(data, task))
            return task;
    }
    return NULL;
}

/* The next task of a user. */
static struct gf_task *next_of(const struct gf_flow *flow, uint32_t device,
                               bool (*fits)(void *data, struct gf_task *task), void *data)
{
    struct gf_task *best = NULL;
    uint64_t lowest_ns = UINT64_MAX;
    gf_list_each(it, after, &flow->sources)
    {
        struct gf_source *source = source_of(it);
        uint64_t ns = had(&source->served, &flow->virtual_time, device);
        struct gf_task *task = ns < lowest_ns ? first_fit(source, fits, data) : NULL;
        if (!task)
            continue;
        best = task;
        lowest_ns = ns;
    }
    return best;
}

struct gf_task *gf_scheduler_next(const struct gf_scheduler *scheduler, uint32_t device,
                                  bool (*fits)(void *data, struct gf_task *task), void *data)
{
    struct gf_task *best = NULL;
    uint64_t lowest_ns = UINT64_MAX;
    gf_list_each(it, after, &scheduler->users)
    {
        const struct gf_flow *flow = flow_of(it);
        uint64_t ns = had(&flow->served, &scheduler->virtual_time, device);
        struct gf_task *task = ns < lowest_ns ? next_of(flow, device, fits, data) : NULL;
        if (!task)
            continue;
        best = task;
        lowest_ns = ns;
    }
    return best;
}

bool gf_scheduler_may_pass(const struct gf_task *task, const struct gf_task *next, uint32_t device)
{
    const struct gf_source *a = task->source, *b = next->source;
    if (a->flow == b->flow)
        return had(&a->served, &a->flow->virtual_time, device) <=
               had(&b->served, &b->flow->virtual_time, device) + PASS_NS;
    const struct gf_service *virtual_time = &a->scheduler->virtual_time;
    return had(&a->flow->served, virtual_time, device) <= had(&b->flow->served, virtual_time, device) + PASS_NS;
}

static void give(struct gf_service *served, struct gf_service *virtual_time, uint32_t device, uint64_t ns)
{
    uint64_t before = had(served, virtual_time, device);
    if (virtual_time->ns[device] < before)
        virtual_time->ns[device] = before;
    served->ns[device] = before + ns;
}

/* Moves a node to the end of its list, so that among equally served ones the others come first. */
static void rotate(struct gf_node *head, struct gf_node *node)
{
    if (gf_list_empty(node))
        return;
    gf_list_remove(node);
    gf_list_push(head, node);
}

void gf_scheduler_start(struct gf_task *task, uint32_t device, uint64_t ns)
{
    struct gf_source *source = task->source;
    struct gf_flow *flow = source->flow;
    give(&source->served, &flow->virtual_time, device, ns);
    give(&flow->served, &source->scheduler->virtual_time, device, ns);
    gf_scheduler_remove(task);
    if (!gf_list_empty(&source->tasks)) {
        rotate(&flow->sources, &source->node);
        rotate(&source->scheduler->users, &flow->node);
    }
    task->flow = flow;
    task->cost_ns = ns;
    flow->refs++;
}

static void correct(struct gf_service *served, uint32_t device, uint64_t from, uint64_t to)
{
    served->ns[device] = served->ns[device] - from + to; /* the estimate is included in it */
}

void gf_scheduler_finish(struct gf_task *task, uint32_t device, uint64_t ns)
{
    struct gf_flow *flow = task->flow;
    if (task->source)
        correct(&task->source->served, device, task->cost_ns, ns);
    correct(&flow->served, device, task->cost_ns, ns);
    flow->refs--;
    task->flow = NULL;
}

void gf_scheduler_charge(struct gf_scheduler *scheduler, gf_user_id user, uint32_t device, uint64_t ns)
{
    struct gf_flow *flow = flow_get(scheduler, user);
    if (!flow)
        return;
    flow->served.ns[device] = had(&flow->served, &scheduler->virtual_time, device) + ns;
    flow->refs--;
}

void gf_scheduler_each(struct gf_scheduler *scheduler, void (*visit)(void *data, struct gf_task *task), void *data)
{
    gf_list_each(u, after_user, &scheduler->users)
    {
        struct gf_flow *flow = flow_of(u);
        gf_list_each(s, after_source, &flow->sources)
        {
            struct gf_source *source = source_of(s);
            gf_list_each(t, after_task, &source->tasks) visit(data, gf_container(t, struct gf_task, node));
        }
    }
}
