// SPDX-License-Identifier: Apache-2.0
//
// Which master of the ACB reaches which slave, as a table: a router for each master, an arbiter for each slave that
// several masters reach.
//
//   in[0] --> router --+------------> out[0]     a slave of one master: wires
//                      +--> arbiter -> out[1]     a slave of several
//   in[1] --> router --+
//
// REACHES[i][j] is 1 where master i reaches slave j, which claims the addresses with (address & MASK[j]) == BASE[j].
// Two slaves may claim the same addresses when no master reaches both: two ports of one memory. An address that none of
// a master's slaves claims is answered with err = 1.
//
// `out_master` is one-hot: whose request slave j is shown. `out_taken` is it in the cycle in which the slave takes it.
//
// A lock holds the arbiter of the slave that was accessed, no other. So no two masters that lock may share two slaves:
// each could hold one and wait for the other, because a master's responses come in order. Join such masters first, as
// cpu_join does with cores.
//
// Latency: request none and response one cycle for the router (bus_router), and one each for the arbiter (acb_arbiter)
// where there is one. Throughput: one request a cycle at each master and at each slave.
module acb_crossbar
  import acb_pkg::*;
#(
  parameter int unsigned MASTERS = 2,
  parameter int unsigned SLAVES  = 2,
  parameter logic [SLAVES-1:0][35:0]         BASE    = '0,
  parameter logic [SLAVES-1:0][35:0]         MASK    = '1,
  parameter logic [MASTERS-1:0][SLAVES-1:0]  REACHES = '1
) (
  input  logic                            clk,
  input  logic                            rst,

  input  acb_m2s_t [MASTERS-1:0]          in_m2s,
  output acb_s2m_t [MASTERS-1:0]          in_s2m,

  output acb_m2s_t [SLAVES-1:0]           out_m2s,
  input  acb_s2m_t [SLAVES-1:0]           out_s2m,
  output logic [SLAVES-1:0][MASTERS-1:0]  out_master,
  output logic [SLAVES-1:0][MASTERS-1:0]  out_taken
);

  // The table by column, and what the slaves of a master claim. Among those that a master reaches, slave j is as many
  // places up as there are such slaves below j; likewise with the masters of a slave.
  function automatic logic [SLAVES-1:0][MASTERS-1:0] by_slave();
    for (int unsigned i = 0; i < MASTERS; i++) for (int unsigned j = 0; j < SLAVES; j++) by_slave[j][i] = REACHES[i][j];
  endfunction

  function automatic logic [SLAVES-1:0][35:0] claimed(
    input logic [SLAVES-1:0] reaches, input logic [SLAVES-1:0][35:0] claims
  );
    int unsigned place;
    claimed = '0;
    place   = 0;
    for (int unsigned j = 0; j < SLAVES; j++) begin
      if (reaches[j]) begin
        claimed[place] = claims[j];
        place++;
      end
    end
  endfunction

  localparam logic [SLAVES-1:0][MASTERS-1:0] REACHED_BY = by_slave();

  acb_m2s_t [MASTERS-1:0][SLAVES-1:0] m2s;  // from each router; where a master does not reach a slave nobody looks
  acb_s2m_t [MASTERS-1:0][SLAVES-1:0] s2m;

  for (genvar i = 0; i < int'(MASTERS); i++) begin : g_master
    localparam int unsigned N = $countones(REACHES[i]);

    localparam logic [SLAVES-1:0][35:0] CLAIM_BASE = claimed(REACHES[i], BASE);
    localparam logic [SLAVES-1:0][35:0] CLAIM_MASK = claimed(REACHES[i], MASK);

    acb_m2s_t [N-1:0] out;
    acb_s2m_t [N-1:0] answer;

    if (N == 0) begin : g_nowhere
      $error("acb_crossbar: a master that reaches no slave");
    end

    acb_router #(.N(N), .BASE(CLAIM_BASE[N-1:0]), .MASK(CLAIM_MASK[N-1:0])) u_router (
      .clk,
      .rst,
      .in_m2s (in_m2s[i]),
      .in_s2m (in_s2m[i]),
      .out_m2s(out),
      .out_s2m(answer)
    );

    for (genvar j = 0; j < int'(SLAVES); j++) begin : g_slave
      localparam int unsigned PLACE = $countones(REACHES[i] & SLAVES'((1 << j) - 1));

      if (REACHES[i][j]) begin : g_reached
        assign m2s[i][j]     = out[PLACE];
        assign answer[PLACE] = s2m[i][j];
      end else begin : g_not
        assign m2s[i][j] = '0;
      end
    end
  end

  for (genvar j = 0; j < int'(SLAVES); j++) begin : g_slave
    localparam int unsigned N = $countones(REACHED_BY[j]);

    acb_m2s_t [N-1:0] in;
    acb_s2m_t [N-1:0] answer;
    logic     [N-1:0] shown;

    if (N == 0) begin : g_by_nobody
      $error("acb_crossbar: a slave that no master reaches");
    end

    assign out_taken[j] = out_master[j] & {MASTERS{out_m2s[j].req_valid && out_s2m[j].req_ready}};

    for (genvar i = 0; i < int'(MASTERS); i++) begin : g_master
      localparam int unsigned PLACE = $countones(REACHED_BY[j] & MASTERS'((1 << i) - 1));

      if (REACHES[i][j]) begin : g_reached
        assign in[PLACE]        = m2s[i][j];
        assign s2m[i][j]        = answer[PLACE];
        assign out_master[j][i] = shown[PLACE];
      end else begin : g_not
        assign s2m[i][j]        = '0;
        assign out_master[j][i] = 1'b0;
      end
    end

    if (N > 1) begin : g_shared
      acb_arbiter #(.N(N)) u_arbiter (
        .clk,
        .rst,
        .in_m2s    (in),
        .in_s2m    (answer),
        .out_m2s   (out_m2s[j]),
        .out_s2m   (out_s2m[j]),
        .out_master(shown)
      );
    end else begin : g_own
      assign out_m2s[j] = in[0];
      assign answer[0]  = out_s2m[j];
      assign shown      = 1'b1;
    end
  end

endmodule
