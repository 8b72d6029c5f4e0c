// SPDX-License-Identifier: Apache-2.0
//
// How a 64-bit access of the core bus becomes a 32-bit one of the peripheral bus, for acb_to_afb and acb_side_port.
// byte_mask chooses the half: lanes [63:32] are the word at address bit 2 = 0, lanes [31:0] the one at address bit 2 =
// 1 (an empty mask goes by the address). Read data comes back in the half that was asked, the other half is 0. An
// access to both halves is answered err = 1, without an access to a device: two device accesses could have two side
// effects, and only one answer.
package acb_to_afb_pkg;

  typedef struct packed {
    logic both;  // touches both halves: refused
    logic low;   // lanes [31:0]
  } half_t;

  function automatic half_t half_of(input logic [7:0] byte_mask, input logic address_2);
    half_of.both = |byte_mask[7:4] && |byte_mask[3:0];
    half_of.low  = byte_mask == '0 ? address_2 : |byte_mask[3:0];
  endfunction

  function automatic afb_pkg::afb_req_t narrow(input acb_pkg::acb_req_t request, input logic low);
    narrow.lock       = request.lock;
    narrow.read       = request.read;
    narrow.byte_mask  = low ? request.byte_mask[3:0] : request.byte_mask[7:4];
    narrow.address    = {request.address[35:3], low, 2'b00};
    narrow.write_data = low ? request.write_data[31:0] : request.write_data[63:32];
  endfunction

  function automatic acb_pkg::acb_rsp_t widen(input afb_pkg::afb_rsp_t response, input half_t half);
    widen = '0;
    if (half.both) widen.err = 1'b1;
    else begin
      widen.err = response.err;
      if (half.low) widen.data[31:0] = response.data;
      else widen.data[63:32] = response.data;
    end
  endfunction

endpackage
