// SPDX-License-Identifier: Apache-2.0
// What the files of `toe_net` share.
#ifndef NSOC_TOE_NET_H
#define NSOC_TOE_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "net_counters.h"
#include "toe.h"
#include "toe_ip.h"
#include "toe_udp.h"
#include "writer.h"

// Own address is 02-00-00-00-00-STATION and 10.0.0.STATION.
#ifndef STATION
#define STATION 2u
#endif
// 1: asks a DHCP server for an address, and has that one while nobody gives it another.
#ifndef NET_DHCP
#define NET_DHCP 0
#endif
// Of each listener: connections whose handshake is under way, or that the program has not been told of.
#ifndef BACKLOG
#define BACKLOG (TOE_CONNECTIONS < 255u ? TOE_CONNECTIONS : 255u)
#endif

// 1: a SYN that finds no place is answered by a reset.
#ifndef RESET_FULL
#define RESET_FULL 0
#endif

// A service: called once when the engine is up.
typedef toe_result_t service_t(void);
service_t echo_init;   // echo.c: echo on port 7, discard on 9, chargen on 19
service_t http_init;   // http.c: port 80
service_t iperf_init;  // iperf.c: iperf 2 server on 5001

#define ECHO_PORT 7u
#define DISCARD_PORT 9u
#define CHARGEN_PORT 19u
#define IPERF_PORT 5001u

// Takes all that comes and closes when the peer does: for any connection that nobody reads.
toe_handler_t discard;

// What chargen sends: so many characters from there on, again and again. A line has CHARGEN_LINE of them.
#define CHARGEN_LINE 74u
#define CHARGEN_BYTES (95u * CHARGEN_LINE)
extern char chargen_text[CHARGEN_BYTES];

// ---- udp.c: the same services on UDP ----

// The result is TOE_WRONG_VALUE when packet memory has no room for the ring.
toe_result_t udp_init(const toe_config_t *config);

// Takes datagrams, a few of each call. False: nothing was there.
bool udp_poll(void);

// ---- iperf.c: the client, and the server on UDP ----

// Takes a datagram. True: it was the last one of a stream, its report is in it, and it is to be sent back.
bool iperf_datagram(const toe_udp_datagram_t *datagram);

// False: another one is running, or the engine refuses.
bool iperf_start(uint32_t address, uint32_t seconds);

// Ends it when its time is over. Microseconds until then, 0: there is none.
uint32_t iperf_tick(void);

// ---- http.c ----

extern const char *const http_names[];
extern uint32_t http_counters[];
extern const unsigned http_counter_count;

// Ends connections whose other end does not go on. Microseconds until it is to be called again, 0: there are none.
uint32_t http_tick(void);

// ---- show.c ----

#define SHOW_CONNECTION 640u  // characters at most

// The connection as `ss -i` prints it, two lines.
void show_connection(writer_t *w, const toe_connection_t *c);

// A document is written piece by piece; {0} is before the first. A piece has at most PAGE_PIECE characters.
#define PAGE_PIECE 1300u
typedef struct {
    uint32_t stage, group, next;
    net_counters_place_t place;
    const char *title;  // of the group of counters
} page_t;

// Writes the next piece. False: there was none.
typedef bool page_next_t(page_t *p, writer_t *w);
page_next_t page_next;         // the page at /
page_next_t json_next;         // all counters
page_next_t connections_next;  // as `ss -i` prints them

#endif
