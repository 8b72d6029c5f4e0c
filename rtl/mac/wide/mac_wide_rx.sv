// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a carrier event, for words of COLUMNS times 64 bits: those of xgmii_wide_rx in, words of frames and one
// disposition for each event out. It is mac_rx_cut with the front's judgement in it: words go on as they come, from the first
// one, and the verdict goes with the last.
//
//   RX_GOOD        the frame
//   any other      the words that there were, the last one `word_bad`; nothing where there was but one, where the MAC was not
//                  enabled when it came, and where it is for somebody else
//
// rx_disposition in mac_pkg says which one applies. Events that are over in a word have no words: they are counted behind the
// others, one a cycle, as runts or errors; of each kind up to COUNT_MOST may wait.
// With `word_two` a frame's last word is there with the one before: rest_data. FCS bytes take no word, so a frame has as few
// words as its bytes need.
// Nobody waits for the reader: a word that finds no room is lost, and so is the rest of its frame (RX_DROP_OVERFLOW).
//
// Latency: one clock edge from a word of xgmii_wide_rx to the word and the disposition. Throughput: all that a line can carry.
// Borders: word_valid and word_bad come from registers through the comparisons of verdict and filter. Pause frames are frames.
module mac_wide_rx
  import mac_pkg::*;
  import mac_fates_pkg::*;
#(
  parameter int unsigned COLUMNS         = 2,
  parameter int unsigned START_LANES     = 4,
  parameter int unsigned MAX_FRAME_BYTES = 1522,  // with FCS
  localparam int unsigned LANES          = 8 * COLUMNS
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic [8*LANES-1:0]       xgmii_rxd,
  input  logic [LANES-1:0]         xgmii_rxc,

  input  logic                     enable,
  /* verilator lint_off UNUSEDSIGNAL */         // the filter's part of them
  input  mac_settings_t            settings,
  /* verilator lint_on UNUSEDSIGNAL */

  output logic [8*LANES-1:0]       word_data,   // the first byte on top
  output logic [LANES-1:0]         word_keep,
  output logic                     word_last,
  output logic                     word_bad,    // with word_last
  output logic                     word_two,    // the frame's last word is rest_*, and not this one
  output logic [8*LANES-1:0]       rest_data,
  output logic [LANES-1:0]         rest_keep,
  output logic                     word_valid,
  input  logic                     word_ready,  // there is room for both

  output rx_disposition_t          disposition,
  output logic                     disposition_valid
);

  localparam int unsigned MIN_FRAME_BYTES = 64;
  localparam int unsigned LANE_W          = $clog2(LANES);
  localparam int unsigned MAX_WORDS       = (MAX_FRAME_BYTES - 1) / LANES;              // full ones, ...
  localparam int unsigned MAX_REST        = MAX_FRAME_BYTES - MAX_WORDS * LANES;        // ... and the bytes in that
  localparam int unsigned MIN_WORDS       = (MIN_FRAME_BYTES - 1) / LANES;              // the same
  localparam int unsigned MIN_REST        = MIN_FRAME_BYTES - MIN_WORDS * LANES;
  localparam int unsigned WORDS_W         = $clog2(MAX_WORDS + 2);
  localparam int unsigned COUNT_W         = 6;
  localparam int unsigned COUNT_MOST      = (1 << COUNT_W) - 1;

  typedef logic [LANE_W-1:0]  lane_t;
  typedef logic [WORDS_W-1:0] words_t;
  typedef logic [COUNT_W-1:0] count_t;

  logic                         valid, first, last, ends, broken, empty, sound, two, little;
  lane_t                        bytes;
  logic [8*LANES-1:0]           data, rest;
  logic [LANES/START_LANES-1:0] runts, errors;

  xgmii_wide_rx #(.COLUMNS(COLUMNS), .START_LANES(START_LANES)) u_front (
    .clk, .rst, .xgmii_rxd, .xgmii_rxc, .valid, .first, .last, .ends, .broken, .empty, .sound, .two, .little, .bytes,
    .data, .rest, .runts, .errors
  );

  // ---- The word, how many were before, whose it is ------------------------------------------------------------------------

  logic               valid_q, first_q, last_q, ends_q, broken_q, empty_q;
  logic               two_q;             // the frame's last word is rest_q
  lane_t              bytes_q;           // of the last word, that of the FCS, too; 0: all lanes
  logic [8*LANES-1:0] data_q, rest_q;
  words_t             words_q;           // of the event, before this one; stops
  logic               most_q, more_q;    // before the last of these: as many as the longest frame has full ones, more
  logic               least_q, fewer_q;  // ... as many as the shortest one, fewer
  logic [5:0]         hash_q;

  always_ff @(posedge clk) begin
    valid_q  <= valid && !rst;
    first_q  <= first;
    last_q   <= last;
    ends_q   <= ends;
    broken_q <= broken;
    empty_q  <= empty;
    two_q    <= two && !little;
    bytes_q  <= bytes;
    data_q   <= data;
    rest_q   <= rest;
    hash_q   <= crc32_words_pkg::address_hash(data[8*LANES-1-:48]);
    if (valid) begin
      words_q <= first ? '0 : more_q ? words_q : words_q + 1'b1;
      most_q  <= !first && !more_q && words_q == words_t'(MAX_WORDS - (two ? 2 : 1));
      more_q  <= !first && (most_q || more_q || (two && words_q == words_t'(MAX_WORDS - 1)));
      // Behind a full word rest_q has fewer bytes than a word: as the shortest frame's last one it would be a runt.
      least_q <= !two && (first ? MIN_WORDS == 0 : int'(words_q) == int'(MIN_WORDS) - 1);
      fewer_q <= first ? MIN_WORDS != 0 : int'(words_q) < int'(MIN_WORDS) - 1;
    end
  end

  // mac_filter's rule, and as there all settings are looked at in one cycle: that of the frame's first word.
  logic [47:0] address;
  logic        for_us, wanted, wanted_q;

  assign address = data_q[8*LANES-1-:48];
  assign for_us  = settings.promiscuous || address == settings.mac_address
                   || (address == '1 ? settings.broadcast : address[40] && settings.multicast_hash[hash_q]);
  assign wanted  = first_q ? for_us : wanted_q;

  always_ff @(posedge clk) if (valid_q) wanted_q <= wanted;

  // ---- The verdict ----------------------------------------------------------------------------------------------------------

  // Which counts of a word's bytes are more than `most`, which fewer than `least`. Index 0: all lanes.
  function automatic logic [LANES-1:0] counts(input int unsigned least, input int unsigned most);
    for (int unsigned n = 0; n < LANES; n++) counts[n] = (n == 0 ? LANES : n) > most || (n == 0 ? LANES : n) < least;
  endfunction

  localparam logic [LANES-1:0] TOO_MANY = counts(0, MAX_REST), TOO_FEW = counts(MIN_REST, LANES);

  line_end_t       fate;
  rx_disposition_t end_disposition;
  logic            oversize, runt, disabled, disabled_q, lost, lost_q, good;

  assign oversize = more_q || (most_q && TOO_MANY[bytes_q]);
  assign runt     = empty_q || fewer_q || (least_q && TOO_FEW[bytes_q]);

  always_comb begin
    if (broken_q) fate = LINE_ERROR;
    else if (oversize) fate = LINE_OVERSIZE;
    else if (runt) fate = LINE_RUNT;
    else if (!sound) fate = LINE_FCS;
    else fate = LINE_GOOD;
  end

  assign disabled = first_q ? !enable : disabled_q;

  assign end_disposition = rx_disposition(disabled, fate, 1'b0, wanted, lost);

  assign good = sound && !oversize && !runt && !broken_q && !disabled && wanted && !lost;  // RX_GOOD

  // ---- Words --------------------------------------------------------------------------------------------------------------

  logic               held_q;            // the frame's last word waits for the event's end
  lane_t              kept;              // bytes of the frame's last word, 0: all lanes; the event's end is 4 behind
  logic [8*LANES-1:0] held_data_q;
  logic               open_q;            // the reader has words of this frame
  logic               owed_q;            // its end, for which there was no room: before it nothing else comes
  logic               passes, puts;

  assign passes   = valid_q && !last_q && !ends_q && wanted && !disabled && !oversize && !lost_q;
  assign lost     = lost_q || owed_q || !word_ready;
  assign kept     = bytes_q - lane_t'(4);
  assign puts     = passes || (valid_q && last_q && (good || open_q));

  always_comb begin
    rest_data  = rest_q;
    rest_keep  = ~({LANES{1'b1}} >> {kept == '0, kept});
    word_valid = puts || owed_q;
    word_two   = !owed_q && last_q && two_q && good;
    word_last  = owed_q || (last_q && !word_two);
    word_bad   = owed_q || (last_q && !good);
    word_data  = held_q ? held_data_q : data_q;
    word_keep  = last_q && !owed_q && !two_q ? rest_keep : '1;
  end

  always_ff @(posedge clk) begin
    if (valid_q) begin
      disabled_q <= disabled;
      lost_q     <= !last_q && (lost_q || (passes && (owed_q || !word_ready)));
      held_q     <= ends_q && !last_q;
      open_q     <= !last_q && (open_q || (passes && !owed_q && word_ready));
    end
    held_data_q <= data_q;
    if (owed_q) owed_q <= !word_ready;
    else owed_q <= valid_q && last_q && open_q && !word_ready;
    if (rst) begin
      lost_q <= 1'b0;
      held_q <= 1'b0;
      open_q <= 1'b0;
      owed_q <= 1'b0;
    end
  end

  // ---- Dispositions ---------------------------------------------------------------------------------------------------------

  count_t runts_q, errors_q;             // not counted yet
  logic   ending, counts_runt, counts_error;

  function automatic count_t ones(input logic [LANES/START_LANES-1:0] bits);
    ones = '0;
    foreach (bits[k]) ones += count_t'(bits[k]);
  endfunction

  function automatic count_t sum(input count_t count, input count_t more);
    logic [COUNT_W:0] all;
    all = {1'b0, count} + {1'b0, more};
    return all[COUNT_W] ? count_t'(COUNT_MOST) : all[COUNT_W-1:0];
  endfunction

  assign ending       = valid_q && last_q;
  assign counts_runt  = !ending && runts_q != '0;
  assign counts_error = !ending && !counts_runt && errors_q != '0;

  always_ff @(posedge clk) begin
    runts_q  <= sum(runts_q - count_t'(counts_runt), ones(runts));
    errors_q <= sum(errors_q - count_t'(counts_error), ones(errors));
    if (rst) begin
      runts_q  <= '0;
      errors_q <= '0;
    end
  end

  assign disposition_valid = ending || counts_runt || counts_error;

  assign disposition = ending ? end_disposition
                       : rx_disposition(!enable, counts_runt ? LINE_RUNT : LINE_ERROR, 1'b0, 1'b1, 1'b0);

  // What must hold: what the reader has begun ends once, good only as RX_GOOD; a held word is followed by its event's end.
  logic reading_q;
  always_ff @(posedge clk) if (word_valid && word_ready || rst) reading_q <= !word_last && !word_two && !rst;
  a_anew : assert property (@(posedge clk) disable iff (rst) valid_q && first_q -> !open_q && !lost_q && !held_q);
  a_good : assert property (@(posedge clk) disable iff (rst)
    (word_valid && word_ready && (word_last || word_two) && !word_bad) == (ending && good));
  a_bad : assert property (@(posedge clk) disable iff (rst) word_valid && word_bad -> reading_q);
  a_held : assert property (@(posedge clk) disable iff (rst) held_q && valid_q -> last_q && !first_q);
  a_good_end : assert property (@(posedge clk) disable iff (rst) ending -> good == (end_disposition == RX_GOOD));
  a_kept : assert property (@(posedge clk) disable iff (rst) ending && good && bytes_q inside {[5:LANES-1]} -> !held_q);
  a_two : assert property (@(posedge clk) disable iff (rst) valid_q && two_q -> last_q && !held_q);

endmodule
