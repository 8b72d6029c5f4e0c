// SPDX-License-Identifier: Apache-2.0
// socket_cycles: where the cycles of an echo by sockets go, on TCP port 7 and UDP port 7. The peer sends one message
// after the other, all of the same length. After ROUNDS messages, and WARM_UP before, it prints for each step the least
// and the most. Built with OS_STAMPS=1, or 2 for the sum alone (stamp.h). docs/sockets.md shows the table.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stamp.h"
#include "uart.h"

#ifndef OS_STAMPS
#define OS_STAMPS 0  // nothing is measured
#endif
#define ROUNDS 16u
#define WARM_UP 3u
#define BYTES 2048u

uint32_t stamps[STAMPS];

enum { ALL = STAMPS, LIBRARY, FIGURES };

static const char *const names[FIGURES] = {
    [STAMP_EVENT] = "awake, to what has happened",
    [STAMP_WAKE] = "to the thread to wake",
    [STAMP_THREAD] = "to the thread",
    [STAMP_COPIED] = "copy out",
    [STAMP_RECEIVED] = "to recv's return",
    [STAMP_SEND] = "to send",
    [STAMP_FILLED] = "copy in",
    [STAMP_DOORBELL] = "to the doorbell",
    [STAMP_SENT] = "to send's return",
    [ALL] = "awake to doorbell",
    [LIBRARY] = "awake to recv's return, send to doorbell",
};

static char buffer[BYTES] __attribute__((aligned(32)));

typedef uint32_t round_t[STAMPS];

static uint32_t step(const uint32_t *seen, unsigned which) {
    if (which == LIBRARY) return seen[STAMP_RECEIVED] - seen[STAMP_AWAKE] + seen[STAMP_DOORBELL] - seen[STAMP_SEND];
    const uint32_t cycles = which == ALL ? seen[STAMP_DOORBELL] - seen[STAMP_AWAKE] : seen[which] - seen[which - 1u];
    return (int32_t)cycles < 0 ? 0 : cycles;
}

static void print(const char *kind, const round_t *seen) {
    for (unsigned which = OS_STAMPS == 1 ? 1 : ALL; which < FIGURES; which++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (unsigned round = WARM_UP; round < WARM_UP + ROUNDS; round++) {
            const uint32_t cycles = step(seen[round], which);
            if (cycles < least) least = cycles;
            if (cycles > most) most = cycles;
        }
        uart_puts(kind);
        uart_puts(": ");
        uart_puts(names[which]);
        uart_puts(": ");
        uart_put_dec(least);
        uart_puts(" ");
        uart_put_dec(most);
        uart_puts("\n");
    }
}

static void keep(uint32_t *seen) {
    for (unsigned i = 0; i < STAMPS; i++) seen[i] = stamps[i];
}

static round_t tcp_seen[WARM_UP + ROUNDS], udp_seen[WARM_UP + ROUNDS];

int main(void) {
    if (!OS_STAMPS) {
        uart_puts("socket_cycles: nothing was stamped, build it with OS_STAMPS=1 or 2\n");
        return 1;
    }
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(7)};
    socklen_t length = sizeof name;
    if (!OS_STAMPS) {
        uart_puts("socket_cycles: build it with OS_STAMPS=1, or 2\n");
        return 1;
    }
    const int listener = socket(AF_INET, SOCK_STREAM, 0), datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(listener, (struct sockaddr *)&name, sizeof name) || listen(listener, 1)) return 1;
    if (bind(datagrams, (struct sockaddr *)&name, sizeof name)) return 1;
    uart_puts("socket_cycles: ready\n");
    const int fd = accept(listener, 0, 0);
    for (unsigned round = 0; round < WARM_UP + ROUNDS; round++) {
        const ssize_t count = recv(fd, buffer, BYTES, 0);
        if (count <= 0 || send(fd, buffer, (size_t)count, 0) != count) return 1;
        keep(tcp_seen[round]);
    }
    for (unsigned round = 0; round < WARM_UP + ROUNDS; round++) {
        const ssize_t count = recvfrom(datagrams, buffer, BYTES, 0, (struct sockaddr *)&name, &length);
        if (count < 0 || sendto(datagrams, buffer, (size_t)count, 0, (struct sockaddr *)&name, length) != count) return 1;
        keep(udp_seen[round]);
    }
    print("TCP", tcp_seen);
    print("UDP", udp_seen);
    uart_puts("done\n");
    return 0;
}
