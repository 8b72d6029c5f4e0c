// SPDX-License-Identifier: Apache-2.0
//
// Tests a range of memory from the NIC's side, in passes: each writes the whole range, or reads it and looks at it.
//
//     0, 1  address in address: each dword {~address, address}   4, 5  one bit of 32 walks: {~walking, walking}
//     2, 3  its complement: every bit was 0 and 1                6, 7  complement, each dword with another of 256 masks
//     8, 9  one write and one read outside of the range, at address[35:32] = F: both must answer with an error
//
// Requests go out as fast as memory takes them, responses are looked at one every three cycles. The first one that is
// not as expected stays in the outputs; the responses behind it are thrown away.
// Latency and throughput: 24 cycles a dword in all, where the memory has more than one request in flight.
module nic_selftest_memory
  import acb_pkg::*;
(
  input  logic        clk,
  input  logic        rst,

  input  logic        start,       // pulse while not busy
  input  logic [31:3] base,
  input  logic [31:3] dwords,      // at least 1
  output logic        busy,

  output acb_m2s_t    mem_m2s,
  input  acb_s2m_t    mem_s2m,

  // Of the first response that was not as expected: from `failed` on until the next start
  output logic        failed,
  output logic [3:0]  pass,
  output logic [31:2] address,
  output logic [31:0] expected,
  output logic [31:0] got,
  output logic        got_err
);

  typedef enum logic [1:0] {TAKE, COMPARE, JUDGE} phase_t;
  typedef enum logic [1:0] {ADDRESS, COMPLEMENT, WALKING, MASKS} pattern_t;

  logic        busy_q, load_q, pass_begin_q, issuing_q, failed_q, error_differs_q;
  logic [31:3] last_q, issue_q, check_q;  // the range's last dword; the next to ask for; the next to look at
  logic [3:0]  pass_q;
  logic [6:0]  flying_q;                  // requests without response
  phase_t      phase_q;
  acb_rsp_t    rsp_q;
  logic [7:0]  differs_q;                 // a bit for each byte
  pattern_t    pattern;
  logic        outside, reads, issued, taken, wrong, issue_last, check_last_q;
  logic [63:0] wanted;

  assign outside = pass_q[3];
  assign reads   = pass_q[0];
  assign pattern = pattern_t'(pass_q[2:1]);

  function automatic logic [63:0] plain(input logic [31:3] at, input logic walking);
    logic [31:0] word = walking ? 32'd1 << at[7:3] : {at, 3'b0};
    return {~word, word};
  endfunction

  function automatic logic [63:0] bytes_of(input logic [7:0] mask);
    for (int unsigned i = 0; i < 8; i++) bytes_of[8*i +: 8] = {8{mask[i]}};
  endfunction

  // ---- Requests ----------------------------------------------------------------------------------------------------

  assign mem_m2s = '{
    req: '{
      lock: 1'b0,
      read: reads,
      byte_mask: pattern == MASKS && !reads ? issue_q[10:3] : 8'hFF,
      address: {{4{outside}}, issue_q, 3'b0},
      write_data: plain(issue_q, pass_q[2]) ^ {64{pass_q[1]}}
    },
    req_valid: issuing_q,
    rsp_ready: phase_q == TAKE
  };
  assign issued     = issuing_q && mem_s2m.req_ready;
  assign issue_last = issue_q == last_q || outside;

  // ---- Responses ---------------------------------------------------------------------------------------------------

  assign taken = mem_s2m.rsp_valid && phase_q == TAKE;
  assign wrong = phase_q == JUDGE && (differs_q != '0 || error_differs_q) && !failed_q;

  always_comb begin
    wanted = plain(check_q, pass_q[2]);
    if (pattern == COMPLEMENT) wanted = ~wanted;
    if (pattern == MASKS) wanted ^= bytes_of(check_q[10:3]);
  end

  always_ff @(posedge clk) begin
    if (taken && !failed_q) rsp_q <= mem_s2m.rsp;
    check_last_q <= check_q == last_q || outside;  // neither moves between JUDGE and JUDGE
    if (phase_q == COMPARE && !failed_q) begin
      for (int unsigned i = 0; i < 8; i++) begin
        differs_q[i] <= reads && !outside && rsp_q.data[8*i +: 8] != wanted[8*i +: 8];
      end
      error_differs_q <= rsp_q.err != outside;
    end
    unique case (phase_q)
      TAKE:    if (taken) phase_q <= COMPARE;
      COMPARE: phase_q <= JUDGE;
      default: phase_q <= TAKE;
    endcase
    if (rst) phase_q <= TAKE;
  end

  // ---- Passes ------------------------------------------------------------------------------------------------------

  always_ff @(posedge clk) begin
    load_q       <= start;
    pass_begin_q <= load_q;
    flying_q     <= flying_q + 7'(issued) - 7'(taken);
    if (issued) begin
      if (issue_last || failed_q) issuing_q <= 1'b0;
      else issue_q <= issue_q + 1'b1;
    end
    if (phase_q == JUDGE) begin
      if (wrong) failed_q <= 1'b1;
      else if (!failed_q && !check_last_q) check_q <= check_q + 1'b1;
      else if (!failed_q && pass_q == 4'd9) busy_q <= 1'b0;
      else if (!failed_q) begin
        pass_q       <= pass_q + 1'b1;
        pass_begin_q <= 1'b1;
      end
    end
    if (failed_q && !issuing_q && flying_q == '0 && phase_q == TAKE) busy_q <= 1'b0;
    if (pass_begin_q) begin
      issue_q   <= base;
      check_q   <= base;
      issuing_q <= 1'b1;
    end
    if (start) begin
      busy_q   <= 1'b1;
      failed_q <= 1'b0;
      pass_q   <= '0;
      last_q   <= base + dwords;
    end
    if (load_q) last_q <= last_q - 1'b1;
    if (rst) begin
      busy_q       <= 1'b0;
      load_q       <= 1'b0;
      pass_begin_q <= 1'b0;
      issuing_q    <= 1'b0;
      failed_q     <= 1'b0;
      flying_q     <= '0;
      pass_q       <= '0;
    end
  end

  logic upper;  // the word to show is the dword's first, which has the lower address
  assign upper = differs_q[7:4] != '0;

  assign busy     = busy_q;
  assign failed   = failed_q;
  assign pass     = pass_q;
  assign address  = {check_q, !upper};
  assign expected = upper ? wanted[63:32] : wanted[31:0];
  assign got      = upper ? rsp_q.data[63:32] : rsp_q.data[31:0];
  assign got_err  = rsp_q.err;

  a_start : assert property (@(posedge clk) disable iff (rst) start -> !busy_q && dwords != '0);
  a_flying : assert property (@(posedge clk) disable iff (rst) taken -> flying_q != '0);
  a_ends_empty : assert property (@(posedge clk) disable iff (rst) !busy_q -> flying_q == '0 && !issuing_q);

endmodule
