// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 server (RFC 9112) on port 80: / is a page, /counters.json the counters, /bytes/N so many bytes. GET and
// HEAD, several connections, each used again and again.
//
// A request is read byte by byte into a line of limited length and never kept as a whole. A document is written piece
// by piece as the connection takes it, so nothing here is as large as a document; HTTP/1.1 gets it in chunks.
#include "net.h"

#if NSOC_HAS_LWIP

#include "byte_pattern.h"
#include "http.h"
#include "lwip/tcp.h"
#include "net_counters.h"
#include "net_udp.h"

#include "in_dram.h"

#define PORT 80u
#define CONNECTIONS 8u
#define LINE_BYTES 256u      // of a request; a longer target is refused
#define HEAD_BYTES 8192u     // all lines of a request
#define AHEAD_BYTES 512u     // of requests that come while one is being answered
#define BYTES_MOST 0x80000000u
#define POLL_TICKS 4u        // of half a second: how often lwIP asks
#define IDLE_MS 30000u       // a connection without a request under way
#define ENDING_MS 5000u      // one whose end we have sent, and which brings more
#define STALL_MS 60000u      // one whose other end takes nothing, or whose request does not come to its end
#define HEAD_LEAST 512u      // room for the head of an answer
#define SEGMENTS_AT_ONCE 4u  // written when something comes
#define CHUNK_HEAD 5u        // "3e8\r\n"
#define CHUNK_TAIL 2u

typedef enum { REQUEST_LINE, FIELDS, ANSWERING, ENDING } state_t;  // ENDING: we say no more, the other end may
typedef enum { TEXT, BYTES, PAGE, JSON } body_t;

typedef struct {
    struct tcp_pcb *pcb;  // NULL: this place is free
    state_t state;
    uint32_t active_ms;
    // The request.
    char line[LINE_BYTES];
    uint32_t line_bytes, head_bytes;
    bool cut;             // the line is longer
    bool head, old;       // HEAD; HTTP/1.0
    bool has_host, found;
    bool close;           // after the answer
    bool finished;        // the other end sends no more
    uint8_t ahead[AHEAD_BYTES];
    uint32_t ahead_bytes;
    // The answer.
    uint16_t status;
    body_t body;
    bool begun, ended;    // its head, its end is written
    const char *text;
    uint32_t done, bytes;
    document_t document;
} connection_t;
static connection_t connections[CONNECTIONS];
static char segment[TCP_MSS] __attribute__((aligned(4)));  // being written

enum { ACCEPTED, REFUSED, ANSWERED, ERRORS, TIMED_OUT, RESET, TOO_FAR_AHEAD, COUNTERS };
static const char *const names[COUNTERS] = {"accepted",  "refused", "answered",     "errors",
                                            "timed_out", "reset",   "too_far_ahead"};
static uint32_t counters[COUNTERS];

// ---- Texts ----

static bool begins(const char *text, const char *with) {
    while (*with && *text == *with) text++, with++;
    return !*with;
}

static bool same(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

// The value of a header field if the line is that field (`name` in lower case, with the colon), else NULL.
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

static bool is_document(const connection_t *c) { return c->body == PAGE || c->body == JSON; }

static void answer(connection_t *c, uint16_t status, body_t body, uint32_t bytes) {
    c->state = ANSWERING;
    c->status = status;
    c->body = body;
    c->bytes = bytes;
    c->done = 0;
    c->begun = c->ended = false;
    c->document = (document_t){0};
    if (is_document(c)) http_page_look();
}

static void refuse(connection_t *c, uint16_t status, const char *text) {
    uint32_t bytes = 0;
    while (text[bytes]) bytes++;
    c->text = text;
    c->close = true;
    counters[ERRORS]++;
    answer(c, status, TEXT, bytes);
}

static void write_head(const connection_t *c, writer_t *w) {
    write_text(w, "HTTP/1.1 ");
    write_dec(w, c->status);
    write_text(w, " ");
    write_text(w, reason(c->status));
    write_text(w, "\r\nServer: N-SoC\r\nContent-Type: ");
    write_text(w, c->body == PAGE    ? "text/html; charset=utf-8"
                  : c->body == JSON  ? "application/json"
                  : c->body == BYTES ? "application/octet-stream"
                                     : "text/plain");
    if (!is_document(c)) {
        write_text(w, "\r\nContent-Length: ");
        write_dec(w, c->bytes);
    } else {
        write_text(w, "\r\nCache-Control: no-store");
        if (!c->old) write_text(w, "\r\nTransfer-Encoding: chunked");
    }
    if (c->status == 405) write_text(w, "\r\nAllow: GET, HEAD");
    if (c->close) write_text(w, "\r\nConnection: close");
    write_text(w, "\r\n\r\n");
}

// Where the next part of the body is, at most `room` bytes of it. False: that is its end.
static bool next_part(const connection_t *c, uint32_t room, const char **from, uint32_t *bytes) {
    const uint32_t left = c->bytes - c->done, at = c->body == BYTES ? c->done % BYTE_PATTERN_BYTES : c->done;
    *bytes = left < room ? left : room;
    if (c->body == BYTES && *bytes > BYTE_PATTERN_BYTES - at) *bytes = BYTE_PATTERN_BYTES - at;
    *from = (c->body == BYTES ? (const char *)byte_pattern() : c->text) + at;
    return *bytes != left;
}

static bool write_document(document_t *d, body_t body, bool chunked, uint32_t room, uint32_t *bytes) {
    const uint32_t head = chunked ? CHUNK_HEAD : 0, tail = chunked ? CHUNK_TAIL : 0;
    writer_t w = {segment + head, segment + room - tail, false};
    bool more = true;
    for (;;) {
        const document_t before = *d;
        char *const at = w.at;
        more = body == PAGE ? http_page_next(d, &w) : http_json_next(d, &w);
        if (!more) break;
        if (w.full) {  // not that piece any more
            *d = before;
            w.at = at;
            break;
        }
    }
    const uint32_t length = (uint32_t)(w.at - segment) - head;
    *bytes = length + head + tail;
    if (!chunked) return more;
    if (!length) {  // the last chunk is empty, and has an end of its own
        *bytes = 0;
        return more;
    }
    writer_t begin = {segment, segment + CHUNK_HEAD, false};
    write_hex(&begin, length, 3);
    *begin.at++ = '\r', *begin.at++ = '\n';
    *w.at++ = '\r', *w.at++ = '\n';
    return more;
}

// Writes the next part of the answer to the connection. False: it takes no more now, or all is written (c->ended).
static bool write_more(connection_t *c) {
    const uint32_t left = c->bytes - c->done;
    uint32_t room = tcp_sndbuf(c->pcb), bytes, least = HEAD_LEAST;
    if (room > sizeof segment) room = sizeof segment;
    if (c->begun && is_document(c)) least = HTTP_PIECE + CHUNK_HEAD + CHUNK_TAIL;
    else if (c->begun) least = left < sizeof segment ? left : sizeof segment;
    if (room < least) return false;
    const char *from = segment;
    connection_t after = {.document = c->document};
    bool more = true;
    if (!c->begun) {
        writer_t w = {segment, segment + sizeof segment, false};
        write_head(c, &w);
        bytes = (uint32_t)(w.at - segment);
        more = !c->head && (is_document(c) || c->bytes);
    } else if (is_document(c)) {
        more = write_document(&after.document, c->body, !c->old, room, &bytes);
        if (!more && !c->old) {
            writer_t w = {segment + bytes, segment + sizeof segment, false};
            write_text(&w, "0\r\n\r\n");
            if (w.full) more = true;  // behind the next piece, which is empty
            else bytes = (uint32_t)(w.at - segment);
        }
    } else {
        more = next_part(c, room, &from, &bytes);
    }
    if (bytes && tcp_write(c->pcb, from, (u16_t)bytes, TCP_WRITE_FLAG_COPY | (more ? TCP_WRITE_FLAG_MORE : 0)) != ERR_OK)
        return false;
    if (c->begun) {
        c->document = after.document;
        c->done += bytes;
    }
    c->begun = true;
    c->ended = !more;
    return more;
}

// ---- The request ----

static void next_request(connection_t *c) {
    c->state = REQUEST_LINE;
    c->line_bytes = c->head_bytes = 0;
    c->cut = c->head = c->old = c->has_host = false;
}

// What a path stands for.
static void find(connection_t *c, const char *path) {
    static const char bytes[] = "/bytes/";
    uint64_t number = 0;
    c->found = true;
    if (same(path, "/")) {
        c->body = PAGE;
    } else if (same(path, "/counters.json")) {
        c->body = JSON;
    } else if (begins(path, bytes)) {
        const char *digit = path + sizeof bytes - 1u;
        c->body = BYTES;
        c->found = *digit;
        for (; *digit; digit++) {
            if (*digit < '0' || *digit > '9') c->found = false;
            else if (number <= BYTES_MOST) number = number * 10u + (uint32_t)(*digit - '0');
        }
        if (number > BYTES_MOST) c->found = false;
    } else {
        c->found = false;
    }
    c->bytes = (uint32_t)number;
}

static void take_request_line(connection_t *c) {
    char *target = c->line, *version;
    while (*target >= 'A' && *target <= 'Z') target++;
    const bool get = begins(c->line, "GET "), head = begins(c->line, "HEAD ");
    if (target == c->line || *target != ' ') {
        refuse(c, 400, "a request is METHOD TARGET HTTP/1.1\n");
        return;
    }
    if (c->cut) {
        refuse(c, 414, "the target is too long\n");
        return;
    }
    for (version = ++target; *version && *version != ' '; version++) {}
    if (!*version || version == target) {
        refuse(c, 400, "a request is METHOD TARGET HTTP/1.1\n");
        return;
    }
    *version++ = 0;
    c->old = same(version, "HTTP/1.0");
    if (!c->old && !same(version, "HTTP/1.1")) {
        if (begins(version, "HTTP/")) refuse(c, 505, "only HTTP/1.1 and HTTP/1.0\n");
        else refuse(c, 400, "a request is METHOD TARGET HTTP/1.1\n");
        return;
    }
    if (!get && !head) {
        refuse(c, 405, "only GET and HEAD\n");
        return;
    }
    c->head = head;
    c->close |= c->old;
    if (begins(target, "http://")) {  // the absolute form
        for (target += 7; *target && *target != '/'; target++) {}
        if (!*target) target = (char *)(uintptr_t)"/";
        c->has_host = true;
    }
    for (char *query = target; *query; query++) {
        if (*query != '?') continue;
        *query = 0;
        break;
    }
    find(c, target);
    c->state = FIELDS;
}

static void take_field(connection_t *c) {
    const char *value;
    if (!c->line_bytes) {
        if (!c->has_host && !c->old) refuse(c, 400, "a request of HTTP/1.1 has a Host\n");
        else if (!c->found) refuse(c, 404, "there are /, /counters.json and /bytes/N, N up to 2147483648\n");
        else answer(c, 200, c->body, c->bytes);
        if (c->status == 200) counters[ANSWERED]++;
    } else if (field(c->line, "host:")) {
        c->has_host = true;
    } else if ((value = field(c->line, "connection:"))) {
        c->close |= says(value, "close");
    } else if (((value = field(c->line, "content-length:")) && !same(value, "0")) ||
               field(c->line, "transfer-encoding:")) {
        refuse(c, 400, "GET and HEAD have no body\n");
    }
}

static void take_line(connection_t *c) {
    if (c->line_bytes && c->line[c->line_bytes - 1u] == '\r') c->line_bytes--;
    c->line[c->line_bytes] = 0;
    if (c->state == FIELDS) take_field(c);
    else if (c->line_bytes || c->cut) take_request_line(c);  // empty lines before it are skipped
    c->line_bytes = 0;
    c->cut = false;
}

static void take_byte(connection_t *c, uint8_t byte) {
    if (++c->head_bytes > HEAD_BYTES) {
        refuse(c, 431, "the request is too long\n");
    } else if (byte == '\n') {
        take_line(c);
    } else if (byte == 0) {
        refuse(c, 400, "a request is text\n");
    } else if (c->line_bytes < LINE_BYTES - 1u) {
        c->line[c->line_bytes++] = (char)byte;
    } else {
        c->cut = true;
    }
}

// ---- Connections ----

static void forget(connection_t *c) {
    tcp_arg(c->pcb, 0);
    tcp_recv(c->pcb, 0);
    tcp_sent(c->pcb, 0);
    tcp_poll(c->pcb, 0, 0);
    tcp_err(c->pcb, 0);
    c->pcb = 0;
}

static void reset(connection_t *c) {
    struct tcp_pcb *pcb = c->pcb;
    forget(c);
    tcp_abort(pcb);
}

// False: it had to be reset.
static bool end(connection_t *c) {
    struct tcp_pcb *pcb = c->pcb;
    forget(c);
    if (tcp_close(pcb) == ERR_OK) return true;
    tcp_abort(pcb);
    return false;
}

// Ends a connection whose other end does not go on: what it has not acknowledged is not sent to it for half an hour.
// False: it was reset.
static bool leave(connection_t *c) {
    if (c->state == REQUEST_LINE && !c->line_bytes && !c->pcb->unacked && !c->pcb->unsent) return end(c);
    reset(c);
    return false;
}

// Goes on with answers and requests as far as it gets. False: the connection was reset.
static bool go_on(connection_t *c) {
    while (c->state == ANSWERING) {
        // No more at once, so that others get their turn; what is acknowledged makes it go on.
        for (unsigned segments = 0; segments < SEGMENTS_AT_ONCE && write_more(c); segments++) tcp_output(c->pcb);
        if (!c->ended) break;
        if (c->close && !c->finished) {  // what still comes is not answered by a reset, which could overtake the answer
            if (tcp_shutdown(c->pcb, 0, 1) != ERR_OK) break;
            c->state = ENDING;
            break;
        }
        if (c->finished) return end(c);
        next_request(c);
        const uint32_t ahead = c->ahead_bytes;
        uint32_t taken = 0;
        while (taken < ahead && c->state != ANSWERING) take_byte(c, c->ahead[taken++]);
        c->ahead_bytes = ahead - taken;
        for (uint32_t i = 0; i < c->ahead_bytes; i++) c->ahead[i] = c->ahead[taken + i];
    }
    if (c->state != ANSWERING && c->finished) return end(c);
    tcp_output(c->pcb);
    return true;
}

static err_t received(void *argument, struct tcp_pcb *pcb, struct pbuf *p, err_t error) {
    (void)error;
    connection_t *c = argument;
    if (c->state != ENDING) c->active_ms = net_now_ms();
    if (!p) c->finished = true;
    for (const struct pbuf *q = p; q; q = q->next) {
        for (uint32_t i = 0; i < q->len; i++) {
            const uint8_t byte = ((const uint8_t *)q->payload)[i];
            if (c->state < ANSWERING) {
                take_byte(c, byte);
            } else if (c->close) {
                break;  // nobody asks for what comes now
            } else if (c->ahead_bytes < AHEAD_BYTES) {
                c->ahead[c->ahead_bytes++] = byte;
            } else {
                counters[TOO_FAR_AHEAD]++;
                pbuf_free(p);
                reset(c);
                return ERR_ABRT;
            }
        }
    }
    if (p) {
        tcp_recved(pcb, p->tot_len);
        pbuf_free(p);
    }
    return go_on(c) ? ERR_OK : ERR_ABRT;
}

static err_t sent(void *argument, struct tcp_pcb *pcb, u16_t bytes) {
    (void)pcb, (void)bytes;
    connection_t *c = argument;
    if (c->state != ENDING) c->active_ms = net_now_ms();
    return go_on(c) ? ERR_OK : ERR_ABRT;
}

static err_t poll(void *argument, struct tcp_pcb *pcb) {
    (void)pcb;
    connection_t *c = argument;
    const uint32_t quiet = net_now_ms() - c->active_ms;
    if (quiet > (c->state == ANSWERING ? STALL_MS : c->state == ENDING ? ENDING_MS : IDLE_MS)) {
        counters[TIMED_OUT]++;
        return leave(c) ? ERR_OK : ERR_ABRT;
    }
    return go_on(c) ? ERR_OK : ERR_ABRT;
}

static void failed(void *argument, err_t error) {
    (void)error;
    counters[RESET]++;
    ((connection_t *)argument)->pcb = 0;
}

// A free place, or that of the connection which has been without a request the longest. NULL: all are at work.
static connection_t *place(void) {
    connection_t *found = 0;
    for (connection_t *c = connections; c < connections + CONNECTIONS; c++) {
        if (!c->pcb) return c;
        if (c->state == ANSWERING) continue;
        if (!found || (int32_t)(c->active_ms - found->active_ms) < 0) found = c;
    }
    if (!found) return 0;
    counters[TIMED_OUT]++;
    leave(found);
    return found;
}

static err_t accepted(void *argument, struct tcp_pcb *pcb, err_t error) {
    (void)argument;
    if (error != ERR_OK || !pcb) return ERR_VAL;
    connection_t *c = place();
    if (!c) {
        counters[REFUSED]++;
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    counters[ACCEPTED]++;
    c->pcb = pcb;
    c->close = c->finished = false;
    c->ahead_bytes = 0;
    c->active_ms = net_now_ms();
    next_request(c);
    tcp_arg(pcb, c);
    tcp_recv(pcb, received);
    tcp_sent(pcb, sent);
    tcp_poll(pcb, poll, POLL_TICKS);
    tcp_err(pcb, failed);
    return ERR_OK;
}

void net_http_init(void) {
    net_counters_add("http", names, counters, COUNTERS);
    http_page_init();
    struct tcp_pcb *pcb = tcp_new();
    if (!pcb || tcp_bind(pcb, IP_ANY_TYPE, PORT) != ERR_OK) return;
    pcb = tcp_listen(pcb);
    if (pcb) tcp_accept(pcb, accepted);
}

#endif
