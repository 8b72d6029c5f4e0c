// SPDX-License-Identifier: Apache-2.0
//
// A programmable NIC between a host and a line: frames both ways at once (traffic.h), or what commands say
// (commands.h). Arguments are KEY=VALUE:
//
//   image=FILE            firmware, as for cluster.cpp
//   mailbox=N shown=N     where firmware has these (scratchpad addresses)
//   cores=N               as built
//   pieces=N              descriptors of a frame to be sent: 42 bytes and the rest, or all
//   core_fs mac_fs fm_fs host_fs    periods of the clocks
//   latency_ns jitter_ns mbps
//                         of the host: a read's, how much more it may be (then answers come in any order), and Mb/s
//                         each way (0: no limit)
//   bytes=N               of a frame, with FCS
//   slot=N                of a buffer of the host, and of SLOT_BYTES of the firmware
//   send=N receive=N      share of the line in each direction, in percent
//   warm_us window_us     nothing is counted in the first, and so long is measured
//   profile=FILE          which instructions took how long in the window, of all cores: lines
//                         `PC IDLE INSTRUCTIONS CYCLES FETCH LOAD CONFLICT PIPELINE`, the latter cycles lost by cause
//   round=PC idle=PC      where a round of the firmware's loop begins; where it comes by when it has found nothing
//   trace=FILE trace_us=N what happened in the window's first N us (trace_file.h)
//   every_ns=N            a frame each way so often, not sooner
//   commands=1            instead of all this: does what the standard input says (commands.h)
//   bad=N bad_every=M     every M-th frame to be sent has a bad first descriptor: 1 of no byte, 2 of 10000, 3 at an
//                         address that the host refuses. It must not come to the line
//   no_buffers_us=N       so long the host has no buffers for what is received
//   pause_us=N            behind the first 100 us the host's memory does not answer for so long
//   reset_us=N            at that time everything is reset, may not touch the host's memory any more, and is started
//                         again; what comes then is counted from there on
//   mailbox_us=N          at that time, for 50 us, the host says that it has posted 5000 descriptors more than it has
//   traps=1               a core that traps is told at the end, by lines `trapped CORE PC MCAUSE`, and the others go on
//   frames=N              instead: until so many have come each way
//   seed=N
//
// Lines, at the end:
//
//   window SENT RECEIVED CORE_CYCLES INTERRUPTS
//                         frames on the line in the window, received ones if they are delivered; parts of them count
//   words MASTER ..       of the scratchpad that moved in it: the cores', those of each assist, the host's
//   beats CLIENT ..       of the frame memory
//   retired N ROWS        instructions of all cores; rows of the instruction memory that were read
//   mac COUNT ..          since the beginning, as in mac_stat_t from its lowest bit on
//   shown COUNT ..        what firmware shows of the assists' counters
//   total GIVEN SENT OFFERED DELIVERED
//                         since the beginning: frames that the host has given, that were on the line, that were on the
//                         line towards the NIC, that the host has got
//   places ADDRESS ..     as told by the command of that name
//   simulated CYCLES EVALUATIONS EDGES
//                         since the beginning: cycles of the cores, evaluations of the model, edges of all clocks
//
// Exit status 1, and a sentence, when a frame was wrong, out of order or lost and not counted, or nothing moves.
#include <cstdio>
#include <exception>

#include "commands.h"
#include "traffic.h"

int main(int argc, char **argv) {
    try {
        const Options options(argc, argv);
        if (options.number("commands")) Commands(options).serve();
        else Traffic(options).run();
    } catch (const std::exception &problem) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
