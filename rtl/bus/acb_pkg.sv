// SPDX-License-Identifier: Apache-2.0
//
// ACB, the core bus: 36-bit byte addresses, 64-bit data, one request channel and one response channel.
//
// Both channels are valid/ready: a transfer happens on a clock edge where both are high; `valid` never waits for
// `ready` and does not fall before the transfer. Every request, a write too, gets exactly one response, in order.
//
// Lanes are big-endian: write_data[63:56] and byte_mask[7] belong to the lowest byte address. `address` may point
// anywhere in the dword; a slave looks at address[35:3] and byte_mask (a read's byte_mask says which bytes matter).
// A read with `lock` holds the arbiter for its master until that master's next unlocked access.
// Bit positions: thesis, Tables A.2 and A.3.
package acb_pkg;

  localparam int unsigned ADDR_W = 36;
  localparam int unsigned DATA_W = 64;

  typedef struct packed {
    logic              lock;        // [109]
    logic              read;        // [108] 1 read, 0 write
    logic [7:0]        byte_mask;   // [107:100]
    logic [ADDR_W-1:0] address;     // [99:64]
    logic [DATA_W-1:0] write_data;  // [63:0]
  } acb_req_t;

  typedef struct packed {
    logic              err;   // [64]
    logic [DATA_W-1:0] data;  // [63:0]
  } acb_rsp_t;

  // The two directions of a port: all that the master drives, all that the slave drives.
  typedef struct packed {
    acb_req_t req;
    logic     req_valid;
    logic     rsp_ready;
  } acb_m2s_t;

  typedef struct packed {
    logic     req_ready;
    acb_rsp_t rsp;
    logic     rsp_valid;
  } acb_s2m_t;

endpackage
