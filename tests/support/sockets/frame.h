// SPDX-License-Identifier: Apache-2.0
// What the cases of this folder share. They are one program, for Linux and for the SoC: what it prints is compared.
//
// Both ends of each connection are in the program. On Linux that is loopback; the SoC has a mirror as its neighbour,
// that sends all back that comes for PEER (tests/support/sockets_mirror.py).
#ifndef FRAME_H
#define FRAME_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef NSOC_SOCKET_H
#define OWN_ADDRESS 0x0A000002u
#define PEER_ADDRESS 0x0A00004Du  // 10.0.0.77
#else
#define OWN_ADDRESS 0x7F000001u
#define PEER_ADDRESS 0x7F000001u
#endif

// Prints the text of a call and what it returned; errno, when that is -1.
#define SAY(call) say(#call, (errno = 0, (long)(call)))
void say(const char *what, long result);

// The first `count` of these bytes; -1 as above.
void say_bytes(const char *what, const void *bytes, long count);

// A name: PEER, OWN, ANY, or another address, and the port as the distance from the case's first one, or "some".
void say_name(const char *what, const struct sockaddr_in *name);

// Each case has its own ports, from here on.
extern uint16_t first_port;

struct sockaddr_in address_of(uint32_t address, unsigned port);
#define ANY(port)                                                                                 \
    (struct sockaddr *)&(struct sockaddr_in){.sin_family = AF_INET,                               \
                                             .sin_port = htons((uint16_t)(first_port + (port)))}, \
        sizeof(struct sockaddr_in)
#define AT(address, port)                                                                                         \
    (struct sockaddr *)&(struct sockaddr_in){                                                                     \
        .sin_family = AF_INET, .sin_port = htons((uint16_t)(first_port + (port))), .sin_addr = {htonl(address)}}, \
        sizeof(struct sockaddr_in)
#define PEER(port) AT(PEER_ADDRESS, port)

int stream(void);
int datagrams(unsigned port);   // bound to it
int listening(unsigned port);
int connected(unsigned port);   // to it, of ours
typedef struct {
    int a, b;  // a has connected, b was accepted
} pair_t;
pair_t pair(unsigned port);

void nonblocking(int fd);
int set(int fd, int level, int option, int value);
int get(int fd, int level, int option);  // -1 and errno
short ready(int fd, short events, int timeout_ms);  // revents
void settle(void);               // all that is under way arrives
uint32_t now_ms(void);
void pattern(uint8_t *bytes, unsigned count, unsigned seed);
bool is_pattern(const uint8_t *bytes, unsigned count, unsigned seed);

// Threads, two at most.
void begin(void (*entry)(void));
void join(void);                 // until all are over

typedef struct {
    const char *name;
    void (*run)(void);
} case_t;
#define CASE(name) {#name, name}
extern const case_t cases_open[], cases_stream[], cases_poll[], cases_datagram[], cases_options[], cases_end[],
    cases_threads[], cases_names[], cases_edges[], cases_multicast[];

#endif
