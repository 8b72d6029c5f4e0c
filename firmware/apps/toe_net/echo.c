// SPDX-License-Identifier: Apache-2.0
// Echo (RFC 862) on port 7, discard (RFC 863) on port 9, chargen (RFC 864) on port 19.
//
// What has no room on its way back stays in the receive ring, whose window closes then: a peer that does not read stops
// nobody but itself.
#include "toe_net.h"

#define ECHO_PORT 7u
#define DISCARD_PORT 9u
#define CHARGEN_PORT 19u

static void echo(toe_connection_t *c, uint32_t what) {
    if (what & TOE_CLOSED) return;
    if (!c->ending) toe_move(c, c, UINT32_MAX);
    if (c->finished && !toe_available(c) && !c->ending) (void)toe_close(c);
}

void discard(toe_connection_t *c, uint32_t what) {
    if (what & TOE_CLOSED) return;
    (void)toe_take(c, toe_available(c));
    if (c->finished && !c->ending) (void)toe_close(c);
}

// ---- chargen ----

#define CHARACTERS 95u  // that are printed, from space on
#define LINE 72u
#define LINE_BYTES (LINE + 2u)
#define PATTERN_BYTES (CHARACTERS * LINE_BYTES)  // each line begins a character later

static char pattern[PATTERN_BYTES] __attribute__((section(".noinit")));

static void fill_pattern(void) {
    char *at = pattern;
    for (unsigned line = 0; line < CHARACTERS; line++) {
        for (unsigned i = 0; i < LINE; i++) *at++ = (char)(' ' + (line + i) % CHARACTERS);
        *at++ = '\r';
        *at++ = '\n';
    }
}

// c->more is the place in the pattern.
static void chargen(toe_connection_t *c, uint32_t what) {
    discard(c, what);
    if (what & TOE_CLOSED || c->ending) return;
    uint32_t place = (uint32_t)(uintptr_t)c->more;
    for (uint32_t sent = 1; sent;) {
        sent = toe_send(c, pattern + place, PATTERN_BYTES - place);
        place = (place + sent) % PATTERN_BYTES;
    }
    c->more = (void *)(uintptr_t)place;
}

static toe_result_t listen(uint16_t port, toe_handler_t *handler) {
    toe_connection_t *c;
    toe_result_t result = toe_listen(port, BACKLOG, handler, 0, &c);
    if (result == TOE_OK) result = toe_option(c, TOE_OPTION_KEEP_ON, 1);  // who has vanished is noticed
    return result;
}

toe_result_t echo_init(void) {
    fill_pattern();
    toe_result_t result = listen(ECHO_PORT, echo);
    if (result == TOE_OK) result = listen(DISCARD_PORT, discard);
    if (result == TOE_OK) result = listen(CHARGEN_PORT, chargen);
    return result;
}
