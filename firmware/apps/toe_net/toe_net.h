// SPDX-License-Identifier: Apache-2.0
// What the files of `toe_net` share.
#ifndef NSOC_TOE_NET_H
#define NSOC_TOE_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "toe.h"
#include "writer.h"

// Own address is 02-00-00-00-00-STATION and 10.0.0.STATION.
#ifndef STATION
#define STATION 2u
#endif
// Of each listener: connections whose handshake is under way, or that the program has not been told of.
#ifndef BACKLOG
#define BACKLOG 64u
#endif

// A service: called once when the engine is up. On UDP there are none yet: echo.c and iperf.c are their place, and
// toe_ring_end() (toe.h) says where the rest of the packet memory begins.
typedef toe_result_t service_t(void);
service_t echo_init;   // echo.c: echo on port 7, discard on 9, chargen on 19
service_t http_init;   // http.c: port 80
service_t iperf_init;  // iperf.c: iperf 2 server on 5001

// Takes all that comes and closes when the peer does: for any connection that nobody reads.
toe_handler_t discard;

// ---- iperf.c: the client ----

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

// The page, piece by piece; {0} is before the first. False: there was none. A piece has at most PAGE_PIECE characters.
#define PAGE_PIECE 1300u
typedef struct {
    uint32_t stage, group, next;
} page_t;
bool page_next(page_t *p, writer_t *w);

#endif
