// SPDX-License-Identifier: Apache-2.0
// What test_sockets_storm.py talks to: four threads that send back what comes, each in its own way.
//
//     TCP 7  one connection at a time, recv and send that wait
//     TCP 8  up to CLIENTS at once, poll and calls that do not wait
//     UDP 7  recvfrom and sendto that wait
//     UDP 8  poll, a datagram is looked at with MSG_PEEK before it is taken
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uart.h"

#define CLIENTS 4u
#define BYTES 2048u

static OS_STACK(stacks[3], 2048);
static os_thread_t threads[3];
static char buffers[4][BYTES] __attribute__((aligned(32), section(".noinit")));

static int open_socket(int type, uint16_t port) {
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port)};
    const int fd = socket(AF_INET, type, 0);
    if (bind(fd, (const struct sockaddr *)&own, sizeof own) || (type == SOCK_STREAM && listen(fd, CLIENTS))) {
        uart_puts("a port cannot be opened\n");
        return -1;
    }
    return fd;
}

static void wrong(const char *what) {
    uart_puts("wrong: ");
    uart_puts(what);
    uart_puts("\n");
}

static void wait_for_streams(void *nothing) {
    (void)nothing;
    const int listener = open_socket(SOCK_STREAM, 7);
    for (int fd; (fd = accept(listener, 0, 0)) >= 0; close(fd))
        for (ssize_t count; (count = recv(fd, buffers[0], BYTES, 0)) > 0;)
            if (send(fd, buffers[0], (size_t)count, MSG_NOSIGNAL) != count) break;
}

static void wait_for_datagrams(void *nothing) {
    (void)nothing;
    const int fd = open_socket(SOCK_DGRAM, 7);
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    for (ssize_t count; (count = recvfrom(fd, buffers[1], BYTES, 0, (struct sockaddr *)&from, &length)) >= 0;)
        if (sendto(fd, buffers[1], (size_t)count, 0, (struct sockaddr *)&from, length) != count) wrong("sendto");
}

static void poll_datagrams(void *nothing) {
    (void)nothing;
    struct pollfd one = {.fd = open_socket(SOCK_DGRAM, 8), .events = POLLIN};
    while (poll(&one, 1, -1) == 1) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        const ssize_t all = recv(one.fd, buffers[2], 1, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
        const ssize_t count = recvfrom(one.fd, buffers[2], BYTES, MSG_DONTWAIT, (struct sockaddr *)&from, &length);
        if (count < 0 || count != all) wrong("a datagram that poll told of");
        else if (sendto(one.fd, buffers[2], (size_t)count, 0, (struct sockaddr *)&from, length) != count) wrong("sendto");
    }
    wrong("poll");
}

// What a client has to get, and where it lies.
static struct {
    unsigned at, left;
    char bytes[BYTES];
} clients[1 + CLIENTS];

// False: it is over.
static bool serve(struct pollfd *one, unsigned i) {
    for (;;) {
        while (clients[i].left) {
            const ssize_t sent = send(one->fd, clients[i].bytes + clients[i].at, clients[i].left, MSG_NOSIGNAL);
            if (sent < 0 && errno == EAGAIN) return one->events = POLLOUT, true;
            if (sent <= 0) return false;
            clients[i].at += (unsigned)sent, clients[i].left -= (unsigned)sent;
        }
        const ssize_t got = recv(one->fd, clients[i].bytes, BYTES, 0);
        if (got < 0 && errno == EAGAIN) return one->events = POLLIN, true;
        if (got <= 0) return false;
        clients[i].at = 0, clients[i].left = (unsigned)got;
    }
}

int main(void) {
    struct pollfd fds[1 + CLIENTS] = {{.fd = open_socket(SOCK_STREAM, 8), .events = POLLIN}};
    static void (*const entries[])(void *) = {wait_for_streams, wait_for_datagrams, poll_datagrams};
    for (unsigned i = 1; i <= CLIENTS; i++) fds[i].fd = -1;
    for (unsigned i = 0; i < 3; i++) os_thread_start(&threads[i], "echo", 10, entries[i], 0, stacks[i], sizeof stacks[i]);
    usleep(100);
    uart_puts("ready\n");
    while (poll(fds, 1 + CLIENTS, -1) > 0) {
        for (unsigned i = 1; i <= CLIENTS; i++) {
            if (fds[i].fd < 0) {
                if (!fds[0].revents || (fds[i].fd = accept4(fds[0].fd, 0, 0, SOCK_NONBLOCK)) < 0) continue;
                fds[0].revents = 0;
                fds[i].events = POLLIN;
                clients[i].left = 0;
            } else if (fds[i].revents && !serve(&fds[i], i)) {
                close(fds[i].fd);
                fds[i].fd = -1;
            }
        }
    }
    wrong("poll");
    return 1;
}
