// SPDX-License-Identifier: Apache-2.0
// What http.c (the protocol) wants of http_page.c (what is shown).
#ifndef NSOC_NET_HTTP_H
#define NSOC_NET_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "net_counters.h"
#include "writer.h"

// A document is written piece by piece; {0} is before the first. A piece has at most HTTP_PIECE characters.
#define HTTP_PIECE 1200u
typedef struct {
    uint32_t stage;              // of the document
    net_counters_place_t place;  // in the counters of net_counters.h
    uint32_t group, next;        // in those of the stack; the block and the register
    const char *title;           // of the group written last
} document_t;

// Writes the next piece of the page, or of counters.json. False: there was none.
bool http_page_next(document_t *d, writer_t *w);
bool http_json_next(document_t *d, writer_t *w);

// Begins to measure the processor's busy share, each second.
void http_page_init(void);

// Numbers of now, for the next document: those that are not counters anywhere.
void http_page_look(void);

#endif
