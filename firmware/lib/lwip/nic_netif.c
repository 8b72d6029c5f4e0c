// SPDX-License-Identifier: Apache-2.0
#include "nic_netif.h"

#include <string.h>

#include "arch.h"
#include "ethernet.h"
#include "ip_options.h"
#include "mac_groups.h"
#include "siphash.h"
#include "lwip/dhcp.h"
#include "lwip/etharp.h"
#include "lwip/inet_chksum.h"
#include "lwip/igmp.h"
#include "lwip/init.h"
#include "lwip/prot/ip.h"
#include "lwip/prot/ip4.h"
#include "lwip/stats.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"
#include "netif/ethernet.h"

#if LWIP_THREADS
#include "lwip/priv/tcpip_priv.h"
#include "lwip/prot/udp.h"  // os_block.h comes by lwip/sys.h: to name it here would link the kernel into every program
#endif

#define POLL_FRAMES 8u            // taken in a row
#define CYCLES_PER_MS (CPU_MHZ * 1000u)
#define SLEEP_MOST_MS (0x7FFFFFFFu / CYCLES_PER_MS)  // time is kept in 32 bits
#if LWIP_THREADS
#define IRQ_FRAMES 1u             // a frame waits for nobody; while the thread takes frames the NIC does not interrupt
#define IRQ_NIC_CYCLES 0u
#define DRIVER_PRIORITY 20u
#define DRIVER_STACK_BYTES 3072u
#define IP_ALIGNED 2u             // bytes ahead of an Ethernet header
#else
#define IRQ_FRAMES 4u             // an interrupt may wait for so many frames,
#define IRQ_NIC_CYCLES 500u       // but no frame for longer: 4 us
#endif

// A packet buffer's pbuf. It is the buffer's owner but for `gone`, when the NIC has it.
typedef struct {
    struct pbuf_custom custom;
    nsoc_buffer_t *buffer;
    bool segment;
    bool gone;
#if LWIP_THREADS
    bool busy;  // until slot_free() has looked at the others: another thread may be in there
#endif
} slot_t;

static slot_t slots[NIC_BUFFERS];
static uint32_t answer;  // of the receive queue: asked for ahead
static uint32_t milliseconds, milliseconds_at;
static uint32_t random_state;

nic_netif_counters_t nic_netif_counters;
struct netif nic_netif;
uint32_t nic_netif_idle_cycles;
uint32_t nic_netif_held, nic_netif_segments;
#if LWIP_THREADS
uint32_t nic_netif_received_copied;
#endif

// ---- Time ----

NIC_NETIF_NEAR u32_t sys_now(void) {
    SYS_ARCH_DECL_PROTECT(on);
    SYS_ARCH_PROTECT(on);
    uint32_t passed = arch_cycles() - milliseconds_at;
    if (passed >= CYCLES_PER_MS) {
        uint32_t whole = passed / CYCLES_PER_MS;
        milliseconds += whole;
        milliseconds_at += whole * CYCLES_PER_MS;
    }
    uint32_t now = milliseconds;
    SYS_ARCH_UNPROTECT(on);
    return now;
}

uint32_t port_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state + arch_cycles();
}

// ---- Buffers ----

static inline slot_t *slot_of(nsoc_buffer_t *buffer) {
    return &slots[((uintptr_t)buffer - NIC_PACKET_BASE) / NIC_BUFFER_BYTES];
}

#if LWIP_THREADS

// Threads give buffers back while others take some.
static inline void count(uint32_t *counter, uint32_t more) {
    bool on = arch_interrupts_disable();
    *counter += more;
    if (on) arch_os_interrupts_on();
}

#define ONE_MORE(counter) count(&(counter), 1)
#define ONE_LESS(counter) count(&(counter), UINT32_MAX)
static inline bool is_busy(const slot_t *slot) { return slot->busy; }
static inline void set_busy(slot_t *slot) { slot->busy = true; }

// Of one that nobody uses any more. It may be taken again from here on.
static inline bool has_buffer(slot_t *slot) {
    bool gone = slot->gone;
    *(volatile bool *)&slot->busy = false;
    return !gone;
}

#else

#define ONE_MORE(counter) ((counter)++)
#define ONE_LESS(counter) ((counter)--)
static inline bool is_busy(const slot_t *slot) { return slot->custom.pbuf.ref; }
static inline void set_busy(slot_t *slot) { (void)slot; }
static inline bool has_buffer(const slot_t *slot) { return !slot->gone; }

#endif

NIC_NETIF_NEAR static void slot_free(struct pbuf *p) {
    slot_t *slot = (slot_t *)(void *)p;
    if (slot->segment) ONE_LESS(nic_netif_segments);
    else if (!slot->gone) ONE_LESS(nic_netif_held);
    if (has_buffer(slot)) (void)nic_free(NSOC_NIC, slot->buffer);  // has room for all buffers
}

// As pbuf_alloced_custom(), without its questions.
static inline struct pbuf *slot_pbuf(slot_t *slot, void *payload, u16_t length, bool segment) {
    struct pbuf *p = &slot->custom.pbuf;
    slot->segment = segment;
    slot->gone = false;
    set_busy(slot);
    p->next = 0;
    p->payload = payload;
    p->tot_len = p->len = length;
    p->type_internal = (u8_t)PBUF_RAM;
    p->flags = PBUF_FLAG_IS_CUSTOM;
    p->ref = 1;
    p->if_idx = NETIF_NO_INDEX;
    return p;
}

#if LWIP_THREADS
NIC_NETIF_TCP
#else
NIC_NETIF_NEAR
#endif
struct pbuf *nic_netif_segment(pbuf_layer layer, u16_t length, pbuf_type type) {
    // PBUF_IP is an acknowledgement or the like: sent once and gone.
    bool once = layer == PBUF_IP;
    if (type != PBUF_RAM || (!once && !NSOC_HAS_OFFLOADS) || (!once && nic_netif_segments >= NIC_NETIF_SEGMENTS)) {
        if (type == PBUF_RAM && NSOC_HAS_OFFLOADS) nic_netif_counters.segments_copied++;
        return pbuf_alloc(layer, length, type);
    }
    nsoc_buffer_t *buffer = nic_alloc(NSOC_NIC);
    if (!buffer) {
        nic_netif_counters.segments_copied++;
        return pbuf_alloc(layer, length, type);
    }
    slot_t *slot = slot_of(buffer);
    if (once) ONE_MORE(nic_netif_held);
    else ONE_MORE(nic_netif_segments);
    return slot_pbuf(slot, buffer->frame + layer, length, !once);
}

#if LWIP_THREADS

#define UDP_HEADERS (SIZEOF_ETH_HDR + IP_HLEN + UDP_HLEN)

// It goes out as it lies, and once: the headers are to end where the frame's do.
NIC_NETIF_NEAR struct pbuf *nic_netif_datagram(pbuf_layer layer, u16_t length, pbuf_type type) {
    nsoc_buffer_t *buffer = 0;
    if (type == PBUF_RAM && UDP_HEADERS + length <= SIZEOF_ETH_HDR + nic_netif.mtu && nic_netif_held < NIC_NETIF_HELD)
        buffer = nic_alloc(NSOC_NIC);
    if (!buffer) return pbuf_alloc(layer, length, type);
    slot_t *slot = slot_of(buffer);
    if (is_busy(slot)) {  // with what has left it
        (void)nic_free(NSOC_NIC, buffer);
        return pbuf_alloc(layer, length, type);
    }
    ONE_MORE(nic_netif_held);
    return slot_pbuf(slot, buffer->frame + UDP_HEADERS, length, false);
}

#endif

// ---- Sending ----

// Which sums the NIC puts in: those that the frame has.
static inline uint32_t sums_of(const void *frame) {
#if NSOC_HAS_OFFLOADS
    const volatile uint16_t *half = frame;
    uint32_t type = half[6], place = half[10], protocol = half[11];
    if (type != NSOC_BE16(ETHTYPE_IP)) return 0;
    protocol = NSOC_BE16(protocol) & 0xFFu;
    bool l4 = !(place & NSOC_BE16(IP_OFFMASK | IP_MF)) && (protocol == IP_PROTO_TCP || protocol == IP_PROTO_UDP);
    return l4 ? NSOC_BUFFER_REQUEST_IP_SUM | NSOC_BUFFER_REQUEST_L4_SUM : NSOC_BUFFER_REQUEST_IP_SUM;
#else
    (void)frame;
    return 0;
#endif
}

// Length and wishes are a word of the control word.
static inline void hand_over(nsoc_buffer_t *buffer, u16_t length, uint32_t request) {
    volatile uint32_t *word = (volatile uint32_t *)(void *)&buffer->request;
    *word = BYTES_BIG_ENDIAN ? request << 24 | length : request | (uint32_t)NSOC_BE16(length) << 16;
    (void)nic_transmit(NSOC_NIC, 0, buffer);  // has room for all buffers
}
_Static_assert(offsetof(nsoc_buffer_t, request) == 4 && offsetof(nsoc_buffer_t, length) == 6, "one word");

#if NSOC_HAS_OFFLOADS

// Segments that the NIC has, in the order in which they go out.
static struct pbuf *kept[NIC_BUFFERS];
static uint32_t kept_first, kept_end;  // as the NIC counts

static inline void take_back_kept(void) {
    if (kept_first == kept_end) return;
    uint32_t out = NSOC_NIC->tx_kept;
    while (kept_first != out) pbuf_free(kept[kept_first++ % NIC_BUFFERS]);
}

#else

static inline void take_back_kept(void) {}

#endif

static err_t send_copy(struct pbuf *p) {
    nsoc_buffer_t *buffer = nic_alloc(NSOC_NIC);
    if (!buffer) {
        nic_netif_counters.no_buffer++;
        return ERR_MEM;
    }
    pbuf_copy_partial(p, buffer->frame, p->tot_len, 0);
    nic_netif_counters.copied++;
    hand_over(buffer, p->tot_len, sums_of(buffer->frame));
    return ERR_OK;
}

NIC_NETIF_NEAR static err_t send(struct netif *netif, struct pbuf *p) {
    (void)netif;
    slot_t *slot = (slot_t *)(void *)p;
    bool whole = p->flags & PBUF_FLAG_IS_CUSTOM && slot->custom.custom_free_function == slot_free && !p->next &&
                 p->payload == slot->buffer->frame && p->ref == 1;
    if (!whole) return send_copy(p);
    if (slot->gone) {
        nic_netif_counters.sent_twice++;
        return ERR_USE;
    }
#if NSOC_HAS_OFFLOADS
    if (slot->segment) {
        pbuf_ref(p);
        kept[kept_end++ % NIC_BUFFERS] = p;
        nic_netif_counters.kept++;
        hand_over(slot->buffer, p->len, NSOC_BUFFER_REQUEST_IP_SUM | NSOC_BUFFER_REQUEST_L4_SUM | NSOC_BUFFER_REQUEST_KEEP);
        return ERR_OK;
    }
#endif
    slot->gone = true;
    ONE_LESS(nic_netif_held);
    nic_netif_counters.in_place++;
    hand_over(slot->buffer, p->len, sums_of(p->payload));
    return ERR_OK;
}

// ---- Receiving ----

static void drop(nsoc_buffer_t *buffer, uint32_t *counter) {
    ++*counter;
    (void)nic_free(NSOC_NIC, buffer);
}

#if LWIP_THREADS

// Into memory of lwIP's, so that frames which no thread reads keep no packet buffer.
static __attribute__((noinline)) void take_copy(nsoc_buffer_t *buffer, u16_t length) {
    struct pbuf *p = pbuf_alloc(PBUF_RAW, length + IP_ALIGNED, PBUF_RAM);
    if (!p) {
        drop(buffer, &nic_netif_counters.too_many_held);
        return;
    }
    (void)pbuf_remove_header(p, IP_ALIGNED);
    (void)pbuf_take(p, buffer->frame, length);
    (void)nic_free(NSOC_NIC, buffer);
    nic_netif_received_copied++;
    ethernet_input(p, &nic_netif);
}

#endif

NIC_NETIF_NEAR static void take(nsoc_buffer_t *buffer) {
    u16_t length = NSOC_BE16(*(volatile uint16_t *)&buffer->length);
#if NSOC_HAS_OFFLOADS
    uint32_t status = *(volatile uint8_t *)&buffer->status;
    if (status & (NSOC_BUFFER_STATUS_IP_BAD | NSOC_BUFFER_STATUS_L4_BAD)) {
        drop(buffer, &nic_netif_counters.sum_wrong);
        return;
    }
    nic_netif.chksum_flags = (u16_t)(NETIF_CHECKSUM_ENABLE_ALL &
        ~((status & NSOC_BUFFER_STATUS_IP_GOOD ? NETIF_CHECKSUM_CHECK_IP : 0) |
          (status & NSOC_BUFFER_STATUS_L4_GOOD ? NETIF_CHECKSUM_CHECK_TCP | NETIF_CHECKSUM_CHECK_UDP : 0)));
#endif
    slot_t *slot = slot_of(buffer);
#if LWIP_THREADS
    if (is_busy(slot) || nic_netif_held >= NIC_NETIF_HELD) {
        take_copy(buffer, length);
        return;
    }
#else
    if (is_busy(slot)) {
        drop(buffer, &nic_netif_counters.in_use);
        return;
    }
    // What is out of order is asked for again; what else is kept has its end by itself.
    for (unsigned i = 0; nic_netif_held >= NIC_NETIF_HELD && i < MEMP_NUM_TCP_PCB; i++) pbuf_free_ooseq();
    if (nic_netif_held >= NIC_NETIF_HELD) {
        drop(buffer, &nic_netif_counters.too_many_held);
        return;
    }
#endif
    nic_netif_counters.received++;
    ONE_MORE(nic_netif_held);
    ethernet_input(slot_pbuf(slot, buffer->frame, length, false), &nic_netif);  // frees what it does not keep
}

#if LWIP_THREADS
static
#endif
NIC_NETIF_NEAR bool nic_netif_poll(void) {
    take_back_kept();
    for (unsigned i = 0; i < POLL_FRAMES && nic_receive_any(answer); i++) {
        nsoc_buffer_t *buffer = nic_receive_take(answer);
        answer = nic_receive_ask(NSOC_NIC, 0);
        take(buffer);
    }
    if (!nic_receive_any(answer)) answer = nic_receive_ask(NSOC_NIC, 0);
#if !LWIP_THREADS
    if (arch_cycles() - milliseconds_at >= CYCLES_PER_MS) sys_check_timeouts();
#endif
    return nic_receive_any(answer);
}

#if LWIP_THREADS

// ---- The thread that takes frames ----

static os_thread_t driver;
static OS_STACK(driver_stack, DRIVER_STACK_BYTES);
static volatile bool is_woken;

// The NIC wants it as long as frames wait: not before the thread has taken them.
NIC_NETIF_NEAR void os_interrupt(void) {
    NSOC_NIC->irq_mask = 0;
    is_woken = true;
    os_unblock(&driver);
}

NIC_NETIF_NEAR static void drive(void *argument) {
    (void)argument;
    for (;;) {
        LOCK_TCPIP_CORE();
        bool more = nic_netif_poll();
        UNLOCK_TCPIP_CORE();
        if (more) continue;
        os_enter();
        is_woken = false;
        NSOC_NIC->irq_mask = NSOC_NIC_IRQ_MASK_RX_READY;
        while (!is_woken) (void)os_block(OS_FOREVER);
        os_leave();
        answer = nic_receive_ask(NSOC_NIC, 0);
    }
}

#else

// ---- Sleep ----

static uint32_t armed_for;

uint32_t nic_netif_next_timeout(uint32_t otherwise);  // stack.c

static void arm_timer(void) {
    if (nic_netif_next_timeout(armed_for) == armed_for) return;  // lwIP always has one: ARP's
    uint32_t now = sys_now();
    uint32_t next = nic_netif_next_timeout(now + SLEEP_MOST_MS);
    armed_for = next;
    int32_t wait = (int32_t)(next - now);
    if (wait < 0) wait = 0;
    if (wait > (int32_t)SLEEP_MOST_MS) wait = SLEEP_MOST_MS;
    uint32_t cycles = (uint32_t)wait * CYCLES_PER_MS - (arch_cycles() - milliseconds_at);
    if ((int32_t)cycles < 0) cycles = 0;
    uint32_t low = NSOC_TIMER->mtime_low, high = NSOC_TIMER->mtime_high;
    if (NSOC_TIMER->mtime_low < low) high = NSOC_TIMER->mtime_high, low = 0;
    uint32_t compare = low + cycles;
    NSOC_TIMER->mtimecmp_high = 0xFFFFFFFFu;  // none meanwhile
    NSOC_TIMER->mtimecmp_low = compare;
    NSOC_TIMER->mtimecmp_high = high + (compare < low);
}

NIC_NETIF_NEAR void nic_netif_sleep(void) {
    if (nic_receive_any(answer)) return;
    arm_timer();
    uint32_t before = arch_cycles();
    arch_sleep();
    nic_netif_idle_cycles += arch_cycles() - before;
    answer = nic_receive_ask(NSOC_NIC, 0);
}

#endif

// ---- Start ----

static err_t filter_group(struct netif *netif, const ip4_addr_t *group, enum netif_mac_filter_action action);

static err_t start(struct netif *netif) {
    netif->name[0] = 'n';
    netif->name[1] = 's';
    netif->mtu = 1500;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_IGMP | NETIF_FLAG_LINK_UP;
    netif->output = etharp_output;
    netif->linkoutput = send;
    netif->igmp_mac_filter = filter_group;
    return ERR_OK;
}

bool nic_netif_init(unsigned station) {
    for (unsigned i = 0; i < NIC_BUFFERS; i++) {
        slots[i].custom.custom_free_function = slot_free;
        slots[i].buffer = (nsoc_buffer_t *)(uintptr_t)(NIC_PACKET_BASE + i * NIC_BUFFER_BYTES);
    }
    random_state = secret_word(SECRET_PORTS, station + arch_cycles()) | 1u;
#if LWIP_THREADS
    tcpip_init(0, 0);
#else
    lwip_init();
#endif
    ip4_addr_t address, mask, gateway;
    IP4_ADDR(&address, 10, 0, 0, station);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 0, 1);
    nic_netif.hwaddr_len = ETH_HWADDR_LEN;
    nic_netif.hwaddr[0] = 0x02;
    nic_netif.hwaddr[ETH_HWADDR_LEN - 1] = (u8_t)station;
    netif_add(&nic_netif, &address, &mask, &gateway, 0, start, ethernet_input);
    netif_set_default(&nic_netif);

    nsoc_nic_t *nic = NSOC_NIC;
    nic_irq_moderate(nic, IRQ_FRAMES, IRQ_NIC_CYCLES);
    if (!nic_init(nic, 0x1u, NSOC_NIC_CONTROL_IRQ_ENABLE)) return false;
    nic->mac_address_high = 0x0200u;
    nic->mac_address_low = station;
    nic->mac_control &= ~NSOC_NIC_MAC_CONTROL_PROMISCUOUS;
#if NSOC_HAS_OFFLOADS
    kept_first = kept_end = nic->tx_kept;
#endif
#if LWIP_THREADS
    NSOC_INTC->enable = 1u << NSOC_IRQ_NIC;
    arch_overlap_loads(true);
    netif_set_up(&nic_netif);
    answer = nic_receive_ask(nic, 0);
    os_thread_start(&driver, "nic", DRIVER_PRIORITY, drive, 0, driver_stack, sizeof driver_stack);
    return true;
}
#else
    // A frame, a character or the timer ends the sleep; nothing interrupts.
    arch_interrupts_enable();
    arch_interrupts_disable();
    arch_timer_wakes();
    nic->irq_mask = NSOC_NIC_IRQ_MASK_RX_READY;
    NSOC_INTC->enable = 1u << NSOC_IRQ_NIC | 1u << NSOC_IRQ_UART;
    arch_overlap_loads(true);
    answer = nic_receive_ask(nic, 0);
    netif_set_up(&nic_netif);
    return true;
}
#endif

// ---- What few frames need ----

#include "in_dram.h"

u32_t nic_netif_isn(u32_t own, u16_t own_port, u32_t peer, u16_t peer_port) {
    const uint32_t ends[3] = {own, peer, (uint32_t)own_port << 16 | peer_port};
    return (u32_t)siphash(ends) + sys_now() * 250u;
}

// lwIP calls it at the first join of a group and at its last leave.
static err_t filter_group(struct netif *netif, const ip4_addr_t *group, enum netif_mac_filter_action action) {
    (void)netif;
    const uint32_t address = lwip_ntohl(ip4_addr_get_u32(group));
    if (action == NETIF_ADD_MAC_FILTER) mac_groups_add(NSOC_NIC, address);
    else mac_groups_remove(NSOC_NIC, address);
    return ERR_OK;
}

static void drop_packet(struct pbuf *p, STAT_COUNTER *counter) {
    ++*counter;
    IP_STATS_INC(ip.drop);
    pbuf_free(p);
}

void nic_netif_options(struct pbuf *p) {
    struct ip_hdr *ip = p->payload;
    const u16_t header = IPH_HL_BYTES(ip), total = p->len < IP_HLEN ? 0 : lwip_ntohs(IPH_LEN(ip));
    uint8_t *options = (uint8_t *)ip + IP_HLEN;
    if (header < IP_HLEN || total < header || total > p->len) {
        drop_packet(p, &lwip_stats.ip.lenerr);
    } else if (inet_chksum(ip, header) != 0) {
        drop_packet(p, &lwip_stats.ip.chkerr);
    } else if (ip_options_look(options, (uint8_t *)ip + header) == IP_OPTIONS_ROUTE) {
        drop_packet(p, &lwip_stats.ip.opterr);
    } else {
        memmove(options, (uint8_t *)ip + header, total - header);
        IPH_VHL_SET(ip, 4, IP_HLEN / 4);
        IPH_LEN_SET(ip, lwip_htons((u16_t)(total - (header - IP_HLEN))));
        IPH_CHKSUM_SET(ip, 0);
        IPH_CHKSUM_SET(ip, inet_chksum(ip, IP_HLEN));
        ip4_input(p, &nic_netif);
    }
}

err_t nic_netif_tagged(struct pbuf *p) {
    const struct eth_hdr *frame = p->payload;
    const struct eth_vlan_hdr *tag = (const struct eth_vlan_hdr *)(const void *)(frame + 1);
    if (p->len <= SIZEOF_ETH_HDR + SIZEOF_VLAN_HDR || frame->type != PP_HTONS(ETHTYPE_VLAN)) return ERR_VAL;
    if (VLAN_ID(tag) || tag->tpid == PP_HTONS(ETHTYPE_VLAN)) return ERR_VAL;
    memmove((uint8_t *)p->payload + SIZEOF_VLAN_HDR, p->payload, 2u * ETH_HWADDR_LEN);
    (void)pbuf_remove_header(p, SIZEOF_VLAN_HDR);
    return ethernet_input(p, &nic_netif);
}
