// SPDX-License-Identifier: Apache-2.0
//
// AFB, the peripheral bus: 36-bit byte addresses, 32-bit data; the same two valid/ready channels, one response for
// each request in order, as the ACB (acb_pkg). byte_mask[3] belongs to write_data[31:24].
// Bit positions: thesis, Tables A.4 and A.5.
package afb_pkg;

  localparam int unsigned ADDR_W = 36;
  localparam int unsigned DATA_W = 32;

  typedef struct packed {
    logic              lock;        // [73]
    logic              read;        // [72] 1 read, 0 write
    logic [3:0]        byte_mask;   // [71:68]
    logic [ADDR_W-1:0] address;     // [67:32]
    logic [DATA_W-1:0] write_data;  // [31:0]
  } afb_req_t;

  typedef struct packed {
    logic              err;   // [32]
    logic [DATA_W-1:0] data;  // [31:0]
  } afb_rsp_t;

  // The two directions of a port: all that the master drives, all that the slave drives.
  typedef struct packed {
    afb_req_t req;
    logic     req_valid;
    logic     rsp_ready;
  } afb_m2s_t;

  typedef struct packed {
    logic     req_ready;
    afb_rsp_t rsp;
    logic     rsp_valid;
  } afb_s2m_t;

  // An access as the registers behind afb_endpoint see it.
  typedef struct packed {
    logic              read;        // one is made in this cycle
    logic              write;       // the same
    logic [5:0]        id;          // of the register: bits [7:2] of the address
    logic [3:0]        byte_mask;
    logic [DATA_W-1:0] write_data;
  } access_t;

  // What a register holds after a write: the bytes that byte_mask names are new.
  function automatic logic [DATA_W-1:0] merged(
    input logic [DATA_W-1:0] old, input logic [DATA_W-1:0] write_data, input logic [3:0] byte_mask
  );
    for (int i = 0; i < 4; i++) merged[8*i +: 8] = byte_mask[i] ? write_data[8*i +: 8] : old[8*i +: 8];
  endfunction

endpackage
