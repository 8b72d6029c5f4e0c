// SPDX-License-Identifier: Apache-2.0
// net_udp.h on lwIP.
#include "net.h"

#if NSOC_HAS_LWIP

#include "lwip/sys.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"
#include "net_counters.h"
#include "net_udp.h"
#include "nic_netif.h"

enum { IN_PIECES, NOT_SENT, TO_ALL, COUNTERS };
static const char *const names[COUNTERS] = {"in_pieces", "not_sent", "to_all"};
static uint32_t counters[COUNTERS];

static struct udp_pcb *bindings[NET_UDP_PORTS] __attribute__((section(".bss.hot")));

// ---- Datagrams ----

static struct udp_pcb *pcb_of(uint16_t port) {
    for (unsigned i = 0; i < NET_UDP_PORTS; i++)
        if (bindings[i] && bindings[i]->local_port == port) return bindings[i];
    return 0;
}

static void send(struct udp_pcb *pcb, struct pbuf *p, net_end_t peer) {
    ip_addr_t address;
    ip4_addr_set_u32(&address, lwip_htonl(peer.address));
    if (!pcb || !peer.address || udp_sendto(pcb, p, &address, peer.port) != ERR_OK) counters[NOT_SENT]++;
}

// What came in fragments lies in several packet buffers: nobody here wants datagrams that large.
static void take(void *argument, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from, u16_t port) {
    net_datagram_t datagram = {
        .peer = {lwip_htonl(ip4_addr_get_u32(from)), port},
        .port = pcb->local_port,
        .data = p->payload,
        .bytes = p->tot_len,
        .to_all = ip4_addr_isbroadcast(ip4_current_dest_addr(), &nic_netif) || ip4_addr_ismulticast(ip4_current_dest_addr()),
        .frame = p,
    };
    if (datagram.to_all) counters[TO_ALL]++;
    if (p->next) counters[IN_PIECES]++;
    else ((net_udp_handler_t *)argument)(&datagram);
    pbuf_free(p);
}

bool net_udp_bind(uint16_t port, net_udp_handler_t *handler) {
    unsigned i = 0;
    while (i < NET_UDP_PORTS && bindings[i]) i++;
    struct udp_pcb *pcb = i < NET_UDP_PORTS ? udp_new() : 0;
    if (!pcb) return false;
    if (udp_bind(pcb, IP_ANY_TYPE, port) != ERR_OK) {
        udp_remove(pcb);
        return false;
    }
    udp_recv(pcb, take, (void *)(uintptr_t)handler);
    bindings[i] = pcb;
    return true;
}

void net_udp_unbind(uint16_t port) {
    for (unsigned i = 0; i < NET_UDP_PORTS; i++) {
        if (!bindings[i] || bindings[i]->local_port != port) continue;
        udp_remove(bindings[i]);
        bindings[i] = 0;
    }
}

void net_udp_answer(net_datagram_t *datagram, uint32_t bytes) {
    struct pbuf *p = datagram->frame;
    pbuf_realloc(p, (u16_t)bytes);
    send(pcb_of(datagram->port), p, datagram->peer);
}

bool net_udp_new(net_datagram_t *datagram) {
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, NET_UDP_BYTES, PBUF_RAM);
    datagram->frame = p;
    datagram->data = p ? p->payload : 0;
    if (!p) counters[NOT_SENT]++;
    return p;
}

void net_udp_send(net_datagram_t *datagram) {
    struct pbuf *p = datagram->frame;
    pbuf_realloc(p, (u16_t)datagram->bytes);
    send(pcb_of(datagram->port), p, datagram->peer);
    pbuf_free(p);
}

// ---- Time ----

uint32_t net_now_ms(void) { return sys_now(); }

static struct {
    net_timer_t *handler;
    void *argument;
} open_timers[NET_TIMERS];

static void ring(void *place) {
    const unsigned i = (unsigned)(uintptr_t)place;
    net_timer_t *handler = open_timers[i].handler;
    open_timers[i].handler = 0;
    handler(open_timers[i].argument);
}

bool net_after(uint32_t ms, net_timer_t *handler, void *argument) {
    for (unsigned i = 0; i < NET_TIMERS; i++) {
        if (open_timers[i].handler) continue;
        open_timers[i].handler = handler;
        open_timers[i].argument = argument;
        sys_timeout(ms, ring, (void *)(uintptr_t)i);
        return true;
    }
    return false;
}

void net_cancel(net_timer_t *handler, void *argument) {
    for (unsigned i = 0; i < NET_TIMERS; i++) {
        if (open_timers[i].handler != handler || open_timers[i].argument != argument) continue;
        open_timers[i].handler = 0;
        sys_untimeout(ring, (void *)(uintptr_t)i);
    }
}

void net_udp_init(void) { net_counters_add("udp", names, counters, COUNTERS); }

#endif
