// SPDX-License-Identifier: Apache-2.0
// Echo (RFC 862) on port 7 and discard (RFC 863) on port 9, UDP and TCP.
//
// A UDP datagram goes back in its own packet buffer. What TCP brings goes to the other side as soon as there is room;
// what has none waits in a ring as long as the receive window, so that no packet buffer is kept for a peer that does
// not read.
#include "net.h"

#if NSOC_HAS_LWIP

#include <string.h>

#include "lwip/tcp.h"
#include "lwip/udp.h"
#include "nic_netif.h"

#define ECHO_PORT 7u
#define DISCARD_PORT 9u
#define CONNECTIONS 4u
#define HOT __attribute__((hot))

// ---- UDP ----

HOT static void udp_echo(void *argument, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from, u16_t port) {
    (void)argument;
    // Two echo services would not stop, and what goes to many would wake a crowd.
    if (port != ECHO_PORT && !(p->flags & (PBUF_FLAG_LLBCAST | PBUF_FLAG_LLMCAST))) udp_sendto(pcb, p, from, port);
    pbuf_free(p);
}

static void udp_discard(void *argument, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from, u16_t port) {
    (void)argument, (void)pcb, (void)from, (void)port;
    pbuf_free(p);
}

// ---- TCP ----

typedef struct {
    struct tcp_pcb *pcb;  // 0: this place is free
    bool closing;         // the other side has sent its last byte
    uint32_t first, end;  // of what waits
} connection_t;

static connection_t connections[CONNECTIONS];
static uint8_t rings[CONNECTIONS][TCP_WND] __attribute__((section(".noinit")));

static uint8_t *ring_of(const connection_t *c) { return rings[c - connections]; }

static void finish(connection_t *c) {
    struct tcp_pcb *pcb = c->pcb;
    tcp_arg(pcb, 0);
    tcp_recv(pcb, 0);
    tcp_sent(pcb, 0);
    tcp_poll(pcb, 0, 0);
    tcp_err(pcb, 0);
    c->pcb = 0;
    if (tcp_close(pcb) != ERR_OK) tcp_abort(pcb);
}

// Sends what waits, as much as there is room. False: the connection has ended.
static bool flush(connection_t *c) {
    while (c->first != c->end) {
        uint32_t place = c->first % TCP_WND, most = c->end - c->first;
        if (most > TCP_WND - place) most = TCP_WND - place;
        if (most > tcp_sndbuf(c->pcb)) most = tcp_sndbuf(c->pcb);
        if (!most || tcp_write(c->pcb, ring_of(c) + place, (u16_t)most, TCP_WRITE_FLAG_COPY) != ERR_OK) break;
        c->first += most;
        if (c->first >= TCP_WND) c->first -= TCP_WND, c->end -= TCP_WND;
        tcp_recved(c->pcb, (u16_t)most);
    }
    if (c->first == c->end && c->closing) {
        finish(c);
        return false;
    }
    return true;
}

static err_t tcp_echo(void *argument, struct tcp_pcb *pcb, struct pbuf *p, err_t error) {
    (void)error;
    connection_t *c = argument;
    if (!p) {
        c->closing = true;
        flush(c);
        return ERR_OK;
    }
    for (const struct pbuf *q = p; q; q = q->next) {
        if (c->first == c->end && q->len <= tcp_sndbuf(pcb) &&
            tcp_write(pcb, q->payload, q->len, TCP_WRITE_FLAG_COPY) == ERR_OK) {
            tcp_recved(pcb, q->len);
            continue;
        }
        for (uint32_t done = 0; done < q->len;) {  // the window is as long as the ring: it has room
            uint32_t place = c->end % TCP_WND, bytes = q->len - done;
            if (bytes > TCP_WND - place) bytes = TCP_WND - place;
            memcpy(ring_of(c) + place, (const uint8_t *)q->payload + done, bytes);
            c->end += bytes;
            done += bytes;
        }
    }
    pbuf_free(p);
    flush(c);
    return ERR_OK;
}

static err_t tcp_echo_sent(void *argument, struct tcp_pcb *pcb, u16_t bytes) {
    (void)pcb, (void)bytes;
    flush(argument);
    return ERR_OK;
}

static err_t tcp_echo_poll(void *argument, struct tcp_pcb *pcb) {
    (void)pcb;
    flush(argument);
    return ERR_OK;
}

static void tcp_echo_error(void *argument, err_t error) {
    (void)error;
    ((connection_t *)argument)->pcb = 0;
}

static err_t tcp_echo_accept(void *argument, struct tcp_pcb *pcb, err_t error) {
    (void)argument;
    if (error != ERR_OK || !pcb) return ERR_VAL;
    for (connection_t *c = connections; c < connections + CONNECTIONS; c++) {
        if (c->pcb) continue;
        c->pcb = pcb;
        c->closing = false;
        c->first = c->end = 0;
        tcp_arg(pcb, c);
        tcp_recv(pcb, tcp_echo);
        tcp_sent(pcb, tcp_echo_sent);
        tcp_poll(pcb, tcp_echo_poll, 1);
        tcp_err(pcb, tcp_echo_error);
        return ERR_OK;
    }
    tcp_abort(pcb);  // all places are taken: a reset says so
    return ERR_ABRT;
}

static err_t tcp_discard(void *argument, struct tcp_pcb *pcb, struct pbuf *p, err_t error) {
    (void)argument, (void)error;
    if (p) {
        tcp_recved(pcb, p->tot_len);
        pbuf_free(p);
        return ERR_OK;
    }
    tcp_recv(pcb, 0);
    if (tcp_close(pcb) == ERR_OK) return ERR_OK;
    tcp_abort(pcb);
    return ERR_ABRT;
}

static err_t tcp_discard_accept(void *argument, struct tcp_pcb *pcb, err_t error) {
    (void)argument;
    if (error != ERR_OK || !pcb) return ERR_VAL;
    tcp_recv(pcb, tcp_discard);
    return ERR_OK;
}

static void listen(u16_t port, tcp_accept_fn accept) {
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb || tcp_bind(pcb, IP_ANY_TYPE, port) != ERR_OK) return;
    ip_set_option(pcb, SOF_KEEPALIVE);  // of those that are accepted: who has vanished is noticed
    pcb = tcp_listen(pcb);
    if (pcb) tcp_accept(pcb, accept);
}

static void receive(u16_t port, udp_recv_fn take) {
    struct udp_pcb *pcb = udp_new();
    if (pcb && udp_bind(pcb, IP_ANY_TYPE, port) == ERR_OK) udp_recv(pcb, take, 0);
}

void net_tcp_discard_on(uint16_t port) { listen(port, tcp_discard_accept); }

void net_echo_init(void) {
    receive(ECHO_PORT, udp_echo);
    receive(DISCARD_PORT, udp_discard);
    listen(ECHO_PORT, tcp_echo_accept);
    net_tcp_discard_on(DISCARD_PORT);
}

#endif
