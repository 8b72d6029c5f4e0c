// SPDX-License-Identifier: Apache-2.0
// lwIP as one unit: it is compiled in a second, and the compiler sees through its layers. Its files are as they come.
#define LWIP_COMPAT_SOCKETS 0  // `recv` is a field here

#include <string.h>

#include "lwip/opt.h"

#include "lwip/etharp.h"
#include "lwip/inet_chksum.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/udp.h"
#include "netif/ethernet.h"
#include "nic_netif.h"

#if LWIP_THREADS
#include "lwip/api.h"
#include "lwip/priv/api_msg.h"
#include "lwip/priv/sockets_priv.h"
#include "lwip/priv/tcpip_priv.h"
#include "lwip/sockets.h"
#define memset __builtin_memset  // of a few bytes: no call
#endif
#undef atoi
#define atoi port_number  // the number of an interface: digits alone

// What comes and goes regularly is not counted here: nic_netif_counters and the NIC have it. The compiler knows which
// it is.
#undef STATS_INC
#define COUNTS(x, protocol) ((void *)&lwip_stats.x == &lwip_stats.protocol.recv || (void *)&lwip_stats.x == &lwip_stats.protocol.xmit)
#define STATS_INC(x)                                                                                                  \
    do {                                                                                                              \
        if (!COUNTS(x, ip) && !COUNTS(x, tcp) && !COUNTS(x, udp) && !COUNTS(x, link)) ++lwip_stats.x;                 \
    } while (0)

// What most frames need lies together, so that it does not drive itself out of the instruction cache; behind it what
// TCP needs besides.
#define NEAR(function) __typeof__(function) function NIC_NETIF_NEAR;
#define TCP NIC_NETIF_TCP
#define TCP_NEAR(function) __typeof__(function) function TCP;
// What is small, or has one caller on that way, is compiled into its callers.
#define WITHIN(function) __typeof__(function) function __attribute__((always_inline));
WITHIN(ip4_addr_isbroadcast_u32)
WITHIN(ip4_output_if)
WITHIN(ip4_output_if_opt_src)
WITHIN(pbuf_add_header)
WITHIN(udp_sendto_if)
WITHIN(udp_sendto_if_src)
WITHIN(ip4_route)
// What is alone, or nearly, in its call, where a call costs more than code.
#if ARCH_FLAT
#define ONCE(function) WITHIN(function)
#define ONCE_STATIC __attribute__((always_inline))
#else
#define ONCE(function) NEAR(function)
#define ONCE_STATIC
#endif
NEAR(ethernet_input)
ONCE(ethernet_output)
NEAR(etharp_output)
ONCE(ip4_input)
NEAR(ip4_output_if_src)
NEAR(pbuf_free)
NEAR(pbuf_realloc)
NEAR(pbuf_remove_header)
ONCE(udp_input)
NEAR(udp_sendto)
static int ip4_input_accept(struct netif *netif) ONCE_STATIC;
static u8_t udp_input_local_match(struct udp_pcb *pcb, struct netif *inp, u8_t broadcast) ONCE_STATIC;
static err_t etharp_output_to_arp_index(struct netif *netif, struct pbuf *q, netif_addr_idx_t arp_idx) NIC_NETIF_NEAR;
TCP_NEAR(pbuf_ref)
#if !LWIP_THREADS
TCP_NEAR(memp_malloc)
TCP_NEAR(memp_free)
#endif
TCP_NEAR(tcp_input)
TCP_NEAR(tcp_output)
TCP_NEAR(tcp_write)
TCP_NEAR(tcp_recved)
TCP_NEAR(tcp_update_rcv_ann_wnd)
TCP_NEAR(tcp_send_empty_ack)
TCP_NEAR(tcp_seg_free)
TCP_NEAR(tcp_segs_free)
static err_t tcp_process(struct tcp_pcb *pcb) TCP;
static void tcp_receive(struct tcp_pcb *pcb) TCP;
static struct tcp_seg *tcp_free_acked_segments(struct tcp_pcb *pcb, struct tcp_seg *seg_list, const char *dbg_list_name,
                                               struct tcp_seg *dbg_other_seg_list) TCP;
static err_t tcp_output_segment(struct tcp_seg *seg, struct tcp_pcb *pcb, struct netif *netif) TCP;
#if LWIP_THREADS
NEAR(lwip_recvfrom)
NEAR(lwip_sendto)
NEAR(netbuf_alloc)
NEAR(netbuf_delete)
NEAR(netbuf_free)
NEAR(netconn_recv_udp_raw_netbuf_flags)
NEAR(netconn_send)
NEAR(lwip_netconn_do_send)
NEAR(err_to_errno)
NEAR(pbuf_copy_partial)
NEAR(memp_malloc)
NEAR(memp_free)
static void *do_memp_malloc_pool(const struct memp_desc *desc) NIC_NETIF_NEAR;
static struct lwip_sock *get_socket(int fd) NIC_NETIF_NEAR;
static void event_callback(struct netconn *conn, enum netconn_evt evt, u16_t len) NIC_NETIF_NEAR;
static void recv_udp(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *addr, u16_t port) NIC_NETIF_NEAR;
static err_t netconn_recv_data(struct netconn *conn, void **new_buf, u8_t apiflags) NIC_NETIF_NEAR;
TCP_NEAR(lwip_recv)
TCP_NEAR(lwip_send)
TCP_NEAR(netconn_tcp_recvd)
TCP_NEAR(netconn_write_vectors_partly)
TCP_NEAR(lwip_netconn_do_write)
TCP_NEAR(netconn_recv_tcp_pbuf_flags)
static ssize_t lwip_recv_tcp(struct lwip_sock *sock, void *mem, size_t len, int flags) TCP;
static err_t recv_tcp(void *arg, struct tcp_pcb *pcb, struct pbuf *p, err_t err) TCP;
static err_t sent_tcp(void *arg, struct tcp_pcb *pcb, u16_t len) TCP;
static err_t lwip_netconn_do_writemore(struct netconn *conn, u8_t delayed) TCP;
#endif

// What no frame needs as a rule lies in DRAM: the boot ROM is small.
#ifdef __clang__
#pragma clang section text = ".text.dram.lwip" rodata = ".rodata.dram.lwip"
#endif

#include "core/def.c"
#include "core/init.c"
#include "core/ip.c"
#include "core/netif.c"
#include "core/stats.c"
#include "core/timeouts.c"
#include "core/ipv4/dhcp.c"
#include "core/ipv4/igmp.c"
#include "core/ipv4/ip4_frag.c"

#if LWIP_THREADS
#include "core/sys.c"
#include "api/err.c"
#include "api/tcpip.c"
#include "api/api_lib.c"
#include "api/api_msg.c"
#include "api/sockets.c"
// What is sent lies in a packet buffer from the beginning.
#define pbuf_alloc nic_netif_datagram
#include "api/netbuf.c"
#undef pbuf_alloc
#endif

#ifdef __clang__
#pragma clang section text = "" rodata = ""
#endif

#if !LWIP_THREADS
// When the next timer is due, in milliseconds of sys_now().
NIC_NETIF_NEAR uint32_t nic_netif_next_timeout(uint32_t otherwise) {
    return next_timeout ? next_timeout->time : otherwise;
}
#endif

// In this order they come to lie in memory, and with main() and nic_netif.c in 8 KB up to here.
#include "netif/ethernet.c"

// A source that is no host's: our network's own address, too (but in a network of two, RFC 3021); and no address at
// all, but to 255.255.255.255: who has none yet asks for one (RFC 1122 3.2.1.3).
#define isbroadcast(address, netif) ip4_addr_isbroadcast_u32((address)->addr, netif)
#undef ip4_addr_isbroadcast
#define ip4_addr_isbroadcast(address, netif) \
    (isbroadcast(address, netif) || ((address) == ip4_current_src_addr() && is_network((address)->addr)))
#undef ip4_addr_isany_val
#define ip4_addr_isany_val(address)     \
    ((address).addr == IPADDR_ANY &&    \
     (&(address) != ip4_current_src_addr() || ip4_current_dest_addr()->addr == IPADDR_BROADCAST))

static inline bool is_network(u32_t address) {
    const u32_t mask = ip4_addr_get_u32(netif_ip4_netmask(&nic_netif)), own = ip4_addr_get_u32(netif_ip4_addr(&nic_netif));
    return !(address & ~mask) && !((address ^ own) & mask) && (u32_t)~mask != PP_HTONL(1) && mask != IPADDR_BROADCAST;
}

#include "core/ipv4/ip4.c"
#undef ip4_addr_isbroadcast
#define ip4_addr_isbroadcast isbroadcast
#undef ip4_addr_isany_val
#define ip4_addr_isany_val(address) ((address).addr == IPADDR_ANY)
#include "core/ipv4/ip4_addr.c"
#include "core/ipv4/etharp.c"
#include "core/pbuf.c"
// Few datagrams go to a group.
#undef ip_addr_ismulticast
#define ip_addr_ismulticast(address) __builtin_expect(ip4_addr_ismulticast(address), 0)
// What goes to a group does not leave this network, unless a program says so (RFC 1112 6.1).
#undef udp_set_multicast_ttl
#define udp_set_multicast_ttl(pcb, value) ((pcb)->mcast_ttl = 1)
#include "core/udp.c"

#include "core/inet_chksum.c"
#include "core/ipv4/icmp.c"
#include "core/mem.c"
#include "core/memp.c"

// What TCP sends lies in packet buffers from the beginning.
#define pbuf_alloc nic_netif_segment

#include "core/tcp.c"
#include "core/tcp_in.c"
#include "core/tcp_out.c"
