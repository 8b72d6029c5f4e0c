// SPDX-License-Identifier: Apache-2.0
// What there is to see: connections, counters, registers; as text and as a page.
#include "net_counters.h"
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
    "<h1>N-SoC</h1><p>This page comes out of the TCP/IP engine of the network-centric SoC. Bytes to measure with: "
    "<a href=/bytes/1000000>a million</a>. Memory: <a href=/file>64 KB of it</a>.\n<h2>Connections</h2><pre>\n";
static const char page_main[] = "</pre><main>", page_group[] = "<section><h2>", page_table[] = "</h2><table>\n";
static const char page_end_table[] = "</table></section>\n", page_row[] = "<tr><td>", page_cell[] = "<td>";
static const char page_line[] = "\n", page_end[] = "</main></html>\n", page_unread[] = "not read";
static const char page_registers[] = " registers, from ";

static void begin_table(writer_t *w, const char *title) {
    write_text(w, page_group);
    write_text(w, title);
    write_text(w, page_table);
}

static void row(writer_t *w, const char *name, uint32_t value) {
    write_text(w, page_row);
    write_text(w, name);
    write_text(w, page_cell);
    write_dec(w, value);
    write_text(w, page_line);
}

enum { HEAD, TITLE, CONNECTIONS, FIRMWARE, ENGINE, REGISTERS, END };

// The next connection that is open. False: there is none.
static bool next_connection(page_t *p, writer_t *w) {
    while (p->next < TOE_CONNECTIONS && toe_connections[p->next].state == TOE_FREE) p->next++;
    if (p->next == TOE_CONNECTIONS) return false;
    show_connection(w, &toe_connections[p->next++]);
    return true;
}

static void write_firmware(writer_t *w) {
    begin_table(w, "firmware");
    row(w, "microseconds", toe_now());
    row(w, "cycles asleep", toe_idle_cycles);
    row(w, "frames for nobody", toe_counts.frames);
    row(w, "commands refused", toe_counts.refused);
    row(w, "commands without answer", toe_counts.unanswered);
    row(w, "TIME-WAIT cut short", toe_counts.reclaimed);
    for (unsigned i = 0; i < http_counter_count; i++) row(w, http_names[i], http_counters[i]);
    write_text(w, page_end_table);
    begin_table(w, "engine");
}

static bool next_register(page_t *p, writer_t *w) {
    const register_block_t *block = &register_blocks[p->group];
    const uint32_t capability = NSOC_NIC->capability;
    if (p->next == block->count) {
        write_text(w, page_end_table);
        p->next = 0;
        return ++p->group != register_block_count;
    }
    if (p->next == 0) {
        write_text(w, page_group);
        write_text(w, block->name);
        write_text(w, page_registers);
        write_hex(w, block->base, 8);
        write_text(w, page_table);
    }
    const register_entry_t *entry = &block->registers[p->next++];
    if (!register_present(entry, capability)) return true;
    write_text(w, page_row);
    write_text(w, register_name(entry));
    write_text(w, page_cell);
    write_hex(w, entry->offset, 3);
    write_text(w, page_cell);
    if (register_readable(entry, capability)) write_hex(w, register_read(block, entry), 8);
    else write_text(w, page_unread);
    write_text(w, page_line);
    return true;
}

bool page_next(page_t *p, writer_t *w) {
    switch (p->stage) {
        case HEAD: write_text(w, page_head), p->stage++; return true;
        case TITLE: write_text(w, page_title), p->stage++; return true;
        case CONNECTIONS:
            if (next_connection(p, w)) return true;
            write_text(w, page_main);
            *p = (page_t){.stage = FIRMWARE};
            return true;
        case FIRMWARE: write_firmware(w), p->stage++; return true;
        case ENGINE:
            row(w, toe_counters[p->next].name, toe_counter(p->next));
            if (++p->next < toe_counter_count) return true;
            write_text(w, page_end_table);
            *p = (page_t){.stage = REGISTERS};
            return true;
        case REGISTERS:
            if (!next_register(p, w)) p->stage++;
            return true;
        case END: write_text(w, page_end), p->stage++; return true;
        default: return false;
    }
}
