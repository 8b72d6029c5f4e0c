// SPDX-License-Identifier: Apache-2.0
//
// pnic_bank: each request is one step. Three masters ask for anything, at any time; a model does the same at once, at
// the grant, and every answer is the model's, for the master that asked, in the cycle that the block's header says;
// `free` comes back when it says. What the model keeps: the position and the flags of one word of an order record, one
// word of the others, and who may still SC each of them. It knows a word from the first time that it is written as a
// whole.
//
// KIND says of what the requests are drawn, beside loads and stores: LR, SC and what changes bits; AMO with a carry
// chain; set and update; LR and SC with an addition between them; LR and SC with set and update, of small data.
module fv_pnic_bank
  import pnic_pkg::*;
#(
  parameter int unsigned KIND = 0
) (
  input logic       clk,
  input logic       asks,
  input logic [1:0] id,
  input pad_op_t    op,
  input logic [1:0] which,
  input logic [3:0] mask,
  input logic [27:0] most,
  input logic        next_word
);

  localparam int unsigned MASTERS = 3;
  localparam int unsigned KEPT    = 3;
  localparam int unsigned POSITION = 0, FLAGS_WORD = 1, OTHER = 2;

  logic rst = 1'b1;
  always_ff @(posedge clk) rst <= 1'b0;

  // ---- Words that are asked for: a record's position, one word of its flags, one of the others, and that of another
  // record, which the model does not keep. Flags are set, and positions stored, in this word of flags and the next.
  localparam logic [5:0] PLACES [4] = '{6'h20, 6'h35, 6'h27, 6'h07};
  localparam logic [3:0] FLAGS_NUMBER = 4'h5;
  logic [5:0]  address;
  logic [31:0] data;
  assign address = PLACES[which];
  assign data    = {most[27:5], FLAGS_NUMBER + 4'(next_word), most[4:0]};

  logic        free, valid, answer_valid;
  logic [1:0]  answer_id;
  logic [31:0] answer_data;

  m_id : assume property (@(posedge clk) id < 2'(MASTERS));
  m_op : assume property (@(posedge clk) op inside {PAD_LOAD, PAD_STORE} ||
    (KIND == 0 && op inside {PAD_LR, PAD_SC, PAD_SWAP, PAD_XOR, PAD_OR, PAD_AND}) ||
    (KIND == 1 && op inside {PAD_ADD, PAD_MIN, PAD_MAX, PAD_MINU, PAD_MAXU}) ||
    (KIND == 2 && op inside {PAD_SET, PAD_UPDATE}) ||
    (KIND == 3 && op inside {PAD_LR, PAD_SC, PAD_ADD}) ||
    (KIND == 4 && op inside {PAD_LR, PAD_SC, PAD_SET, PAD_UPDATE}));
  m_small : assume property (@(posedge clk) KIND != 4 || most[27:5] == '0);
  assign valid = asks && free && !rst;

  pnic_bank #(.WORDS(64), .MASTERS(MASTERS), .IDS(MASTERS)) dut (.*);

  // ---- The model
  logic [KEPT-1:0]              known_q;
  logic [KEPT-1:0][31:0]        word_q;
  logic [MASTERS-1:0]           holds_q;       // has an LR of a word that nobody has written since
  logic [MASTERS-1:0][5:0]      holds_place_q;
  logic [KEPT-1:0]              known;
  logic [KEPT-1:0][31:0]        word;
  logic                         sc, expects;   // an SC that stores; the model knows the answer
  logic [31:0]                  answer;

  assign sc = holds_q[id] && holds_place_q[id] == address;

  function automatic logic [31:0] by_amo(input pad_op_t what, input logic [31:0] old, input logic [31:0] by);
    case (what)
      PAD_SWAP: return by;
      PAD_ADD:  return old + by;
      PAD_XOR:  return old ^ by;
      PAD_OR:   return old | by;
      PAD_AND:  return old & by;
      PAD_MIN:  return $signed(old) < $signed(by) ? old : by;
      PAD_MAX:  return $signed(old) < $signed(by) ? by : old;
      PAD_MINU: return old < by ? old : by;
      default:  return old < by ? by : old;
    endcase
  endfunction

  // The flags from the position on, cleared as far as they are set; and how many of them.
  logic        update_known, runs;
  logic [31:0] cleared;
  logic [5:0]  run;
  assign update_known = known_q[POSITION] && known_q[FLAGS_WORD] && word_q[POSITION][8:5] == FLAGS_NUMBER;
  always_comb begin
    cleared = word_q[FLAGS_WORD];
    runs    = 1'b1;
    run     = '0;
    for (int i = 0; i < 32; i++) begin
      if (i >= 32'(word_q[POSITION][4:0]) && runs) begin
        runs = word_q[FLAGS_WORD][i];
        if (runs) begin
          cleared[i] = 1'b0;
          run        = run + 1'b1;
        end
      end
    end
  end

  logic writes_any;           // a word that may be reserved, kept or not
  logic [5:0] written;
  logic update_elsewhere;

  always_comb begin
    known      = known_q;
    word       = word_q;
    expects    = 1'b0;
    answer     = '0;
    written    = address;
    for (int unsigned w = 0; w < KEPT; w++) begin
      if (address == PLACES[w] && !(op inside {PAD_SET, PAD_UPDATE})) begin
        expects = known_q[w] && op != PAD_STORE;
        answer  = word_q[w];
        case (op)
          PAD_LOAD, PAD_LR: ;
          PAD_STORE: begin
            for (int b = 0; b < 4; b++) if (mask[b]) word[w][8*b+:8] = data[8*b+:8];
            if (mask == '1) known[w] = 1'b1;
          end
          PAD_SC: if (sc) begin
            word[w]  = data;
            known[w] = 1'b1;
          end
          default: begin
            word[w] = by_amo(op, word_q[w], data);
            if (op == PAD_SWAP) known[w] = 1'b1;
          end
        endcase
      end
    end
    writes_any = !(op inside {PAD_LOAD, PAD_LR, PAD_SC}) || (op == PAD_SC && sc);
    if (op == PAD_SC) begin
      expects = 1'b1;
      answer  = 32'(!sc);
    end
    if (op == PAD_SET) begin
      written = {address[5], 1'b1, data[8:5]};
      if (address[5] && data[8:5] == FLAGS_NUMBER) begin
        expects                     = known_q[FLAGS_WORD];
        answer                      = word_q[FLAGS_WORD];
        word[FLAGS_WORD][data[4:0]] = 1'b1;
      end
    end
    if (op == PAD_UPDATE) begin
      written = {address[5], 1'b1, word_q[POSITION][8:5]};  // not of the other row, whose position is not kept
      if (!address[5]) begin
      end else if (update_known) begin
        expects          = 1'b1;
        answer           = word_q[POSITION] + 32'(run);
        word[POSITION]   = answer;
        word[FLAGS_WORD] = cleared;
      end else begin
        known[POSITION] = 1'b0;
        if (!(known_q[POSITION] && word_q[POSITION][8:5] != FLAGS_NUMBER)) known[FLAGS_WORD] = 1'b0;
      end
    end
  end

  assign update_elsewhere = op == PAD_UPDATE && !(known_q[POSITION] && address[5]);

  // Which reservations are known: after an update of an unknown position those of the flags are not.
  logic [MASTERS-1:0] certain_q;

  always_ff @(posedge clk) begin
    if (valid) begin
      known_q <= known;
      word_q  <= word;
      for (int unsigned m = 0; m < MASTERS; m++) begin
        if (writes_any && !update_elsewhere && written == holds_place_q[m]) holds_q[m] <= 1'b0;
        if (op == PAD_UPDATE && holds_place_q[m] == {address[5], 5'd0}) holds_q[m] <= 1'b0;
        if (update_elsewhere && holds_place_q[m][5:4] == {address[5], 1'b1}) certain_q[m] <= 1'b0;
        if (op == PAD_LR && 32'(id) == m) begin
          holds_q[m]       <= 1'b1;
          holds_place_q[m] <= address;
          certain_q[m]     <= 1'b1;
        end
      end
    end
    if (rst) begin
      known_q   <= '0;
      holds_q   <= '0;
      certain_q <= '1;
    end
  end

  // What nobody can know: an SC that may or may not store.
  m_certain : assume property (@(posedge clk) !(valid && op == PAD_SC && !certain_q[id]));

  // ---- When the answer is there, and when the next request may come: cycles behind the grant
  logic [2:0]  age_q, kept_q;   // of the last request, and for how long it keeps the bank
  logic        waits_q, expects_q, is_update_q;
  logic [1:0]  id_q;
  logic [31:0] answer_q;
  logic        due;

  assign due = waits_q && age_q == (is_update_q ? 3'd3 : 3'd1);

  always_ff @(posedge clk) begin
    if (age_q != '1) age_q <= age_q + 1'b1;
    if (due) waits_q <= 1'b0;
    if (valid) begin
      age_q       <= 3'd1;
      waits_q     <= 1'b1;
      expects_q   <= expects;
      is_update_q <= op == PAD_UPDATE;
      id_q        <= id;
      answer_q    <= answer;
      kept_q      <= op == PAD_UPDATE ? 3'd5 :
                     op inside {PAD_ADD, PAD_MIN, PAD_MAX, PAD_MINU, PAD_MAXU} ? 3'd3 :
                     op inside {PAD_SET, PAD_SWAP, PAD_XOR, PAD_OR, PAD_AND} ? 3'd2 : 3'd1;
    end
    if (rst) begin
      age_q   <= '1;
      waits_q <= 1'b0;
      kept_q  <= '0;
    end
  end

  a_answer : assert property (@(posedge clk) disable iff (rst) answer_valid == due);
  a_id : assert property (@(posedge clk) disable iff (rst) due -> answer_id == id_q);
  a_data : assert property (@(posedge clk) disable iff (rst) due && expects_q -> answer_data == answer_q);
  a_free_again : assert property (@(posedge clk) disable iff (rst) free == (age_q >= kept_q));

endmodule
