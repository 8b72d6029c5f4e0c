// SPDX-License-Identifier: Apache-2.0
// lwIP as one unit: it is compiled in a second, and the compiler sees through its layers. Its files are as they come.
#include "lwip/opt.h"

#include "nic_netif.h"

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
#include "core/ipv4/ip4_addr.c"
#include "core/ipv4/ip4_frag.c"

// When the next timer is due, in milliseconds of sys_now().
uint32_t nic_netif_next_timeout(uint32_t otherwise) { return next_timeout ? next_timeout->time : otherwise; }

#ifdef __clang__
#pragma clang section text = "" rodata = ""
#endif

#include "core/inet_chksum.c"
#include "core/ipv4/etharp.c"
#include "core/ipv4/icmp.c"
#include "core/ipv4/ip4.c"
#include "core/mem.c"
#include "core/memp.c"
#include "core/pbuf.c"
#include "core/udp.c"
#include "netif/ethernet.c"

// What TCP sends lies in packet buffers from the beginning.
#define pbuf_alloc nic_netif_segment

#include "core/tcp.c"
#include "core/tcp_in.c"
#include "core/tcp_out.c"
