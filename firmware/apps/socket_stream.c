// SPDX-License-Identifier: Apache-2.0
// socket_stream: forgets what comes on TCP port 9, and sends a megabyte from DRAM, again and again, to who connects to
// port 5002. One connection each at a time. nsoc bench sockets measures both (socket-receive, socket-send).
#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uart.h"

#define DISCARD_PORT 9
#define SOURCE_PORT 5002
#define RECEIVED_BYTES 16384u
#define SENT_BYTES (1u << 20)
#define SENT ((uint8_t *)0x40800000u)  // in DRAM, behind the program

static OS_STACK(stack, 2048);
static os_thread_t thread;
static uint8_t received[RECEIVED_BYTES] __attribute__((aligned(32), section(".noinit")));

static int listener(uint16_t port) {
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    return bind(fd, (const struct sockaddr *)&own, sizeof own) || listen(fd, 1) ? -1 : fd;
}

static void discard(void *nothing) {
    (void)nothing;
    const int from = listener(DISCARD_PORT);
    for (int fd; (fd = accept(from, 0, 0)) >= 0; close(fd))
        while (recv(fd, received, sizeof received, 0) > 0) {}
}

int main(void) {
    uint32_t *words = (uint32_t *)(void *)SENT;
    for (uint32_t i = 0; i < SENT_BYTES / 4u; i += 64u) words[i] = i;  // each 256 bytes begin with their place
    os_thread_start(&thread, "discard", 10, discard, 0, stack, sizeof stack);
    const int from = listener(SOURCE_PORT);
    uart_puts("socket_stream: ready\n");
    for (int fd; (fd = accept(from, 0, 0)) >= 0; close(fd))
        while (send(fd, SENT, SENT_BYTES, MSG_NOSIGNAL) == (ssize_t)SENT_BYTES) {}
    return 1;
}
