// SPDX-License-Identifier: Apache-2.0
//
// The network's C interface: SoCs, host programs, TAP devices and switches, joined by cables in one simulated time. It
// is a library of its own, since each preset's simulator is one. src/nsoc/network/network.py is its only user in this
// tree.
//
// Links are the ends of lines. They have numbers from 0, in the order in which they were made.
//
// Time is in femtoseconds since the network was made. The time of an octet is when it is whole.
//
// What comes is the same in whatever order links were made, in whatever order calls to different links come between two
// runs, and wherever runs stop. Only what a TAP device brings is from outside.
//
// Calls fail as those of nsoc_sim.h do: with -1 or NULL, and nsoc_network_error() says why. The simulations of SoCs
// must live at least as long as the network.
#ifndef NSOC_NETWORK_H
#define NSOC_NETWORK_H

#include <stdint.h>

#include "nsoc_sim.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define NSOC_MOST_LINKS 4096u

typedef struct nsoc_network nsoc_network_t;

// A time during which something rests.
typedef struct {
    uint64_t at_fs, for_fs;
} nsoc_pause_t;

// What one way of a cable does to frames; 0 in all fields is nothing. A frame has one fate; where several are drawn, it
// is the first of these: lost, corrupted, changed, duplicated, reordered.
//
// A way stores each frame, which adds the frame's own time, when it may have a fate from `wrong_bytes` on, jitter, a
// drain or stalls. What leaves it then keeps the interframe gap, in the order in which it came but for what is
// reordered.
typedef struct {
    double loss;  // probability that a frame vanishes
    double burst_loss;  // share of the frames that vanish in bursts, less than 1; ...
    double burst_frames;  // ... of so many frames on average, at least 1 (Gilbert's model)
    double corrupt;  // probability that 1 to 3 bits of the first 60 bytes flip, under the FCS that the frame had
    double wrong_bytes;  // that 1 to NSOC_MOST_CHANGES bytes behind the Ethertype change, under an FCS made for them
    double duplicate;  // that a frame comes twice, the second time behind 0 to `behind_frames` later ones
    double reorder;  // that a frame comes behind 1 to `behind_frames` later ones
    uint64_t hold_fs;  // a frame, or its copy, that waits for later ones leaves after this time at the latest
    uint64_t delay_fs;  // more than the cable's
    uint64_t jitter_fs;  // each frame is late by up to this, in order
    uint64_t drain_fs;  // the receiver takes a byte of a frame in this time, from a queue; 0: as fast as the line
    uint64_t queue_bytes;  // of that queue: frames (without FCS) that do not fit are dropped
    const nsoc_pause_t *stalls;  // the receiver takes no next frame; in order, of network time
    const nsoc_pause_t *downs;  // nothing goes in; a frame on its way ends there
    uint32_t behind_frames;  // at least 1
    uint32_t stall_count, down_count;
} nsoc_faults_t;

#define NSOC_MOST_CHANGES 8u
#define NSOC_MOST_BEHIND 1000u

// What was done to a frame: a line of the log.
typedef struct {
    uint64_t frame;  // counts what goes in, from 0
    uint32_t cable, way;  // way 0: from a to b
    uint32_t fate;  // NSOC_CABLE_PASSED to NSOC_CABLE_OVERFLOWED; that comes later, as a second line of the frame
    uint32_t behind;  // duplicated, reordered: behind so many later frames
    uint64_t jitter_fs;
    uint32_t changes;  // so many bytes are other ones
    uint32_t places[NSOC_MOST_CHANGES];  // 0: the first byte of the destination address
    uint8_t masks[NSOC_MOST_CHANGES];  // of the bits that are turned
} nsoc_fate_t;

#define NSOC_ADDRESS_TIME 8u  // a flag of a departure

typedef struct {
    // The preamble does not begin before; 0: as soon as the line is free. With NSOC_ADDRESS_TIME: the first byte of the
    // destination address does not come before.
    uint64_t not_before_fs;
    uint32_t ifg;  // idle bytes before it, at least 1
    uint32_t flags;  // NSOC_BAD_FCS, NSOC_RAW, NSOC_PAD, NSOC_ADDRESS_TIME
} nsoc_departure_t;

typedef struct {
    uint64_t start_fs, end_fs;  // first byte of the destination address, last byte of the FCS
} nsoc_stamps_t;

typedef struct {
    uint64_t start_fs, end_fs;  // first byte of the destination address, last byte of the FCS
    uint32_t bytes;  // without FCS
    uint32_t gap;  // idle bytes before the preamble, saturated
    uint32_t fcs_ok;
    uint32_t error;
} nsoc_arrival_t;

// What has become of frames: of a cable for each way, of a switch for all its ports.
enum {
    NSOC_CABLE_PASSED,
    NSOC_CABLE_LOST,
    NSOC_CABLE_CORRUPTED,  // bits flipped, under the FCS that it had
    NSOC_CABLE_CHANGED,  // other bytes, under an FCS made for them
    NSOC_CABLE_DUPLICATED,  // a copy that came besides; the frame itself counts as what it is without that
    NSOC_CABLE_REORDERED,  // held, and passed behind later ones
    NSOC_CABLE_CUT,  // ended on its way when the cable went down
    NSOC_CABLE_DOWN,  // lost because the cable was down
    NSOC_CABLE_OVERFLOWED,  // dropped by the receiver's queue
    NSOC_CABLE_HELD,  // stored at the moment
    NSOC_CABLE_COUNTS
};
enum {
    NSOC_SWITCH_FORWARDED,  // to the port behind which the destination is
    NSOC_SWITCH_FLOODED,  // to all other ports: the destination is a group or not known
    NSOC_SWITCH_FILTERED,  // the destination is behind the port that the frame came from
    NSOC_SWITCH_BAD,  // dropped: a wrong FCS, an error on the line, shorter than 64 bytes
    NSOC_SWITCH_RESERVED,  // dropped: for the bridge itself (01-80-C2-00-00-0x), as PAUSE is
    NSOC_SWITCH_FULL,  // not sent by a port whose queue was full, counted for each port
    NSOC_SWITCH_COUNTS
};
enum {
    NSOC_TAP_BAD,  // not handed out: a wrong FCS, an error on the line
    NSOC_TAP_REFUSED,  // not taken by the device: it is down, or full
    NSOC_TAP_COUNTS
};

uint32_t nsoc_network_abi_version(void);

// `seed` draws the faults of all cables.
nsoc_network_t *nsoc_network_create(uint64_t seed);
// From here on what cables do to frames is kept in a log, but for frames that pass as they are; nsoc_network_fates
// takes up to `capacity` lines from it, the oldest first, and returns how many.
int nsoc_network_log(nsoc_network_t *network);
int64_t nsoc_network_fates(nsoc_network_t *network, nsoc_fate_t *fates, uint64_t capacity);
// Cables draw nothing from here on but repeat these, of which none is NSOC_CABLE_OVERFLOWED: a queue that is as it was
// overflows again. Before the first cable.
int nsoc_network_replay(nsoc_network_t *network, const nsoc_fate_t *fates, uint64_t count);
int nsoc_network_destroy(nsoc_network_t *network);
const char *nsoc_network_error(const nsoc_network_t *network);

// New links; each call returns the number. A SoC is plugged in (nsoc_plug); its time goes on with the network's. A TAP
// device is given by its open file descriptor, which does not block; frames from there begin at the first nanosecond
// after they are found. A switch has `ports` links with successive numbers, of which the first is returned: it stores
// frames, learns addresses, and sends `latency_fs` after a frame's last byte; a frame that does not fit into what waits
// at a port, `queue_bytes` at most, is dropped there.
int64_t nsoc_network_soc(nsoc_network_t *network, nsoc_sim_t *sim, const nsoc_soc_calls_t *calls);
int64_t nsoc_network_host(nsoc_network_t *network);
int64_t nsoc_network_tap(nsoc_network_t *network, int descriptor);
int64_t nsoc_network_switch(nsoc_network_t *network, uint32_t ports, uint64_t latency_fs, uint64_t queue_bytes);

// Joins two links, which must be free and of the same rate; hosts, TAP devices and ports take the rate of a SoC, 1 Gb/s
// where there is none. An octet at one end comes out of the other `delay_fs` later, at least
// nsoc_network_least_delay(). `there`: from a to b. Returns the cable's number.
int64_t nsoc_network_cable(nsoc_network_t *network, uint64_t a, uint64_t b, uint64_t delay_fs,
                           const nsoc_faults_t *there, const nsoc_faults_t *back);
// Taps a cable: makes four links, to which nsoc_network_next and nsoc_network_take give the frames that go in and come
// out, way 0, and those that go in and come out, way 1, in the order of their times. Returns the first.
int64_t nsoc_network_tap_cable(nsoc_network_t *network, uint64_t cable);
// The shortest delay of a cable between these: links are simulated one after the other for as long as the shortest
// cable takes, but for eight octets.
int64_t nsoc_network_least_delay(const nsoc_network_t *network, uint64_t a, uint64_t b);

// Time passes to `time_fs`, and the TAP devices are looked at in each window. nsoc_network_work_to ends earlier, when
// all that is to be done is done: nothing is on its way, and all SoCs are at rest. nsoc_network_pass_to does not look
// at the TAP devices: what waits there goes on the line with the next look. nsoc_network_run_to and nsoc_network_await
// return when they have done about as much as takes a second on the wall: ask for the time. nsoc_network_await besides
// stops at the first multiple of `slice_fs` at which a frame waits at one of these hosts: 1 when one does, else 0.
int nsoc_network_run_to(nsoc_network_t *network, uint64_t time_fs);
int nsoc_network_await(nsoc_network_t *network, const uint64_t *links, uint32_t count, uint64_t time_fs,
                       uint64_t slice_fs);
int nsoc_network_work_to(nsoc_network_t *network, uint64_t time_fs);
int nsoc_network_pass_to(nsoc_network_t *network, uint64_t time_fs);
// Unless something comes from outside, nothing is sent before this time; nsoc_network_time_fs() when it is not known to
// be so, NSOC_LONGEST_FS at the latest.
int64_t nsoc_network_quiet_until_fs(const nsoc_network_t *network);
int64_t nsoc_network_time_fs(const nsoc_network_t *network);

// A host: queues a frame of 1 to NSOC_LONGEST_SEND bytes, and when it will be on the line; frames not completely sent;
// frames that came and wait; the oldest of them (1, or 0 for none); its bytes, and it is removed. Of a TAP device: what
// came from outside, for the record.
int nsoc_network_send(nsoc_network_t *network, uint64_t link, const uint8_t *data, uint32_t bytes,
                      const nsoc_departure_t *departure, nsoc_stamps_t *stamps);
int64_t nsoc_network_octet_fs(const nsoc_network_t *network, uint64_t link);
int64_t nsoc_network_queued(const nsoc_network_t *network, uint64_t link);
int64_t nsoc_network_pending(const nsoc_network_t *network, uint64_t link);
int nsoc_network_next(const nsoc_network_t *network, uint64_t link, nsoc_arrival_t *arrival);
int nsoc_network_take(nsoc_network_t *network, uint64_t link, uint8_t *data, uint64_t capacity);

// Counts, up to `capacity`, and how many there are. `way` 0: from a to b. A switch is named by any of its links.
int nsoc_network_cable_counts(const nsoc_network_t *network, uint64_t cable, uint32_t way, uint64_t *values,
                              uint32_t capacity);
int nsoc_network_tap_counts(const nsoc_network_t *network, uint64_t link, uint64_t *values, uint32_t capacity);
int nsoc_network_switch_counts(const nsoc_network_t *network, uint64_t link, uint64_t *values, uint32_t capacity);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
