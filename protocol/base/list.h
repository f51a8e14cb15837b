/* SPDX-License-Identifier: MIT */
/*
 * Intrusive doubly linked lists: a head and its members are struct gf_node; a member does not refer to the head. An
 * unlinked node points to itself, so that removing it twice does nothing.
 */
#ifndef GF_PROTOCOL_LIST_H
#define GF_PROTOCOL_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct gf_node {
    struct gf_node *prev, *next;
};

#define gf_container(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))
/* Walks a list; the body may remove the current member. */
#define gf_list_each(it, after, head)                                                                                  \
    for (struct gf_node *it = (head)->next, *after = it->next; it != (head); it = after, after = it->next)

static inline void gf_node_init(struct gf_node *node)
{
    node->prev = node->next = node;
}

static inline bool gf_list_empty(const struct gf_node *head)
{
    return head->next == head;
}

static inline void gf_list_insert(struct gf_node *before, struct gf_node *node)
{
    node->prev = before->prev;
    node->next = before;
    before->prev->next = node;
    before->prev = node;
}

/* Appends a member. */
static inline void gf_list_push(struct gf_node *head, struct gf_node *node)
{
    gf_list_insert(head, node);
}

static inline void gf_list_push_front(struct gf_node *head, struct gf_node *node)
{
    gf_list_insert(head->next, node);
}

static inline void gf_list_remove(struct gf_node *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    gf_node_init(node);
}

#endif
