// SPDX-License-Identifier: Apache-2.0
//
// dma_copy with a copy of any length from anywhere to anywhere, and two memories that answer when they like. It reads
// only dwords of the source and writes only bytes of the destination. A byte of it, freely chosen, is followed: it is
// written once, with the value that was read. A copy ends when all is answered; it has failed if and only if there was
// an error, of the kind that it says, and if it has not, the byte was written. Requests stay until they are taken.
module fv_dma_copy
  import acb_pkg::acb_m2s_t, acb_pkg::acb_s2m_t, dma_regs_pkg::command_t;
#(
  parameter int unsigned READS  = 2,
  parameter int unsigned WRITES = 2
) (
  input logic        clk,
  input logic        valid,
  input logic [31:0] any_source,
  input logic [31:0] any_destination,
  input command_t    any_command,
  input logic [23:0] any_place,
  input logic [7:0]  any_value,
  input logic [63:0] read_data,
  input logic [1:0]  likes_request,  // 1: the memory that is written
  input logic [1:0]  likes_answer,
  input logic [1:0]  errs
);

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  // The copy, and which of its bytes is followed: as in the cycle of the reset.
  logic [31:0] source, destination;
  command_t    command;
  logic [23:0] place;
  logic [7:0]  value;

  always_ff @(posedge clk) if (rst) begin
    source      <= any_source;
    destination <= any_destination;
    command     <= any_command;
    place       <= any_place;
    value       <= any_value;
  end

  m_place : assume property (@(posedge clk) disable iff (rst) place < command.bytes);

  acb_m2s_t    read_m2s, write_m2s;
  acb_s2m_t    read_s2m, write_s2m;
  logic        ended, failed, failed_write, going_q, over_q;
  logic [31:0] crc;
  logic [15:0] sum;

  dma_copy #(.READS(READS), .WRITES(WRITES)) dut (.*, .valid(going_q));

  // Once begun `valid` stays until the end, and there is no second one.
  always_ff @(posedge clk) begin
    going_q <= !rst && !over_q && !ended && (going_q || valid);
    over_q  <= !rst && (over_q || ended);
  end

  logic [31:0] from, to;  // where the followed byte is
  logic [1:0]  ready, answers;
  logic        read_marked, unused_marked;
  logic [2:0]  reading, writing;

  logic [28:0] last_dword;  // of the source, from its first one on

  assign from       = source + 32'(place);
  assign last_dword = 29'((32'(source[2:0]) + 32'(command.bytes) - 1) >> 3);
  assign to         = destination + 32'(place);

  fv_slave #(.DEPTH(4)) reader (
    .clk, .rst, .likes_request(likes_request[0]), .likes_answer(likes_answer[0]), .req_valid(read_m2s.req_valid),
    .req_ready(ready[0]), .req_marked(read_m2s.req.address[31:3] == from[31:3]), .rsp_valid(answers[0]),
    .rsp_ready(read_m2s.rsp_ready), .rsp_marked(read_marked), .count(reading)
  );
  fv_slave #(.DEPTH(4)) writer (
    .clk, .rst, .likes_request(likes_request[1]), .likes_answer(likes_answer[1]), .req_valid(write_m2s.req_valid),
    .req_ready(ready[1]), .req_marked(1'b0), .rsp_valid(answers[1]), .rsp_ready(write_m2s.rsp_ready),
    .rsp_marked(unused_marked), .count(writing)
  );

  always_comb begin
    read_s2m  = '{req_ready: ready[0], rsp: '{err: errs[0], data: read_data}, rsp_valid: answers[0]};
    write_s2m = '{req_ready: ready[1], rsp: '{err: errs[1], data: '0}, rsp_valid: answers[1]};
    if (read_marked && !errs[0]) read_s2m.rsp.data[8 * (7 - from[2:0]) +: 8] = value;
  end

  // ---- What goes out
  logic       read_goes, write_goes, is_place, written_q, wrong, err_q, write_err_q, read_err_q;
  logic [7:0] ours;

  assign read_goes  = read_m2s.req_valid && ready[0];
  assign write_goes = write_m2s.req_valid && ready[1];
  assign is_place   = write_m2s.req.address[31:3] == to[31:3];

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      ours[7 - i] = {write_m2s.req.address[31:3], 3'(i)} - destination < 32'(command.bytes);
    end
  end

  assign wrong = !write_m2s.req.byte_mask[7 - to[2:0]] || write_m2s.req.write_data[8 * (7 - to[2:0]) +: 8] != value;

  acb_pkg::acb_req_t read_before_q, write_before_q;
  logic              read_stays_q, write_stays_q;

  always_ff @(posedge clk) begin
    written_q      <= !rst && (written_q || (write_goes && is_place));
    read_err_q     <= !rst && (read_err_q || (answers[0] && errs[0]));
    write_err_q    <= !rst && (write_err_q || (answers[1] && errs[1]));
    read_before_q  <= read_m2s.req;
    write_before_q <= write_m2s.req;
    read_stays_q   <= !rst && read_m2s.req_valid && !ready[0];
    write_stays_q  <= !rst && write_m2s.req_valid && !ready[1];
  end

  assign err_q = read_err_q || write_err_q;

  a_reads : assert property (@(posedge clk) disable iff (rst)
    read_m2s.req_valid -> read_m2s.req.read && !read_m2s.req.lock && read_m2s.req.address[35:32] == '0
                          && read_m2s.req.address[31:3] - source[31:3] <= last_dword);
  a_writes : assert property (@(posedge clk) disable iff (rst)
    write_m2s.req_valid -> !write_m2s.req.read && !write_m2s.req.lock && write_m2s.req.address[35:32] == '0
                           && (write_m2s.req.byte_mask & ~ours) == '0 && !command.no_write);
  a_followed : assert property (@(posedge clk) disable iff (rst)
    write_m2s.req_valid && is_place -> !wrong && !written_q);
  a_stays : assert property (@(posedge clk) disable iff (rst)
    (read_stays_q -> read_m2s.req_valid && read_m2s.req == read_before_q)
    && (write_stays_q -> write_m2s.req_valid && write_m2s.req == write_before_q));
  a_answers_taken : assert property (@(posedge clk) disable iff (rst) read_m2s.rsp_ready && write_m2s.rsp_ready);
  a_end : assert property (@(posedge clk) disable iff (rst)
    ended -> going_q && reading == '0 && writing == '0 && !read_m2s.req_valid && !write_m2s.req_valid
             && failed == err_q && (failed -> failed_write ? write_err_q : read_err_q)
             && (failed || command.no_write || written_q));
  a_quiet : assert property (@(posedge clk) disable iff (rst)
    !going_q -> !read_m2s.req_valid && !write_m2s.req_valid && !ended);

  logic unused;
  assign unused = &{1'b0, crc, sum, unused_marked, read_goes};

endmodule
