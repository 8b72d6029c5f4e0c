// SPDX-License-Identifier: Apache-2.0
// Groups (multicast) of the TCP/IP engine: groups.h with the engine's clock, addresses and places. IGMP goes by the
// NIC.
#ifndef NSOC_TOE_GROUPS_H
#define NSOC_TOE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "groups.h"
#include "toe.h"

// Behind toe_init.
void toe_groups_init(const toe_config_t *config);

groups_result_t toe_groups_join(uint32_t group);
groups_result_t toe_groups_leave(uint32_t group);

// Whether a frame of the NIC is an IGMP message (toe_frame_taker). The buffer stays the caller's.
bool toe_groups_take(nsoc_buffer_t *buffer);

// Says what is due. Microseconds until it is to be called again, 0: not before a join or a message. Called sooner it
// takes some cycles only.
uint32_t toe_groups_tick(void);

#endif
