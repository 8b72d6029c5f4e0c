// SPDX-License-Identifier: Apache-2.0
// Echo on port 7 without recv and send: sock_borrow, sock_reserve, sock_commit, sock_release. First a stream, until its
// end, then DATAGRAMS. Then a datagram that is told by one from the boot ROM, where one cannot be received. It prints a
// call that returned what it should not.
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "uart.h"

#define DATAGRAMS 20

static void check(const char *what, long got, long want) {
    if (got == want) return;
    uart_puts(what);
    uart_puts(" returned ");
    uart_put_dec((uint32_t)got);
    uart_puts("\n");
}

static void echo_stream(int fd) {
    const void *in;
    void *out;
    for (long count; (count = sock_borrow(fd, &in, 0, 0)) > 0;) {
        const long room = sock_reserve(fd, &out, 0);
        if (room < count) count = room;
        __builtin_memcpy(out, in, (size_t)count);
        check("commit", sock_commit(fd, (size_t)count, 0), 0);
        check("release", sock_release(fd, (size_t)count), 0);
    }
    check("release of what is not there", sock_release(fd, 1), -1);
}

static void echo_datagram(int fd) {
    struct sockaddr_in from;
    const void *in;
    void *out;
    const long count = sock_borrow(fd, &in, &from, 0);
    check("reserve", sock_reserve(fd, &out, 0), 1472);
    check("reserve twice", sock_reserve(fd, &out, 0), -1);
    __builtin_memcpy(out, in, (size_t)count);
    check("commit of too many", sock_commit(fd, 1473, &from), -1);
    check("commit", sock_commit(fd, (size_t)count, &from), 0);
    check("commit twice", sock_commit(fd, 1, &from), -1);
    check("release", sock_release(fd, 0), 0);
    check("release twice", sock_release(fd, 0), -1);
}

static const char constant[] = "said out of the boot ROM, at an odd address, as strings are";

static void constants(int fd) {
    static char byte;
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    check("recvfrom", recvfrom(fd, &byte, 1, 0, (struct sockaddr *)&from, &length), 1);
    check("sendto", sendto(fd, constant + 1, sizeof constant - 1, 0, (struct sockaddr *)&from, length), sizeof constant - 1);
    check("sendto", sendto(fd, "short", 5, 0, (struct sockaddr *)&from, length), 5);
    if (!NSOC_HAS_DCA) return;  // the processor copies, and traps
    check("recv into the ROM", recv(fd, (void *)(uintptr_t)constant, 5, 0), -1);
    check("errno", errno, EFAULT);
    check("recv of what came then", recv(fd, &byte, 1, MSG_DONTWAIT), -1);
}

int main(void) {
    const struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(7)};
    const int listener = socket(AF_INET, SOCK_STREAM, 0), datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    check("bind", bind(listener, (const struct sockaddr *)&own, sizeof own), 0);
    check("bind", bind(datagrams, (const struct sockaddr *)&own, sizeof own), 0);
    check("listen", listen(listener, 1), 0);
    uart_puts("ready\n");
    echo_stream(accept(listener, 0, 0));
    for (int i = 0; i < DATAGRAMS; i++) echo_datagram(datagrams);
    constants(datagrams);
    uart_puts("done\n");
    return 0;
}
