// SPDX-License-Identifier: Apache-2.0
// port.h of the transfer library on this machine: buffers, copies and time of a harness (harness.c).
#ifndef HARNESS_PORT_H
#define HARNESS_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "nsoc_regs.h"

#define PORT_TICKS_PER_US 1u
#define PORT_BUFFERS 64u

typedef struct port port_t;
typedef nsoc_buffer_t *port_answer_t;

typedef struct {
    uint32_t crc;
    uint16_t sum;
    bool failed;
} copy_result_t;
#define COPY_CRC 1u
#define COPY_SUM 2u
#define COPY_NO_WRITE 4u

uint32_t port_now(port_t *port);
port_answer_t port_ask(port_t *port);
static inline bool port_any(port_answer_t answer) { return answer != 0; }
static inline nsoc_buffer_t *port_take(port_answer_t answer) { return answer; }
nsoc_buffer_t *port_allocate(port_t *port);
void port_send(port_t *port, nsoc_buffer_t *buffer);
void port_free(port_t *port, nsoc_buffer_t *buffer);
bool copy_start(void *destination, const void *source, uint32_t bytes, uint32_t flags);
bool copy_take(copy_result_t *result);

#endif
