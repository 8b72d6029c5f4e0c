// SPDX-License-Identifier: Apache-2.0
//
// Taps (trace_pkg) of the TCP/IP engine, in the NIC's clock. A segment that comes meets them in the order segment,
// tcp's arrival, began, decided, placed; one that goes in the order tcp's turn, began, told, sent, and leaves.
package toe_pkg;

  typedef enum logic [1:0] {LEAVES_NIC, LEAVES_TCP, LEAVES_IP, LEAVES_ARP} leaves_t;

  typedef struct packed {
    tcp_pkg::tcp_taps_t tcp;
    trace_pkg::tap_t    segment;  // the last beat of a segment goes from net to tcp_rx
    trace_pkg::tap_t    kept;     // a frame has ended in net, or goes to UDP: not to NIC or TCP; detail: the member of
                                  // net_rx_stat_t
    trace_pkg::tap_t    leaves;   // the third beat of a frame goes to the MAC; detail: leaves_t
  } toe_taps_t;

endpackage
