// SPDX-License-Identifier: Apache-2.0
#include "loops.h"

#define NODES 96u
#define STRIDE 35u  // coprime with NODES: the list visits every node, none beside the one before
#define KEYS 0x3FFu
#define SEARCHES 64u
#define REVERSALS 31u

typedef struct node {
    struct node *next;
    int32_t key;
    uint32_t place;
} node_t;

static node_t nodes[NODES];
static node_t *head;
static uint32_t visited;

void list_prepare(void) {
    uint32_t x = 1;
    for (uint32_t i = 0; i < NODES; i++) {
        node_t *node = &nodes[i * STRIDE % NODES];
        node->key = (int32_t)(random_next(&x) & KEYS);
        node->place = i;
        node->next = i + 1 < NODES ? &nodes[(i + 1) * STRIDE % NODES] : 0;
    }
    head = nodes;
}

void list_search(void) {
    uint32_t x = 2, count = 0;
    for (uint32_t i = 0; i < SEARCHES; i++) {
        int32_t wanted = (int32_t)(random_next(&x) & KEYS);
        const node_t *node = head;
        while (node && node->key != wanted) {
            node = node->next;
            count++;
        }
    }
    visited = count;
}

uint32_t list_search_result(void) { return visited; }

void list_reverse(void) {
    for (uint32_t i = 0; i < REVERSALS; i++) {
        node_t *done = 0;
        for (node_t *node = head; node;) {
            node_t *next = node->next;
            node->next = done;
            done = node;
            node = next;
        }
        head = done;
    }
}

static node_t *merge(node_t *a, node_t *b) {
    node_t *first = 0;
    node_t **end = &first;
    while (a && b) {
        if (a->key <= b->key) {
            *end = a;
            end = &a->next;
            a = a->next;
        } else {
            *end = b;
            end = &b->next;
            b = b->next;
        }
    }
    *end = a ? a : b;
    return first;
}

// sorted[k] is 0 or a sorted list of 2^k nodes, all of them before those of a smaller k.
void list_sort(void) {
    node_t *sorted[8] = {0};
    for (node_t *node = head; node;) {
        node_t *next = node->next;
        node->next = 0;
        int k = 0;
        for (; sorted[k]; k++) {
            node = merge(sorted[k], node);
            sorted[k] = 0;
        }
        sorted[k] = node;
        node = next;
    }
    node_t *all = 0;
    for (int k = 0; k < 8; k++) all = merge(sorted[k], all);
    head = all;
}

uint32_t list_result(void) {
    uint32_t hash = 0;
    for (const node_t *node = head; node; node = node->next) {
        hash = hash_add(hash, (uint32_t)node->key);
        hash = hash_add(hash, node->place);
    }
    return hash;
}
