// SPDX-License-Identifier: Apache-2.0
// Which groups' frames the MAC lets in. Its filter has a bit for each of 64 hashes of an Ethernet address
// (regs/nic.rdl), and groups share bits: each bit is set as long as one of its groups is wanted. So more may come than
// is wanted, and whoever takes it looks at its address.
#ifndef NSOC_MAC_GROUPS_H
#define NSOC_MAC_GROUPS_H

#include <stdint.h>

#include "nic.h"

// An IPv4 group, the first byte highest. Each add has its remove; up to 255 groups of one hash. The filter is kept
// through nic_init, and lost in a reset of the NIC.
void mac_groups_add(nsoc_nic_t *nic, uint32_t group);
void mac_groups_remove(nsoc_nic_t *nic, uint32_t group);

#endif
