// SPDX-License-Identifier: Apache-2.0
//
// The response side of a memory port: `rsp` comes straight from the memory's read register in the cycle after the
// access; a response that is not taken at once moves to a skid register, so `room` is a register and one access a
// cycle goes on for as long as responses are taken.
//
//     cycle        0       1       2       3
//     access     A ---   B ---
//     mem_data           A ====  B ======       the read register changes only with an access
//     rsp                A stall A taken B      A waits in the skid register, B in the read register
//     room       1       1       0       1      no access in cycle 2
//
// Latency: none of its own. A write's data and an error's data are 0.
module mem_response
  import acb_pkg::*;
(
  input  logic              clk,
  input  logic              rst,
  input  logic              access,    // an access is made in this cycle; only when there is room
  input  logic              read,
  input  logic              err,
  input  logic [DATA_W-1:0] mem_data,  // of the latest read: in the cycle after it and until the next access
  output logic              room,

  output acb_rsp_t          rsp,
  output logic              rsp_valid,
  input  logic              rsp_ready
);

  logic     fresh_valid_q, fresh_read_q, fresh_err_q, skid_valid_q;
  acb_rsp_t fresh, skid_q;

  always_comb begin
    fresh.err  = fresh_err_q;
    fresh.data = fresh_read_q ? mem_data : '0;
  end

  assign room      = !skid_valid_q;
  assign rsp       = skid_valid_q ? skid_q : fresh;
  assign rsp_valid = skid_valid_q || fresh_valid_q;

  always_ff @(posedge clk) begin
    if (access) begin
      fresh_read_q <= read && !err;
      fresh_err_q  <= err;
    end
    if (!skid_valid_q) begin
      skid_q        <= fresh;
      fresh_valid_q <= access;
    end
    skid_valid_q <= rsp_valid && !rsp_ready;
    if (rst) begin
      fresh_valid_q <= 1'b0;
      skid_valid_q  <= 1'b0;
    end
  end

  a_only_with_room : assert property (@(posedge clk) disable iff (rst) !access || room);

endmodule
