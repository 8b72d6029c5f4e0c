// SPDX-License-Identifier: Apache-2.0
// What there is to see: connections, counters, registers; as text and as a page.
#include "register_table.h"
#include "toe_net.h"

#include "in_dram.h"

static void write_address(writer_t *w, uint32_t address, uint32_t port) {
    for (unsigned i = 0; i < 4; i++) {
        if (i) write_text(w, ".");
        write_dec(w, address >> (24u - 8u * i) & 0xFFu);
    }
    write_text(w, ":");
    write_dec(w, port);
}

static void write_ms(writer_t *w, uint32_t us) {
    static const char zeros[] = "00";
    const uint32_t rest = us % 1000u;
    write_dec(w, us / 1000u);
    write_text(w, ".");
    write_text(w, rest < 10u ? zeros : rest < 100u ? zeros + 1 : zeros + 2);
    write_dec(w, rest);
}

static void write_named(writer_t *w, const char *name, uint32_t value) {
    if (!value) return;
    write_text(w, " ");
    write_text(w, name);
    write_text(w, ":");
    write_dec(w, value);
}

void show_connection(writer_t *w, const toe_connection_t *c) {
    toe_status_t s;
    if (toe_status(c, &s) != TOE_OK) return;
    write_text(w, toe_state_name(s.state));
    write_text(w, " ");
    write_dec(w, s.unread);
    write_text(w, " ");
    write_dec(w, s.unacknowledged + s.unsent);
    write_text(w, " ");
    write_address(w, NSOC_TOE->address, s.port);
    write_text(w, " ");
    if (s.state == TOE_STATE_LISTEN) {
        write_text(w, "0.0.0.0:*\n");
        return;
    }
    write_address(w, s.peer_address, s.peer_port);
    write_text(w, "\n\t");
    if (s.has_stamps) write_text(w, " ts");
    if (s.has_sack) write_text(w, " sack");
    write_text(w, " reno");
    if (s.has_scale) {
        write_text(w, " wscale:");
        write_dec(w, s.peer_scale);
        write_text(w, ",");
        write_dec(w, s.scale);
    }
    write_text(w, " rto:");
    write_ms(w, s.rto << s.backoff);
    write_named(w, "backoff", s.backoff);
    if (s.rtt) {
        write_text(w, " rtt:");
        write_ms(w, s.rtt);
        write_text(w, "/");
        write_ms(w, s.rttvar);
    }
    write_named(w, "mss", s.mss);
    write_named(w, "cwnd", s.mss ? s.cwnd / s.mss : 0);
    write_named(w, "ssthresh", s.mss ? s.ssthresh / s.mss : 0);
    write_named(w, "bytes_sent", s.bytes_sent);
    write_named(w, "bytes_retrans", s.bytes_again);
    write_named(w, "bytes_acked", c->acknowledged);
    write_named(w, "bytes_received", c->received);
    write_named(w, "segs_out", s.segments_out);
    write_named(w, "segs_in", s.segments_in);
    write_named(w, "data_segs_out", s.data_segments_out);
    write_named(w, "data_segs_in", s.data_segments_in);
    write_named(w, "lastsnd", s.last_sent_ms);
    write_named(w, "unacked", s.unacknowledged);
    write_named(w, "notsent", s.unsent);
    write_named(w, "retrans", s.segments_again);
    write_named(w, "sacked", s.sacked);
    write_named(w, "reordering", s.held);
    write_named(w, "drops", s.drops);
    write_named(w, "rcv_space", s.window);
    write_named(w, "snd_wnd", s.peer_window);
    write_text(w, "\n");
}

// The next connection that is open. False: there is none.
bool connections_next(page_t *p, writer_t *w) {
    while (p->next < TOE_CONNECTIONS && toe_connections[p->next].state == TOE_FREE) p->next++;
    if (p->next == TOE_CONNECTIONS) return false;
    show_connection(w, &toe_connections[p->next++]);
    return true;
}

// ---- All counters, one by one ----

static const struct {
    const char *name;
    const uint32_t *value;
} own[] = {
    {"cycles asleep", &toe_idle_cycles},
    {"frames for nobody", &toe_counts.frames},
    {"commands refused", &toe_counts.refused},
    {"commands without answer", &toe_counts.unanswered},
    {"TIME-WAIT cut short", &toe_counts.reclaimed},
};
#define OWN (sizeof own / sizeof *own)

// The firmware's, the engine's, then those of net_counters.h: the NIC's, and those of UDP.
static bool next_counter(page_t *p, const char **group, const char **name, uint32_t *value) {
    if (p->group == 0) {
        const uint32_t i = p->next++;
        *group = "firmware";
        if (i < OWN) *name = own[i].name, *value = *own[i].value;
        else if (i < OWN + http_counter_count) *name = http_names[i - OWN], *value = http_counters[i - OWN];
        else p->group = 1, p->next = 0;
        if (p->group == 0) return true;
    }
    if (p->group == 1 && p->next < toe_counter_count) {
        *group = "toe", *name = toe_counters[p->next].name, *value = toe_counter(p->next);
        p->next++;
        return true;
    }
    p->group = 2;
    return net_counters_next(&p->place, group, name, value);
}

bool json_next(page_t *p, writer_t *w) {
    const char *title, *name;
    uint32_t value;
    if (p->stage) return false;
    if (!next_counter(p, &title, &name, &value)) {
        p->stage = 1;
        write_text(w, "}}\n");
        return true;
    }
    if (title != p->title) {
        write_text(w, p->title ? "},\n\"" : "{\"");
        write_text(w, title);
        write_text(w, "\":{\"");
        p->title = title;
    } else {
        write_text(w, ",\"");
    }
    write_text(w, name);
    write_text(w, "\":");
    write_dec(w, value);
    return true;
}

// ---- The page ----

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">"
    "<title>N-SoC: TCP/IP engine</title><style>"
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "h1{margin:0}p{color:#888;margin:.2rem 0 1.5rem}h2{font-size:1rem;margin:1.5rem 0 .4rem}"
    "pre{font:12px/1.4 ui-monospace,monospace;overflow-x:auto}"
    "main{columns:20rem;column-gap:2.5rem}section{break-inside:avoid-column}"
    "table{border-collapse:collapse;width:100%;font-size:13px}"
    "td{border-top:1px solid #8883;padding:.1rem .3rem}"
    "td:last-child{text-align:right;font-family:ui-monospace,monospace}"
    "td:nth-last-child(2):not(:first-child){color:#888;font-family:ui-monospace,monospace}"
    "</style>\n";
static const char page_title[] =
    "<h1>N-SoC</h1><p>This page comes out of the TCP/IP engine of the network-centric SoC. Counters: "
    "<a href=/counters.json>as JSON</a>. Connections: <a href=/connections>as text</a>. Bytes to measure with: "
    "<a href=/bytes/1000000>a million</a>. Memory: <a href=/file>64 KB of it</a>.\n<h2>Connections</h2><pre id=ss>\n";
static const char page_end[] =
    "</main><script>setInterval(async()=>{const j=await(await fetch('/counters.json')).json();"
    "for(const g in j)for(const n in j[g]){const e=document.getElementById(g+'.'+n);if(e)e.textContent=j[g][n]}"
    "document.getElementById('ss').textContent=await(await fetch('/connections')).text()},2000)</script></html>\n";

enum { HEAD, TITLE, CONNECTIONS, MAIN, COUNTERS, REGISTERS, END };

static void begin_table(writer_t *w, const char *title) {
    write_text(w, "<section><h2>");
    write_text(w, title);
}

static void end_table(writer_t *w) { write_text(w, "</table></section>\n"); }

static bool write_counter(page_t *p, writer_t *w) {
    const char *title, *name;
    uint32_t value;
    if (!next_counter(p, &title, &name, &value)) return false;
    if (title != p->title) {
        if (p->title) end_table(w);
        begin_table(w, title);
        write_text(w, "</h2><table>\n");
        p->title = title;
    }
    write_text(w, "<tr><td>");
    write_text(w, name);
    write_text(w, "<td id=\"");
    write_text(w, title);
    write_text(w, ".");
    write_text(w, name);
    write_text(w, "\">");
    write_dec(w, value);
    write_text(w, "\n");
    return true;
}

static bool write_register(page_t *p, writer_t *w) {
    const register_block_t *block = &register_blocks[p->group];
    const uint32_t capability = NSOC_NIC->capability;
    if (p->next == block->count) {
        end_table(w);
        p->next = 0;
        return ++p->group != register_block_count;
    }
    if (p->next == 0) {
        begin_table(w, block->name);
        write_text(w, " registers, from ");
        write_hex(w, block->base, 8);
        write_text(w, "</h2><table>\n");
    }
    const register_entry_t *entry = &block->registers[p->next++];
    if (!register_present(entry, capability)) return true;
    write_text(w, "<tr><td>");
    write_text(w, register_name(entry));
    write_text(w, "<td>");
    write_hex(w, entry->offset, 3);
    write_text(w, "<td>");
    if (register_readable(entry, capability)) write_hex(w, register_read(block, entry), 8);
    else write_text(w, "not read");
    write_text(w, "\n");
    return true;
}

bool page_next(page_t *p, writer_t *w) {
    bool more = false;  // of that stage
    switch (p->stage) {
        case HEAD: write_text(w, page_head); break;
        case TITLE: write_text(w, page_title); break;
        case CONNECTIONS: more = connections_next(p, w); break;
        case MAIN: write_text(w, "</pre><main>"); break;
        case COUNTERS:
            more = write_counter(p, w);
            if (!more) end_table(w);
            break;
        case REGISTERS: more = write_register(p, w); break;
        case END: write_text(w, page_end); break;
        default: return false;
    }
    if (!more) *p = (page_t){.stage = p->stage + 1u};
    return true;
}
