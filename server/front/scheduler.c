/* SPDX-License-Identifier: MIT */
/* Turns of users and connections; see scheduler.h. */
#include "scheduler.h"

/* A user's place in the round. */
struct gf_turn {
    struct gf_node node;
    struct gf_node sources;
    uid_t uid;
    uint32_t refs;
};

void gf_scheduler_init(struct gf_scheduler *scheduler)
{
    *scheduler = (struct gf_scheduler){0};
    gf_node_init(&scheduler->users);
}

static struct gf_turn *turn_get(struct gf_scheduler *scheduler, uid_t uid)
{
    gf_list_each(it, after, &scheduler->users)
    {
        struct gf_turn *turn = gf_container(it, struct gf_turn, node);
        if (turn->uid == uid) {
            turn->refs++;
            return turn;
        }
    }
    struct gf_turn *turn = calloc(1, sizeof(*turn));
    if (!turn)
        return NULL;
    *turn = (struct gf_turn){.uid = uid, .refs = 1};
    gf_node_init(&turn->sources);
    gf_list_push(&scheduler->users, &turn->node);
    return turn;
}

enum gf_status gf_source_init(struct gf_source *source, struct gf_scheduler *scheduler, uid_t uid, struct gf_error *err)
{
    struct gf_turn *turn = turn_get(scheduler, uid);
    if (!turn)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    *source = (struct gf_source){.scheduler = scheduler, .turn = turn};
    gf_node_init(&source->tasks);
    gf_list_push(&turn->sources, &source->node);
    return GF_OK;
}

void gf_source_deinit(struct gf_source *source)
{
    if (!source->turn)
        return;
    gf_list_remove(&source->node);
    if (--source->turn->refs == 0) {
        gf_list_remove(&source->turn->node);
        free(source->turn);
    }
    source->turn = NULL;
}

void gf_scheduler_push(struct gf_source *source, struct gf_task *task, bool again)
{
    task->source = source;
    task->state = GF_TASK_QUEUED;
    if (again)
        gf_list_push_front(&source->tasks, &task->node);
    else
        gf_list_push(&source->tasks, &task->node);
    source->scheduler->n_queued++;
}

void gf_scheduler_remove(struct gf_task *task)
{
    gf_list_remove(&task->node);
    task->source->scheduler->n_queued--;
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

/* To the end of its list: it had its turn. */
static void rotate(struct gf_node *head, struct gf_node *node)
{
    gf_list_remove(node);
    gf_list_push(head, node);
}

struct gf_task *gf_scheduler_next(struct gf_scheduler *scheduler, bool (*fits)(void *data, struct gf_task *task),
                                  void *data)
{
    if (scheduler->n_queued == 0)
        return NULL;
    gf_list_each(u, after_user, &scheduler->users)
    {
        struct gf_turn *turn = gf_container(u, struct gf_turn, node);
        gf_list_each(s, after_source, &turn->sources)
        {
            struct gf_source *source = gf_container(s, struct gf_source, node);
            struct gf_task *task = first_fit(source, fits, data);
            if (!task)
                continue;
            gf_scheduler_remove(task);
            rotate(&turn->sources, s);
            rotate(&scheduler->users, u);
            return task;
        }
    }
    return NULL;
}

void gf_scheduler_each(struct gf_scheduler *scheduler, void (*visit)(void *data, struct gf_task *task), void *data)
{
    gf_list_each(u, after_user, &scheduler->users)
    {
        struct gf_turn *turn = gf_container(u, struct gf_turn, node);
        gf_list_each(s, after_source, &turn->sources)
        {
            struct gf_source *source = gf_container(s, struct gf_source, node);
            gf_list_each(t, after_task, &source->tasks) visit(data, gf_container(t, struct gf_task, node));
        }
    }
}
