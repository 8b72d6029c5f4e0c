// SPDX-License-Identifier: Apache-2.0
//
// The slave's end of the AFB: it takes requests, says which register they are about, and gives the responses. What the
// registers are is the business of the block around it: L2 counters, interrupt controller, timer, UART.
//
//     afb_m2s --> access (read, write, id, ...) --> registers --> read_data, err --+--> skid buffer --> afb_s2m
//                 write_data, byte_mask ------------------------> new_data <-------+
//
// The block looks at `access.id` and shows in the same cycle what that register holds, or err = 1 when there is none.
// In a cycle with `access.write` it may take `new_data`: what the register holds, with the bytes that the write names.
// In a cycle with `access.read` it may do what a read does beside reading. The answer to a write carries no data.
//
//     cycle          0       1       2
//     request        A       B
//     access         A       B               id, read_data and err in the same cycle
//     response               A       B
//
// Latency: response one cycle after the request. Throughput: one access a cycle. `afb_s2m` is registered.
module afb_endpoint
  import afb_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  afb_m2s_t    afb_m2s,
  output afb_s2m_t    afb_s2m,

  output access_t     access,
  output logic [31:0] new_data,   // what the register holds after a write
  input  logic [31:0] read_data,  // what the register holds
  input  logic        err         // there is no such register
);

  afb_rsp_t response;
  logic     room;

  assign access = '{
    read:       afb_m2s.req_valid && room && afb_m2s.req.read,
    write:      afb_m2s.req_valid && room && !afb_m2s.req.read,
    id:         afb_m2s.req.address[7:2],
    byte_mask:  afb_m2s.req.byte_mask,
    write_data: afb_m2s.req.write_data
  };

  assign new_data          = merged(read_data, afb_m2s.req.write_data, afb_m2s.req.byte_mask);
  assign response          = '{err: err, data: read_data & {32{afb_m2s.req.read}}};
  assign afb_s2m.req_ready = room;

  skid_buffer #(.WIDTH($bits(afb_rsp_t))) u_response (
    .clk,
    .rst,
    .in_data  (response),
    .in_valid (afb_m2s.req_valid),
    .in_ready (room),
    .out_data (afb_s2m.rsp),
    .out_valid(afb_s2m.rsp_valid),
    .out_ready(afb_m2s.rsp_ready)
  );

  // The router has looked at the upper address bits, and nothing behind it is locked.
  logic unused;
  assign unused = &{1'b0, afb_m2s.req.lock, afb_m2s.req.address};

endmodule
