// SPDX-License-Identifier: Apache-2.0
#include "nic_time.h"

uint64_t nic_ptp_now(nsoc_nic_t *nic) {
    uint32_t low = nic->ptp_low;  // first: this keeps the high word
    return (uint64_t)nic->ptp_high << 32 | low;
}

static void ptp_command(nsoc_nic_t *nic, uint64_t ns, uint32_t command) {
    nic->ptp_low = (uint32_t)ns;
    nic->ptp_high = (uint32_t)(ns >> 32);
    nic->ptp_command = command;
}

void nic_ptp_set(nsoc_nic_t *nic, uint64_t ns) { ptp_command(nic, ns, NSOC_NIC_PTP_COMMAND_SET); }

void nic_ptp_step(nsoc_nic_t *nic, int64_t ns) { ptp_command(nic, (uint64_t)ns, NSOC_NIC_PTP_COMMAND_STEP); }

bool nic_stamp_take(nsoc_nic_t *nic, uint16_t *tag, uint64_t *ns) {
    uint32_t stamp = nic->tx_stamp;
    if (!(stamp & NSOC_NIC_TX_STAMP_VALID)) return false;
    *tag = (uint16_t)(stamp & NSOC_NIC_TX_STAMP_TAG);
    *ns = (uint64_t)nic->tx_stamp_high << 32 | nic->tx_stamp_low;
    return true;
}
