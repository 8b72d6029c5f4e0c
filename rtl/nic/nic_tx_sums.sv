// SPDX-License-Identifier: Apache-2.0
//
// Puts IPv4, TCP and UDP sums into frames that ask for it, between the shifter of nic_tx_engine and its output
// register.
//
//     in ----------------------------------> out      a frame that does not ask
//      |                                      ^
//      +--> store (a frame) --> sums put in --+       one that does
//      +--> nic_sums ----------------^
//
// A frame that asks is stored until its last beat is there and its sums are known, then goes out with them; nothing
// comes in meanwhile, so the order is kept. One that does not ask passes by. What stands in the places of the sums does
// not matter. The sum is the complement of the others' sum; a UDP sum of 0 goes out as 0xFFFF, which is the same and
// does not say that there is none.
//
// A frame for which one of the sums that it asks for cannot be made (see nic_sums) goes out as it came: `unfit`, in a
// cycle between its last beat and its first one out, unless it is `bad`.
//
// Latency: none; of a frame that asks, n beats long, n + 5 cycles from its first beat in to its first one out.
// Throughput: a beat a cycle; such frames n beats in 2 n + 5 cycles at the best, 8 beats in 21 (of 84 at line rate).
// Borders: out through a multiplexer, in_ready through a gate from registers and out_ready.
module nic_tx_sums
  import frame_pkg::*;
  import nic_pkg::*;
#(
  parameter int unsigned MAX_BYTES = 1518  // of a frame
) (
  input  logic         clk,
  input  logic         rst,

  input  tx_frame_t    in_frame,
  output logic         in_ready,
  input  sums_wanted_t wanted,    // the same for all beats of a frame
  output tx_frame_t    out_frame,
  input  logic         out_ready,
  output logic         unfit      // pulse
);

  localparam int unsigned DEPTH   = 1 << $clog2((MAX_BYTES + 7) / 8);
  localparam int unsigned INDEX_W = $clog2(DEPTH);

  typedef enum logic [2:0] {PASS, PAIRS, SUM, FOLD, DRAIN} state_t;

  state_t state_q;
  logic   asks, store, leaves;  // a beat comes into the store; the last one leaves it

  assign asks     = wanted != '0;
  assign store    = state_q == PASS && in_frame.valid && asks;
  assign in_ready = state_q == PASS && (asks || out_ready);

  // ---- The store ---------------------------------------------------------------------------------------------------

  logic [63:0]        beats [DEPTH];
  logic [INDEX_W-1:0] in_q, out_q;    // the next beat's place
  logic [7:0]         last_keep_q;
  logic               bad_q, stamp_wanted_q;
  sums_wanted_t       wanted_q;

  always_ff @(posedge clk) begin
    if (store) begin
      beats[in_q]    <= in_frame.beat.tdata;
      last_keep_q    <= in_frame.beat.tkeep;
      bad_q          <= in_frame.user.bad;
      stamp_wanted_q <= in_frame.user.stamp_wanted;
      wanted_q       <= wanted;
    end
  end

  // ---- The sums ----------------------------------------------------------------------------------------------------

  nic_sums_t   sums;
  logic [16:0] ip_fold_q, l4_fold_q;
  logic [15:0] ip_sum_q, l4_sum_q;
  logic        unfit_q;

  nic_sums #(.INSERT(1'b1)) u_sums (
    .clk,
    .start(rst || leaves),
    .valid(store),
    .last (in_frame.beat.tlast),
    .data (in_frame.beat.tdata),
    .keep (in_frame.beat.tkeep),
    .sums
  );

  // Folded once, and once more: the carry of the first time is at most one, that of the second none.
  always_ff @(posedge clk) begin
    ip_fold_q <= 17'(sums.ip_sum[15:0]) + 17'(sums.ip_sum[20:16]);
    l4_fold_q <= 17'(sums.l4_sum[15:0]) + 17'(sums.l4_sum[31:16]);
    ip_sum_q  <= ~(ip_fold_q[15:0] + 16'(ip_fold_q[16]));
    l4_sum_q  <= sums.udp && l4_fold_q == 17'h0FFFF ? '1 : ~(l4_fold_q[15:0] + 16'(l4_fold_q[16]));
    unfit_q   <= (wanted_q.ip_sum && !sums.ip) || (wanted_q.l4_sum && !sums.l4);
  end

  // ---- Out of the store: a register behind the memory, then the sums -----------------------------------------------

  logic [63:0] read_q, data_q;
  logic        read_valid_q, read_last_q, read_ip_q, read_l4_q;
  logic        data_valid_q, data_last_q, data_ip_q, data_l4_q;
  logic        take_data, take_read, more_q;
  frame_beat_t drained;

  assign take_data = out_ready || !data_valid_q;
  assign take_read = (take_data || !read_valid_q) && state_q == DRAIN;
  assign leaves    = data_valid_q && out_ready && data_last_q;

  always_ff @(posedge clk) begin
    if (take_read) begin
      read_q       <= beats[out_q];
      read_valid_q <= more_q;
      read_last_q  <= out_q == in_q;
      read_ip_q    <= out_q == INDEX_W'(3) && wanted_q.ip_sum && !unfit_q;
      read_l4_q    <= out_q == INDEX_W'(sums.l4_index) && wanted_q.l4_sum && !unfit_q;
      out_q        <= out_q + 1'b1;
      more_q       <= more_q && out_q != in_q;
    end
    if (take_data) begin
      data_q       <= read_q;
      data_valid_q <= read_valid_q;
      data_last_q  <= read_last_q;
      data_ip_q    <= read_ip_q;
      data_l4_q    <= read_l4_q;
    end
    if (state_q == PASS) begin
      out_q  <= '0;
      more_q <= 1'b1;
    end
    if (rst || leaves) begin
      read_valid_q <= 1'b0;
      data_valid_q <= 1'b0;
    end
  end

  always_comb begin
    drained = '{tlast: data_last_q, tdata: data_q, tkeep: data_last_q ? last_keep_q : 8'hFF};
    for (int unsigned i = 0; i < 4; i++) begin
      if (data_ip_q && sums.ip_lanes[i]) drained.tdata[16*i+:16] = ip_sum_q;
      if (data_l4_q && sums.l4_lanes[i]) drained.tdata[16*i+:16] = l4_sum_q;
    end
  end

  // ---- One after the other -----------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    unique case (state_q)
      PASS: if (store) begin
        if (in_frame.beat.tlast) state_q <= PAIRS;
        else in_q <= in_q + 1'b1;
      end
      PAIRS: state_q <= SUM;
      SUM:   state_q <= FOLD;   // nic_sums has them in this cycle
      FOLD:  state_q <= DRAIN;
      default: if (leaves) begin
        state_q <= PASS;
        in_q    <= '0;
      end
    endcase
    if (rst) begin
      state_q <= PASS;
      in_q    <= '0;
    end
  end

  always_comb begin
    out_frame = in_frame;
    if (state_q == PASS) out_frame.valid = in_frame.valid && !asks;
    else out_frame = '{user: '{bad: bad_q && data_last_q, stamp_wanted: stamp_wanted_q, steady: 1'b0},
                       beat: drained, valid: data_valid_q};
  end

  assign unfit = state_q == FOLD && unfit_q && !bad_q;

  a_store_holds : assert property (@(posedge clk) disable iff (rst) store && in_q == '1 -> in_frame.beat.tlast);

endmodule
