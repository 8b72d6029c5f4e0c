// SPDX-License-Identifier: Apache-2.0
// A member of 239.1.2.3 at port 7000: says what comes there to the group's port 7001, three hops far, until a datagram
// has one byte; then it leaves, and says so to 10.0.0.77.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uart.h"

int main(void) {
    static char text[100];
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(7000)};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7001), .sin_addr = {htonl(0xEF010203u)}};
    const struct ip_mreq request = {.imr_multiaddr = to.sin_addr};
    const uint8_t hops = 3;
    if (bind(fd, (const struct sockaddr *)&own, sizeof own) ||
        setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request))
        return 1;
    uart_puts("ready\n");
    const struct ip_mreq wrong = {.imr_multiaddr = {htonl(0x0A000001u)}};
    if (!setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &wrong, sizeof wrong)) return 1;
    for (ssize_t count; (count = recv(fd, text, sizeof text, 0)) > 1;) {
        (void)sendto(fd, text, (size_t)count, 0, (const struct sockaddr *)&to, sizeof to);
        if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof hops)) return 1;
    }
    if (setsockopt(fd, IPPROTO_IP, IP_DROP_MEMBERSHIP, &request, sizeof request)) return 1;
    to.sin_addr.s_addr = htonl(0x0A00004Du);
    (void)sendto(fd, "left", 4, 0, (const struct sockaddr *)&to, sizeof to);
    for (;;) (void)recv(fd, text, sizeof text, 0);
}
