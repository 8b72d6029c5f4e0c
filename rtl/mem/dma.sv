// SPDX-License-Identifier: Apache-2.0
//
// Copy engine: moves bytes between memories for the processor, any number to any address from any address, and says
// what their CRC-32 and their Internet checksum are. Registers on the AFB (regs/dma.rdl), two masters of the ACB, one
// that only reads and one that only writes.
//
//   afb --> source, destination, command --> command FIFO --> dma_copy --> result FIFO --> result, result_crc
//                                                             |      |
//                                                       read_m2s    write_m2s
//
// Commands are done one behind the other, each begins when all requests of the one before have been answered, and
// results come in their order. Commands and results that nobody has taken are at most DEPTH together; a command beyond
// is dropped and status.refused set. So no result is ever lost, and no register access waits.
//
// A result is there when every write of its command has been answered. Who reads it then finds in memory what was
// copied, and no data cache has an old line (l2_level).
//
// `irq` is high while results wait whose commands asked for it, a cycle behind them.
//
// Latency: response to a register access one cycle after the request. A command goes to dma_copy a cycle after the
// access that writes it, its result can be read a cycle after its end. Throughput: that of dma_copy.
// Borders: `afb_s2m`, `irq` and the requests come out of registers.
module dma
  import acb_pkg::*;
  import afb_pkg::afb_m2s_t, afb_pkg::afb_s2m_t, afb_pkg::access_t;
  import dma_regs_pkg::ID_SOURCE, dma_regs_pkg::ID_DESTINATION, dma_regs_pkg::ID_COMMAND, dma_regs_pkg::ID_RESULT,
         dma_regs_pkg::ID_RESULT_CRC, dma_regs_pkg::ID_STATUS, dma_regs_pkg::command_t, dma_regs_pkg::result_t,
         dma_regs_pkg::status_t;
#(
  parameter int unsigned DEPTH = 16  // commands, with results that nobody has taken
) (
  input  logic     clk,
  input  logic     rst,
  input  afb_m2s_t afb_m2s,
  output afb_s2m_t afb_s2m,
  output acb_m2s_t read_m2s,
  input  acb_s2m_t read_s2m,
  output acb_m2s_t write_m2s,
  input  acb_s2m_t write_s2m,
  output logic     irq
);

  if (DEPTH < 2 || DEPTH > 16 || (DEPTH & (DEPTH - 1)) != 0) begin : g_bad_depth
    $error("dma: DEPTH must be a power of two from 2 to 16, the most that its status can say");
  end

  localparam int unsigned COUNT_W = $clog2(DEPTH + 1);

  typedef struct packed {
    logic [31:0] source;
    logic [31:0] destination;
    command_t    command;
  } copy_job_t;

  typedef struct packed {
    logic        irq;
    result_t     result;
    logic [31:0] crc;
  } copy_outcome_t;

  access_t            access;
  logic [31:0]        read_data, new_data;
  logic               err;
  logic [31:0]        source_q, destination_q, result_crc_q;
  logic               refused_q, irq_q;
  logic [COUNT_W-1:0] held_q;      // commands without a result, and results that nobody has taken
  logic [COUNT_W-1:0] commands_q;  // of these the commands
  logic [COUNT_W-1:0] wanted_q;    // results that want an interrupt
  command_t           new_command;
  status_t            status, cleared;
  copy_job_t          job;
  copy_outcome_t      done, oldest;
  logic               command, push, pop, job_room, job_valid, done_valid, done_room, oldest_valid;
  logic               failed, failed_write;
  logic [31:0]        crc;
  logic [15:0]        sum;

  afb_endpoint u_endpoint (.*);

  assign new_command = new_data;
  assign cleared     = access.write_data;
  assign command     = access.write && access.id == ID_COMMAND;
  assign push        = command && held_q != COUNT_W'(DEPTH);
  assign pop         = access.read && access.id == ID_RESULT && oldest_valid;
  assign irq         = irq_q;

  always_ff @(posedge clk) begin
    if (access.write && access.id == ID_SOURCE) source_q <= new_data;
    if (access.write && access.id == ID_DESTINATION) destination_q <= new_data;
    if (access.write && access.id == ID_STATUS && access.byte_mask[2] && cleared.refused) refused_q <= 1'b0;
    if (command && !push) refused_q <= 1'b1;
    if (pop) result_crc_q <= oldest.crc;
    held_q     <= held_q + COUNT_W'(push) - COUNT_W'(pop);
    commands_q <= commands_q + COUNT_W'(push) - COUNT_W'(done_valid);
    wanted_q   <= wanted_q + COUNT_W'(done_valid && done.irq) - COUNT_W'(pop && oldest.irq);
    irq_q      <= wanted_q != '0;
    if (rst) begin
      source_q      <= '0;
      destination_q <= '0;
      result_crc_q  <= '0;
      refused_q     <= 1'b0;
      held_q        <= '0;
      commands_q    <= '0;
      wanted_q      <= '0;
      irq_q         <= 1'b0;
    end
  end

  assign status = '{refused: refused_q, results: 5'(held_q - commands_q), commands: 5'(commands_q),
                    default: '0};

  always_comb begin
    read_data = '0;
    err       = 1'b0;
    case (access.id)
      ID_SOURCE:      read_data = source_q;
      ID_DESTINATION: read_data = destination_q;
      ID_COMMAND:     read_data = '0;
      ID_RESULT:      read_data = oldest.result & {32{oldest_valid}};
      ID_RESULT_CRC:  read_data = result_crc_q;
      ID_STATUS:      read_data = status;
      default:        err = 1'b1;
    endcase
  end

  // ---- Commands, the copies, and their results
  /* verilator lint_off PINCONNECTEMPTY */  // held_q counts
  fifo_sync #(.WIDTH($bits(copy_job_t)), .DEPTH(DEPTH)) u_jobs (
    .clk,
    .rst,
    .in_data  ({source_q, destination_q, new_command}),
    .in_valid (push),
    .in_ready (job_room),
    .out_data (job),
    .out_valid(job_valid),
    .out_ready(done_valid),
    .occupancy()
  );

  dma_copy u_copy (
    .clk,
    .rst,
    .valid       (job_valid),
    .source      (job.source),
    .destination (job.destination),
    .command     (job.command),
    .ended       (done_valid),
    .failed      (failed),
    .failed_write(failed_write),
    .crc         (crc),
    .sum         (sum),
    .read_m2s,
    .read_s2m,
    .write_m2s,
    .write_s2m
  );

  assign done = '{
    irq: job.command.irq,
    result: '{valid: 1'b1, failed: failed, write: failed_write, with_crc: job.command.crc, sum: sum, default: '0},
    crc: crc
  };

  fifo_sync #(.WIDTH($bits(copy_outcome_t)), .DEPTH(DEPTH)) u_results (
    .clk,
    .rst,
    .in_data  (done),
    .in_valid (done_valid),
    .in_ready (done_room),
    .out_data (oldest),
    .out_valid(oldest_valid),
    .out_ready(pop),
    .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  logic unused;
  assign unused = &{1'b0, access, cleared};

  // What is held has its place in one of the FIFOs.
  a_counts : assert property (@(posedge clk) disable iff (rst) held_q <= COUNT_W'(DEPTH) && commands_q <= held_q
                              && (commands_q != '0 || !job_valid) && (held_q != commands_q || !oldest_valid));
  a_room : assert property (@(posedge clk) disable iff (rst) (push -> job_room) && (done_valid -> done_room));

endmodule
