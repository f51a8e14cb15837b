/* SPDX-License-Identifier: MIT */
/* Who is next; see scheduler.h. */
#include "scheduler.h"

/* How far one may be behind that waited for another device, or was charged too much: more is lost. */
#define BEHIND_NS UINT64_C(10000000)
/* How much more one may have had and still pass who comes next. */
#define PASS_NS UINT64_C(10000000)

/* A user. Outlives the user's connections while tasks run, and while it has had more than others. */
struct gf_turn {
    struct gf_node node;
    struct gf_node sources; /* with queued tasks */
    struct gf_service served;
    struct gf_service now; /* what the source had that was served last */
    uid_t uid;
    uint32_t refs; /* of sources, and of tasks that run */
};

void gf_scheduler_init(struct gf_scheduler *scheduler)
{
    *scheduler = (struct gf_scheduler){0};
    gf_node_init(&scheduler->users);
    gf_node_init(&scheduler->resting);
}

static struct gf_turn *turn_of(struct gf_node *node)
{
    return gf_container(node, struct gf_turn, node);
}

static struct gf_source *source_of(struct gf_node *node)
{
    return gf_container(node, struct gf_source, node);
}

static bool is_ahead(const struct gf_turn *turn, const struct gf_service *now)
{
    for (uint32_t i = 0; i < GF_MAX_DEVICES; i++)
        if (turn->served.ns[i] > now->ns[i])
            return true;
    return false;
}

/* Forgets users who are gone, and have nothing that is to be remembered while others wait. */
static void forget_turns(struct gf_scheduler *scheduler)
{
    gf_list_each(it, after, &scheduler->resting)
    {
        struct gf_turn *turn = turn_of(it);
        if (turn->refs > 0 || (scheduler->n_queued > 0 && is_ahead(turn, &scheduler->now)))
            continue;
        gf_list_remove(&turn->node);
        free(turn);
    }
}

void gf_scheduler_deinit(struct gf_scheduler *scheduler)
{
    forget_turns(scheduler);
}

static struct gf_turn *find_turn(struct gf_node *list, uid_t uid)
{
    gf_list_each(it, after, list) if (turn_of(it)->uid == uid) return turn_of(it);
    return NULL;
}

static struct gf_turn *turn_get(struct gf_scheduler *scheduler, uid_t uid)
{
    struct gf_turn *turn = find_turn(&scheduler->users, uid);
    if (!turn)
        turn = find_turn(&scheduler->resting, uid);
    if (!turn) {
        forget_turns(scheduler);
        turn = calloc(1, sizeof(*turn));
        if (!turn)
            return NULL;
        turn->uid = uid;
        gf_node_init(&turn->sources);
        gf_list_push(&scheduler->resting, &turn->node);
    }
    turn->refs++;
    return turn;
}

enum gf_status gf_source_init(struct gf_source *source, struct gf_scheduler *scheduler, uid_t uid, struct gf_error *err)
{
    struct gf_turn *turn = turn_get(scheduler, uid);
    if (!turn)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *source = (struct gf_source){.scheduler = scheduler, .turn = turn};
    gf_node_init(&source->node);
    gf_node_init(&source->tasks);
    return GF_OK;
}

void gf_source_deinit(struct gf_source *source)
{
    if (!source->turn)
        return;
    gf_list_remove(&source->node);
    source->turn->refs--;
    source->turn = NULL;
}

/* One who comes back has had what the one had who was served last, at least. */
static void catch_up(struct gf_service *served, const struct gf_service *now)
{
    for (uint32_t i = 0; i < GF_MAX_DEVICES; i++)
        if (served->ns[i] < now->ns[i])
            served->ns[i] = now->ns[i];
}

static void wake(struct gf_source *source)
{
    struct gf_turn *turn = source->turn;
    if (gf_list_empty(&turn->sources)) {
        gf_list_remove(&turn->node);
        gf_list_push(&source->scheduler->users, &turn->node);
        catch_up(&turn->served, &source->scheduler->now);
    }
    gf_list_push(&turn->sources, &source->node);
    catch_up(&source->served, &turn->now);
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
    if (!gf_list_empty(&source->turn->sources))
        return;
    gf_list_remove(&source->turn->node);
    gf_list_push(&source->scheduler->resting, &source->turn->node);
}

static bool has_other(const struct gf_node *turns, const struct gf_turn *turn)
{
    gf_list_each(it, after, turns)
    {
        const struct gf_turn *other = turn_of(it);
        if (other != turn && other->refs > 0)
            return true;
    }
    return false;
}

bool gf_source_has_others(const struct gf_source *source)
{
    return has_other(&source->scheduler->users, source->turn) || has_other(&source->scheduler->resting, source->turn);
}

/* What one had of a device, as it counts. */
static uint64_t had(const struct gf_service *served, const struct gf_service *now, uint32_t device)
{
    uint64_t present = now->ns[device], least = present > BEHIND_NS ? present - BEHIND_NS : 0;
    return served->ns[device] > least ? served->ns[device] : least;
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

/* Of a user's tasks the next one. */
static struct gf_task *next_of(const struct gf_turn *turn, uint32_t device,
                               bool (*fits)(void *data, struct gf_task *task), void *data)
{
    struct gf_task *best = NULL;
    uint64_t least = UINT64_MAX;
    gf_list_each(it, after, &turn->sources)
    {
        struct gf_source *source = source_of(it);
        uint64_t ns = had(&source->served, &turn->now, device);
        struct gf_task *task = ns < least ? first_fit(source, fits, data) : NULL;
        if (!task)
            continue;
        best = task;
        least = ns;
    }
    return best;
}

struct gf_task *gf_scheduler_next(const struct gf_scheduler *scheduler, uint32_t device,
                                  bool (*fits)(void *data, struct gf_task *task), void *data)
{
    struct gf_task *best = NULL;
    uint64_t least = UINT64_MAX;
    gf_list_each(it, after, &scheduler->users)
    {
        const struct gf_turn *turn = turn_of(it);
        uint64_t ns = had(&turn->served, &scheduler->now, device);
        struct gf_task *task = ns < least ? next_of(turn, device, fits, data) : NULL;
        if (!task)
            continue;
        best = task;
        least = ns;
    }
    return best;
}

bool gf_scheduler_may_pass(const struct gf_task *task, const struct gf_task *next, uint32_t device)
{
    const struct gf_source *a = task->source, *b = next->source;
    if (a->turn == b->turn)
        return had(&a->served, &a->turn->now, device) <= had(&b->served, &b->turn->now, device) + PASS_NS;
    const struct gf_service *now = &a->scheduler->now;
    return had(&a->turn->served, now, device) <= had(&b->turn->served, now, device) + PASS_NS;
}

static void give(struct gf_service *served, struct gf_service *now, uint32_t device, uint64_t ns)
{
    uint64_t before = had(served, now, device);
    if (now->ns[device] < before)
        now->ns[device] = before;
    served->ns[device] = before + ns;
}

/* To the end of its list: of those that had the same, others come first. */
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
    struct gf_turn *turn = source->turn;
    give(&source->served, &turn->now, device, ns);
    give(&turn->served, &source->scheduler->now, device, ns);
    gf_scheduler_remove(task);
    if (!gf_list_empty(&source->tasks)) {
        rotate(&turn->sources, &source->node);
        rotate(&source->scheduler->users, &turn->node);
    }
    task->turn = turn;
    task->cost_ns = ns;
    turn->refs++;
}

static void correct(struct gf_service *served, uint32_t device, uint64_t from, uint64_t to)
{
    served->ns[device] = served->ns[device] - from + to; /* the estimate is in it */
}

void gf_scheduler_finish(struct gf_task *task, uint32_t device, uint64_t ns)
{
    struct gf_turn *turn = task->turn;
    if (task->source)
        correct(&task->source->served, device, task->cost_ns, ns);
    correct(&turn->served, device, task->cost_ns, ns);
    turn->refs--;
    task->turn = NULL;
}

void gf_scheduler_each(struct gf_scheduler *scheduler, void (*visit)(void *data, struct gf_task *task), void *data)
{
    gf_list_each(u, after_user, &scheduler->users)
    {
        struct gf_turn *turn = turn_of(u);
        gf_list_each(s, after_source, &turn->sources)
        {
            struct gf_source *source = source_of(s);
            gf_list_each(t, after_task, &source->tasks) visit(data, gf_container(t, struct gf_task, node));
        }
    }
}
