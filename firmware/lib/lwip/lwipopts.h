// SPDX-License-Identifier: Apache-2.0
// How lwIP is set up: IPv4, its raw interface without threads, or its sockets on ours (LWIP_THREADS). What is not here
// is as lwIP has it (opt.h).
#ifndef NSOC_LWIPOPTS_H
#define NSOC_LWIPOPTS_H

#ifndef NET_DHCP
#define NET_DHCP 0  // 1: the address comes by DHCP
#endif
#ifndef NSOC_HAS_OFFLOADS
#define NSOC_HAS_OFFLOADS 0
#endif

#ifndef LWIP_THREADS
#define LWIP_THREADS 0  // 1: a program with sockets (lib/lwip_socket)
#endif

#define NO_SYS (!LWIP_THREADS)
#define SYS_LIGHTWEIGHT_PROT LWIP_THREADS  // nothing of lwIP is called by an interrupt
#define LWIP_NETCONN LWIP_THREADS
#define LWIP_SOCKET LWIP_THREADS
#define LWIP_NOASSERT 1

#define LWIP_IPV4 1
#define LWIP_IPV6 0
#define LWIP_DHCP NET_DHCP
#define LWIP_DHCP_DOES_ACD_CHECK 0
#define DHCP_DOES_ARP_CHECK 0
#define LWIP_NETIF_STATUS_CALLBACK NET_DHCP
#define LWIP_NETIF_HOSTNAME NET_DHCP
#define LWIP_RAW 0
#define LWIP_IGMP 1
#define LWIP_SINGLE_NETIF 1

#if LWIP_THREADS

// ---- Sockets. A call enters lwIP by a lock; frames too, in the thread of the NIC. ----

#define LWIP_TCPIP_CORE_LOCKING 1
#define LWIP_TCPIP_CORE_LOCKING_INPUT 1
#define TCPIP_THREAD_STACKSIZE 2048u
#define TCPIP_THREAD_PRIO 20
#define TCPIP_MBOX_SIZE 8
#define DEFAULT_UDP_RECVMBOX_SIZE 16
#define DEFAULT_TCP_RECVMBOX_SIZE 32
#define DEFAULT_ACCEPTMBOX_SIZE 32  // a longer backlog of listen() is so long
#define LWIP_SOCKET_SELECT 0
#define LWIP_SOCKET_POLL 1
#define LWIP_TCP_KEEPALIVE 1
#define LWIP_PROVIDE_ERRNO 1
#define errno (os_self()->error)
#define MEMP_NUM_NETCONN 64
#define MEMP_NUM_NETBUF 64
#define MEMP_NUM_TCP_PCB 48
#define MEMP_STATS 0
#define MEM_SIZE 262144           // what nobody has read when the packet buffers become few, too

#else

#define MEM_SIZE 65536            // segments for which there is no packet buffer, replies that begin here
#define MEMP_NUM_TCP_PCB 24

#endif

#define LWIP_HOOK_IP4_INPUT(p, netif) nic_netif_takes(p)
#define LWIP_HOOK_TCP_ISN(own, own_port, peer, peer_port) \
    nic_netif_isn(ip4_addr_get_u32(own), own_port, ip4_addr_get_u32(peer), peer_port)
#define LWIP_HOOK_UNKNOWN_ETH_PROTOCOL(p, netif) nic_netif_tagged(p)
#define LWIP_IP_ACCEPT_UDP_PORT(port) 0  // none more than others; of sources see stack.c

// ---- Memory. All of it is static, each exhaustion is counted (nic_netif.h). ----

#ifndef MEM_ALIGNMENT
#define MEM_ALIGNMENT 4  // of a pointer, too
#endif
// What lwIP lays out itself needs no zeros. Pools are hot data, the heap is not (link.ld).
#define LWIP_DECLARE_MEMORY_ALIGNED(name, bytes) \
    u8_t name[LWIP_MEM_ALIGN_BUFFER(bytes)] __attribute__((aligned(MEM_ALIGNMENT), section(".noinit.lwip." #name)))
#define LWIP_SUPPORT_CUSTOM_PBUF 1
#define MEMP_NUM_PBUF 32
#define MEMP_NUM_UDP_PCB 16
#define MEMP_NUM_TCP_PCB_LISTEN 8
#define MEMP_NUM_TCP_SEG 160
#define MEMP_NUM_SYS_TIMEOUT (LWIP_NUM_SYS_TIMEOUT_INTERNAL + 8)
#define MEMP_NUM_ARP_QUEUE 1
#define MEMP_NUM_SYS_TIMEOUT (LWIP_NUM_SYS_TIMEOUT_INTERNAL + 24)  // with NET_TIMERS (net_udp.h)
#define MEMP_NUM_REASSDATA 4
#define MEMP_NUM_IGMP_GROUP 9     // 224.0.0.1 is one
#define PBUF_POOL_SIZE 1          // received frames stay in their packet buffers
#define PBUF_POOL_BUFSIZE 64

// What may keep packet buffers from the NIC: with those of transmit (NIC_NETIF_SEGMENTS) fewer than there are.
#define ARP_TABLE_SIZE 64         // a look-up takes the oldest one's place when all are taken
#define ARP_QUEUEING 0            // a frame an address that does not answer
#define IP_REASS_MAX_PBUFS 8
#define IP_REASS_MAXAGE 5         // seconds
#define TCP_OOSEQ_MAX_PBUFS 12

// ---- TCP ----

#define TCP_MSS 1460
#define LWIP_DISABLE_TCP_SANITY_CHECKS 1  // they take PBUF_POOL for where frames are received
#define TCP_WND (24 * TCP_MSS)
#define TCP_SND_BUF (16 * TCP_MSS)
#define TCP_SND_QUEUELEN 48
#define TCP_LISTEN_BACKLOG 1
#define LWIP_TCP_SACK_OUT 0
#define LWIP_TCP_TIMESTAMPS 0
#define LWIP_WND_SCALE 0
#define TCP_KEEPIDLE_DEFAULT 30000u   // ms of silence until the other side is asked, where a service wants that,
#define TCP_KEEPINTVL_DEFAULT 10000u  // then each time,
#define TCP_KEEPCNT_DEFAULT 3u        // and how often before it is taken for gone
#define LWIP_NETIF_TX_SINGLE_PBUF 1  // a segment is in one piece, in a packet buffer

// ---- Sums: those of the NIC where it says that it verified them (nic_netif.c), else these. ----

#define LWIP_CHECKSUM_CTRL_PER_NETIF 1
#define CHECKSUM_GEN_IP (!NSOC_HAS_OFFLOADS)
#define CHECKSUM_GEN_UDP (!NSOC_HAS_OFFLOADS)
#define CHECKSUM_GEN_TCP (!NSOC_HAS_OFFLOADS)

// ---- Counters ----

#define LWIP_STATS 1
#define LWIP_STATS_LARGE 1
#define LWIP_STATS_DISPLAY 0
#define SYS_STATS 0

#endif
