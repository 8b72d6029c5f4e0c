// SPDX-License-Identifier: Apache-2.0
// lwIP's view of compiler and processor.
#ifndef NSOC_LWIP_ARCH_CC_H
#define NSOC_LWIP_ARCH_CC_H

#include <stdint.h>

#include "arch.h"
#include "byte_order.h"

#undef BYTE_ORDER
#define LITTLE_ENDIAN 1234
#define BIG_ENDIAN 4321
#define BYTE_ORDER (BYTES_BIG_ENDIAN ? BIG_ENDIAN : LITTLE_ENDIAN)

// One instruction each where the processor has it.
#define lwip_htons(x) NSOC_BE16(x)
#define lwip_htonl(x) NSOC_BE32(x)
#define LWIP_DONT_PROVIDE_BYTEORDER_FUNCTIONS

#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_CTYPE_H 1
#define LWIP_NO_UNISTD_H 1
#define SSIZE_MAX INT32_MAX
typedef int32_t ssize_t;
#define X8_F "x"
#define U16_F "u"
#define S16_F "d"
#define X16_F "x"
#define U32_F "u"
#define S32_F "d"
#define X32_F "x"
#define SZT_F "u"

#define LWIP_PLATFORM_DIAG(x) ((void)0)
#define LWIP_PLATFORM_ASSERT(x) ((void)0)  // LWIP_NOASSERT: nothing calls it

uint32_t port_random(void);
#define LWIP_RAND() port_random()

// The number that digits say (lwip_port.c).
int port_number(const char *text);

// The Internet checksum of bytes in memory (lwip_port.c).
uint16_t port_checksum(const void *data, int bytes);
#define LWIP_CHKSUM port_checksum

// Copies of a size that is known are loads and stores. Ethernet addresses lie at even places.
#if LWIP_THREADS || ARCH_FLAT
// Six bytes are an Ethernet address.
#define SMEMCPY(to, from, bytes)                                                        \
    do {                                                                                \
        if ((bytes) == 6) ETHADDR16_COPY(to, from);                                     \
        else __builtin_memcpy(to, from, bytes);                                         \
    } while (0)
#else
#define SMEMCPY(to, from, bytes) __builtin_memcpy(to, from, bytes)
#endif
#define ETHADDR16_COPY(to, from)                                                    \
    do {                                                                            \
        volatile uint16_t *t_ = (volatile uint16_t *)(void *)(to);                  \
        const volatile uint16_t *f_ = (const volatile uint16_t *)(const void *)(from); \
        uint16_t a_ = f_[0], b_ = f_[1], c_ = f_[2];                                \
        t_[0] = a_, t_[1] = b_, t_[2] = c_;                                         \
    } while (0)
#define ETHADDR32_COPY ETHADDR16_COPY

#include "nsoc_regs.h"

#endif
