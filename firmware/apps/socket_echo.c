// SPDX-License-Identifier: Apache-2.0
// socket_echo: sends back what comes on port 7, TCP and UDP. A thread for each connection, SERVERS of them, and one for
// datagrams.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uart.h"

#define PORT 7
#define SERVERS 4u
#define BYTES 2048u

static OS_STACK(stacks[SERVERS + 1u], 1024);
static os_thread_t threads[SERVERS + 1u];
// In the data cache, that has one place for each line, a thread's buffer has a quarter for itself and the others'.
static char buffers[SERVERS + 1u][BYTES] __attribute__((aligned(BYTES), section(".noinit")));
static int listener;

// The core fetches two instructions at a time: behind a call it goes on sooner where loops have a fixed place.
#define PLACED __attribute__((aligned(8)))

PLACED static void serve(void *buffer) {
    for (int fd; (fd = accept(listener, 0, 0)) >= 0; close(fd))
        for (ssize_t count; (count = recv(fd, buffer, BYTES, 0)) > 0;)
            if (send(fd, buffer, (size_t)count, MSG_NOSIGNAL) < 0) break;
}

PLACED static void serve_datagrams(void *buffer) {
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    socklen_t length = sizeof from;
    if (bind(fd, (struct sockaddr *)&from, sizeof from)) return;
    for (ssize_t count; (count = recvfrom(fd, buffer, BYTES, 0, (struct sockaddr *)&from, &length)) >= 0;)
        (void)sendto(fd, buffer, (size_t)count, 0, (struct sockaddr *)&from, length);
}

int main(void) {
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (const struct sockaddr *)&own, sizeof own) || listen(listener, 8)) return 1;
    for (unsigned i = 0; i <= SERVERS; i++)
        os_thread_start(&threads[i], "echo", 10, i < SERVERS ? serve : serve_datagrams, buffers[i], stacks[i], sizeof stacks[i]);
    uart_puts("socket_echo: ready\n");
    return 0;
}
