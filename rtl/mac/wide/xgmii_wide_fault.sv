// SPDX-License-Identifier: Apache-2.0
//
// Link fault signaling, the receive side of it, as xgmii_fault (IEEE 802.3, 46.3.4), for words of COLUMNS times 64 bits: fault
// sequences are looked for in all columns of four lanes.
//
// One column behind the other would be a chain. So what some columns do to whatever was before them is said as a part_t, and
// two of these make one: a tree with registers in it.
//
// Latency: four cycles from the pins. Throughput: a word a cycle.
module xgmii_wide_fault
  import xgmii_pkg::*;
#(
  parameter int unsigned COLUMNS = 2  // of 64 bits: 2, 4, 8
) (
  input  logic                  clk,
  input  logic                  rst,
  input  logic [64*COLUMNS-1:0] xgmii_rxd,
  input  logic [8*COLUMNS-1:0]  xgmii_rxc,
  output link_fault_t           fault
);

  if (!(COLUMNS inside {2, 4, 8})) begin : g_bad
    $error("xgmii_wide_fault: COLUMNS must be 2, 4 or 8");
  end

  localparam int unsigned SMALL  = 2 * COLUMNS;  // columns of four lanes
  localparam int unsigned FOURS  = SMALL / 4;
  localparam int unsigned ENOUGH = 4;            // sequences of one kind

  typedef logic [2:0] sequences_t;                   // stops at ENOUGH

  // Of some columns. A run are fault sequences of one kind with none of the other kind between.
  typedef struct packed {
    logic       any;         // there is a fault sequence
    logic [4:0] head;        // columns before the first one, all where there is none
    logic [4:0] tail;        // columns behind the last one, as well
    logic       one_run;
    logic       first_kind;  // local; of the first run
    sequences_t first;       // sequences in it
    logic       last_kind;
    sequences_t last;
    logic       enough;      // a run that is not the first one has enough ...
    logic       enough_kind; // ... and the last such one is of this kind
  } part_t;

  function automatic sequences_t sum(input sequences_t a, input sequences_t b);
    logic [3:0] all;
    all = {1'b0, a} + {1'b0, b};
    return all > 4'(ENOUGH) ? sequences_t'(ENOUGH) : all[2:0];
  endfunction

  function automatic part_t column(input logic is_fault, input logic is_local);
    return '{any: is_fault, head: 5'(!is_fault), tail: 5'(!is_fault), one_run: 1'b1, first_kind: is_local, first: 3'd1,
             last_kind: is_local, last: 3'd1, enough: 1'b0, enough_kind: 1'b0};
  endfunction

  function automatic part_t join_parts(input part_t a, input part_t b);
    logic       meets;  // b's first run goes on with a's last one
    sequences_t middle;
    meets           = a.last_kind == b.first_kind;
    middle          = meets ? sum(a.last, b.first) : b.first;
    join_parts      = a;
    join_parts.head = a.any ? a.head : a.head + b.head;
    join_parts.tail = b.any ? b.tail : a.tail + b.tail;
    if (!a.any && b.any) begin
      join_parts      = b;
      join_parts.head = a.head + b.head;
    end else if (a.any && b.any) begin
      join_parts.one_run   = a.one_run && b.one_run && meets;
      join_parts.last_kind = b.last_kind;
      join_parts.last      = b.one_run ? middle : b.last;
      if (a.one_run && meets) join_parts.first = middle;
      else if (middle == sequences_t'(ENOUGH)) begin
        join_parts.enough      = 1'b1;
        join_parts.enough_kind = b.first_kind;
      end
      if (b.enough) begin
        join_parts.enough      = 1'b1;
        join_parts.enough_kind = b.enough_kind;
      end
    end
  endfunction

  // ---- Columns, fours of them, the word ------------------------------------------------------------------------------------

  logic [SMALL-1:0]  is_local, is_fault, is_local_q, is_fault_q;
  part_t [FOURS-1:0] fours, fours_q;
  part_t             word, word_q;

  always_comb begin
    for (int unsigned c = 0; c < SMALL; c++) begin
      is_local[c] = is_local_fault(xgmii_rxc[4*c+:4], xgmii_rxd[32*c+:32]);
      is_fault[c] = is_local[c] || is_remote_fault(xgmii_rxc[4*c+:4], xgmii_rxd[32*c+:32]);
    end
    for (int unsigned f = 0; f < FOURS; f++) begin
      fours[f] = join_parts(
        join_parts(column(is_fault_q[4*f], is_local_q[4*f]), column(is_fault_q[4*f+1], is_local_q[4*f+1])),
        join_parts(column(is_fault_q[4*f+2], is_local_q[4*f+2]), column(is_fault_q[4*f+3], is_local_q[4*f+3]))
      );
    end
  end

  if (FOURS == 1) begin : g_four
    assign word = fours_q[0];
  end else if (FOURS == 2) begin : g_eight
    assign word = join_parts(fours_q[0], fours_q[1]);
  end else begin : g_sixteen
    assign word = join_parts(join_parts(fours_q[0], fours_q[1]), join_parts(fours_q[2], fours_q[3]));
  end

  always_ff @(posedge clk) begin
    is_local_q <= is_local;
    is_fault_q <= rst ? '0 : is_fault;
    fours_q    <= fours;
    word_q     <= word;
    if (rst) begin
      fours_q <= '0;
      word_q  <= '0;
    end
  end

  // ---- All words so far ----------------------------------------------------------------------------------------------------

  logic [6:0]  quiet_q;  // columns without a fault sequence, stops at 127
  logic        kind_q;   // of the last run: local
  sequences_t  count_q;  // sequences in it, 0: there is none
  link_fault_t fault_q;
  logic [7:0]  quiet;
  logic        over;     // 128 of them
  sequences_t  first;

  assign quiet = {1'b0, quiet_q} + 8'(word_q.head);
  assign over  = quiet[7];
  assign first = !over && kind_q == word_q.first_kind ? sum(count_q, word_q.first) : word_q.first;

  always_ff @(posedge clk) begin
    quiet_q <= word_q.any ? 7'(word_q.tail) : over ? 7'd127 : quiet[6:0];
    if (over) begin
      count_q <= '0;
      fault_q <= '0;
    end
    if (word_q.any) begin
      kind_q  <= word_q.last_kind;
      count_q <= word_q.one_run ? first : word_q.last;
      if (word_q.enough) fault_q <= '{any: 1'b1, local_fault: word_q.enough_kind};
      else if (first == sequences_t'(ENOUGH)) fault_q <= '{any: 1'b1, local_fault: word_q.first_kind};
    end
    if (rst) begin
      quiet_q <= '0;
      count_q <= '0;
      fault_q <= '0;
    end
  end

  assign fault = fault_q;

endmodule
