// SPDX-License-Identifier: Apache-2.0
// pubsub: a broker as of MQTT, small enough to start from. Clients connect to TCP port 1883 and send lines:
//
//     sub TOPIC            from here on, what is published there comes as "TOPIC TEXT"
//     unsub TOPIC
//     pub TOPIC TEXT       to all who have subscribed; the sender, too
//     keep TOPIC TEXT      the same, and whoever subscribes later gets the last one at once
//
// A topic is words between slashes; in a subscription `+` stands for any one word, and `#` at the end for all that
// follows. Each line is answered by "ok" or "no REASON". A subscriber who does not read loses messages, not the others.
//
// One thread, and poll. The same source is a program for Linux: cc -o pubsub pubsub.c; ./pubsub; nc 127.0.0.1 1883.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <stdio.h>
#define tell(text) (void)(fputs(text, stdout), fflush(stdout))
#else
#include "uart.h"
#define tell uart_puts
#endif

#define PORT 1883
#define CLIENTS 32
#define SUBSCRIPTIONS 8  // of a client
#define KEPT 16          // topics with a last message
#define TOPIC 48u        // characters, with the 0 at the end
#define LINE 256u
#define WAITING 1024u    // bytes for a client that does not read

struct client {
    unsigned got, waiting;  // bytes in line, in out
    char topics[SUBSCRIPTIONS][TOPIC];
    char line[LINE], out[WAITING];
};

static struct pollfd fds[1 + CLIENTS];  // the first one listens
static struct client clients[1 + CLIENTS];
static unsigned count = 1;  // of fds
static struct {
    char topic[TOPIC], text[LINE];
} kept[KEPT];

// ---- Topics ----

static int matches(const char *pattern, const char *topic) {
    while (*pattern) {
        if (*pattern == '#') return 1;
        if (*pattern == '+') {
            pattern++;
            while (*topic && *topic != '/') topic++;
        } else if (*pattern++ != *topic++) {
            return 0;
        }
    }
    return !*topic;
}

// ---- To a client ----

static void flush(unsigned i) {
    struct client *c = &clients[i];
    const ssize_t sent = c->waiting ? send(fds[i].fd, c->out, c->waiting, MSG_NOSIGNAL) : 0;
    if (sent > 0) {
        c->waiting -= (unsigned)sent;
        memmove(c->out, c->out + sent, c->waiting);
    }
    fds[i].events = (short)(POLLIN | (c->waiting ? POLLOUT : 0));
}

// A line of two words, or of one. It is lost when there is no room for all of it.
static void say(unsigned i, const char *first, const char *second) {
    struct client *c = &clients[i];
    const size_t a = strlen(first), b = second ? strlen(second) : 0;
    if (c->waiting + a + b + 2 > WAITING) flush(i);
    if (c->waiting + a + b + 2 > WAITING) return;
    memcpy(c->out + c->waiting, first, a), c->waiting += (unsigned)a;
    if (second) {
        c->out[c->waiting++] = ' ';
        memcpy(c->out + c->waiting, second, b), c->waiting += (unsigned)b;
    }
    c->out[c->waiting++] = '\n';
}

// ---- What clients want ----

static char *place(struct client *c, const char *topic) {  // of a subscription; of "" a free one
    for (unsigned i = 0; i < SUBSCRIPTIONS; i++)
        if (!strcmp(c->topics[i], topic)) return c->topics[i];
    return 0;
}

static const char *subscribe(unsigned client, const char *topic) {
    char *at = place(&clients[client], topic);
    if (!at && !(at = place(&clients[client], ""))) return "too many subscriptions";
    memcpy(at, topic, strlen(topic) + 1);
    for (unsigned i = 0; i < KEPT; i++)
        if (*kept[i].topic && matches(topic, kept[i].topic)) say(client, kept[i].topic, kept[i].text);
    return 0;
}

static const char *unsubscribe(unsigned client, const char *topic) {
    char *at = place(&clients[client], topic);
    if (!at) return "no such subscription";
    *at = 0;
    return 0;
}

static const char *publish(const char *topic, const char *text) {
    for (unsigned i = 1; i < count; i++) {
        for (unsigned j = 0; j < SUBSCRIPTIONS; j++) {
            if (!*clients[i].topics[j] || !matches(clients[i].topics[j], topic)) continue;
            say(i, topic, text);
            break;
        }
        flush(i);
    }
    return 0;
}

static const char *keep(const char *topic, const char *text) {
    unsigned i = 0, empty = KEPT;
    for (; i < KEPT && strcmp(kept[i].topic, topic); i++)
        if (!*kept[i].topic && empty == KEPT) empty = i;
    if (i == KEPT) i = empty;
    if (i == KEPT) return "too many topics are kept";
    memcpy(kept[i].topic, topic, strlen(topic) + 1);
    memcpy(kept[i].text, text, strlen(text) + 1);
    return publish(topic, text);
}

static char *next_word(char *word) {  // ends it, and finds what follows
    while (*word && *word != ' ') word++;
    if (*word) *word++ = 0;
    return word;
}

static void obey(unsigned client, char *line) {
    char *topic = next_word(line), *text = next_word(topic);
    const char *problem = "such a command";
    const size_t length = strlen(topic);
    const int pattern = memchr(topic, '+', length) || memchr(topic, '#', length);
    if (!length || length >= TOPIC) problem = "topic, or it is too long";
    else if (!strcmp(line, "sub")) problem = subscribe(client, topic);
    else if (!strcmp(line, "unsub")) problem = unsubscribe(client, topic);
    else if (pattern) problem = "pattern may be published to";
    else if (!strcmp(line, "pub")) problem = publish(topic, text);
    else if (!strcmp(line, "keep")) problem = keep(topic, text);
    say(client, problem ? "no" : "ok", problem);
}

// False: the connection is over.
static int serve(unsigned i) {
    struct client *c = &clients[i];
    const ssize_t got = recv(fds[i].fd, c->line + c->got, LINE - c->got, 0);
    if (got <= 0) return got < 0 && errno == EAGAIN;
    c->got += (unsigned)got;
    for (char *end; (end = memchr(c->line, '\n', c->got));) {
        *end++ = 0;
        obey(i, c->line);
        c->got -= (unsigned)(end - c->line);
        memmove(c->line, end, c->got);
    }
    return c->got < LINE;  // longer lines there are not
}

static void take_client(void) {
    const int fd = accept(fds[0].fd, 0, 0), on = 1;
    if (fd < 0) return;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    fds[count] = (struct pollfd){.fd = fd, .events = POLLIN};
    memset(&clients[count++], 0, sizeof clients[0]);
}

int main(void) {
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    const int on = 1;
    fds[0] = (struct pollfd){.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
    setsockopt(fds[0].fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fds[0].fd, (const struct sockaddr *)&own, sizeof own) || listen(fds[0].fd, CLIENTS)) return 1;
    tell("pubsub: ready\n");
    for (;;) {
        fds[0].events = count <= CLIENTS ? POLLIN : 0;
        if (poll(fds, count, -1) < 0) return 1;
        for (unsigned i = count; --i;) {
            if (fds[i].revents & POLLOUT) flush(i);
            if (!(fds[i].revents & ~POLLOUT)) continue;
            if (serve(i)) {
                flush(i);
                continue;
            }
            close(fds[i].fd);
            count--;
            if (i != count) fds[i] = fds[count], clients[i] = clients[count];
        }
        if (fds[0].revents) take_client();
    }
}
