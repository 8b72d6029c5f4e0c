// SPDX-License-Identifier: Apache-2.0
//
// Transmit stamps: tags of the frames that want one wait here for the MAC's stamp, which becomes PTP time and waits
// with its tag for the processor.
//
//     ask (nic_tx_engine) --> tags --+
//     MAC's stamps, in order --------+--> converter --> stamps --> tx_stamp registers
//
// DEPTH requests at most are outstanding or unread: `room` says whether one more may be made; a request without room is
// lost, and the frame goes without. A request ends in `whole`, and the MAC will give one stamp, after the frame's last
// beat; or in `aborted`, and it will give none.
//
// Latency: MAC's stamp to the stamp at the processor's end: two cycles more than nic_stamp_converter takes, about eight
// to ten, and 21 at most. Stamps must be as far apart (line rate has one every 84 cycles).
module nic_tx_stamps
  import nic_pkg::*;
  import nic_regs_pkg::*;
#(
  parameter int unsigned LAG   = 0,    // see nic_stamp_converter
  parameter int unsigned DEPTH = 16
) (
  input  logic        clk,
  input  logic        rst,
  input  logic [31:0] time_now,
  input  logic [91:0] ptp_now,
  input  logic [31:0] ptp_increment,

  // Transmit engine
  input  tx_stamp_req_t req,
  output logic        room,

  // MAC
  input  logic [31:0] tx_stamp,
  input  logic        tx_stamp_valid,

  // Registers
  output tx_stamp_t   oldest,          // .valid: there is one
  input  logic        take,            // takes it, if there is one
  output logic [63:0] taken_ns         // the time of the last one taken
);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("nic_tx_stamps: DEPTH must be a power of two of at least 2");
  end

  localparam int unsigned COUNT_W = $clog2(DEPTH) + 1;

  logic               asked, stamped, tag_valid, done, busy_q, oldest_valid;
  logic [15:0]        first_tag, tag_q, oldest_tag;
  logic [63:0]        converted, oldest_ns, taken_ns_q;
  logic               converted_valid;
  logic [COUNT_W-1:0] used_q;          // requests made whose stamp is not yet read

  assign room    = !used_q[COUNT_W-1];
  assign asked   = req.ask && room;
  assign stamped = tx_stamp_valid && tag_valid;
  assign done    = busy_q && converted_valid;

  fifo_sync #(.WIDTH(16), .DEPTH(DEPTH)) u_tags (
    .clk,
    .rst,
    .in_data  (req.tag),
    .in_valid (req.whole),
    .out_data (first_tag),
    .out_valid(tag_valid),
    .out_ready(tx_stamp_valid),
    /* verilator lint_off PINCONNECTEMPTY */  // `used_q` knows
    .in_ready (),
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  nic_stamp_converter #(.LAG(LAG)) u_converter (
    .clk,
    .rst,
    .time_now,
    .ptp_now,
    .increment    (ptp_increment),
    .convert_valid(stamped),
    .convert_stamp(tx_stamp),
    .converted_valid,
    .converted
  );

  fifo_sync #(.WIDTH(80), .DEPTH(DEPTH)) u_stamps (
    .clk,
    .rst,
    .in_data  ({tag_q, converted}),
    .in_valid (done),
    .out_data ({oldest_tag, oldest_ns}),
    .out_valid(oldest_valid),
    .out_ready(take),
    /* verilator lint_off PINCONNECTEMPTY */
    .in_ready (),
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  always_comb begin
    oldest       = '0;
    oldest.valid = oldest_valid;
    oldest.tag   = oldest_tag & {16{oldest_valid}};
  end

  always_ff @(posedge clk) begin
    used_q <= used_q + COUNT_W'(asked) - COUNT_W'(req.aborted) - COUNT_W'(take && oldest_valid);
    if (stamped) begin
      tag_q  <= first_tag;
      busy_q <= 1'b1;
    end else if (done) begin
      busy_q <= 1'b0;
    end
    if (take && oldest_valid) taken_ns_q <= oldest_ns;
    if (rst) begin
      used_q     <= '0;
      busy_q     <= 1'b0;
      taken_ns_q <= '0;
    end
  end

  assign taken_ns = taken_ns_q;

  a_used : assert property (@(posedge clk) disable iff (rst) used_q <= COUNT_W'(DEPTH));
  a_stamp_is_awaited : assert property (@(posedge clk) disable iff (rst) !tx_stamp_valid || tag_valid);
  a_stamps_apart : assert property (@(posedge clk) disable iff (rst)
    !(stamped && busy_q) || done);

endmodule
