// SPDX-License-Identifier: Apache-2.0
// Direct cache access: UDP datagrams between the data cache and the network by custom-0 instructions (docs/dca.md).
//
// Sockets are the numbers of the registers toe_udp.local_ports that are open and direct. Each call is one instruction;
// it waits unless DCA_NO_WAIT is given, and ends with -4 (EINTR) when an interrupt is pending. Errors are -errno as
// Linux has them.
#ifndef NSOC_DCA_H
#define NSOC_DCA_H

#include <stdint.h>

enum { DCA_TCP_STORE, DCA_TCP_LOAD, DCA_UDP_STORE, DCA_UDP_LOAD, DCA_NEXT_EVENT, DCA_COMMAND, DCA_STATUS };  // funct3
enum { DCA_NO_WAIT = 1, DCA_PEEK = 2, DCA_HEADER = 4 };  // funct7
enum { DCA_PEER_ADDRESS, DCA_PEER_PORT, DCA_OPTIONS };  // commands
enum { DCA_WAITING, DCA_LENGTH, DCA_DROPS };  // items
enum { DCA_EVENT_UDP = 1 << 16 };  // in bits [31:16] of an event; [15:0] is the socket

// `funct3` and `flags` are constants.
#define DCA(funct3, flags, rs1, rs2)                                                           \
    ({                                                                                         \
        int32_t dca_rd;                                                                        \
        __asm__ volatile(".insn r 0x0b, %1, %2, %0, %3, %4"                                    \
                         : "=r"(dca_rd)                                                        \
                         : "i"(funct3), "i"(flags), "r"((uint32_t)(rs1)), "r"((uint32_t)(rs2)) \
                         : "memory");                                                          \
        dca_rd;                                                                                \
    })

// Bytes moved, or -errno. `bytes` of payload; with DCA_HEADER the buffer has 32 more in front.
#define DCA_UDP_SEND(socket, buffer, bytes, flags) \
    DCA(DCA_UDP_STORE, flags, (uintptr_t)(buffer), (uint32_t)(socket) << 16 | (uint16_t)(bytes))
#define DCA_UDP_RECEIVE(socket, buffer, bytes, flags) \
    DCA(DCA_UDP_LOAD, flags, (uintptr_t)(buffer), (uint32_t)(socket) << 16 | (uint16_t)(bytes))

// DCA_EVENT_UDP | socket, 0 after so many cycles, or -errno. `mask`: a bit a UDP socket.
static inline int32_t dca_next_event(uint32_t cycles, uint32_t mask) { return DCA(DCA_NEXT_EVENT, 0, cycles, mask); }

// 0, or -errno.
static inline int32_t dca_command(uint32_t socket, uint32_t opcode, uint32_t argument) {
    return DCA(DCA_COMMAND, 0, argument, socket << 16 | opcode);
}

// The value, or -errno.
static inline int32_t dca_status(uint32_t socket, uint32_t item) { return DCA(DCA_STATUS, 0, 0, socket << 16 | item); }

#endif
