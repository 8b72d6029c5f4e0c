// SPDX-License-Identifier: Apache-2.0
// The page at /, with all counters and registers, and the same counters as /counters.json.
#include "net.h"

#if NSOC_HAS_LWIP

#include "arch.h"
#include "http.h"
#include "lwip/init.h"
#include "lwip/memp.h"
#include "lwip/stats.h"
#include "net_counters.h"
#include "net_udp.h"
#include "nic_netif.h"
#include "register_table.h"

#include "in_dram.h"

#define SECOND_MS 1000u

// ---- What is counted elsewhere than in net_counters.h ----

enum { UPTIME_MS, BUSY_PERMILLE, BUFFERS_HELD, BUFFERS_SENDING, BUFFERS_CIRCULATING, HEAP_BYTES, SOC_COUNT };
static const char *const soc_names[SOC_COUNT] = {
    "uptime_ms", "busy_permille", "buffers_held", "buffers_sending", "buffers_circulating", "heap_bytes",
};
static uint32_t soc_values[SOC_COUNT];

static const char *const netif_names[] = {
#define NETIF_NAME(name, text) #name,
    NIC_NETIF_COUNTERS(NETIF_NAME)
#undef NETIF_NAME
};
#define NETIF_COUNT (sizeof netif_names / sizeof *netif_names)
_Static_assert(sizeof nic_netif_counters == NETIF_COUNT * sizeof(uint32_t), "an array of numbers");

// struct stats_proto, in its order.
static const char *const protocol_names[] = {
    "sent",           "received",        "forwarded",    "dropped",     "wrong_sum",   "wrong_length", "no_memory",
    "no_route", "unknown_protocol", "wrong_options", "other_error", "cache_hits",
};
#define PROTOCOL_COUNT (sizeof protocol_names / sizeof *protocol_names)
_Static_assert(sizeof(struct stats_proto) == PROTOCOL_COUNT * sizeof(uint32_t), "an array of numbers");

static const char *const memory_names[] = {
#define LWIP_MEMPOOL(name, num, size, desc) #name,
#include "lwip/priv/memp_std.h"
    "HEAP",
};
static uint32_t memory_values[MEMP_MAX + 1];

typedef struct {
    const char *name;
    const char *const *names;
    const void *values;
    uint32_t count;
} stack_group_t;
static const stack_group_t stack_groups[] = {
    {"soc", soc_names, soc_values, SOC_COUNT},
    {"netif", netif_names, &nic_netif_counters, NETIF_COUNT},
    {"arp", protocol_names, &lwip_stats.etharp, PROTOCOL_COUNT},
    {"ip", protocol_names, &lwip_stats.ip, PROTOCOL_COUNT},
    {"fragments", protocol_names, &lwip_stats.ip_frag, PROTOCOL_COUNT},
    {"icmp", protocol_names, &lwip_stats.icmp, PROTOCOL_COUNT},
    {"udp_packets", protocol_names, &lwip_stats.udp, PROTOCOL_COUNT},
    {"tcp", protocol_names, &lwip_stats.tcp, PROTOCOL_COUNT},
    {"no_memory", memory_names, memory_values, MEMP_MAX + 1},
};
#define STACK_GROUPS (sizeof stack_groups / sizeof *stack_groups)

// All counters one by one: those of net_counters.h, then these.
static bool next_counter(document_t *d, const char **title, const char **name, uint32_t *value) {
    if (net_counters_next(&d->place, title, name, value)) return true;
    while (d->group < STACK_GROUPS && d->next == stack_groups[d->group].count) d->group++, d->next = 0;
    if (d->group == STACK_GROUPS) return false;
    const stack_group_t *found = &stack_groups[d->group];
    *title = found->name, *name = found->names[d->next], *value = ((const uint32_t *)found->values)[d->next];
    d->next++;
    return true;
}

void http_page_look(void) {
    soc_values[UPTIME_MS] = net_now_ms();
    soc_values[BUFFERS_HELD] = nic_netif_held;
    soc_values[BUFFERS_SENDING] = nic_netif_segments;
    soc_values[BUFFERS_CIRCULATING] = NIC_BUFFERS - nic_netif_held - nic_netif_segments;
    soc_values[HEAP_BYTES] = lwip_stats.mem.used;
    for (unsigned i = 0; i < MEMP_MAX; i++) memory_values[i] = lwip_stats.memp[i]->err;
    memory_values[MEMP_MAX] = lwip_stats.mem.err;
}

static void look_at_processor(void *argument) {
    static uint32_t cycles, idle;
    const uint32_t now = arch_cycles(), now_idle = stack_idle_cycles();
    const uint32_t thousandth = (now - cycles) / 1000u + 1u, asleep = (now_idle - idle) / thousandth;
    soc_values[BUSY_PERMILLE] = asleep < 1000u ? 1000u - asleep : 0u;
    cycles = now;
    idle = now_idle;
    net_after(SECOND_MS, look_at_processor, argument);
}

void http_page_init(void) { look_at_processor(0); }

// ---- counters.json ----

bool http_json_next(document_t *d, writer_t *w) {
    static const char begin[] = "{\"", first[] = "\":{\"", again[] = ",\"", other[] = "},\n\"", is[] = "\":", end[] = "}}\n";
    const char *title, *name;
    uint32_t value;
    if (d->stage) return false;
    if (!next_counter(d, &title, &name, &value)) {
        d->stage = 1;
        write_text(w, end);
        return true;
    }
    if (title != d->title) {
        write_text(w, d->title ? other : begin);
        write_text(w, title);
        write_text(w, first);
        d->title = title;
    } else {
        write_text(w, again);
    }
    write_text(w, name);
    write_text(w, is);
    write_dec(w, value);
    return true;
}

// ---- The page ----

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">"
    "<title>N-SoC</title><style>"
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "h1{margin:0}p{color:#888;margin:.2rem 0 1.5rem}h2{font-size:1rem;margin:1.5rem 0 .4rem}"
    "main{columns:20rem;column-gap:2.5rem}section{break-inside:avoid-column}"
    "table{border-collapse:collapse;width:100%;font-size:13px}"
    "td{border-top:1px solid #8883;padding:.1rem .3rem}"
    "td:last-child{text-align:right;font-family:ui-monospace,monospace}"
    "td:nth-last-child(2):not(:first-child){color:#888;font-family:ui-monospace,monospace}"
    "</style>\n";
static const char page_title[] =
    "<h1>N-SoC</h1><p>This page comes out of the network-centric SoC itself. Counters: "
    "<a href=/counters.json>as JSON</a>. Bytes to measure with: <a href=/bytes/1000000>a million</a>.\n<main>";
static const char page_group[] = "<section><h2>", page_table[] = "</h2><table>\n", page_end_table[] = "</table></section>\n";
static const char page_row[] = "<tr><td>", page_id[] = "<td id=\"", page_of[] = "\">", page_cell[] = "<td>";
static const char page_dot[] = ".", page_line[] = "\n", page_unread[] = "not read";
static const char page_registers[] = " registers, from ";
static const char page_end[] =
    "</main><script>setInterval(async()=>{const j=await(await fetch('/counters.json')).json();"
    "for(const g in j)for(const n in j[g]){const e=document.getElementById(g+'.'+n);if(e)e.textContent=j[g][n]}},2000)"
    "</script></html>\n";

enum { HEAD, TITLE, COUNTERS, REGISTERS, END };

static void write_counter(document_t *d, writer_t *w, const char *title, const char *name, uint32_t value) {
    if (title != d->title) {
        if (d->title) write_text(w, page_end_table);
        write_text(w, page_group);
        write_text(w, title);
        write_text(w, page_table);
        d->title = title;
    }
    write_text(w, page_row);
    write_text(w, name);
    write_text(w, page_id);
    write_text(w, title);
    write_text(w, page_dot);
    write_text(w, name);
    write_text(w, page_of);
    write_dec(w, value);
    write_text(w, page_line);
}

static void write_register(writer_t *w, const register_block_t *block, const register_entry_t *entry) {
    const uint32_t capability = NSOC_NIC->capability;
    if (!register_present(entry, capability)) return;
    write_text(w, page_row);
    write_text(w, register_name(entry));
    write_text(w, page_cell);
    write_hex(w, entry->offset, 3);
    write_text(w, page_cell);
    if (register_readable(entry, capability)) write_hex(w, register_read(block, entry), 8);
    else write_text(w, page_unread);
    write_text(w, page_line);
}

static void next_register(document_t *d, writer_t *w) {
    const register_block_t *block = &register_blocks[d->group];
    if (d->next == block->count) {
        write_text(w, page_end_table);
        d->next = 0;
        if (++d->group == register_block_count) d->stage = END;
        return;
    }
    if (d->next == 0) {
        write_text(w, page_group);
        write_text(w, block->name);
        write_text(w, page_registers);
        write_hex(w, block->base, 8);
        write_text(w, page_table);
    }
    write_register(w, block, &block->registers[d->next++]);
}

bool http_page_next(document_t *d, writer_t *w) {
    const char *title, *name;
    uint32_t value;
    switch (d->stage) {
        case HEAD:
            write_text(w, page_head);
            d->stage = TITLE;
            return true;
        case TITLE:
            write_text(w, page_title);
            d->stage = COUNTERS;
            return true;
        case COUNTERS:
            if (next_counter(d, &title, &name, &value)) {
                write_counter(d, w, title, name, value);
                return true;
            }
            write_text(w, page_end_table);
            *d = (document_t){.stage = REGISTERS};
            return true;
        case REGISTERS: next_register(d, w); return true;
        case END:
            write_text(w, page_end);
            d->stage = END + 1;
            return true;
        default: return false;
    }
}

#endif
