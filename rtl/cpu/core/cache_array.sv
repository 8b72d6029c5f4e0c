// SPDX-License-Identifier: Apache-2.0
//
// Memories of a direct-mapped cache with 32-byte lines: data as 64-bit words in bus lanes, a tag with a valid bit for
// each line. Who fills it, and when, is the business of the icache and of the load/store unit.
//
// Latency: one cycle; `read` captures data and tag, which stay until the next `read`. `hit` compares the captured tag
// with `address`, the full address of that read. One read and one write a cycle; a read of what is written in the same
// cycle gives the old or the new value: do not rely on it.
// Dropping everything (also the way out of reset) walks over the lines: BYTES/32 cycles of `busy`.
//
// The clear port drops the line at an address's index, whatever line that is. It goes before the tag write port: what
// that wants to write in the same cycle is not written.
// With SNOOP a copy of the tags says which lines somebody else should drop: `snoop_hit` in the cycle after
// `snoop_address`, with the same grain of salt for a tag that was being written.
// With LINE the data lies in four memories, and a read gives a whole line besides the dword, a write with `line_write`
// takes one (`line_data`, by the bytes in `line_mask`; the lowest address is the top byte) instead of write_data. And there
// are two rows more, which no line has: `write_spare` and `read_spare` address these, their [0] says which. What `hit`
// and the tag write port do then is not told.
module cache_array #(
  parameter int unsigned BYTES   = 8192,
  // Where synthesis puts the tags: "block", or "distributed" RAM, for which addresses must come earlier, and `hit` does.
  /* verilator lint_off UNUSEDPARAM */
  parameter              TAG_RAM = "block",
  /* verilator lint_on UNUSEDPARAM */
  parameter bit          SNOOP   = 1'b0,
  parameter bit          LINE    = 1'b0
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  logic        drop_all,
  output logic        busy,
  // Read port
  input  logic        read,
  input  logic [31:0] read_address,
  input  logic [31:0] address,
  output logic        hit,
  output logic [63:0] read_data,
  output logic [255:0] read_line,
  input  logic [1:0]  read_spare,
  // Write ports: data by bytes, tags by lines
  input  logic [31:0] write_address,
  input  logic [7:0]  write_mask,
  input  logic [63:0] write_data,
  input  logic [1:0]  write_spare,
  input  logic        line_write,
  input  logic [31:0] line_mask,
  input  logic [255:0] line_data,
  input  logic        tag_write,
  input  logic        tag_valid,
  // Others' writes
  input  logic        clear,
  input  logic [31:5] clear_address,
  input  logic [31:5] snoop_address,
  output logic        snoop_hit
);

  localparam int unsigned LINES   = BYTES / 32;
  localparam int unsigned INDEX_W = $clog2(LINES);
  localparam int unsigned TAG_W   = 32 - 5 - INDEX_W;

  if (BYTES < 64 || (BYTES & (BYTES - 1)) != 0) begin : g_bad_bytes
    $error("cache_array: BYTES must be a power of two of at least 64");
  end

  (* ram_style = TAG_RAM *)
  logic [TAG_W:0]   tags [LINES];  // {valid, tag}
  logic [TAG_W:0]   tag_q;
  logic             walking_q;
  logic [INDEX_W-1:0] walk_q;

  assign busy      = walking_q;
  assign hit       = tag_q == {1'b1, address[31-:TAG_W]};

  if (LINE) begin : g_line
    logic [3:0][63:0] line;      // the highest is that of the lowest address
    logic [1:0]       dword_q;
    logic [INDEX_W:0] write_row, read_row;

    assign write_row = write_spare[1] ? {1'b1, INDEX_W'(write_spare[0])} : {1'b0, write_address[INDEX_W+4:5]};
    assign read_row  = read_spare[1] ? {1'b1, INDEX_W'(read_spare[0])} : {1'b0, read_address[INDEX_W+4:5]};

    for (genvar b = 0; b < 4; b++) begin : g_bank
      logic [63:0] data [LINES + 2];
      logic [63:0] data_q, value;
      logic [7:0]  mask;

      assign mask  = line_write ? line_mask[8*b+:8] : write_mask & {8{write_address[4:3] == 2'(3 - b)}};
      assign value = line_write ? line_data[64*b+:64] : write_data;

      always_ff @(posedge cpu_clk) begin
        for (int i = 0; i < 8; i++) if (mask[i]) data[write_row][8*i+:8] <= value[8*i+:8];
        if (read) data_q <= data[read_row];
      end
      assign line[b] = data_q;
    end

    always_ff @(posedge cpu_clk) if (read) dword_q <= read_address[4:3];

    assign read_data = line[~dword_q];
    assign read_line = line;
  end else begin : g_dword
    logic [63:0] data [LINES * 4];
    logic [63:0] data_q;
    logic        unused_line;

    always_ff @(posedge cpu_clk) begin
      for (int i = 0; i < 8; i++) begin
        if (write_mask[i]) data[write_address[INDEX_W+4:3]][8*i+:8] <= write_data[8*i+:8];
      end
      if (read) data_q <= data[read_address[INDEX_W+4:3]];
    end
    assign read_data   = data_q;
    assign read_line   = '0;
    assign unused_line = &{1'b0, line_write, line_mask, line_data, read_spare, write_spare};
  end

  logic               tag_we;
  logic [INDEX_W-1:0] tag_index;
  logic [TAG_W:0]     tag_data;
  assign tag_we    = walking_q || clear || tag_write;
  assign tag_index = walking_q ? walk_q : clear ? clear_address[INDEX_W+4:5] : write_address[INDEX_W+4:5];
  assign tag_data  = (walking_q || clear) ? '0 : {tag_valid, write_address[31-:TAG_W]};

  always_ff @(posedge cpu_clk) begin
    if (tag_we) tags[tag_index] <= tag_data;
    if (read) tag_q <= tags[read_address[INDEX_W+4:5]];
  end

  if (SNOOP) begin : g_snoop
    (* ram_style = TAG_RAM *)
    logic [TAG_W:0]   snoop_tags [LINES];
    logic [TAG_W:0]   snoop_tag_q;
    logic [TAG_W-1:0] wanted_q;

    always_ff @(posedge cpu_clk) begin
      if (tag_we) snoop_tags[tag_index] <= tag_data;
      snoop_tag_q <= snoop_tags[snoop_address[INDEX_W+4:5]];
      wanted_q    <= snoop_address[31-:TAG_W];
    end
    assign snoop_hit = snoop_tag_q == {1'b1, wanted_q};
  end else begin : g_no_snoop
    assign snoop_hit = 1'b0;
  end

  always_ff @(posedge cpu_clk) begin
    if (walking_q) walk_q <= walk_q + 1'b1;
    if (walk_q == '1) walking_q <= 1'b0;
    if (cpu_rst || drop_all) begin
      walking_q <= 1'b1;
      walk_q    <= '0;
    end
  end

  a_at_rest : assert property (@(posedge cpu_clk) disable iff (cpu_rst) !walking_q -> walk_q == '0);

  a_quiet_walk : assert property (@(posedge cpu_clk) disable iff (cpu_rst) walking_q -> !(tag_write && tag_valid));

  // Whole addresses at the ports: which bits matter depends on BYTES.
  logic unused;
  assign unused = &{1'b0, read_address, address, write_address, clear_address, snoop_address};

endmodule
