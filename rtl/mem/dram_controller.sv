// SPDX-License-Identifier: Apache-2.0
//
// Controller of one rank of DDR3 memory (ddr3_pkg): ACB slave in front, one command and up to one burst of data a cycle
// behind. It runs at a quarter of the memory clock, 200 MHz for DDR3-1600.
//
//   ACB --> dram_merge --bursts--> dram_scheduler --> commands
//             |   ^
//             |   '--- read bursts
//             '------- write bursts
//
// dram_merge gathers writes and reads of the same 64 bytes; dram_scheduler keeps rows open, refreshes, and meets the
// memory's times. Requests are answered in order, IN_FLIGHT of them under way; err is 0, as dram_port has refused
// what is not there. The address is an offset: bits [27:0]. A write is answered when the controller has it.
//
// Latency of a read in clk cycles, from the edge that takes the request to the edge that gives the response, with
// nothing before it: 7 + READ when its row is open, 10 + READ when its bank is closed, 13 + READ when another row is
// open and may be closed; READ = ddr3_pkg::read_cycles, 8 at 200 MHz. Behind a refresh up to 29 more. A write: 4
// cycles.
// Throughput: a request every other cycle.
//
// After reset the memory is brought up, with the waiting times of its data sheet; RESET_CYCLES and CKE_CYCLES shorten
// them for simulation. Requests wait meanwhile.
// Paths: outputs are registers but those of the handshakes of `acb`, behind a slice; see dram_scheduler for the rest.
module dram_controller
  import acb_pkg::*;
  import ddr3_pkg::*;
#(
  parameter int unsigned CLK_PS       = 5000,
  parameter int unsigned RESET_CYCLES = cycles(T_RESET_PS, 0, CLK_PS),
  parameter int unsigned CKE_CYCLES   = cycles(T_CKE_PS, 0, CLK_PS),
  parameter int unsigned IN_FLIGHT    = 32,
  parameter int unsigned HOLD_CYCLES  = 32  // how long a burst waits for more of it to be written or read
) (
  input  logic               clk,
  input  logic               rst,

  input  acb_m2s_t           acb_m2s,
  output acb_s2m_t           acb_s2m,

  output dram_command_t      command,
  output logic [BURST_W-1:0] write_data,       // with a WRITE
  output logic [MASK_W-1:0]  write_mask,       // 1: the byte is written
  input  logic [BURST_W-1:0] read_data,
  input  logic               read_data_valid,  // read_cycles(CLK_PS) after each READ

  output logic               idle              // for the simulator: nothing is under way, nothing held back
);

  dram_place_t op_place;
  logic        op_write, op_valid, op_ready, write_now, merge_idle, scheduler_idle;

  dram_merge #(
    .IN_FLIGHT  (IN_FLIGHT),
    .HOLD_CYCLES(HOLD_CYCLES)
  ) u_merge (
    .clk,
    .rst,
    .acb_m2s,
    .acb_s2m,
    .op_place,
    .op_write,
    .op_valid,
    .op_ready,
    .write_now,
    .write_data,
    .write_mask,
    .read_data,
    .read_data_valid,
    .idle(merge_idle)
  );

  dram_scheduler #(
    .CLK_PS      (CLK_PS),
    .RESET_CYCLES(RESET_CYCLES),
    .CKE_CYCLES  (CKE_CYCLES)
  ) u_scheduler (
    .clk,
    .rst,
    .op_place,
    .op_write,
    .op_valid,
    .op_ready,
    .command,
    .write_now,
    .idle(scheduler_idle)
  );

  assign idle = merge_idle && scheduler_idle;

endmodule
