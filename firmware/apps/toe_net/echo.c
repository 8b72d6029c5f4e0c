// SPDX-License-Identifier: Apache-2.0
// Echo (RFC 862) on port 7, discard (RFC 863) on port 9, chargen (RFC 864) on port 19.
//
// What has no room on its way back stays in the receive ring, whose window closes then: a peer that does not read stops
// nobody but itself.
#include "toe_net.h"

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

char chargen_text[CHARGEN_BYTES] __attribute__((section(".noinit")));

static void fill_text(void) {  // each line begins a character later
    char *at = chargen_text;
    for (unsigned line = 0; line < CHARACTERS; line++) {
        for (unsigned i = 0; i < CHARGEN_LINE - 2u; i++) *at++ = (char)(' ' + (line + i) % CHARACTERS);
        *at++ = '\r';
        *at++ = '\n';
    }
}

// c->more is the place in the text.
static void chargen(toe_connection_t *c, uint32_t what) {
    discard(c, what);
    if (what & TOE_CLOSED || c->ending) return;
    uint32_t place = (uint32_t)(uintptr_t)c->more;
    for (uint32_t sent = 1; sent;) {
        sent = toe_send(c, chargen_text + place, CHARGEN_BYTES - place);
        place = (place + sent) % CHARGEN_BYTES;
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
    fill_text();
    toe_result_t result = listen(ECHO_PORT, echo);
    if (result == TOE_OK) result = listen(DISCARD_PORT, discard);
    if (result == TOE_OK) result = listen(CHARGEN_PORT, chargen);
    return result;
}
