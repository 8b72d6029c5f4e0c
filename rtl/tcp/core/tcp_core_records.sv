// SPDX-License-Identifier: Apache-2.0
//
// The records: CONNECTIONS times BEATS rows of BEAT_W bits, a read and a write port. Where all that the engine knows of a
// connection lies between two events.
//
// After reset all rows are written with `write_data`, one a cycle (`ready` tells the end), which is to be zero until then:
// a record of zeros is closed, and nobody's. An index of CONNECTIONS or more, where there is one, is that of nobody: nothing is written, and what is read means nothing.
// Latency: a row is there the cycle behind its address. A row that is written in the cycle in which it is read
// comes out as it was or as it becomes: tcp_core does not do that.
module tcp_core_records
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic              clk,
  input  logic              rst,
  output logic              ready,

  input  index_t            read_index,
  input  logic [1:0]        read_row,
  output logic [BEAT_W-1:0] read_data,

  input  logic              write,
  input  index_t            write_index,
  input  logic [1:0]        write_row,
  input  logic [BEAT_W-1:0] write_data
);

  localparam int unsigned ROWS  = CONNECTIONS * BEATS;
  localparam int unsigned ROW_W = $clog2(ROWS);

  logic [BEAT_W-1:0] mem [ROWS];
  logic [BEAT_W-1:0] read_q;
  logic [ROW_W:0]    clear_q;   // the top bit: all are clear
  logic [ROW_W-1:0]  read_at, write_at;
  logic              written;

  assign ready     = clear_q[ROW_W];
  assign read_data = read_q;
  assign read_at   = ROW_W'({read_index, read_row});
  assign write_at  = ready ? ROW_W'({write_index, write_row}) : clear_q[ROW_W-1:0];

  always_ff @(posedge clk) begin
    if (rst) clear_q <= '0;
    else if (!ready) clear_q <= clear_q + 1'b1;
  end

  a_clear : assert property (@(posedge clk) disable iff (rst) !ready -> write_data == '0);

  assign written  = !ready || (write && (write_index >> $clog2(CONNECTIONS)) == '0);

  always_ff @(posedge clk) begin
    if (written) mem[write_at] <= write_data;
    read_q <= mem[read_at];
  end

endmodule
