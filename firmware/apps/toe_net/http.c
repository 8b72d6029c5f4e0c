// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 server (RFC 9112) on port 80: / is a page, /counters.json and /connections what is in it, /bytes/N so many
// bytes, /file and /file/ADDRESS/BYTES a piece of DRAM. GET and HEAD, each connection used again and again, as many as
// there are records.
//
// A request is read byte by byte into a line of limited length and never kept as a whole. What comes while one is being
// answered stays in the receive ring. A document is written piece by piece as the send ring takes it; HTTP/1.1 gets it
// in chunks.
#include "byte_pattern.h"
#include "toe_net.h"

#define PORT 80u
#define LINE_BYTES 160u   // of a request; a longer target is refused
#define HEAD_BYTES 8192u  // all lines of a request
#define BYTES_MOST 0x80000000u
#define FILE_BASE (NSOC_DRAM_BASE + 0x100000u)  // firmware's own is below
#define FILE_BYTES 0x10000u
#define FILES_END ((uint32_t)TOE_RING_BASE > FILE_BASE && TOE_RING_BASE < NSOC_DRAM_BASE + NSOC_DRAM_BYTES \
                       ? (uint32_t)TOE_RING_BASE : NSOC_DRAM_BASE + NSOC_DRAM_BYTES)
#define TICK_US 1000000u
#define IDLE_TICKS 30u    // a connection without a request under way
#define ENDING_TICKS 5u   // one whose end we have sent, and which brings more
#define STALL_TICKS 60u   // one whose other end takes nothing, or whose request does not come to its end
#define SEGMENT 1448u     // written at once
#define HEAD_LEAST 300u   // room for the head of an answer
#define CHUNK_HEAD 5u     // "3e8\r\n"
#define CHUNK_TAIL 2u
#define LAST_CHUNK 5u     // "0\r\n\r\n"

typedef enum { REQUEST_LINE, FIELDS, ANSWERING, ENDING } state_t;  // ENDING: we say no more, the other end may
typedef enum { TEXT, BYTES, MEMORY, DOCUMENT } body_t;

typedef struct {
    uint8_t state, body, ticks;  // ticks: since something happened
    bool cut;                    // the line is longer
    bool head, old;              // HEAD; HTTP/1.0
    bool has_host, found;
    bool close;                  // after the answer
    bool begun, ended;           // the answer's head, its end is written
    uint16_t status;
    uint16_t line_bytes, head_bytes;
    const char *from;
    uint32_t done, bytes;
    page_next_t *next;           // of a document
    const char *type;
    page_t page;
    char line[LINE_BYTES];
} request_t;
static request_t requests[TOE_CONNECTIONS] __attribute__((section(".noinit")));
static char segment[SEGMENT] __attribute__((aligned(4)));  // being written

enum { ACCEPTED, ANSWERED, ERRORS, TIMED_OUT, RESET, COUNTERS };
const char *const http_names[] = {"HTTP connections", "HTTP requests answered", "HTTP requests refused",
                                  "HTTP connections given up", "HTTP connections broken"};
uint32_t http_counters[COUNTERS];
const unsigned http_counter_count = COUNTERS;
static unsigned open_connections;

// ---- Words ----

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

static bool begins(const char *text, const char *word) {
    while (*word && *text == *word) text++, word++;
    return !*word;
}

static bool same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

// What a field of that name says, without case and spaces; NULL: it is another one.
static const char *field(const char *line, const char *name) {
    while (*name && lower(*line) == *name) line++, name++;
    if (*name) return 0;
    while (*line == ' ' || *line == '\t') line++;
    return line;
}

static bool says(const char *value, const char *word) {
    for (; *value; value++) {
        const char *v = value, *w = word;
        while (*w && lower(*v) == *w) v++, w++;
        if (!*w) return true;
    }
    return false;
}

// A number up to the end of its digits; false when there is none, or it is larger than BYTES_MOST.
static bool number(const char **text, uint32_t base, uint32_t *value) {
    uint64_t sum = 0;
    const char *at = *text;
    for (;; at++) {
        const char c = lower(*at);
        const uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10u : 16u;
        if (digit >= base) break;
        sum = sum * base + digit;
        if (sum > UINT32_MAX) return false;
    }
    const bool any = at != *text;
    *text = at;
    *value = (uint32_t)sum;
    return any;
}

// ---- The answer ----

static const char *reason(uint16_t status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 414: return "URI Too Long";
        case 431: return "Request Header Fields Too Large";
        default: return "HTTP Version Not Supported";
    }
}

static void answer(request_t *r, uint16_t status) {
    r->state = ANSWERING;
    r->status = status;
    r->done = 0;
    r->begun = r->ended = false;
    r->page = (page_t){0};
}

static void refuse(request_t *r, uint16_t status, const char *text) {
    r->from = text;
    for (r->bytes = 0; text[r->bytes];) r->bytes++;
    r->body = TEXT;
    r->close = true;
    http_counters[ERRORS]++;
    answer(r, status);
}

static void write_head(const request_t *r, writer_t *w) {
    write_text(w, "HTTP/1.1 ");
    write_dec(w, r->status);
    write_text(w, " ");
    write_text(w, reason(r->status));
    write_text(w, "\r\nServer: N-SoC\r\nContent-Type: ");
    write_text(w, r->body == DOCUMENT ? r->type
                  : r->body == TEXT   ? "text/plain"
                                      : "application/octet-stream");
    if (r->body != DOCUMENT) {
        write_text(w, "\r\nContent-Length: ");
        write_dec(w, r->bytes);
    } else {
        write_text(w, "\r\nCache-Control: no-store");
        if (!r->old) write_text(w, "\r\nTransfer-Encoding: chunked");
    }
    if (r->status == 405) write_text(w, "\r\nAllow: GET, HEAD");
    if (r->close) write_text(w, "\r\nConnection: close");
    write_text(w, "\r\n\r\n");
}

// Bytes of a memory. False: there is no room for all.
static bool send_bytes(toe_connection_t *c, request_t *r) {
    while (r->done != r->bytes) {
        uint32_t at = r->done, count = r->bytes - r->done;
        const char *from = r->from;
        if (r->body == BYTES) {
            from = (const char *)byte_pattern();
            at %= BYTE_PATTERN_BYTES;
            if (count > BYTE_PATTERN_BYTES - at) count = BYTE_PATTERN_BYTES - at;
        }
        const uint32_t sent = toe_send(c, from + at, count);
        if (!sent) return false;
        r->done += sent;
    }
    return true;
}

// The next pieces of the page, as many as a segment takes, as a chunk. False: there is no room for them now.
static bool send_page(toe_connection_t *c, request_t *r) {
    const uint32_t head = r->old ? 0 : CHUNK_HEAD, rest = r->old ? 0 : CHUNK_TAIL + LAST_CHUNK;
    if (toe_room(c) < SEGMENT) return false;
    writer_t w = {segment + head, segment + SEGMENT - rest, false};
    bool more = true;
    for (;;) {
        const page_t before = r->page;
        char *const at = w.at;
        more = r->next(&r->page, &w);
        if (!more) break;
        if (w.full) {  // not that piece any more
            r->page = before;
            w.at = at;
            break;
        }
    }
    const uint32_t length = (uint32_t)(w.at - segment) - head;
    const char *from = segment + head;
    w.end = segment + SEGMENT;
    if (!r->old && length) {
        writer_t begin = {segment, segment + CHUNK_HEAD, false};
        write_hex(&begin, length, 3);
        write_text(&begin, "\r\n");
        write_text(&w, "\r\n");
        from = segment;
    }
    if (!r->old && !more) write_text(&w, "0\r\n\r\n");
    r->ended = !more;
    const uint32_t bytes = (uint32_t)(w.at - from);
    return toe_send(c, from, bytes) == bytes;  // there is room
}
_Static_assert(PAGE_PIECE + CHUNK_HEAD + CHUNK_TAIL + LAST_CHUNK <= SEGMENT, "a piece fits alone");

// Goes on with the answer. False: there is no room for the rest now.
static bool go_on(toe_connection_t *c, request_t *r) {
    if (!r->begun) {
        if (toe_room(c) < HEAD_LEAST) return false;
        writer_t w = {segment, segment + SEGMENT, false};
        write_head(r, &w);
        toe_send(c, segment, (uint32_t)(w.at - segment));
        r->begun = true;
    }
    if (r->head) return true;
    if (r->body != DOCUMENT) return send_bytes(c, r);
    while (!r->ended)
        if (!send_page(c, r)) return false;
    return true;
}

// ---- The request ----

static void next_request(request_t *r) {
    r->state = REQUEST_LINE;
    r->line_bytes = r->head_bytes = 0;
    r->cut = r->head = r->old = r->has_host = false;
}

static const struct {
    const char *path;
    page_next_t *next;
    const char *type;
} documents[] = {
    {"/", page_next, "text/html; charset=utf-8"},
    {"/counters.json", json_next, "application/json"},
    {"/connections", connections_next, "text/plain"},
};

// What a path stands for.
static bool find(request_t *r, const char *path) {
    static const char bytes[] = "/bytes/", file[] = "/file";
    uint32_t address = FILE_BASE;
    r->bytes = 0;
    for (unsigned i = 0; i < sizeof documents / sizeof *documents; i++) {
        if (!same(path, documents[i].path)) continue;
        r->body = DOCUMENT;
        r->next = documents[i].next;
        r->type = documents[i].type;
        return true;
    }
    if (begins(path, bytes)) {
        path += sizeof bytes - 1u;
        r->body = BYTES;
        return number(&path, 10, &r->bytes) && !*path && r->bytes <= BYTES_MOST;
    }
    if (!begins(path, file)) return false;
    path += sizeof file - 1u;
    r->body = MEMORY;
    r->bytes = FILE_BYTES;
    if (*path && (*path++ != '/' || !number(&path, 16, &address) || *path++ != '/' || !number(&path, 16, &r->bytes) || *path))
        return false;
    r->from = (const char *)(uintptr_t)address;
    return address >= FILE_BASE && address <= FILES_END && r->bytes <= FILES_END - address;
}

static void take_request_line(request_t *r) {
    char *target = r->line, *version;
    while (*target >= 'A' && *target <= 'Z') target++;
    const bool get = begins(r->line, "GET "), head = begins(r->line, "HEAD ");
    if (target == r->line || *target != ' ') {
        refuse(r, 400, "a request is METHOD TARGET HTTP/1.1\n");
        return;
    }
    if (r->cut) {
        refuse(r, 414, "the target is too long\n");
        return;
    }
    for (version = ++target; *version && *version != ' '; version++) {}
    if (!*version || version == target) {
        refuse(r, 400, "a request is METHOD TARGET HTTP/1.1\n");
        return;
    }
    *version++ = 0;
    r->old = same(version, "HTTP/1.0");
    if (!r->old && !same(version, "HTTP/1.1")) {
        if (begins(version, "HTTP/")) refuse(r, 505, "only HTTP/1.1 and HTTP/1.0\n");
        else refuse(r, 400, "a request is METHOD TARGET HTTP/1.1\n");
        return;
    }
    if (!get && !head) {
        refuse(r, 405, "only GET and HEAD\n");
        return;
    }
    r->head = head;
    r->close |= r->old;
    if (begins(target, "http://")) {  // the absolute form
        for (target += 7; *target && *target != '/'; target++) {}
        if (!*target) target = (char *)(uintptr_t)"/";
        r->has_host = true;
    }
    char *query = target;
    while (*query && *query != '?') query++;
    *query = 0;
    r->found = find(r, target);
    r->state = FIELDS;
}

static void take_field(request_t *r) {
    static const char no_such_path[] = "there are /, /counters.json, /connections, /bytes/N with N up to 2147483648, "
                                       "/file and /file/ADDRESS/BYTES\n";
    const char *value;
    if (!r->line_bytes) {
        if (!r->has_host && !r->old) refuse(r, 400, "a request of HTTP/1.1 has a Host\n");
        else if (!r->found) refuse(r, 404, no_such_path);
        else answer(r, 200);
        if (r->status == 200) http_counters[ANSWERED]++;
    } else if (field(r->line, "host:")) {
        r->has_host = true;
    } else if ((value = field(r->line, "connection:"))) {
        r->close |= says(value, "close");
    } else if (((value = field(r->line, "content-length:")) && !same(value, "0")) ||
               field(r->line, "transfer-encoding:")) {
        refuse(r, 400, "GET and HEAD have no body\n");
    }
}

static void take_line(request_t *r) {
    if (r->line_bytes && r->line[r->line_bytes - 1u] == '\r') r->line_bytes--;
    r->line[r->line_bytes] = 0;
    if (r->state == FIELDS) take_field(r);
    else if (r->line_bytes || r->cut) take_request_line(r);  // empty lines before it are skipped
    r->line_bytes = 0;
    r->cut = false;
}

static void take_byte(request_t *r, uint8_t byte) {
    if (++r->head_bytes > HEAD_BYTES) {
        refuse(r, 431, "the request is too long\n");
    } else if (byte == '\n') {
        take_line(r);
    } else if (byte == 0) {
        refuse(r, 400, "a request is text\n");
    } else if (r->line_bytes < LINE_BYTES - 1u) {
        r->line[r->line_bytes++] = (char)byte;
    } else {
        r->cut = true;
    }
}

// Reads up to the end of a request. False: it has not come yet.
static bool read_request(toe_connection_t *c, request_t *r) {
    const uint8_t *bytes;
    for (uint32_t count; r->state < ANSWERING && (count = toe_peek(c, &bytes));) {
        uint32_t taken = 0;
        while (taken < count && r->state < ANSWERING) take_byte(r, bytes[taken++]);
        (void)toe_take(c, taken);
    }
    return r->state == ANSWERING;
}

// ---- Connections ----

static void http(toe_connection_t *c, uint32_t what) {
    request_t *r = &requests[toe_index(c)];
    if (what & TOE_ACCEPTED) {
        http_counters[ACCEPTED]++;
        open_connections++;
        r->close = false;
        next_request(r);
    }
    if (what & TOE_CLOSED) {
        open_connections--;
        if (r->state != ENDING && !c->ending) http_counters[RESET]++;
        return;
    }
    if (what & (TOE_ACCEPTED | TOE_READABLE | TOE_WRITABLE | TOE_FINISHED) && r->state != ENDING) r->ticks = 0;
    if (c->ending && r->state != ENDING) return;
    while (r->state != ENDING && (r->state == ANSWERING || read_request(c, r))) {
        if (!go_on(c, r)) return;
        if (r->close) {
            r->state = ENDING;  // what still comes is not answered by a reset, which could overtake the answer
            r->ticks = 0;
            (void)toe_shutdown(c);
        } else {
            next_request(r);
        }
    }
    if (r->state == ENDING) (void)toe_take(c, toe_available(c));
    if (c->finished && !c->ending) (void)toe_close(c);
}

uint32_t http_tick(void) {
    static uint32_t last_us;
    if (!open_connections) return 0;
    if (toe_now() - last_us < TICK_US) return TICK_US;
    last_us = toe_now();
    for (toe_connection_t *c = toe_connections; c < toe_connections + TOE_CONNECTIONS; c++) {
        request_t *r = &requests[toe_index(c)];
        if (c->state != TOE_IS_OPEN || c->handler != http || (c->ending && c->finished)) continue;
        const unsigned most = r->state == ANSWERING ? STALL_TICKS : r->state == ENDING ? ENDING_TICKS : IDLE_TICKS;
        if (r->ticks++ < most) continue;
        http_counters[TIMED_OUT]++;
        if (r->state == REQUEST_LINE && !r->line_bytes) (void)toe_close(c);
        else (void)toe_abort(c);  // what it has not acknowledged is not sent to it for half an hour
    }
    return TICK_US;
}

toe_result_t http_init(void) {
    (void)byte_pattern();
    return toe_listen(PORT, BACKLOG, http, 0, 0);
}
