// SPDX-License-Identifier: Apache-2.0
// iperf 2: a server on port 5001, TCP and UDP, and a client of both.
//
// TCP carries bytes of no meaning. A UDP datagram begins with its number; the last one's is negative, and the server
// answers it with what it has counted: its report begins behind the datagram's header.
#include "net.h"

#if NSOC_HAS_LWIP

#include <string.h>

#include "arch.h"
#include "lwip/sys.h"
#include "lwip/tcp.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"
#include "nic_netif.h"
#include "say.h"

#define PORT 5001u
#define UDP_PAYLOAD 1470u
#define LAST_TRIES 10u
#define LAST_EVERY_MS 250u

// All numbers are big-endian.
typedef struct {
    uint32_t number, seconds, microseconds, number_high;
} datagram_t;

typedef struct {
    uint32_t flags, bytes_high, bytes_low, stop_seconds, stop_microseconds;
    uint32_t lost, out_of_order, datagrams, jitter_seconds, jitter_microseconds;
} report_t;

#define REPORT_VERSION_1 0x80000000u

// ---- Server ----

typedef struct {
    ip_addr_t address;
    u16_t port;
    bool ended;
    uint32_t begun_ms, bytes_high, bytes_low, lost, out_of_order;
    uint32_t next;         // the number that is expected
    int32_t transit;       // of the datagram before, in microseconds, between two clocks
    uint32_t jitter;       // in sixteenths of a microsecond (RFC 3550)
    report_t report;
} stream_t;

static stream_t stream;  // the latest; another one's first datagram takes its place

static void send_report(struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from, u16_t port) {
    report_t *r = &stream.report;
    if (!stream.ended) {
        uint32_t ms = sys_now() - stream.begun_ms;
        stream.ended = true;
        r->flags = PP_HTONL(REPORT_VERSION_1);
        r->bytes_high = lwip_htonl(stream.bytes_high);
        r->bytes_low = lwip_htonl(stream.bytes_low);
        r->stop_seconds = lwip_htonl(ms / 1000u);
        r->stop_microseconds = lwip_htonl(ms % 1000u * 1000u);
        r->lost = lwip_htonl(stream.lost);
        r->out_of_order = lwip_htonl(stream.out_of_order);
        r->datagrams = lwip_htonl(stream.next - 1u);
        r->jitter_seconds = 0;
        r->jitter_microseconds = lwip_htonl(stream.jitter / 16u);
    }
    if (p->len < sizeof(datagram_t) + sizeof *r) return;
    memcpy((uint8_t *)p->payload + sizeof(datagram_t), r, sizeof *r);
    if (!(p->flags & (PBUF_FLAG_LLBCAST | PBUF_FLAG_LLMCAST))) udp_sendto(pcb, p, from, port);
}

static void udp_take(void *argument, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from, u16_t port) {
    (void)argument;
    if (p->len < sizeof(datagram_t)) {
        pbuf_free(p);
        return;
    }
    const volatile datagram_t *head = p->payload;
    int32_t number = (int32_t)lwip_ntohl(head->number);
    uint32_t sent_us = lwip_ntohl(head->seconds) * 1000000u + lwip_ntohl(head->microseconds);
    bool known = ip_addr_cmp(&stream.address, from) && stream.port == port;
    if (number < 0) {
        if (known) send_report(pcb, p, from, port);
        pbuf_free(p);
        return;
    }
    uint32_t now_us = arch_cycles() / CPU_MHZ;
    int32_t transit = (int32_t)(now_us - sent_us);
    if (!known || stream.ended) {
        memset(&stream, 0, sizeof stream);
        ip_addr_copy(stream.address, *from);
        stream.port = port;
        stream.begun_ms = sys_now();
        stream.transit = transit;
        stream.next = (uint32_t)number;
    }
    int32_t change = transit - stream.transit;
    stream.transit = transit;
    stream.jitter += (uint32_t)(change < 0 ? -change : change) - ((stream.jitter + 8u) >> 4);
    stream.bytes_low += p->tot_len;
    stream.bytes_high += stream.bytes_low < p->tot_len;
    if ((uint32_t)number >= stream.next) {
        stream.lost += (uint32_t)number - stream.next;
        stream.next = (uint32_t)number + 1u;
    } else {
        stream.out_of_order++;
        if (stream.lost) stream.lost--;
    }
    pbuf_free(p);
}

// ---- Client ----

typedef struct {
    struct tcp_pcb *tcp;
    struct udp_pcb *udp;
    uint32_t begun_ms, ms;
    uint32_t bytes_high, bytes_low;  // TCP: acknowledged
    // UDP
    ip_addr_t address;
    uint32_t number, mbps, tries;
    uint32_t sent_bytes_at_ms;
} client_t;

static client_t client;
static uint8_t block[TCP_MSS] __attribute__((aligned(4)));

static void count_bytes(uint32_t bytes) {
    client.bytes_low += bytes;
    client.bytes_high += client.bytes_low < bytes;
}

static void say_result(const char *what) {
    uint32_t ms = sys_now() - client.begun_ms;
    uint64_t bytes = (uint64_t)client.bytes_high << 32 | client.bytes_low;
    say(what);
    say(": ");
    say_dec((uint32_t)(bytes / 1000u));
    say(" KB in ");
    say_dec(ms);
    say(" ms, ");
    say_dec((uint32_t)(bytes * 8u / (ms ? ms : 1u)));
    say(" kbit/s\n");
}

static bool over(void) { return sys_now() - client.begun_ms >= client.ms; }

static void tcp_end(struct tcp_pcb *pcb) {
    tcp_arg(pcb, 0);
    tcp_sent(pcb, 0);
    tcp_poll(pcb, 0, 0);
    tcp_recv(pcb, 0);
    tcp_err(pcb, 0);
    client.tcp = 0;
    say_result("iperf");
}

static void tcp_fill(struct tcp_pcb *pcb) {
    while (tcp_sndbuf(pcb) >= TCP_MSS && tcp_write(pcb, block, TCP_MSS, TCP_WRITE_FLAG_COPY) == ERR_OK) {}
}

static err_t tcp_stop(struct tcp_pcb *pcb) {
    tcp_end(pcb);
    if (tcp_close(pcb) == ERR_OK) return ERR_OK;
    tcp_abort(pcb);
    return ERR_ABRT;
}

static err_t tcp_acknowledged(void *argument, struct tcp_pcb *pcb, u16_t bytes) {
    (void)argument;
    count_bytes(bytes);
    if (over()) return tcp_stop(pcb);
    tcp_fill(pcb);
    return ERR_OK;
}

// Memory was missing, or the other side's window was closed: every half second.
static err_t tcp_again(void *argument, struct tcp_pcb *pcb) {
    (void)argument;
    if (over()) return tcp_stop(pcb);
    tcp_fill(pcb);
    return tcp_output(pcb);
}

static err_t tcp_came(void *argument, struct tcp_pcb *pcb, struct pbuf *p, err_t error) {
    (void)argument, (void)error;
    if (!p) return tcp_stop(pcb);
    tcp_recved(pcb, p->tot_len);
    pbuf_free(p);
    return ERR_OK;
}

static void tcp_failed(void *argument, err_t error) {
    (void)argument, (void)error;
    client.tcp = 0;
    say("iperf: the connection was refused, reset or given up\n");
}

static err_t tcp_opened(void *argument, struct tcp_pcb *pcb, err_t error) {
    (void)argument, (void)error;
    client.begun_ms = sys_now();
    tcp_fill(pcb);
    return ERR_OK;
}

bool net_iperf_start(uint32_t address, uint32_t seconds) {
    if (client.tcp || client.udp) return false;
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb) return false;
    memset(&client, 0, sizeof client);
    client.tcp = pcb;
    client.begun_ms = sys_now();
    client.ms = seconds * 1000u;
    tcp_err(pcb, tcp_failed);
    tcp_recv(pcb, tcp_came);
    tcp_sent(pcb, tcp_acknowledged);
    tcp_poll(pcb, tcp_again, 1);
    ip_addr_t to = IPADDR4_INIT(address);
    err_t error = tcp_connect(pcb, &to, PORT, tcp_opened);
    if (error != ERR_OK) {
        client.tcp = 0;
        tcp_abort(pcb);
    }
    return error == ERR_OK;
}

static void udp_end(const char *what) {
    say_result(what);
    udp_remove(client.udp);
    client.udp = 0;
}

static void udp_answered(void *argument, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from, u16_t port) {
    (void)argument, (void)pcb, (void)from, (void)port;
    report_t r;
    if (client.tries && pbuf_copy_partial(p, &r, sizeof r, sizeof(datagram_t)) == sizeof r) {
        pbuf_free(p);
        client.tries = 0;
        udp_end("iperf-udp");
        say("iperf-udp: the server says ");
        say_dec(lwip_ntohl(r.datagrams));
        say(" datagrams, ");
        say_dec(lwip_ntohl(r.lost));
        say(" lost, ");
        say_dec(lwip_ntohl(r.out_of_order));
        say(" out of order\n");
        return;
    }
    pbuf_free(p);
}

static bool udp_put(bool last) {
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, UDP_PAYLOAD, PBUF_RAM);
    if (!p) return false;
    uint32_t us = (sys_now() - client.begun_ms) * 1000u;
    datagram_t *head = p->payload;
    head->number = lwip_htonl(last ? (uint32_t)-(int32_t)client.number : client.number);
    head->seconds = lwip_htonl(us / 1000000u);
    head->microseconds = lwip_htonl(us % 1000000u);
    head->number_high = last ? 0xFFFFFFFFu : 0;
    memset(head + 1, 0, UDP_PAYLOAD - sizeof *head);
    bool sent = udp_sendto(client.udp, p, &client.address, PORT) == ERR_OK;
    pbuf_free(p);
    return sent;
}

// Every millisecond: as many datagrams as are due.
static void udp_tick(void *argument) {
    if (!client.udp) return;
    uint32_t passed = sys_now() - client.begun_ms;
    if (passed < client.ms) {
        uint64_t due = (uint64_t)passed * client.mbps * 125u;
        for (unsigned i = 0; i < 16u; i++) {
            uint64_t sent = (uint64_t)client.bytes_high << 32 | client.bytes_low;
            if (sent >= due || !udp_put(false)) break;
            client.number++;
            count_bytes(UDP_PAYLOAD);
        }
        sys_timeout(1, udp_tick, argument);
    } else if (client.tries++ < LAST_TRIES) {
        udp_put(true);
        sys_timeout(LAST_EVERY_MS, udp_tick, argument);
    } else {
        udp_end("iperf-udp, the server does not answer");
    }
}

bool net_iperf_udp_start(uint32_t address, uint32_t mbps, uint32_t seconds) {
    if (client.tcp || client.udp) return false;
    memset(&client, 0, sizeof client);
    client.udp = udp_new();
    if (!client.udp) return false;
    client.begun_ms = sys_now();
    client.ms = seconds * 1000u;
    client.mbps = mbps;
    ip_addr_set_ip4_u32(&client.address, address);
    udp_recv(client.udp, udp_answered, 0);
    sys_timeout(1, udp_tick, 0);
    return true;
}

void net_iperf_init(void) {
    for (unsigned i = 0; i < sizeof block; i++) block[i] = (uint8_t)('0' + i % 10u);
    struct udp_pcb *udp = udp_new();
    if (udp && udp_bind(udp, IP_ANY_TYPE, PORT) == ERR_OK) udp_recv(udp, udp_take, 0);
    net_tcp_discard_on(PORT);
}

#endif
