// SPDX-License-Identifier: Apache-2.0
//
// Puts frames from the MAC into a circular buffer in the frame memory, and a descriptor for each into a ring in the
// scratchpad. A descriptor is 2 words:
//   w0  address of the first byte in the frame memory: a multiple of 16, plus OFFSET
//   w1  [15:0] bytes without FCS; [31:16] 0
//
//   rx_frame --> beats of 16 bytes --> FIFO of whole frames (user_clk | fm_clk) --> pnic_align --> frame memory
//       +------> its length --> a place, or none (core_clk) --> verdict --^             +--> descriptor, progress
//
// A frame takes whole beats and never wraps: one that would begins at the start of the buffer. Frames are freed in their
// order, each with its descriptor, by moving the tail. A frame that finds no room is dropped whole, as is one that is bad;
// each is counted by its cause, so REG_FRAMES = REG_PROGRESS + REG_BAD + REG_LONG + REG_NO_BUFFER + REG_NO_ENTRY + REG_OFF
// when nothing is under way.
//
// Registers (pnic_pkg). To be written while enable is 0 and nobody has a frame: REG_BASE, REG_ENTRIES (up to
// log2 of ENTRIES), REG_NEWS, REG_BUFFER, REG_BUFFER_SIZE (4 and more).
//   REG_PROGRESS  count of descriptors written, 32 bits without end; the word at REG_NEWS gets it behind the descriptors
//   REG_TAIL      count of descriptors whose frames nobody needs any more, 16 bits without end. A write only counts if it
//                 moves forward. One beyond the progress changes nothing and is counted: REG_BEYOND.
//   REG_CONTROL   [0] enable: without it frames are dropped
// Counters have 32 bits.
//
// MAX_BYTES: a longer frame is dropped. The FIFO holds two such frames.
//
// Latency: from a frame's last beat to its descriptor, the frame's beats through the frame memory's port and some 30
// cycles of the clocks it passes. Throughput: a beat a cycle of user_clk; 5 cycles of core_clk a frame, 4 words of the
// scratchpad, or 3 if it is busy.
// Borders: registers; rx_frame_ready and `fm_req.valid` through gates.
module pnic_mac_receive
  import pnic_pkg::*;
  import frame_pkg::*;
#(
  parameter int unsigned MAX_BYTES = 1518,
  parameter int unsigned ENTRIES   = 1024,  // of the ring, at most; a power of two
  parameter int unsigned OFFSET    = 0      // 0 to 15: where a frame begins in its first beat
) (
  input  logic        core_clk,
  input  logic        core_rst,
  input  assist_reg_t regs,
  output logic [31:0] regs_data,
  output pad_req_t    pad_req,
  /* verilator lint_off UNUSEDSIGNAL */  // it only writes
  input  pad_rsp_t    pad_rsp,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        pad_used,          // a word of the scratchpad moves

  input  logic        fm_clk,
  input  logic        fm_rst,
  output fm_req_t     fm_req,
  /* verilator lint_off UNUSEDSIGNAL */
  input  fm_rsp_t     fm_rsp,
  /* verilator lint_on UNUSEDSIGNAL */

  input  logic        user_clk,
  input  logic        user_rst,
  /* verilator lint_off UNUSEDSIGNAL */  // it does not look at stamps
  input  rx_frame_t   rx_frame,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        rx_frame_ready
);

  localparam int unsigned BYTES_W   = 14;
  localparam int unsigned MAX_BEATS = (MAX_BYTES + 15) / 16;
  localparam int unsigned DEPTH     = 1 << $clog2(2 * MAX_BEATS + 2);
  localparam int unsigned ENTRY_W   = $clog2(ENTRIES);
  localparam int unsigned TOTAL_W   = FM_W + 1;                      // beats of the buffer that were ever taken

  if (MAX_BYTES < 64 || MAX_BYTES > 9600 || OFFSET > 15) begin : g_bad_parameters
    $error("pnic_mac_receive: MAX_BYTES must be 64 to 9600, OFFSET 0 to 15");
  end
  if ((ENTRIES & (ENTRIES - 1)) != 0 || ENTRIES < 2 || ENTRIES > 32768) begin : g_bad_entries
    $error("pnic_mac_receive: ENTRIES must be a power of two up to 32768");
  end

  typedef logic [BYTES_W-1:0] bytes_t;

  // ==== The line's side: whole frames, and what became of each
  typedef struct packed {
    logic         last;
    logic         bad;
    logic [127:0] data;
  } word_t;

  typedef enum logic [1:0] {GOOD, BAD, LONG} end_kind_t;

  typedef struct packed {
    end_kind_t kind;
    bytes_t bytes;
  } frame_end_t;

  logic         wide_valid, wide_ready, wide_last, wide_bad, fifo_ready, arrival_ready, drops, too_long_q, too_long;
  logic [127:0] wide;
  logic [15:0]  wide_keep;
  bytes_t       bytes_q, bytes;
  frame_end_t   arrival;
  word_t        word_in;

  frame_widen #(.FROM(64), .TO(128)) u_widen (
    .clk(user_clk), .rst(user_rst), .in_tdata(rx_frame.beat.tdata), .in_tkeep(rx_frame.beat.tkeep),
    .in_tlast(rx_frame.beat.tlast), .in_bad(rx_frame.user.bad), .in_valid(rx_frame.valid), .in_ready(rx_frame_ready),
    .out_tdata(wide), .out_tkeep(wide_keep), .out_tlast(wide_last), .out_bad(wide_bad), .out_valid(wide_valid),
    .out_ready(wide_ready)
  );

  always_comb begin
    bytes = bytes_q;
    for (int i = 0; i < 16; i++) bytes += bytes_t'(wide_keep[i]);
  end

  // The beats of a frame that is too long go nowhere; a frame is taken back with its last one.
  assign too_long   = too_long_q || bytes > bytes_t'(MAX_BYTES);
  assign drops      = wide_bad || too_long;
  assign wide_ready = arrival_ready && (fifo_ready || too_long_q);
  assign word_in    = '{last: wide_last, bad: 1'b0, data: wide};
  assign arrival    = '{kind: wide_bad ? BAD : too_long ? LONG : GOOD, bytes: bytes};

  always_ff @(posedge user_clk) begin
    if (wide_valid && wide_ready) begin
      bytes_q    <= wide_last ? '0 : too_long ? bytes_q : bytes;
      too_long_q <= too_long && !wide_last;
    end
    if (user_rst) begin
      bytes_q    <= '0;
      too_long_q <= 1'b0;
    end
  end

  word_t                word;
  logic                 word_valid, word_ready, shown;
  logic [$clog2(DEPTH):0] used;

  frame_fifo #(.DEPTH(DEPTH), .word_t(word_t)) u_frames (
    .wr_clk(user_clk), .wr_rst(user_rst), .wr_word(word_in),
    .wr_valid(wide_valid && wide_ready && !too_long), .wr_ready(fifo_ready),
    .wr_rewind(wide_valid && wide_ready && wide_last && drops), .wr_show(1'b0), .wr_shown(shown), .wr_used(used),
    .rd_clk(fm_clk), .rd_rst(fm_rst), .rd_word(word), .rd_valid(word_valid), .rd_ready(word_ready)
  );

  frame_end_t arrived;
  logic     arrived_valid, arrived_take;

  fifo_async #(.WIDTH($bits(frame_end_t)), .DEPTH(32)) u_arrivals (
    .wr_clk(user_clk), .wr_rst(user_rst), .wr_data(arrival), .wr_valid(wide_valid && wide_ready && wide_last),
    .wr_ready(arrival_ready),
    .rd_clk(core_clk), .rd_rst(core_rst), .rd_data({arrived}), .rd_valid(arrived_valid), .rd_ready(arrived_take)
  );

  // ==== The cores' side: registers
  logic [PAD_W-1:0]   base_q, news_q;
  logic [3:0]         entries_q;
  logic [LOCAL_W-1:4] buffer_q;
  logic [4:0]         size_q;
  logic               enable_q, write_tail;
  logic [15:0]        tail_q, tail;
  logic [31:0]        progress_q, beyond_q, frames_q, bad_q, long_q, no_buffer_q, no_entry_q, off_q;

  assign tail       = regs.data[15:0];
  assign write_tail = regs.valid && regs.write && regs.number == REG_TAIL;

  // Forward, and how far
  logic [15:0] step, room;
  logic        frees;
  assign step  = tail - tail_q;
  assign room  = progress_q[15:0] - tail_q;
  assign frees = write_tail && step != '0 && step <= room;

  always_ff @(posedge core_clk) begin
    if (regs.valid && regs.write) begin
      case (regs.number)
        REG_BASE:        base_q    <= regs.data[PAD_W-1:0];
        REG_ENTRIES:     entries_q <= 32'(regs.data[3:0]) > ENTRY_W ? 4'(ENTRY_W) : regs.data[3:0];
        REG_NEWS:        news_q    <= regs.data[PAD_W-1:0];
        REG_CONTROL:     enable_q  <= regs.data[0];
        REG_BUFFER:      buffer_q  <= regs.data[LOCAL_W-1:4];
        REG_BUFFER_SIZE: size_q    <= 32'(regs.data[4:0]) > LOCAL_W ? 5'(LOCAL_W) :
                                      regs.data[4:0] < 5'd4 ? 5'd4 : regs.data[4:0];
        default: ;
      endcase
    end
    if (frees) tail_q <= tail;
    if (write_tail && !step[15] && step > room) beyond_q <= beyond_q + 1'b1;
    case (regs.number)
      REG_BASE:        regs_data <= 32'(base_q);
      REG_ENTRIES:     regs_data <= 32'(entries_q);
      REG_TAIL:        regs_data <= 32'(tail_q);
      REG_NEWS:        regs_data <= 32'(news_q);
      REG_PROGRESS:    regs_data <= progress_q;
      REG_CONTROL:     regs_data <= 32'(enable_q);
      REG_BEYOND:      regs_data <= beyond_q;
      REG_BUFFER:      regs_data <= 32'({buffer_q, 4'd0});
      REG_BUFFER_SIZE: regs_data <= 32'(size_q);
      REG_FRAMES:      regs_data <= frames_q;
      REG_BAD:         regs_data <= bad_q;
      REG_LONG:        regs_data <= long_q;
      REG_NO_BUFFER:   regs_data <= no_buffer_q;
      REG_NO_ENTRY:    regs_data <= no_entry_q;
      REG_OFF:         regs_data <= off_q;
      default:         regs_data <= '0;
    endcase
    if (core_rst) begin
      base_q    <= '0;
      entries_q <= '0;
      news_q    <= '0;
      enable_q  <= 1'b0;
      buffer_q  <= '0;
      size_q    <= 5'd4;
      tail_q    <= '0;
      beyond_q  <= '0;
    end
  end

  // ---- Room. taken_q and freed_q count beats of the buffer without end; `ends` has the former behind each frame.
  typedef logic [TOTAL_W-1:0] total_t;

  (* ram_style = "block" *) total_t ends [ENTRIES];

  logic [15:0] placed_q;                // frames that got a place
  total_t      taken_q, freed_q, end_q, size;
  logic        freed_news_q;

  assign size = total_t'(1) << (size_q - 5'd4);

  always_ff @(posedge core_clk) begin
    if (frees) end_q <= ends[ENTRY_W'(tail - 16'd1)];
    freed_news_q <= frees && !core_rst;
    if (freed_news_q) freed_q <= end_q;
    if (core_rst) freed_q <= '0;
  end

  // ---- A place for a frame, in four steps: take; where; is there room; tell.
  typedef enum logic [1:0] {TAKE, WHERE, ROOM, TELL} state_t;

  typedef struct packed {
    logic            keep;
    logic [FM_W-1:0] address;
    bytes_t          bytes;
  } place_verdict_t;

  state_t   state_q;
  bytes_t   length_q;
  total_t   at_q, place_q, need_q, skip_q, used_q, beats, behind;
  logic     entry_q, keeps, tell;
  place_verdict_t verdict_q;
  logic     verdict_ready, pending_ready, wants_place;

  assign arrived_take = state_q == TAKE;
  assign wants_place  = arrived.kind == GOOD && enable_q;
  assign beats        = total_t'((32'(length_q) + OFFSET + 32'd15) >> 4);
  assign behind       = at_q + beats;
  assign keeps        = entry_q && need_q + skip_q <= size - used_q && need_q <= size;
  assign tell         = state_q == TELL && verdict_ready && (!verdict_q.keep || pending_ready);

  always_ff @(posedge core_clk) begin
    unique case (state_q)
      TAKE: if (arrived_valid) begin
        length_q <= arrived.bytes;
        frames_q <= frames_q + 1'b1;
        case (arrived.kind)
          BAD:  bad_q  <= bad_q + 1'b1;
          LONG: long_q <= long_q + 1'b1;
          default: if (!enable_q) off_q <= off_q + 1'b1;
        endcase
        verdict_q.keep <= 1'b0;
        if (arrived.kind == GOOD) state_q <= wants_place ? WHERE : TELL;
      end
      WHERE: begin
        // Nothing in the buffer: what is skipped is nobody's.
        need_q  <= beats;
        skip_q  <= behind > size && taken_q != freed_q ? size - at_q : '0;
        place_q <= behind > size ? '0 : at_q;
        used_q  <= taken_q - freed_q;
        entry_q <= 17'(16'(placed_q - tail_q)) < 17'd1 << entries_q;
        state_q <= ROOM;
      end
      ROOM: begin
        verdict_q <= '{keep: keeps, address: FM_W'(buffer_q) + FM_W'(place_q), bytes: length_q};
        if (keeps) begin
          taken_q  <= taken_q + need_q + skip_q;
          at_q     <= place_q + need_q;
          placed_q <= placed_q + 1'b1;
        end else if (!entry_q) begin
          no_entry_q <= no_entry_q + 1'b1;
        end else begin
          no_buffer_q <= no_buffer_q + 1'b1;
        end
        state_q <= TELL;
      end
      default: if (tell) state_q <= TAKE;
    endcase
    if (core_rst) begin
      state_q     <= TAKE;
      frames_q    <= '0;
      bad_q       <= '0;
      long_q      <= '0;
      off_q       <= '0;
      no_buffer_q <= '0;
      no_entry_q  <= '0;
      taken_q     <= '0;
      at_q        <= '0;
      placed_q    <= '0;
    end
  end

  always_ff @(posedge core_clk) if (state_q == ROOM && keeps) ends[ENTRY_W'(placed_q)] <= taken_q + need_q + skip_q;

  // ---- Verdicts to the frame memory's side, descriptors to be written when their frames are there
  place_verdict_t verdict;
  logic     verdict_valid, verdict_take;

  fifo_async #(.WIDTH($bits(place_verdict_t)), .DEPTH(8)) u_verdicts (
    .wr_clk(core_clk), .wr_rst(core_rst), .wr_data(verdict_q), .wr_valid(tell), .wr_ready(verdict_ready),
    .rd_clk(fm_clk), .rd_rst(fm_rst), .rd_data({verdict}), .rd_valid(verdict_valid), .rd_ready(verdict_take)
  );

  logic [FM_W-1:0] next_address;
  bytes_t          next_bytes;
  logic            next_valid, next_take;

  /* verilator lint_off PINCONNECTEMPTY */
  fifo_lut #(.WIDTH(FM_W + BYTES_W), .DEPTH(32)) u_pending (
    .clk(core_clk), .rst(core_rst), .in_data({verdict_q.address, verdict_q.bytes}),
    .in_valid(tell && verdict_q.keep), .in_ready(pending_ready),
    .out_data({next_address, next_bytes}), .out_valid(next_valid), .out_ready(next_take), .occupancy()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ==== The frame memory's side
  logic                placed_valid, placed_ready, placed_last, placed_first, drop, drop_ends, align_ready, align_done;
  logic                done_ready, news_valid, news_take, news_word;
  logic [127:0]        placed;
  logic [15:0]         placed_mask;
  logic [FM_W-1:0]     placed_at, address_q;

  assign drop         = verdict_valid && !verdict.keep;
  assign drop_ends    = drop && word_valid && word.last;
  assign word_ready   = drop || align_ready;
  assign verdict_take = drop_ends || align_done;

  pnic_align #(.BYTES_W(BYTES_W), .SIDE(FM_W)) u_align (
    .clk(fm_clk), .rst(fm_rst),
    .cmd_valid(verdict_valid && verdict.keep), .cmd_ready(align_done), .cmd_from(4'd0), .cmd_to(4'(OFFSET)),
    .cmd_bytes(verdict.bytes), .cmd_side(verdict.address), .in_valid(word_valid), .in_ready(align_ready),
    .in_data(word.data), .out_valid(placed_valid), .out_ready(placed_ready), .out_data(placed), .out_mask(placed_mask),
    .out_first(placed_first), .out_last(placed_last), .out_side(placed_at)
  );

  // A frame's end waits for room for its news, of which there always is some.
  assign placed_ready = fm_rsp.ready && fm_req.valid;
  assign fm_req       = '{valid: placed_valid && (!placed_last || done_ready), write: 1'b1, more: !placed_last,
                          address: placed_first ? placed_at : address_q, mask: placed_mask, data: placed};

  always_ff @(posedge fm_clk) if (placed_ready) address_q <= fm_req.address + 1'b1;

  fifo_async #(.WIDTH(1), .DEPTH(8)) u_done (
    .wr_clk(fm_clk), .wr_rst(fm_rst), .wr_data(1'b1), .wr_valid(placed_ready && placed_last), .wr_ready(done_ready),
    .rd_clk(core_clk), .rd_rst(core_rst), .rd_data(news_word), .rd_valid(news_valid), .rd_ready(news_take)
  );

  // ==== Descriptors and progress to the scratchpad
  typedef enum logic [1:0] {IDLE, SECOND, NEWS} telling_t;

  telling_t    write_q;
  logic [1:0]  silent_q;                  // descriptors since the last news
  logic        pad_free, first_goes;
  pad_req_t    pad_q;
  logic [15:0] entry;

  assign pad_free   = !pad_q.valid || pad_rsp.ready;
  assign entry      = progress_q[15:0] & ~(16'hFFFF << entries_q);
  assign first_goes = write_q == IDLE && pad_free && news_valid;
  assign news_take  = write_q == SECOND && pad_free;
  assign next_take  = news_take;

  always_ff @(posedge core_clk) begin
    if (pad_free) begin
      pad_q.valid <= 1'b0;
      pad_q.op    <= PAD_STORE;
      pad_q.mask  <= 4'hF;
      case (write_q)
        IDLE: if (first_goes) begin
          pad_q.valid   <= 1'b1;
          pad_q.address <= base_q + PAD_W'({entry, 1'b0});
          pad_q.data    <= 32'({next_address, 4'(OFFSET)});
          write_q       <= SECOND;
        end
        SECOND: begin
          pad_q.valid   <= 1'b1;
          pad_q.address <= pad_q.address + 1'b1;
          pad_q.data    <= 32'(next_bytes);
          progress_q    <= progress_q + 1'b1;
          write_q       <= NEWS;
        end
        default: begin
          // Others that wait go first, up to three.
          if (news_valid && silent_q != 2'd3) begin
            silent_q <= silent_q + 1'b1;
          end else begin
            pad_q.valid   <= 1'b1;
            pad_q.address <= news_q;
            pad_q.data    <= progress_q;
            silent_q      <= '0;
          end
          write_q <= IDLE;
        end
      endcase
    end
    if (core_rst) begin
      pad_q.valid <= 1'b0;
      write_q     <= IDLE;
      silent_q    <= '0;
      progress_q  <= '0;
    end
  end

  assign pad_req  = pad_q;
  assign pad_used = pad_q.valid && pad_rsp.ready;

  /* verilator lint_off UNUSEDSIGNAL */
  logic unused;
  assign unused = ^{shown, used, news_word, next_valid, word.bad};
  /* verilator lint_on UNUSEDSIGNAL */

  a_pending : assert property (@(posedge core_clk) disable iff (core_rst) news_valid -> next_valid);
  a_room : assert property (@(posedge core_clk) disable iff (core_rst) taken_q - freed_q <= size || !enable_q);

endmodule
