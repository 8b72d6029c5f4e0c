// SPDX-License-Identifier: Apache-2.0
//
// L2 cache between the DRAM arbiter and the DRAM port, shared by processor and NIC: set-associative, write-back, with
// allocation on reads and writes. Lines have 64 bytes, a burst of the DRAM controller behind and two lines of the L1
// data cache; the dwords of a line are asked for and written back to back. Within a set lines are replaced in turn,
// those that are not valid first.
//
//     request -> hold -+-> tags -> D: compare, data memory -> response
//                      |           |
//                      |           miss: victim -> victim buffer -> write-back -+-> mem
//                      +<- waits         fill requests ------------------------/
//
// Latency: a hit is answered two cycles after its request. A read that misses is answered by the dword it asked for,
// which is fetched first, one cycle after that has come from memory; a write that misses one cycle after the whole
// line.
// Throughput: a hit a cycle. A miss is alone: the next request is looked at two cycles after the line has come.
//
//     cycle         0     1     2     3
//     request       A     B     C                in the hold register when D is occupied
//     D                   A     B                tags compared, data memory read or written
//     response                  A     B
//
// Order: requests are served one by one as they come, responses go out in that order. The arbiter in front keeps locks,
// which need nothing else here; a write without any byte, which only ends a lock, does not touch the cache and is not
// counted. A victim that was written is taken into the victim buffer before its place is filled, and leaves behind the
// requests for the line that takes the place. A later fill of the victim's own line is asked for after that, and memory
// answers in order: it cannot find old data.
//
// Inclusion: the caches of the processor hold no line that is not here. When a line goes, `evict` names the two lines
// of 32 bytes that it was, before the place is valid again; they are taken in an order with the writes of others that
// is the order in which requests are accepted.
//
// Errors: err = 1 from memory goes to who asked, and the line does not become valid; a write has the error of any dword
// of its line. (If only some of a line's dwords cannot be read, the data cache may hold the other half of it.) The
// answer to a write-back is not looked at: its line was once read without an error.
//
// After reset the tags are cleared, BYTES/(64*WAYS) cycles in which no request is taken.
// Counters, 32 bits, wrapping: hits, misses (each request is one of them), lines written back.
module l2_cache
  import acb_pkg::*;
#(
  parameter int unsigned BYTES = 131072,
  parameter int unsigned WAYS  = 4
) (
  input  logic        clk,
  input  logic        rst,

  input  acb_m2s_t    acb_m2s,
  output acb_s2m_t    acb_s2m,

  output acb_m2s_t    mem_m2s,
  input  acb_s2m_t    mem_s2m,

  // Lines of 32 bytes that are dropped
  output logic        evict_valid,
  input  logic        evict_ready,
  output logic [35:5] evict_line,

  output logic [31:0] hits,
  output logic [31:0] misses,
  output logic [31:0] write_backs
);

  localparam int unsigned SETS  = BYTES / (64 * WAYS);
  localparam int unsigned SET_W = $clog2(SETS);
  localparam int unsigned WAY_W = $clog2(WAYS);
  localparam int unsigned TAG_W = ADDR_W - 6 - SET_W;

  if (WAYS < 2 || (WAYS & (WAYS - 1)) != 0 || BYTES < 128 * WAYS || (BYTES & (BYTES - 1)) != 0) begin : g_bad_shape
    $error("l2_cache: WAYS must be a power of two of at least 2, BYTES one of at least 128 * WAYS");
  end

  typedef logic [SET_W-1:0] set_t;
  typedef logic [WAY_W-1:0] way_t;
  typedef logic [TAG_W-1:0] tag_t;

  typedef struct packed {  // an address
    tag_t       tag;
    set_t       set;
    logic [2:0] dword;
    logic [2:0] byte_;
  } cache_place_t;

  // ---- Requests come in: the tags of the one that moves on to D are read
  acb_req_t     hold_q, candidate, d_q;
  logic         take_in, hold_valid_q, d_valid_q, d_free, walking_q, miss_q;
  set_t         walk_q;
  cache_place_t c, d;  // where the candidate, the request in D belong

  assign take_in           = !hold_valid_q && !walking_q;
  assign acb_s2m.req_ready = take_in;
  assign candidate         = hold_valid_q ? hold_q : acb_m2s.req;
  assign c                 = candidate.address;
  assign d                 = d_q.address;

  always_ff @(posedge clk) begin
    if (take_in) hold_q <= acb_m2s.req;
    hold_valid_q <= (hold_valid_q || (acb_m2s.req_valid && take_in)) && !d_free;
    if (d_free) d_q <= candidate;
    if (rst) hold_valid_q <= 1'b0;
  end

  always_ff @(posedge clk) begin
    if (walking_q) walk_q <= walk_q + 1'b1;
    if (walk_q == '1) walking_q <= 1'b0;
    if (rst) begin
      walking_q <= 1'b1;
      walk_q    <= '0;
    end
  end

  a_at_rest : assert property (@(posedge clk) disable iff (rst) !walking_q -> walk_q == '0);

  logic [WAYS-1:0] match, valid;
  tag_t            tag_q [WAYS];
  logic            tag_write, tag_valid;
  way_t            victim_q;

  for (genvar w = 0; w < int'(WAYS); w++) begin : g_way
    logic [TAG_W:0] tags [SETS];  // {valid, tag}
    logic [TAG_W:0] out_q;

    always_ff @(posedge clk) begin
      if (walking_q || (tag_write && victim_q == way_t'(w))) begin
        tags[walking_q ? walk_q : d.set] <= walking_q ? '0 : {tag_valid, d.tag};
      end
      if (d_free) out_q <= tags[c.set];
    end
    assign valid[w] = out_q[TAG_W];
    assign tag_q[w] = out_q[TAG_W-1:0];
    assign match[w] = out_q == {1'b1, d.tag};
  end

  // Whose turn it is to go, by set
  way_t turn [SETS];
  way_t turn_q;
  always_ff @(posedge clk) begin
    if (walking_q || tag_write) turn[walking_q ? walk_q : d.set] <= walking_q ? '0 : victim_q + 1'b1;
    if (d_free) turn_q <= turn[c.set];
  end

  // ---- D: hit, or the beginning of a miss
  logic       room, touches, hit, go, miss;
  way_t       way, victim;
  logic [3:0] write_left_q;  // dwords of the write-back that are still to be sent

  assign touches = d_q.read || d_q.byte_mask != '0;
  assign hit     = |match;
  assign go      = d_valid_q && !miss_q && room && (hit || !touches);
  assign miss    = d_valid_q && !miss_q && room && !hit && touches && write_left_q == '0;
  assign d_free  = !d_valid_q || go;

  always_comb begin
    way    = '0;
    victim = turn_q;
    for (int unsigned w = 0; w < WAYS; w++) if (match[w]) way |= way_t'(w);
    for (int w = int'(WAYS) - 1; w >= 0; w--) if (!valid[w]) victim = way_t'(w);
  end

  // ---- A miss. Five things go on beside each other, each with what is left of it to do: requests for the line,
  // evictions of the victim's halves, the victim's way into its buffer, the line's way into its place, and, behind the
  // requests, the write-back, which the next miss waits for.
  logic [3:0]        ask_left_q, save_left_q, fill_left_q;  // of 8 dwords
  logic [2:0]        ask_dword_q, save_dword, saving_dword_q, fill_dword_q, write_dword;
  logic [1:0]        evict_left_q;
  logic              look_q, check_q;  // whether the victim was written: it is looked up; dirty_q is there
  logic              victim_valid_q, dirty_q, saving_q, fill_err_q;
  logic [ADDR_W-1:6] victim_line_q, buffer_line_q;
  logic [63:0]       victim_buffer [8];
  logic [63:0]       data_q;           // what was read of the data memory
  logic [4:0]        open_q;           // dwords of write-backs that memory has still to answer
  logic [4:0]        ahead_q;          // of these, those that it answers before the present line
  logic              save, moving, prepared, for_write_back, fill, fill_first, fill_last, ask, write, request_free;
  acb_req_t          mem_req_q;
  logic              mem_req_valid_q;

  assign save_dword  = 3'(4'd8 - save_left_q);
  assign write_dword = 3'(4'd8 - write_left_q);
  assign save        = check_q && victim_valid_q && dirty_q;

  assign request_free = !mem_req_valid_q || mem_s2m.req_ready;
  assign ask          = request_free && ask_left_q != '0;
  assign write        = request_free && ask_left_q == '0 && write_left_q != '0 && save_left_q == '0 && !saving_q;

  assign moving         = look_q || check_q || save_left_q != '0 || saving_q;  // the victim is still in its place
  assign prepared       = evict_left_q == '0 && !moving;
  assign for_write_back = ahead_q != '0 || fill_left_q == '0;
  assign fill           = mem_s2m.rsp_valid && !for_write_back && prepared && room;
  assign fill_first     = fill && fill_left_q == 4'd8;
  assign fill_last      = fill && fill_left_q == 4'd1;
  assign tag_write      = fill_last;
  assign tag_valid      = !fill_err_q && !mem_s2m.rsp.err;

  assign evict_valid = evict_left_q != '0;
  assign evict_line  = {victim_line_q, evict_left_q[0]};

  always_ff @(posedge clk) begin
    if (d_free) d_valid_q <= hold_valid_q || (acb_m2s.req_valid && take_in);
    look_q  <= miss;
    check_q <= look_q;
    if (miss) begin
      miss_q         <= 1'b1;
      victim_q       <= victim;
      victim_valid_q <= &valid;
      victim_line_q  <= {tag_q[victim], d.set};
      ask_left_q     <= 4'd8;
      ask_dword_q    <= d.dword;
      evict_left_q   <= &valid ? 2'd2 : 2'd0;
      fill_left_q    <= 4'd8;
      fill_dword_q   <= d.dword;
      fill_err_q     <= 1'b0;
    end
    if (evict_valid && evict_ready) evict_left_q <= evict_left_q - 2'd1;
    if (save) buffer_line_q <= victim_line_q;
    if (save) save_left_q <= 4'd8;
    else if (save_left_q != '0) save_left_q <= save_left_q - 4'd1;
    saving_q       <= save_left_q != '0;
    saving_dword_q <= save_dword;
    if (saving_q) victim_buffer[saving_dword_q] <= data_q;

    if (ask) begin
      ask_left_q  <= ask_left_q - 4'd1;
      ask_dword_q <= ask_dword_q + 3'd1;
    end
    if (save) write_left_q <= 4'd8;
    else if (write) write_left_q <= write_left_q - 4'd1;
    if (request_free) begin
      mem_req_valid_q <= ask || write;
      mem_req_q       <= ask ? '{lock: 1'b0, read: 1'b1, byte_mask: 8'hFF,
                                 address: {d.tag, d.set, ask_dword_q, 3'b000}, write_data: '0} :
                               '{lock: 1'b0, read: 1'b0, byte_mask: 8'hFF,
                                 address: {buffer_line_q, write_dword, 3'b000},
                                 write_data: victim_buffer[write_dword]};
    end

    if (fill) begin
      fill_left_q  <= fill_left_q - 4'd1;
      fill_dword_q <= fill_dword_q + 3'd1;
      fill_err_q   <= fill_err_q || mem_s2m.rsp.err;
    end
    if (fill_last) begin
      miss_q    <= 1'b0;
      d_valid_q <= 1'b0;  // so that the next request reads the new tag
    end

    open_q  <= open_q + (save ? 5'd8 : 5'd0) - 5'(mem_s2m.rsp_valid && for_write_back);
    ahead_q <= (miss ? open_q : ahead_q) - 5'(mem_s2m.rsp_valid && for_write_back && (miss || ahead_q != '0));

    if (rst) begin
      d_valid_q       <= 1'b0;
      miss_q          <= 1'b0;
      look_q          <= 1'b0;
      check_q         <= 1'b0;
      ask_left_q      <= '0;
      save_left_q     <= '0;
      saving_q        <= 1'b0;
      fill_left_q     <= '0;
      write_left_q    <= '0;
      evict_left_q    <= '0;
      open_q          <= '0;
      ahead_q         <= '0;
      mem_req_valid_q <= 1'b0;
    end
  end

  assign mem_m2s = '{req: mem_req_q, req_valid: mem_req_valid_q, rsp_ready: for_write_back || (prepared && room)};

  // Whether a line was written since it came: set by a write that hits, written anew with each line.
  logic dirty [SETS * WAYS];
  always_ff @(posedge clk) begin
    if (tag_write || (go && touches && !d_q.read)) begin
      dirty[{d.set, tag_write ? victim_q : way}] <= !d_q.read;
    end
    dirty_q <= dirty[{d.set, victim_q}];
  end

  // ---- Data: one access a cycle
  (* ram_style = "block" *) logic [63:0] data [SETS * WAYS * 8];
  logic [SET_W+WAY_W+2:0] data_index;
  logic [7:0]             data_mask;
  logic [63:0]            data_in, merged;

  always_comb begin
    for (int i = 0; i < 8; i++) begin
      merged[8*i+:8] = d_q.byte_mask[i] && !d_q.read ? d_q.write_data[8*i+:8] : mem_s2m.rsp.data[8*i+:8];
    end
    if (miss_q) data_index = {d.set, victim_q, fill ? fill_dword_q : save_dword};
    else data_index = {d.set, way, d.dword};
    data_mask = fill ? 8'hFF : d_q.byte_mask & {8{go && !d_q.read}};
    data_in   = !miss_q ? d_q.write_data : fill_first ? merged : mem_s2m.rsp.data;
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < 8; i++) if (data_mask[i]) data[data_index][8*i+:8] <= data_in[8*i+:8];
    if (go || save_left_q != '0) data_q <= data[data_index];
  end

  // ---- Responses: of a hit from the data memory, of a miss from the line as it comes
  logic        fetched_q;
  logic [63:0] word_q;

  always_ff @(posedge clk) begin
    fetched_q <= miss_q;
    word_q    <= mem_s2m.rsp.data;
  end

  mem_response u_response (
    .clk,
    .rst,
    .access   (go || (d_q.read ? fill_first : fill_last)),
    .read     (d_q.read),
    .err      (miss_q && (mem_s2m.rsp.err || (!d_q.read && fill_err_q))),
    .mem_data (fetched_q ? word_q : data_q),
    .room,
    .rsp      (acb_s2m.rsp),
    .rsp_valid(acb_s2m.rsp_valid),
    .rsp_ready(acb_m2s.rsp_ready)
  );

  // ---- Counters
  logic [31:0] hits_q, misses_q, write_backs_q;

  always_ff @(posedge clk) begin
    hits_q        <= hits_q + 32'(go && touches);
    misses_q      <= misses_q + 32'(miss);
    write_backs_q <= write_backs_q + 32'(save);
    if (rst) begin
      hits_q        <= '0;
      misses_q      <= '0;
      write_backs_q <= '0;
    end
  end

  assign hits        = hits_q;
  assign misses      = misses_q;
  assign write_backs = write_backs_q;

  // The arbiter in front keeps the lock.
  logic unused;
  assign unused = &{1'b0, hold_q.lock, d_q.lock, c, d};

  a_one_way : assert property (@(posedge clk) disable iff (rst) !d_valid_q || miss_q || $onehot0(match));
  a_response_expected : assert property (@(posedge clk) disable iff (rst)
    !mem_s2m.rsp_valid || open_q != '0 || fill_left_q != '0);
  a_one_use_of_data : assert property (@(posedge clk) disable iff (rst) !fill || save_left_q == '0);

endmodule
