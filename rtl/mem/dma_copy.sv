// SPDX-License-Identifier: Apache-2.0
//
// Does the copies of `dma`, one at a time: reads the dwords of the source, shifts them to where the bytes belong in the
// destination, writes them, and sums the bytes that it writes.
//
//   read_m2s --> memory --> data FIFO --> take, shift --> out_q --> write_m2s --> memory
//                                         (prev_q)         +-----> dma_sums
//
// Each dword that holds bytes of the source is read once, each of the destination written once, in ascending order;
// bytes that are not of the destination are not in a write's mask. A read goes out only when there is room for its
// answer, so both ports take responses at once.
//
// ---- Shift
// A dword of the destination is the end of one dword of the source and the begin of the next: the two, side by side,
// `shift` bytes to the right, lower half. Where the source begins later in its dword than the destination in its own,
// its first one only fills prev_q (`prime_q`); else the first one begins the destination. Behind the source's last
// dword the rest of prev_q is still to be written.
//
// ---- Errors
// A read or a write that is answered with an error ends the copy: dwords that have not gone out are not written. What
// is under way is waited for. A copy ends, in any case, when all its requests have been answered.
//
// Overlap: up to READS dwords are read ahead, so a copy to a destination below its source is right.
//
// Latency: from `valid` to the first read two cycles; from an answer to its write at write_m2s two cycles. From the
// last answer to `ended` two cycles, and not less than 11 from the last write's first cycle if sums are wanted.
// Throughput: a dword a cycle on each port.
// Borders: requests come out of registers; what says how it ended comes from registers through a few gates. Responses
// are used in the cycle in which they arrive.
module dma_copy
  import acb_pkg::*;
  import dma_regs_pkg::command_t;
#(
  parameter int unsigned READS  = 16,  // under way or waiting to be written
  parameter int unsigned WRITES = 16   // under way
) (
  input  logic        clk,
  input  logic        rst,

  // A copy: stays until it has ended
  input  logic        valid,
  input  logic [31:0] source,
  input  logic [31:0] destination,
  input  command_t    command,

  // For one cycle, the last of `valid`; what it came to, in that cycle
  output logic        ended,
  output logic        failed,
  output logic        failed_write,  // it was a write
  output logic [31:0] crc,           // zero if not wanted, or failed
  output logic [15:0] sum,

  output acb_m2s_t    read_m2s,
  input  acb_s2m_t    read_s2m,
  output acb_m2s_t    write_m2s,
  input  acb_s2m_t    write_s2m
);

  if (READS < 2 || (READS & (READS - 1)) != 0) begin : g_bad_reads
    $error("dma_copy: READS must be a power of two of at least 2, the places of a FIFO");
  end

  localparam int unsigned DWORDS_W  = $bits(command.bytes) - 2;  // 2^24 - 1 bytes at worst touch 2^21 + 1 dwords
  localparam int unsigned READING_W = $clog2(READS + 1);
  localparam int unsigned WRITING_W = $clog2(WRITES + 1);

  // Dwords that hold so many bytes, from byte `first` of the first one on.
  function automatic logic [DWORDS_W-1:0] dwords(input logic [2:0] first, input logic [23:0] bytes);
    return bytes == '0 ? '0 : DWORDS_W'((25'(first) + 25'(bytes) + 25'd7) >> 3);
  endfunction

  // ---- The copy under way
  logic                running_q, failed_q, failed_write_q;
  logic [2:0]          trim_q;                    // bytes behind the destination in its last dword
  logic [2:0]          shift_q;
  logic                prime_q;                   // the next dword only fills prev_q
  logic                begin_q;                   // the next one that is made is the destination's first
  logic [DWORDS_W-1:0] reads_q, takes_q, makes_q; // dwords still to be asked for, to be taken from the FIFO, to be made
  logic                start;

  assign start = valid && !running_q;

  // ---- Reads
  logic [31:3]          read_index_q;
  logic                 read_valid_q, read_go;
  logic [READING_W-1:0] reading_q;  // asked for and not taken from the FIFO
  logic                 data_room, data_valid, take;
  acb_rsp_t             data;

  assign read_go  = running_q && !failed_q && reads_q != '0 && reading_q != READING_W'(READS)
                    && (!read_valid_q || read_s2m.req_ready);
  assign read_m2s = '{
    req: '{read: 1'b1, byte_mask: '1, address: {4'b0, read_index_q, 3'b0}, default: '0},
    req_valid: read_valid_q,
    rsp_ready: 1'b1
  };

  fifo_sync #(.WIDTH($bits(acb_rsp_t)), .DEPTH(READS)) u_data (
    .clk,
    .rst,
    .in_data  (read_s2m.rsp),
    .in_valid (read_s2m.rsp_valid),
    .in_ready (data_room),
    .out_data (data),
    .out_valid(data_valid),
    .out_ready(take),
    /* verilator lint_off PINCONNECTEMPTY */  // reading_q counts
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  // ---- From the FIFO to the dword that is written
  logic [63:0]          prev_q, out_q;
  logic [7:0]           mask_q;
  logic [31:3]          write_index_q;
  logic                 write_valid_q, made_q, last_q;
  logic [WRITING_W-1:0] writing_q;  // in write_valid_q, or not answered
  logic                 step, make, last, out_free;
  logic [7:0]           mask;
  logic [127:0]         shifted;

  assign out_free = command.no_write || (writing_q != WRITING_W'(WRITES) && (!write_valid_q || write_s2m.req_ready));
  assign step     = running_q && !failed_q && (takes_q != '0 ? data_valid : makes_q != '0) && out_free;
  assign take     = failed_q ? data_valid : step && takes_q != '0;
  assign make     = step && !prime_q && !(takes_q != '0 && data.err);
  assign last     = makes_q == DWORDS_W'(1);
  assign mask     = (begin_q ? 8'hFF >> destination[2:0] : 8'hFF) & (last ? 8'hFF << trim_q : 8'hFF);
  assign shifted  = {prev_q, data.data} >> {shift_q, 3'b0};

  assign write_m2s = '{
    req: '{byte_mask: mask_q, address: {4'b0, write_index_q, 3'b0}, write_data: out_q, default: '0},
    req_valid: write_valid_q,
    rsp_ready: 1'b1
  };

  always_ff @(posedge clk) begin
    if (read_go) begin
      reads_q      <= reads_q - 1'b1;
      read_valid_q <= 1'b1;
    end else if (read_s2m.req_ready) begin
      read_valid_q <= 1'b0;
    end
    if (read_valid_q && read_s2m.req_ready) read_index_q <= read_index_q + 1'b1;
    reading_q <= reading_q + READING_W'(read_go) - READING_W'(take);

    if (step) begin
      prime_q <= 1'b0;
      prev_q  <= data.data;
      if (takes_q != '0) takes_q <= takes_q - 1'b1;
    end
    if (make) begin
      out_q   <= shifted[63:0];
      mask_q  <= mask;
      makes_q <= makes_q - 1'b1;
      begin_q <= 1'b0;
    end
    made_q <= make;
    last_q <= last;
    if (make && !command.no_write) write_valid_q <= 1'b1;
    else if (write_s2m.req_ready) write_valid_q <= 1'b0;
    if (write_valid_q && write_s2m.req_ready) write_index_q <= write_index_q + 1'b1;
    writing_q <= writing_q + WRITING_W'(make && !command.no_write) - WRITING_W'(write_s2m.rsp_valid);

    if (!failed_q) failed_write_q <= write_s2m.rsp_valid && write_s2m.rsp.err;
    if (running_q && ((write_s2m.rsp_valid && write_s2m.rsp.err) || (step && takes_q != '0 && data.err))) begin
      failed_q <= 1'b1;
    end

    if (start) begin
      running_q     <= 1'b1;
      failed_q      <= 1'b0;
      trim_q        <= -(destination[2:0] + command.bytes[2:0]);
      shift_q       <= destination[2:0] - source[2:0];
      prime_q       <= source[2:0] > destination[2:0];
      begin_q       <= 1'b1;
      read_index_q  <= source[31:3];
      write_index_q <= destination[31:3];
      reads_q       <= dwords(source[2:0], command.bytes);
      takes_q       <= dwords(source[2:0], command.bytes);
      makes_q       <= dwords(destination[2:0], command.bytes);
    end
    if (ended) running_q <= 1'b0;
    if (rst) begin
      running_q     <= 1'b0;
      read_valid_q  <= 1'b0;
      write_valid_q <= 1'b0;
      reading_q     <= '0;
      writing_q     <= '0;
      made_q        <= 1'b0;
    end
  end

  // ---- Sums of what was made, a cycle later
  logic [63:0] summed;
  logic        sums_done;
  logic [31:0] made_crc;
  logic [15:0] made_sum;

  always_comb begin
    for (int i = 0; i < 8; i++) summed[8*i +: 8] = out_q[8*i +: 8] & {8{mask_q[i]}};
  end

  dma_sums u_sums (
    .clk,
    .rst,
    .start(running_q && begin_q),
    .skip (destination[2:0]),
    .valid(made_q),
    .last (last_q),
    .trim (trim_q),
    .data (summed),
    .done (sums_done),
    .crc  (made_crc),
    .sum  (made_sum)
  );

  // ---- The end
  logic summed_up, moved;  // nothing is to be summed any more; something was

  assign summed_up    = makes_q == '0 && !made_q && (sums_done || !(command.crc || command.sum));
  assign moved        = !failed_q && !begin_q;
  assign ended        = running_q && (failed_q || summed_up) && reading_q == '0 && writing_q == '0;
  assign failed       = failed_q;
  assign failed_write = failed_q && failed_write_q;
  assign crc          = made_crc & {32{command.crc && moved}};
  assign sum          = made_sum & {16{command.sum && moved}};

  logic unused;
  assign unused = &{1'b0, command.reserved0, command.irq, shifted[127:64], write_s2m.rsp.data};

  a_data_room : assert property (@(posedge clk) disable iff (rst) read_s2m.rsp_valid -> data_room && reading_q != '0);
  a_write_expected : assert property (@(posedge clk) disable iff (rst) write_s2m.rsp_valid -> writing_q != '0);

endmodule
