// SPDX-License-Identifier: Apache-2.0
// Echo by direct cache access: UDP on port 7, from the network into the data cache and back by two instructions. nsoc
// bench sockets measures it (dca-udp).
#include "dca.h"
#include "toe.h"
#include "uart.h"

#define PORT 7u
#define STATION 2u
#define SOCKET 0u

static uint8_t buffer[DCA_LINE + DCA_UDP_MOST + 16u] __attribute__((aligned(32)));

int main(void) {
    const toe_config_t config = toe_station(STATION);
    if (!NSOC_HAS_DCA || toe_init(&config) != TOE_OK) return 1;
    dca_udp_open(SOCKET, PORT);
    uart_puts("ready\n");
    for (;;) {
        const int32_t bytes = dca_udp_load(DCA_HEADER, buffer, SOCKET, DCA_UDP_MOST);
        if (bytes >= 0) (void)dca_udp_store(DCA_HEADER, buffer, SOCKET, bytes);
        else (void)toe_poll();  // an interrupt: frames for the NIC, or something of TCP
    }
}
