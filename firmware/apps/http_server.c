// SPDX-License-Identifier: Apache-2.0
// http_server: a page of 1 kB at / for 32 clients that stay connected, by one thread with poll. The same source is a
// program for Linux (cc -o http_server http_server.c; ./http_server).
//
// Build options (-D): HTTP_PORT (80; 8080 on Linux).
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
#define PORT_OF_IT 8080
#define tell(text) (void)(fputs(text, stdout), fflush(stdout))
#else
#include "uart.h"
#define PORT_OF_IT 80
#define tell uart_puts
#endif
#ifndef HTTP_PORT
#define HTTP_PORT PORT_OF_IT
#endif

#define CLIENTS 32
#define REQUEST_BYTES 512u  // of a request at most
#define PAGE_BYTES 1024u

// 80 characters: what is a multiple of words is copied faster.
static const char head[] = "HTTP/1.1 200 OK\r\nServer: SoC\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n";
static const char not_found[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
static const char bad[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
static char page[sizeof head - 1u + PAGE_BYTES] __attribute__((aligned(32)));

static struct pollfd fds[1 + CLIENTS];  // the first one listens
static struct client {
    unsigned got;                       // bytes of requests
    const char *answer;                 // what is left of it
    size_t left;
    int closing;                        // behind the answer
    char request[REQUEST_BYTES];
} clients[1 + CLIENTS];
static unsigned count = 1;              // of fds

static void answer(struct client *c, const char *bytes, size_t length) { c->answer = bytes, c->left = length; }

// Bytes of the first request, to the end of its head; 0: it is not whole.
static unsigned request_length(const struct client *c) {
    for (unsigned i = 3; i < c->got; i++)
        if (c->request[i] == '\n' && c->request[i - 1] == '\r' && c->request[i - 2] == '\n') return i + 1;
    return 0;
}

static void take_request(struct client *c, unsigned length) {
    if (length > 5 && !memcmp(c->request, "GET / ", 6)) answer(c, page, sizeof page);
    else if (length > 4 && !memcmp(c->request, "GET ", 4)) answer(c, not_found, sizeof not_found - 1);
    else answer(c, bad, sizeof bad - 1), c->closing = 1;
    c->got -= length;
    if (c->got) memmove(c->request, c->request + length, c->got);
}

// Does what can be done without waiting. False: the connection is over.
static int serve(int fd, struct client *c) {
    for (;;) {
        while (c->left) {
            const ssize_t sent = send(fd, c->answer, c->left, MSG_NOSIGNAL);
            if (sent < 0) return errno == EAGAIN;
            c->answer += sent, c->left -= (size_t)sent;
        }
        if (c->closing) return 0;
        const unsigned length = request_length(c);
        if (length) {
            take_request(c, length);
            continue;
        }
        if (c->got == REQUEST_BYTES) {
            answer(c, bad, sizeof bad - 1), c->closing = 1;
            continue;
        }
        const ssize_t got = recv(fd, c->request + c->got, REQUEST_BYTES - c->got, 0);
        if (got <= 0) return got < 0 && errno == EAGAIN;
        c->got += (unsigned)got;
    }
}

static void take_clients(void) {
    for (int fd, on = 1; count <= CLIENTS && (fd = accept(fds[0].fd, 0, 0)) >= 0;) {
        fcntl(fd, F_SETFL, O_NONBLOCK);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        fds[count] = (struct pollfd){.fd = fd, .events = POLLIN};
        clients[count] = (struct client){0};
        count++;
    }
}

int main(void) {
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(HTTP_PORT)};
    const int on = 1;
    memcpy(page, head, sizeof head - 1);
    for (unsigned i = 0; i < PAGE_BYTES; i++) page[sizeof head - 1 + i] = i % 64 == 63 ? '\n' : (char)('0' + i % 64);
    fds[0] = (struct pollfd){.fd = socket(AF_INET, SOCK_STREAM, 0), .events = POLLIN};
    setsockopt(fds[0].fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fds[0].fd, (const struct sockaddr *)&own, sizeof own) || listen(fds[0].fd, CLIENTS)) return 1;
    fcntl(fds[0].fd, F_SETFL, O_NONBLOCK);
    tell("http_server: ready\n");
    for (;;) {
        fds[0].events = count <= CLIENTS ? POLLIN : 0;  // who comes when all places are taken waits in the backlog
        if (poll(fds, count, -1) < 0) return 1;
        for (unsigned i = count; --i;) {
            if (!fds[i].revents) continue;
            if (serve(fds[i].fd, &clients[i])) {
                fds[i].events = clients[i].left ? POLLOUT : POLLIN;
                continue;
            }
            close(fds[i].fd);
            count--;
            if (i != count) fds[i] = fds[count], clients[i] = clients[count];
        }
        if (fds[0].revents) take_clients();
    }
}
