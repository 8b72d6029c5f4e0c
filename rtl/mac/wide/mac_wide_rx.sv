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
// The first that applies counts, as in mac_rx: RX_DROP_DISABLED, _ERROR (`broken`), _OVERSIZE, _RUNT, _FCS, _FILTERED,
// _OVERFLOW, RX_GOOD. Events without words are counted behind the others, one a cycle: a fragment as RX_DROP_RUNT (whatever
// is in it), one that was missed as RX_DROP_OVERFLOW; of those up to COUNT_MOST may wait.
// Nobody waits for the reader: a word that finds no room is lost, and so is the rest of its frame (RX_DROP_OVERFLOW).
//
// Latency: one clock edge from a word of xgmii_wide_rx to the word and the disposition. Throughput: a word a cycle.
// Borders: word_valid and word_bad come from registers through the comparisons of verdict and filter.
module mac_wide_rx
  import mac_pkg::*;
  import mac_fates_pkg::*;
  import crc32_block_pkg::*;
#(
  parameter int unsigned COLUMNS         = 2,
  parameter int unsigned START_LANES     = 4,
  parameter int unsigned MAX_FRAME_BYTES = 1522,  // with FCS
  localparam int unsigned LANES          = 8 * COLUMNS,
  localparam int unsigned BYTES_W        = $clog2(LANES + 1)
) (
  input  logic                     clk,
  input  logic                     rst,
  input  logic [8*LANES-1:0]       xgmii_rxd,
  input  logic [LANES-1:0]         xgmii_rxc,

  input  logic                     enable,
  input  mac_settings_t            settings,    // rx_pause is taken as 0

  output logic [8*LANES-1:0]       word_data,   // the first byte on top
  output logic [LANES-1:0]         word_keep,
  output logic                     word_last,
  output logic                     word_bad,    // with word_last
  output logic                     word_valid,
  input  logic                     word_ready,

  output rx_disposition_t          disposition,
  output logic                     disposition_valid
);

  localparam int unsigned MIN_FRAME_BYTES = 64;
  localparam int unsigned TOTAL_W         = $clog2(MAX_FRAME_BYTES + 2 * LANES + 1);
  localparam int unsigned COUNT_W         = 6;
  localparam int unsigned COUNT_MOST      = (1 << COUNT_W) - 1;

  typedef logic [BYTES_W-1:0] bytes_t;
  typedef logic [TOTAL_W-1:0] total_t;
  typedef logic [COUNT_W-1:0] count_t;

  logic                         valid, first, last, ends, broken, missed;
  bytes_t                       bytes, kept;
  logic [8*LANES-1:0]           data;
  logic [LANES/START_LANES-1:0] fragments;

  xgmii_wide_rx #(.COLUMNS(COLUMNS), .START_LANES(START_LANES)) u_front (
    .clk, .rst, .xgmii_rxd, .xgmii_rxc, .valid, .first, .last, .ends, .broken, .bytes, .kept, .data, .missed, .fragments
  );

  // ---- The word, its CRC, the bytes so far, whose it is -------------------------------------------------------------------

  logic               valid_q, first_q, last_q, ends_q, broken_q, wanted;
  bytes_t             bytes_q, kept_q;
  logic [8*LANES-1:0] data_q;
  logic [31:0]        crc_q;
  total_t             total_q, so_far;
  mac_settings_t      obeyed;

  always_comb begin
    obeyed          = settings;
    obeyed.rx_pause = 1'b0;
  end

  assign so_far = first ? '0 : total_q;

  always_ff @(posedge clk) begin
    valid_q  <= valid && !rst;
    first_q  <= first;
    last_q   <= last;
    ends_q   <= ends;
    broken_q <= broken;
    bytes_q  <= bytes;
    kept_q   <= kept;
    data_q   <= data;
    if (valid) begin
      crc_q   <= crc32_block(512'({data[8*LANES-1-:32] ^ on_top(first ? crc32_pkg::CRC32_INIT : crc_q),
                                   data[8*LANES-33:0]}));
      total_q <= so_far > total_t'(MAX_FRAME_BYTES) ? so_far : so_far + total_t'(bytes);
    end
  end

  /* verilator lint_off PINCONNECTEMPTY */  // of pauses
  mac_filter u_filter (
    .clk, .settings(obeyed), .judge(valid && first), .address(data[8*LANES-1-:48]),
    .hash(crc32_pkg::address_hash(data[8*LANES-1-:48])), .wanted, .may_pause()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- The verdict ----------------------------------------------------------------------------------------------------------

  line_end_t       fate;
  rx_disposition_t end_disposition;
  logic            disabled, disabled_q, lost, lost_q, good;

  always_comb begin
    if (broken_q) fate = LINE_ERROR;
    else if (total_q > total_t'(MAX_FRAME_BYTES)) fate = LINE_OVERSIZE;
    else if (total_q < total_t'(MIN_FRAME_BYTES)) fate = LINE_RUNT;
    else if (crc_q != RESIDUES[6'(LANES - 32'(bytes_q))]) fate = LINE_FCS;
    else fate = LINE_GOOD;
  end

  assign disabled = first_q ? !enable : disabled_q;

  always_comb begin
    if (disabled) end_disposition = RX_DROP_DISABLED;
    else begin
      unique case (fate)
        LINE_ERROR:    end_disposition = RX_DROP_ERROR;
        LINE_OVERSIZE: end_disposition = RX_DROP_OVERSIZE;
        LINE_RUNT:     end_disposition = RX_DROP_RUNT;
        LINE_FCS:      end_disposition = RX_DROP_FCS;
        default:       end_disposition = !wanted ? RX_DROP_FILTERED : lost ? RX_DROP_OVERFLOW : RX_GOOD;
      endcase
    end
  end

  assign good = end_disposition == RX_GOOD;

  // ---- Words --------------------------------------------------------------------------------------------------------------

  logic               held_q;            // the frame's last word waits for the event's end
  bytes_t             held_kept_q, kept_now;
  logic [8*LANES-1:0] held_data_q;
  logic               open_q;            // the reader has words of this frame
  logic               owed_q;            // its end, for which there was no room: before it nothing else comes
  logic               passes, puts;

  assign passes   = valid_q && !last_q && !ends_q && wanted && !disabled && total_q <= total_t'(MAX_FRAME_BYTES)
                    && !(lost_q && !first_q);
  assign lost     = (lost_q && !first_q) || owed_q || !word_ready;
  assign kept_now = held_q ? held_kept_q : kept_q;
  assign puts     = passes || (valid_q && last_q && (good || (open_q && !first_q)));

  always_comb begin
    word_valid = puts || owed_q;
    word_last  = owed_q || last_q;
    word_bad   = owed_q || (last_q && !good);
    word_data  = held_q ? held_data_q : data_q;
    word_keep  = word_last && !word_bad ? ~({LANES{1'b1}} >> kept_now) : '1;
  end

  always_ff @(posedge clk) begin
    if (valid_q) begin
      disabled_q <= disabled;
      lost_q     <= !last_q && ((lost_q && !first_q) || (passes && (owed_q || !word_ready)));
      held_q     <= ends_q && !last_q;
      open_q     <= !last_q && ((open_q && !first_q) || (passes && !owed_q && word_ready));
    end
    held_kept_q <= kept_q;
    held_data_q <= data_q;
    if (owed_q) owed_q <= !word_ready;
    else owed_q <= valid_q && last_q && open_q && !first_q && !word_ready;
    if (rst) begin
      lost_q <= 1'b0;
      held_q <= 1'b0;
      open_q <= 1'b0;
      owed_q <= 1'b0;
    end
  end

  // ---- Dispositions ---------------------------------------------------------------------------------------------------------

  count_t fragments_q, missed_q;         // not counted yet
  logic   ending, counts_fragment, counts_missed;

  function automatic count_t ones(input logic [LANES/START_LANES-1:0] bits);
    ones = '0;
    foreach (bits[k]) ones += count_t'(bits[k]);
  endfunction

  function automatic count_t sum(input count_t count, input count_t more);
    logic [COUNT_W:0] all;
    all = {1'b0, count} + {1'b0, more};
    return all[COUNT_W] ? count_t'(COUNT_MOST) : all[COUNT_W-1:0];
  endfunction

  assign ending          = valid_q && last_q;
  assign counts_fragment = !ending && fragments_q != '0;
  assign counts_missed   = !ending && !counts_fragment && missed_q != '0;

  always_ff @(posedge clk) begin
    fragments_q <= sum(fragments_q - count_t'(counts_fragment), ones(fragments));
    missed_q    <= sum(missed_q - count_t'(counts_missed), count_t'(missed));
    if (rst) begin
      fragments_q <= '0;
      missed_q    <= '0;
    end
  end

  assign disposition_valid = ending || counts_fragment || counts_missed;

  always_comb begin
    if (ending) disposition = end_disposition;
    else if (!enable) disposition = RX_DROP_DISABLED;
    else disposition = counts_fragment ? RX_DROP_RUNT : RX_DROP_OVERFLOW;
  end

  // What must hold: what the reader has begun ends once, good only as RX_GOOD; a held word is followed by its event's end.
  logic reading_q;
  always_ff @(posedge clk) if (word_valid && word_ready || rst) reading_q <= !word_last && !rst;
  a_good : assert property (@(posedge clk) disable iff (rst)
    (word_valid && word_ready && word_last && !word_bad) == (ending && good));
  a_bad : assert property (@(posedge clk) disable iff (rst) word_valid && word_bad -> reading_q);
  a_held : assert property (@(posedge clk) disable iff (rst) held_q && valid_q -> last_q && !first_q);
  a_bytes : assert property (@(posedge clk) disable iff (rst) ending && good -> kept_now != '0);

endmodule
