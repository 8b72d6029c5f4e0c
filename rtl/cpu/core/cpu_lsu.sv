// SPDX-License-Identifier: Apache-2.0
//
// Load/store unit: the MEM stage's memory side, with the data cache, the store buffer, atomics and fences.
//
// Cycles in MEM
//   cached load that hits                      1 (2 right after a store to the same dword: the memories are read again)
//   uncached load                              from the request at the ACB port to the response there: the request
//                                              leaves EX for the port's register (if no store is before it), and the
//                                              data goes to MEM's result in the cycle of its response
//   overlapped load (uncached; its core's)      1 once the bus has taken its request. The data comes later.
//   cached load that misses                    one more. The wanted dword is fetched first and used as it comes; the
//                                              rest of the line follows (and blocks the next miss until it is there)
//   posted store                               1 while the buffer has room
//   precise store, swap on a device            one round trip
//   AMO, SC                                    two round trips
//
// Data cache: direct mapped, write-through, no allocation on writes. A posted store updates the line it hits. Whatever
// goes around the cache (AMO, SC, a precise store) drops the line instead. MEM_CBO drops one line, `drop_all`
// all of them; a fence does not. What other bus masters write drops the line, too: see cpu_snoop.
//
// Ordering: everything leaves in program order through one channel; a load waits until the store buffer is empty. The
// bus interface (cpu_biu) keeps device accesses behind stores that went elsewhere. A fence waits until every store and
// every overlapped load has been answered, an atomic until every overlapped load has. Overlapped loads of different
// slaves, or one and what follows it in another slave, may be performed in another order than the program's, as the
// memory model allows, unless one depends on the other's data.
//
// Atomics on memory are a locked read and an unlocked write. If the read fails, or an SC finds that it must not write,
// the lock is released by a write without any byte. LR remembers address and value. SC succeeds if nothing cleared the
// reservation (a trap, a return from one and the like, another SC or AMO) and nobody has written the word since the LR.
//   SHARED   cpu_reservations, where harts and devices meet, says so (`reserved_lost`), of a write before SC's own
//            locked read not later than the answer to that. An SC that knows it already does not go to the bus.
//   else     the locked read finds the value of the LR still there. What that cannot see is a device that writes
//            another value and then the old one again.
// No other agent can write between that read and the write.
//
// An atomic with `ordered` (.rl) waits with SHARED until every store has been answered: it has its place in the order
// of its memory, and the other data caches know of it (l2_level). A lock that lies in local memory is not free before
// what it protects is in DRAM.
//
// A swap on a device address is one write; its response's data is the result (a queue push that returns its status).
// Other atomics on device addresses fault without an access.
//
// Byte order. The bus has the byte at the lowest address in its top lane. A little-endian core's words swap their bytes
// on the way, but keep their value in a device register. With BIG_ENDIAN nothing swaps: the lowest address of a half,
// word or dword is its top byte, in devices and memory alike.
//
// DWORDS: size 3 is one access of 8 bytes at a multiple of 8, also on the bus. A store's word for the lower address is
// issue_data[63:32]. A load's is `result`, the other one `result_second` from the cycle behind on.
// Without RISCV_ATOMICS there are no MEM_LR and MEM_SC, and MEM_AMO is a swap: of a word as above, of a byte only in
// memory; its result is not sign-extended.
module cpu_lsu
  import cpu_core_pkg::*;
  import cpu_regions_pkg::*;
  import cpu_slot_pkg::*;
#(
  parameter int unsigned CACHE_BYTES        = 8192,
  parameter int unsigned STORE_BUFFER_DEPTH = 4,
  parameter bit          LINE               = 1'b0,  // there is a line port
  parameter bit          BIG_ENDIAN         = 1'b0,
  parameter bit          DWORDS             = 1'b0,
  parameter bit          RISCV_ATOMICS      = 1'b1,
  parameter bit          SHARED             = 1'b0   // other harts have the memory, too, and there is cpu_reservations
) (
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  // From EX: offered, and handed over at the end of this cycle if the unit is not busy
  input  logic        offer,
  input  logic        issue,
  input  mem_op_t     issue_op,
  input  logic [31:0] issue_address,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [63:0] issue_data,    // in the lower half; with DWORDS one of size 3 in both
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic        issue_overlap, // an overlapped load: done when its request has left
  // To MEM
  output logic        busy,
  output why_t        why_busy,
  output logic        drained,  // every store and overlapped load has been answered
  output logic [31:0] result,
  output logic [31:0] result_second,  // of the last load of size 3: the word at its address + 4
  output logic        fault,
  output logic        fault_store,
  output logic [31:0] fault_address,
  // Overlapped loads: there are some without an answer; what is to be made of the next answer, and what that is
  input  logic        loads_pending,
  input  logic [2:0]  loads_first,
  input  logic [2:0]  loads_funct3,
  output logic [31:0] load_value,
  // From the core's control registers
  input  logic        precise_stores,
  input  logic        drop_all,
  input  logic        drop_reservation,
  // With SHARED: the word of the last LR; somebody has written it (cpu_reservations). Without it is never looked at
  output logic [31:2] reserved,
  input  logic        reserved_lost,
  // Bus interface
  output logic        bus_valid,
  input  logic        bus_ready,
  output bus_req_t    bus_req,
  input  logic        rsp_valid,
  input  logic        rsp_err,
  input  logic [63:0] rsp_data,
  input  logic        stores_pending,
  input  cpu_snoop_t  snoop,
  input  cpu_line_req_t line_req,  // while nothing is in MEM, nor comes there; without LINE never ready
  output cpu_line_rsp_t line_rsp
);

  localparam int unsigned WIDTH = DWORDS ? 64 : 32;

  // ---- The operation in MEM
  lsu_state_t  state_q;
  logic        valid_q;
  /* verilator lint_off UNUSEDSIGNAL */  // whether an AMO is quiet: it is waited for in any case; of a swap, which AMO
  mem_op_t     op_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] address_q;
  logic [WIDTH-1:0] data_q;  // as in the register
  logic        cached_q, device_q, posted_q, overlap_q;
  logic        stale_q;     // the cache memories' output may be older than a write
  logic [31:0] old_q;       // what the atomic's read, or the last LR, found in memory
  logic        sc_match_q;  // SC may write
  logic        release_q;   // the locked read failed: only release the lock

  logic        reserved_q;
  logic [31:2] reserved_address_q;
  logic        lost_q;      // somebody has written that word since

  logic done, hit, is_load_like, is_atomic, blocking, want_bus, cache_free, look;
  logic sb_in_valid, sb_in_ready, sb_out_valid, sb_out_ready;

  // ---- Line fill
  logic        filling_q, fill_err_q;
  logic [2:0]  fill_left_q;                    // requests still to be sent
  logic [1:0]  fill_next_q, fill_received_q;   // dword within the line of the next request, of the next response
  logic [1:0]  fill_count_q;                   // responses so far
  logic [31:5] fill_line_q;
  logic        fill_rsp, fill_last, fill_start;

  // ---- Line port (cpu_lines)
  logic         lines_active, lines_read, lines_again, lines_fetch, lines_row, lines_write, lines_tag_write, lines_rsp;
  logic         lines_pending, lines_asking, lines_behind_valid, lines_ask_valid;
  logic [1:0]   lines_place, lines_asked;
  logic [255:0] line_found;
  bus_req_t     lines_behind;

  assign lines_rsp = lines_asking && rsp_valid;

  // ---- Lines that other masters write
  logic        snoop_hit, snoop_spoils, clear;
  logic [31:5] clear_line;

  cpu_snoop u_snoop (
    .cpu_clk, .cpu_rst, .snoop, .hit(snoop_hit), .filling(filling_q), .fill_line(fill_line_q), .spoils(snoop_spoils),
    .clear, .clear_line
  );

  // A load that goes around the data cache does what it does where nothing is cached.
  logic issue_cached;
  assign issue_cached = is_cached(issue_address[31:28]) && !(issue_op.kind == MEM_LOAD && issue_op.bypass);

  // ---- Lanes. Memory is byte-invariant: a little-endian word's bytes swap places. Devices keep values.
  function automatic logic [7:0] lanes_of(input logic dword, input logic high, input logic [3:0] nibble);
    return DWORDS && dword ? 8'hFF : high ? {4'b0, nibble} : {nibble, 4'b0};
  endfunction

  logic [31:0] store_word, word_out, lane_word, atomic_word;
  logic [63:0] lane_data;
  logic [3:0]  lane_nibble;
  logic [7:0]  lane_mask, early_mask;
  logic        is_dword;
  assign is_dword = DWORDS && op_q.funct3[1:0] == 2'b11;
  always_comb begin
    case (op_q.funct3[1:0])
      2'b00:   store_word = {4{data_q[7:0]}};
      2'b01:   store_word = {2{data_q[15:0]}};
      default: store_word = data_q[31:0];
    endcase
  end
  assign lane_nibble = nibble_of(op_q.funct3[1:0], address_q[1:0], device_q && !BIG_ENDIAN);
  assign lane_mask   = lanes_of(is_dword, address_q[2], lane_nibble);
  // The mask of a load that leaves for the bus straight from EX.
  assign early_mask  = lanes_of(issue_op.funct3[1:0] == 2'b11, issue_address[2],
                                nibble_of(issue_op.funct3[1:0], issue_address[1:0],
                                          is_device(issue_address[31:24]) && !BIG_ENDIAN));

  if (RISCV_ATOMICS) begin : g_atomics
    cpu_atomic u_atomic (.amo(op_q.amo), .old(old_q), .data(data_q[31:0]), .value(atomic_word));
  end else begin : g_swaps
    assign atomic_word = store_word;
  end

  assign word_out  = (state_q == LSU_MODIFY) ? atomic_word : store_word;
  assign lane_word = device_q || BIG_ENDIAN ? word_out : swap_bytes(word_out);
  assign lane_data = is_dword ? 64'(data_q) : {2{lane_word}};

  // ---- Data cache
  logic        reread, array_read, array_busy, array_store, array_drop;
  logic [31:0] array_address, write_address;
  logic [63:0] line_data;
  cache_array #(.BYTES(CACHE_BYTES), .TAG_RAM("distributed"), .SNOOP(1'b1), .LINE(LINE)) u_array (
    .cpu_clk,
    .cpu_rst,
    .drop_all,
    .busy         (array_busy),
    .read         (array_read),
    .read_address (array_address),
    .address      (address_q),
    .hit,
    .read_data    (line_data),
    .read_line    (line_found),
    .read_spare   ({lines_fetch, !lines_row}),
    .write_address,
    .write_mask   (fill_rsp || lines_rsp ? 8'hFF : array_store ? lane_mask : 8'h00),
    .write_data   (fill_rsp || lines_rsp ? rsp_data : lane_data),
    .write_spare  ({lines_rsp, lines_row}),
    .line_write   (lines_write),
    .line_mask    (line_req.mask),
    .line_data    (line_req.data),
    .tag_write    (fill_last || array_drop || lines_tag_write),
    .tag_valid    ((fill_last && !fill_err_q && !rsp_err) || lines_tag_write),
    .clear,
    .clear_address(clear_line),
    .snoop_address(snoop.address),
    .snoop_hit
  );

  if (LINE) begin : g_lines
    cpu_lines u_lines (
      .cpu_clk,
      .cpu_rst,
      .line_req,
      .line_rsp,
      .free          (!valid_q && cache_free),
      .stores_waiting(sb_out_valid),
      .clear,
      .active        (lines_active),
      .read          (lines_read),
      .again         (lines_again),
      .fetch         (lines_fetch),
      .row           (lines_row),
      .place         (lines_place),
      .cached        (cached_q),
      .hit,
      .found         (line_found),
      .write         (lines_write),
      .tag_write     (lines_tag_write),
      .behind_valid  (lines_behind_valid),
      .behind        (lines_behind),
      .behind_go     (lines_behind_valid && bus_ready && !fill_request),
      .ask_valid     (lines_ask_valid),
      .asked         (lines_asked),
      .ask_go        (lines_ask_valid && bus_ready),
      .rsp_valid,
      .rsp_err,
      .asking        (lines_asking),
      .pending       (lines_pending)
    );
  end else begin : g_no_lines
    logic unused;
    assign unused          = &{1'b0, line_req, line_found, lines_behind, lines_read, lines_place, lines_asked};
    assign line_rsp        = '0;
    assign lines_behind    = '0;
    assign {lines_active, lines_read, lines_again, lines_fetch, lines_row, lines_place, lines_asked, lines_write,
            lines_tag_write, lines_pending, lines_asking, lines_behind_valid, lines_ask_valid} = '0;
  end

  assign cache_free    = !filling_q && !array_busy;
  assign write_address[31:5] = filling_q ? fill_line_q : LINE && lines_active ? line_req.address : address_q[31:5];
  assign write_address[4:3]  = filling_q ? fill_received_q : LINE && lines_asking ? lines_place : address_q[4:3];
  assign write_address[2:0]  = '0;
  // The memories are read as an operation arrives, and again where that was too early: an access that looks at stale
  // output does not end in that cycle. Whether there is an operation in EX, or whether it will be dropped, comes late
  // and does not matter here: what is read for none is not looked at.
  assign reread        = look && stale_q && cached_q && (op_q.kind == MEM_LOAD || op_q.kind == MEM_STORE);
  assign array_read    = lines_active ? lines_read || lines_again || lines_fetch : reread || !busy;
  assign array_address = reread || (lines_again && !lines_read) ? address_q :
                         LINE && lines_active ? {line_req.address, 5'b0} : issue_address;

  // ---- What the operation needs
  logic is_lr, is_sc, swaps_device;
  assign is_lr        = RISCV_ATOMICS && op_q.kind == MEM_LR;
  assign is_sc        = RISCV_ATOMICS && op_q.kind == MEM_SC;
  assign swaps_device = RISCV_ATOMICS ? op_q.amo == AMO_SWAP : op_q.funct3[1:0] == 2'b10;
  always_comb begin
    is_atomic = 1'b0;
    blocking  = 1'b0;
    case (op_q.kind)
      MEM_LOAD:  blocking = !(cached_q && hit);
      MEM_STORE: blocking = !posted_q;
      MEM_LR:    blocking = is_lr && !device_q;
      MEM_SC: begin
        is_atomic = is_sc;
        blocking  = is_sc && reserved_q && reserved_address_q == address_q[31:2] && !lost_q;
      end
      MEM_AMO: begin
        is_atomic = !device_q;
        blocking  = !device_q || swaps_device;
      end
      default: ;
    endcase
  end
  assign is_load_like = op_q.kind == MEM_LOAD || is_lr;

  assign look     = valid_q && state_q == LSU_LOOK;
  assign want_bus = look && blocking && !sb_out_valid && !lines_pending && cache_free && !(clear && cached_q) &&
                    !(op_q.kind == MEM_LOAD && cached_q && stale_q) && !(op_q.kind != MEM_LOAD && loads_pending) &&
                    !(SHARED && op_q.ordered && stores_pending);

  // An operation that needs no response is done while it looks. For a load that is whether it hits, the latest signal
  // of all (memory output, comparison), on which the whole pipeline waits: it joins at the very end.
  logic done_look, load_may_hit, refused;
  assign load_may_hit = look && op_q.kind == MEM_LOAD && cached_q && !stale_q && cache_free;
  always_comb begin
    done_look = 1'b0;
    refused   = 1'b0;
    case (op_q.kind)
      MEM_STORE: done_look = posted_q && sb_in_ready && (!cached_q || (!stale_q && cache_free));
      MEM_SC: begin
        refused   = device_q;
        done_look = !device_q && !blocking;
      end
      MEM_AMO:   refused = device_q && !blocking;
      MEM_LR:    refused = device_q;
      MEM_FENCE: done_look = drained;
      MEM_CBO:   done_look = cache_free && !clear;
      default: ;
    endcase
  end

  always_comb begin
    case (state_q)
      LSU_LOOK:    done = done_look;
      LSU_WAIT:    done = rsp_valid && !rsp_err && !is_atomic;
      LSU_CONFIRM: done = rsp_valid && !rsp_err && !release_q;
      LSU_FAULT, LSU_SENT: done = 1'b1;
      default: done = 1'b0;
    endcase
  end
  assign busy          = valid_q && !done && !(load_may_hit && hit);
  always_comb begin
    case (op_q.kind)
      MEM_LOAD:  why_busy = cached_q ? WHY_MISS : WHY_UNCACHED;
      MEM_STORE: why_busy = !posted_q ? WHY_UNCACHED : sb_in_ready ? WHY_MISS : WHY_STORE;
      MEM_FENCE: why_busy = WHY_SERIAL;
      MEM_CBO:   why_busy = WHY_MISS;
      default:   why_busy = WHY_UNCACHED;
    endcase
  end
  assign drained       = !sb_out_valid && !lines_pending && !stores_pending && !loads_pending;
  assign fault         = valid_q && state_q == LSU_FAULT;
  assign fault_store   = !is_load_like;
  assign fault_address = address_q;

  assign array_store = look && op_q.kind == MEM_STORE && done_look && cached_q && hit;
  assign array_drop  = (look && op_q.kind == MEM_CBO && done_look) ||
                       (want_bus && bus_ready && cached_q && !is_lr);  // of a load: a fill begins

  // ---- Store buffer
  localparam int unsigned STORE_W = DWORDS ? 104 : 68;
  logic [STORE_W-1:0] sb_in, sb_out;
  logic [31:0]        sb_address;
  logic [7:0]         sb_mask;
  logic [63:0]        sb_data;
  assign sb_in_valid = look && op_q.kind == MEM_STORE && done_look;

  if (DWORDS) begin : g_dwords
    assign sb_in = {address_q, lane_mask, lane_data};
    assign {sb_address, sb_mask, sb_data} = sb_out;
  end else begin : g_words
    logic [3:0]  nibble;
    logic [31:0] word;
    assign sb_in   = {address_q, lane_nibble, lane_word};
    assign {sb_address, nibble, word} = sb_out;
    assign sb_mask = lanes_of(1'b0, sb_address[2], nibble);
    assign sb_data = {2{word}};
  end

  cpu_store_buffer #(.DEPTH(STORE_BUFFER_DEPTH), .WIDTH(STORE_W)) u_store_buffer (
    .cpu_clk,
    .cpu_rst,
    .in_valid (sb_in_valid),
    .in_ready (sb_in_ready),
    .in_data  (sb_in),
    .out_valid(sb_out_valid),
    .out_ready(sb_out_ready),
    .out_data (sb_out)
  );

  // ---- Requests: the rest of a line goes first, then the line port's (older than what is in the store buffer while it has
  // any), then older stores, then the operation in MEM. An uncached load that
  // meets nothing of these need not wait for MEM: its request leaves as it is handed over from EX. (Not behind an
  // operation that looks into the cache in this very cycle: whether that is done comes too late.)
  logic fill_request, second_half, early, early_taken;
  assign fill_request = fill_left_q != 3'd0;
  assign second_half  = state_q == LSU_MODIFY;
  assign sb_out_ready = bus_ready && !fill_request && !lines_pending;
  assign early        = offer && issue_op.kind == MEM_LOAD && !issue_cached &&
                        (!valid_q || (state_q == LSU_WAIT && done) || state_q == LSU_SENT) &&
                        !sb_out_valid && !lines_pending && cache_free;
  assign early_taken  = early && bus_ready;
  assign bus_valid    = fill_request || lines_behind_valid || (sb_out_valid && !lines_pending) || lines_ask_valid ||
                        want_bus || second_half || early;

  always_comb begin
    if (fill_request) begin
      bus_req = '{lock: 1'b0, read: 1'b1, posted: 1'b0, mask: 8'hFF,
                  address: {fill_line_q, fill_next_q, 3'b000}, data: '0};
    end else if (lines_behind_valid) begin
      bus_req = lines_behind;
    end else if (lines_ask_valid) begin
      bus_req = '{lock: 1'b0, read: 1'b1, posted: 1'b0, mask: 8'hFF,
                  address: {address_q[31:5], lines_asked, 3'b000}, data: '0};
    end else if (sb_out_valid) begin
      bus_req = '{lock: 1'b0, read: 1'b0, posted: 1'b1,
                  mask: sb_mask, address: sb_address, data: sb_data};
    end else if (!valid_q || state_q == LSU_WAIT || state_q == LSU_SENT) begin
      bus_req = '{lock: 1'b0, read: 1'b1, posted: issue_overlap,
                  mask: early_mask, address: issue_address, data: '0};
    end else begin
      bus_req.lock    = is_atomic && !second_half;
      bus_req.read    = is_load_like || (is_atomic && !second_half);
      bus_req.posted  = overlap_q;
      bus_req.mask    = fill_start ? 8'hFF : lane_mask;
      bus_req.address = address_q;
      bus_req.data    = lane_data;
      if (second_half && (release_q || (is_sc && !sc_match_q))) bus_req.mask = '0;
    end
  end

  // ---- Results
  // Separately for what comes from the bus and from the cache, which comes latest of all.
  // Answers come in order: overlapped loads are older than what waits for one in MEM.
  logic [2:0]  first, funct3;
  logic [31:0] bus_word, bus_value, cache_value;
  assign first       = loads_pending ? loads_first : {address_q[2], address_q[1:0] ^ {2{device_q && !BIG_ENDIAN}}};
  assign funct3      = loads_pending ? loads_funct3 : op_q.funct3;
  assign load_value  = rsp_err ? '0 : bus_value;
  cpu_load_value #(.BIG_ENDIAN(BIG_ENDIAN)) u_bus_word (
    .lanes(rsp_data), .first, .funct3(RISCV_ATOMICS ? 3'b010 : {1'b1, op_q.funct3[1:0]}), .value(bus_word)
  );
  cpu_load_value #(.BIG_ENDIAN(BIG_ENDIAN)) u_bus_value (.lanes(rsp_data), .first, .funct3, .value(bus_value));
  cpu_load_value #(.BIG_ENDIAN(BIG_ENDIAN)) u_cache_value (
    .lanes(line_data), .first(address_q[2:0]), .funct3(op_q.funct3), .value(cache_value)
  );
  logic [31:0] other_result;
  always_comb begin
    if (is_sc) other_result = {31'b0, !(state_q == LSU_CONFIRM && sc_match_q)};
    else if (is_atomic) other_result = old_q;
    else other_result = bus_value;
  end
  // A load is the only operation whose result is there while it looks, but for an SC that must not write.
  assign result = (state_q == LSU_LOOK && op_q.kind == MEM_LOAD) ? cache_value : other_result;

  if (DWORDS) begin : g_second
    logic [31:0] second_q;
    always_ff @(posedge cpu_clk) begin
      if (valid_q && !busy && !fault && op_q.kind == MEM_LOAD && is_dword) begin
        second_q <= (state_q == LSU_LOOK) ? line_data[31:0] : rsp_data[31:0];
      end
    end
    assign result_second = second_q;
  end else begin : g_no_second
    assign result_second = '0;
  end

  // ---- Fill
  assign fill_start = look && op_q.kind == MEM_LOAD && cached_q && !hit;  // if it gets the bus
  assign fill_rsp   = filling_q && rsp_valid;
  assign fill_last  = fill_rsp && fill_count_q == 2'd3;

  always_ff @(posedge cpu_clk) begin
    if (want_bus && bus_ready && fill_start) begin
      filling_q       <= 1'b1;
      fill_err_q      <= 1'b0;
      fill_line_q     <= address_q[31:5];
      fill_left_q     <= 3'd3;
      fill_next_q     <= address_q[4:3] + 2'd1;
      fill_received_q <= address_q[4:3];
      fill_count_q    <= '0;
    end
    if (fill_request && bus_ready) begin
      fill_left_q <= fill_left_q - 3'd1;
      fill_next_q <= fill_next_q + 2'd1;
    end
    if (fill_rsp) begin
      fill_count_q    <= fill_count_q + 2'd1;
      fill_received_q <= fill_received_q + 2'd1;
      fill_err_q      <= fill_err_q || rsp_err;
    end
    if (fill_last) filling_q <= 1'b0;
    if (snoop_spoils) fill_err_q <= 1'b1;
    if (drop_all) fill_err_q <= 1'b1;  // what is under way may be older than what the drop is for
    if (cpu_rst) begin
      filling_q   <= 1'b0;
      fill_left_q <= '0;
    end
  end

  // ---- Sequence
  always_ff @(posedge cpu_clk) begin
    if (!busy) begin
      valid_q   <= issue;
      op_q      <= issue_op;
      address_q <= issue_address;
      data_q    <= issue_data[WIDTH-1:0];
      cached_q  <= issue_cached;
      device_q  <= is_device(issue_address[31:24]);
      posted_q  <= is_postable(issue_address[31:24]) && !precise_stores;
      overlap_q <= issue_overlap;
      state_q   <= !early_taken ? LSU_LOOK : issue_overlap ? LSU_SENT : LSU_WAIT;
      release_q <= 1'b0;
    end
    if (LINE && lines_active) begin  // nothing comes from EX
      address_q <= lines_read ? {line_req.address, 5'b0} : address_q;
      cached_q  <= lines_read ? is_cached(line_req.address[31:28]) : cached_q;
    end

    if (look) begin
      if (refused) state_q <= LSU_FAULT;
      else if (want_bus && bus_ready) state_q <= overlap_q ? LSU_SENT : LSU_WAIT;
    end

    if (valid_q && state_q == LSU_WAIT && rsp_valid) begin
      if (is_lr || is_atomic) old_q <= bus_word;
      // old_q still holds what LR saw.
      sc_match_q <= SHARED ? !lost_q && !reserved_lost : bus_word == old_q;
      if (is_atomic) begin
        state_q   <= LSU_MODIFY;
        release_q <= rsp_err;
      end else if (rsp_err) begin
        state_q <= LSU_FAULT;
      end
    end
    if (state_q == LSU_MODIFY && bus_ready) state_q <= LSU_CONFIRM;
    if (state_q == LSU_CONFIRM && rsp_valid && (rsp_err || release_q)) state_q <= LSU_FAULT;

    // Reservation
    if (valid_q && done && is_lr && !fault) begin
      reserved_q         <= 1'b1;
      reserved_address_q <= address_q[31:2];
    end
    if (drop_reservation || (valid_q && done && (is_sc || op_q.kind == MEM_AMO))) reserved_q <= 1'b0;

    if (cpu_rst) begin
      valid_q    <= 1'b0;
      state_q    <= LSU_LOOK;
      reserved_q <= 1'b0;
    end
  end

  // The word is watched from the cycle on in which LR's request leaves: a write that comes before LR's own read does no
  // harm but that SC fails.
  if (SHARED) begin : g_shared
    assign reserved = valid_q && is_lr ? address_q[31:2] : reserved_address_q;

    always_ff @(posedge cpu_clk) begin
      if (look && is_lr) lost_q <= 1'b0;
      else if (reserved_lost) lost_q <= 1'b1;
    end

    // cpu_reservations has seen whatever changed the word.
    a_told : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
      valid_q && is_sc && state_q == LSU_WAIT && rsp_valid && !rsp_err && !lost_q && !reserved_lost
      -> bus_word == old_q);
    a_ordered : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
      want_bus && op_q.ordered -> !sb_out_valid && !lines_pending && !stores_pending && !loads_pending);
  end else begin : g_alone
    logic unused;
    assign unused   = &{1'b0, reserved_lost};
    assign lost_q   = 1'b0;
    assign reserved = '0;
  end

  // Stale: the memories were read in a cycle in which they changed, or while they were being filled. A store leaves the
  // tags alone, so that the next store need not care.
  always_ff @(posedge cpu_clk) begin
    if (issue) begin
      stale_q <= !cache_free || array_drop ||
                 (array_store && issue_op.kind == MEM_LOAD && issue_address[12:3] == address_q[12:3]);
    end else if (reread && cache_free) begin
      stale_q <= 1'b0;
    end
  end

  a_response_expected : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    rsp_valid -> filling_q || lines_asking || (valid_q && (state_q == LSU_WAIT || state_q == LSU_CONFIRM)));
  a_clear_goes_first : assert property (@(posedge cpu_clk) disable iff (cpu_rst) clear -> !array_drop);
  a_line_port_alone : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    lines_active || lines_asking -> !issue && (!valid_q || done || (load_may_hit && hit)));
  a_issue_when_free : assert property (@(posedge cpu_clk) disable iff (cpu_rst) issue -> !busy);
  a_dword : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    issue && issue_op.kind inside {MEM_LOAD, MEM_STORE} && issue_op.funct3[1:0] == 2'b11 ->
      DWORDS && issue_address[2:0] == '0 && !issue_overlap);
  a_atomics : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    issue && issue_op.kind inside {MEM_LR, MEM_SC} -> RISCV_ATOMICS);

endmodule
