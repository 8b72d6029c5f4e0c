// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#ifdef NSOC_SOCKET_H
#include "uart.h"

// The UART would take longer than all the rest: what is said goes into memory, and the test looks there.
static char *said = (char *)0x44000000u;  // test_sockets.py

static void put(const char *text) {
    while (*text) *said++ = *text++;
    *said = 0;
}

static void put_number(unsigned long number) {
    if (number >= 10u) put_number(number / 10u);
    put((const char[]){(char)('0' + number % 10u), 0});
}
uint32_t now_ms(void) { return (uint32_t)(os_now() / OS_MS(1)); }
#else
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
static void put(const char *text) { fputs(text, stdout), fflush(stdout); }
static void put_number(unsigned long number) { printf("%lu", number); }
uint32_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint32_t)(t.tv_sec * 1000 + t.tv_nsec / 1000000);
}
#endif

#define LAST_FD 40

uint16_t first_port;

void say(const char *what, long result) {
    const int error = errno;
    put(what);
    if (result < 0) {
        put(" = -");
        put_number((unsigned long)-result);
        if (result == -1) put(" errno "), put_number((unsigned long)error);
    } else {
        put(" = ");
        put_number((unsigned long)result);
    }
    put("\n");
}

void say_bytes(const char *what, const void *bytes, long count) {
    const uint8_t *at = bytes;
    say(what, count);
    if (count <= 0) return;
    put("  ");
    for (long i = 0; i < count && i < 40; i++) {
        const char digits[] = {"0123456789abcdef"[at[i] >> 4], "0123456789abcdef"[at[i] & 15], 0};
        put(digits);
    }
    put("\n");
}

void say_name(const char *what, const struct sockaddr_in *name) {
    const uint32_t address = ntohl(name->sin_addr.s_addr);
    const unsigned port = ntohs(name->sin_port);
    put(what);
    put(!address ? ": ANY" : address == OWN_ADDRESS || address == PEER_ADDRESS ? ": HOST" : ": OTHER");
    put(" port ");
    if (port >= first_port && port < first_port + 10u) put_number(port - first_port);
    else put(port ? "some" : "none");
    put("\n");
}

struct sockaddr_in address_of(uint32_t address, unsigned port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)(first_port + port)), .sin_addr = {htonl(address)}};
}

int stream(void) { return socket(AF_INET, SOCK_STREAM, 0); }

int datagrams(unsigned port) {
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(fd, ANY(port))) say("bind", -1);
    return fd;
}

int listening(unsigned port) {
    const int fd = stream();
    if (bind(fd, ANY(port)) || listen(fd, 5)) say("listen", -1);
    return fd;
}

int connected(unsigned port) {
    const int fd = stream();
    if (connect(fd, PEER(port))) say("connect", -1);
    return fd;
}

pair_t pair(unsigned port) {
    const int listener = listening(port);
    pair_t both = {.a = connected(port)};
    both.b = accept(listener, 0, 0);
    if (both.b < 0) say("accept", -1);
    close(listener);
    return both;
}

void nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

int set(int fd, int level, int option, int value) { return setsockopt(fd, level, option, &value, sizeof value); }

int get(int fd, int level, int option) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, level, option, &value, &length) ? -1 : value;
}

short ready(int fd, short events, int timeout_ms) {
    struct pollfd one = {.fd = fd, .events = events};
    const int count = poll(&one, 1, timeout_ms);
    return count < 0 ? -1 : one.revents;
}

void settle(void) { usleep(2000); }

void pattern(uint8_t *bytes, unsigned count, unsigned seed) {
    for (unsigned i = 0; i < count; i++) bytes[i] = (uint8_t)(i * 7u + i / 251u + seed * 37u);
}

bool is_pattern(const uint8_t *bytes, unsigned count, unsigned seed) {
    for (unsigned i = 0; i < count; i++)
        if (bytes[i] != (uint8_t)(i * 7u + i / 251u + seed * 37u)) return false;
    return true;
}

#define THREADS 2u
static unsigned threads;
static void (*entries[THREADS])(void);
#ifdef NSOC_SOCKET_H
static os_thread_t objects[THREADS];
static OS_STACK(stacks[THREADS], 4096);
static volatile unsigned over;

static void enter(void *argument) {
    entries[(uintptr_t)argument]();
    over++;
}

void begin(void (*entry)(void)) {
    entries[threads] = entry;
    objects[threads] = (os_thread_t){0};
    os_thread_start(&objects[threads], "other", 10, enter, (void *)(uintptr_t)threads, stacks[threads], sizeof stacks[0]);
    threads++;
}

void join(void) {
    while (over != threads) usleep(100);
    over = threads = 0;
}
#else
static pthread_t objects[THREADS];

static void *enter(void *argument) {
    entries[(uintptr_t)argument]();
    return 0;
}

void begin(void (*entry)(void)) {
    entries[threads] = entry;
    pthread_create(&objects[threads], 0, enter, (void *)(uintptr_t)threads);
    threads++;
}

void join(void) {
    while (threads) pthread_join(objects[--threads], 0);
}
#endif

int main(void) {
    static const case_t *const tables[] = {cases_open, cases_stream, cases_poll, cases_datagram, cases_options, cases_end,
                                           cases_threads, cases_names, cases_edges, cases_multicast};
    first_port = 20000;
#ifndef NSOC_SOCKET_H
    first_port += (uint16_t)(getpid() % 7 * 1600);  // others than in the run before, whose ports may be in TIME-WAIT
    signal(SIGPIPE, SIG_IGN);
#endif
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const case_t *one = tables[i]; one->name; one++, first_port += 10) {
            put("== ");
            put(one->name);
            put("\n");
            one->run();
            for (int fd = 3; fd < LAST_FD; fd++) close(fd);
            settle();
        }
    }
    put("== end\n");
#ifdef NSOC_SOCKET_H
    uart_puts("end\n");
#endif
    return 0;
}
