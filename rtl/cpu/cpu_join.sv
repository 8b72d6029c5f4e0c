// SPDX-License-Identifier: Apache-2.0
//
// Between the processor slots and their router: joins N cores into the one master that the router knows, and says where
// their requests get their place among those to DRAM whose each is. With one core it is a wire.
//
// Latency: with N > 1 that of acb_arbiter, a cycle each way; with N = 1 none. Throughput one request a cycle.
//
// Why DRAM wants to know. A core's data cache must drop the lines that the other cores write, but not those that it writes
// itself. Router and DRAM arbiter keep the order of the cores' requests, so a short queue of owners, filled where requests
// enter the router and emptied where they leave the arbiter, tells them apart again.
//
// What holds between cores (N > 1):
//   - An access that is locked excludes the other cores, here, and the NIC, at the memory: an AMO (cpu_lsu: a locked read
//     and an unlocked write) is one step for everybody, in local memory and in DRAM.
//   - SC fails if anybody has written the word since LR, whatever was written (cpu_reservations).
//   - A store that is answered (a fence and an atomic with .rl wait for that) has been shown to the other data caches:
//     a core that learns of it afterwards finds no old line. Without these, stores to local memory and to DRAM may
//     change places.
//   - Instruction caches follow nobody: fence.i.
module cpu_join
  import acb_pkg::*;
#(
  parameter int unsigned N         = 1,
  parameter logic [35:0] DRAM_BASE = '0,
  parameter logic [35:0] DRAM_MASK = '1
) (
  input  logic             clk,
  input  logic             rst,
  input  acb_m2s_t [N-1:0] in_m2s,
  output acb_s2m_t [N-1:0] in_s2m,
  output acb_m2s_t         out_m2s,
  input  acb_s2m_t         out_s2m,
  // Behind the DRAM arbiter: a request of the cores goes out; whose the oldest is, one-hot
  input  logic             dram_taken,
  output logic [N-1:0]     dram_owner
);

  if (N == 1) begin : g_one
    assign out_m2s    = in_m2s[0];
    assign in_s2m[0]  = out_s2m;
    assign dram_owner = 1'b1;

    logic unused;
    assign unused = &{1'b0, clk, rst, dram_taken, DRAM_BASE, DRAM_MASK};
  end else begin : g_several
    localparam int unsigned UNDER_WAY = 8;  // more than router (2) and arbiter (2) hold of one master

    logic [N-1:0] master;
    logic         enters, room, known;

    acb_arbiter #(.N(N)) u_arbiter (
      .clk,
      .rst,
      .in_m2s,
      .in_s2m,
      .out_m2s,
      .out_s2m,
      .out_master(master)
    );

    assign enters = out_m2s.req_valid && out_s2m.req_ready && (out_m2s.req.address & DRAM_MASK) == DRAM_BASE;

    fifo_sync #(.WIDTH(N), .DEPTH(UNDER_WAY)) u_owners (
      .clk,
      .rst,
      .in_data  (master),
      .in_valid (enters),
      .in_ready (room),
      .out_data (dram_owner),
      .out_valid(known),
      .out_ready(dram_taken),
      /* verilator lint_off PINCONNECTEMPTY */  // nobody asks how many are under way
      .occupancy()
      /* verilator lint_on PINCONNECTEMPTY */
    );

    a_room : assert property (@(posedge clk) disable iff (rst) enters -> room);
    a_known : assert property (@(posedge clk) disable iff (rst) dram_taken -> known);
  end

endmodule
