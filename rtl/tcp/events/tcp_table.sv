// SPDX-License-Identifier: Apache-2.0
//
// Who is who: ends (addresses and ports) to index of the record, listeners by port, the pool of records that a SYN may take, and
// the initial sequence numbers. Between tcp_rx and tcp_commands, who ask, and tcp_core, whose actions it obeys.
//
//     ask --> Toeplitz hash of the ends --> heads of chains --> chain: ends and link, by index --> answer
//       \--> SipHash --> initial sequence number, for who opens -----------------------------------/
//
// Records with the same bucket are chained by their indexes, a link for each: all CONNECTIONS find a place whatever their
// ends are. There are as many buckets as records. A connection's bit i is the parity of the ends' bits under the key's
// from bit i on (Toeplitz, as of receive-side scaling): who does not know the key, and never sees a bucket, cannot aim at
// one chain, and it is there in a cycle. A listener's bucket is the lowest bits of its port, which the firmware chooses. A
// bucket is kept with the ends that it was made of: the key may change while there are connections, and each can be
// removed (but only what has been entered since is found: a new key is for a table without connections).
//
// - ASK_FIND: the connection with these ends, else the listener at the port.
// - ASK_OPEN, ASK_LISTEN: refused if there is one already, or if nobody can have that address (0/8, 224/3). If not refused,
//   the ends are noted for `ask_index`, unless it is in a chain: what a command does to a connection in use is said by tcp_core.
// - spawn: the ends of the last ASK_FIND are noted for `spare_index`, which leaves the pool.
// - act: INDEX_INSERT and INDEX_LISTEN put a record with noted ends into its chain, INDEX_REMOVE takes it out, whatever its
//   place (and does nothing to one that is in none). Between a record's noting and its insertion nobody asks: two
//   could have the same ends.
// - pool: a record joins the pool, at its end.
//
// The initial sequence number is the lower half of SipHash of our address, our port, the peer's address and port, plus
// a clock of 4 us (RFC 9293, 3.4.1; RFC 6528). The upper half is the offset of its timestamps: without a clock, so those of the
// same ends never go back, whatever connection they are of (RFC 7323, 7.1). A connection that is found has its own, so its answer does not wait for it.
// A connection may send faster than the clock runs. When it leaves (INDEX_REMOVE, with `act_last` behind all that it has
// sent), the clock is set forward, so that the next one with the same ends begins there at the least (RFC 9293, 3.6.1;
// RFC 1122, 4.2.2.13), whoever opens it and whatever record it gets. Later clocks are later still: only when others have
// set it forward by 2 GB meanwhile, the comparison modulo 2^32 fails.
//
//     ask_valid     1   1   0                        is taken when ask_ready; an action or a spawn goes first
//     ask_ready     0   1   0
//     answer_valid              ...  0   1   0       and `answer` until the next ask
//
// Latency in cycles, from the taken ask to answer_valid, with e entries looked at: 6 + 3 e for a connection that is found,
// 9 + 3 e else (both chains) but no less than 21, ASK_LISTEN 8 + 3 e at most. An action takes 7, REMOVE of a listener 8 or,
// behind e others, 9 + 3 e, that of a connection no less than 25. The bound is that of one chain of all records: 21 + 3 CONNECTIONS. A good hash has 1.5 entries on the
// average at full load, and of 1024 connections one chain is longer than 10 once in 100 000 times.
//
// tcp_tx reads the ends of a record through a port of its own, beside the chains: taken in any cycle with read_ready, which is
// low for two cycles at most, ends_valid two cycles later.
//
// After reset chains are emptied: 2 CONNECTIONS cycles (of the next power of two) until `ready`.
// Borders: all outputs out of registers, ready signals through one gate.
module tcp_table
  import tcp_pkg::*;
#(
  parameter int unsigned CONNECTIONS = 64
) (
  input  logic             clk,
  input  logic             rst,
  input  logic [15:0][7:0] key,           // byte 0 is the first
  input  logic [31:0]      address,       // ours
  input  seq_t             clock,         // counts 4 us: the counter of microseconds from bit 2 on
  output logic             ready,

  input  logic             ask_valid,
  output logic             ask_ready,
  input  ask_t             ask,
  input  ends_t            ask_ends,      // to listen: the port alone
  input  index_t           ask_index,     // to open, to listen
  output logic             answer_valid,  // pulse
  output table_answer_t    answer,

  input  logic             act_valid,
  output logic             act_ready,
  input  index_action_t    act,
  input  index_t           act_index,
  input  seq_t             act_last,      // of a connection that leaves: behind all that it has sent

  output logic             spare,         // the pool is not empty
  output index_t           spare_index,
  input  logic             spawn,         // takes it; with act_ready
  input  logic             pool_valid,    // pulse, in any cycle
  input  index_t           pool_index,

  input  logic             read_valid,
  output logic             read_ready,
  input  index_t           read_index,
  output logic             ends_valid,    // pulse
  output ends_t            ends,

  output logic             change_valid,  // pulse: a connection ...
  output logic             change_enters, // ... is found from now on, or no more
  output index_t           change_index,
  output ends_t            change_ends
);

  if (CONNECTIONS < 4 || CONNECTIONS > 1 << INDEX_W) begin : g_bad_connections
    $error("tcp_table: CONNECTIONS must be 4 to 1024");
  end

  localparam int unsigned SHORT_W = $clog2(CONNECTIONS);
  localparam int unsigned BUCKETS = 2 << SHORT_W;  // connections', then listeners'

  typedef logic [SHORT_W-1:0] short_index_t;
  typedef logic [SHORT_W:0]   bucket_t;

  typedef struct packed {
    logic         some;
    short_index_t index;
  } link_t;

  typedef struct packed {
    logic  linked;  // is in a chain
    link_t next;
  } node_t;

  typedef struct packed {
    bucket_t bucket;
    ends_t   ends;
  } connection_row_t;

  typedef enum logic [3:0] {
    CLEAR, IDLE, HASH, HEAD, HEAD_OUT, ROW, ROW_OUT, COMPARE, SELF, SELF_OUT, SELF_USE, LINK, UNLINK_FIRST,
    UNLINK, FORGET, ANSWER
  } state_t;

  state_t          state_q;
  logic            acts_q;      // it is an action, ...
  index_action_t   act_q;
  ask_t            ask_q;       // ... or a question
  ends_t           ends_q;      // that are looked for
  bucket_t         hashed, hashed_q;  // the connection's bucket
  bucket_t         bucket_q;    // whose chain is looked at; in CLEAR, that is emptied
  short_index_t    own_q;       // whose index came with it
  link_t           own_next_q;
  link_t           at_q;        // the place in the chain
  short_index_t    before_q;    // the place before
  logic            match_q;
  table_answer_t   answer_q;
  logic            answer_valid_q;
  logic [63:0]     hash;        // the lower half for sequence numbers, the upper one for timestamps
  node_t           node_out_q, node_q;  // what is read of the memories
  connection_row_t row_out_q, row_q;
  logic            hashing_q, summed, takes_act, takes_spawn, takes_ask;
  logic            leaves, leaving_q;  // a connection leaves; its hash is made, and what follows from it

  assign act_ready   = state_q == IDLE && !leaving_q;
  assign ask_ready   = act_ready && !act_valid && !spawn;
  assign takes_act   = act_ready && act_valid;
  assign takes_spawn = act_ready && spawn;
  assign takes_ask   = ask_ready && ask_valid;

  // ---- The hashes: SipHash of our address and port, then the peer's, each the highest byte first; and the bucket --------

  logic [11:0][7:0] text, bytes;
  logic [127:0]     mask;

  assign mask = key;

  always_comb begin
    hashed = '0;
    for (int unsigned i = 0; i < SHORT_W; i++) hashed[i] = ^(ends_q & mask[i +: $bits(ends_t)]);
  end

  ends_t       hash_ends;

  assign leaves    = state_q == SELF_USE && acts_q && act_q == INDEX_REMOVE && node_q.linked && !row_q.bucket[SHORT_W];
  assign hash_ends = leaves ? row_q.ends : ask_ends;
  assign bytes     = {address, hash_ends.port, hash_ends.address, hash_ends.peer_port};
  always_comb for (int unsigned i = 0; i < 12; i++) text[i] = bytes[11-i];

  tcp_siphash u_siphash (
    .clk, .rst, .key, .data(text), .start((takes_ask && ask != ASK_LISTEN) || leaves), .done(summed), .hash
  );

  always_ff @(posedge clk) begin
    if (takes_ask) hashing_q <= ask != ASK_LISTEN;
    else if (summed) hashing_q <= 1'b0;
    if (rst) hashing_q <= 1'b0;
  end

  // The clock of initial sequence numbers, and how much it must be set forward for who leaves.
  seq_t ahead_q, clock_q, last_q, span_q, missing_q;
  logic spanned_q, misses_q;

  always_ff @(posedge clk) begin
    clock_q   <= clock + ahead_q;
    span_q    <= last_q - hash[31:0];
    missing_q <= span_q - clock_q;
    spanned_q <= leaving_q && summed;
    misses_q  <= spanned_q;
    if (takes_act) last_q <= act_last;
    if (leaves) leaving_q <= 1'b1;
    else if (misses_q) leaving_q <= 1'b0;
    if (misses_q && !missing_q[31]) ahead_q <= ahead_q + missing_q;
    if (rst) begin
      leaving_q <= 1'b0;
      spanned_q <= 1'b0;
      misses_q  <= 1'b0;
      ahead_q   <= '0;
    end
  end

  // ---- The memories: heads of chains; links, and ends with their bucket, by index -----------------------------------------

  link_t           heads [BUCKETS];
  node_t           nodes [CONNECTIONS];
  connection_row_t rows [CONNECTIONS];
  link_t           head_q;

  logic            head_write, node_write, row_write, reads;
  link_t           head_new;
  short_index_t    node_at, row_at, self_q;
  node_t           node_new;
  connection_row_t row_new;

  assign reads = state_q == ROW || state_q == SELF;

  always_comb begin
    head_write = state_q == CLEAR || state_q == LINK || state_q == UNLINK_FIRST;
    head_new   = '0;
    if (state_q == LINK) head_new = '{some: 1'b1, index: own_q};
    if (state_q == UNLINK_FIRST) head_new = own_next_q;

    // A record is taken out in two cycles: the one before it is linked to the one behind, then it is in no chain.
    node_write = state_q == CLEAR || state_q == LINK || state_q == UNLINK || state_q == FORGET;
    node_at    = own_q;
    node_new   = '0;
    if (state_q == CLEAR) node_at = bucket_q[SHORT_W-1:0];
    if (state_q == LINK) node_new = '{linked: 1'b1, next: head_q};
    if (state_q == UNLINK) begin
      node_at  = before_q;
      node_new = '{linked: 1'b1, next: own_next_q};
    end

    row_write = (takes_spawn && spare) || (state_q == SELF_USE && !acts_q && !node_q.linked);
    row_at    = takes_spawn ? short_index_t'(spare_index) : own_q;
    row_new   = '{bucket: takes_spawn ? hashed_q : bucket_q, ends: ends_q};
  end

  always_ff @(posedge clk) begin
    if (head_write) heads[bucket_q] <= head_new;
    head_q <= heads[bucket_q];
  end

  always_ff @(posedge clk) begin
    if (node_write && 32'(node_at) < CONNECTIONS) nodes[node_at] <= node_new;
    node_out_q <= nodes[self_q];
  end

  always_ff @(posedge clk) begin
    if (row_write) rows[row_at] <= row_new;
    row_out_q <= rows[reads ? self_q : short_index_t'(read_index)];
  end

  // What is read: the chain's place, or the record itself.
  assign self_q = state_q == SELF ? own_q : at_q.index;

  // ---- The walk ------------------------------------------------------------------------------------------------------

  logic wanted, ends_here;  // the entry that is compared is looked for; the chain ends
  logic impossible, answers;

  always_comb begin
    if (acts_q) wanted = node_q.next.some && node_q.next.index == own_q;
    else if (bucket_q[SHORT_W]) wanted = row_q.ends.port == ends_q.port;
    else wanted = row_q.ends == ends_q;
  end

  assign ends_here  = match_q || !at_q.some;
  assign answers    = state_q == ANSWER && (!hashing_q || (ask_q == ASK_FIND && match_q && !bucket_q[SHORT_W]));
  assign impossible = ask_q == ASK_OPEN && (ends_q.address[31:24] == '0 || ends_q.address[31:29] == '1);

  always_ff @(posedge clk) begin
    node_q         <= node_out_q;
    row_q          <= row_out_q;
    answer_valid_q <= 1'b0;
    unique case (state_q)
      CLEAR: begin
        bucket_q <= bucket_q + 1'b1;
        if (bucket_q == '1) state_q <= IDLE;
      end
      IDLE: begin
        acts_q  <= takes_act;
        match_q <= 1'b0;
        if (takes_act) begin
          act_q <= act;
          own_q <= short_index_t'(act_index);
          if (act != INDEX_KEEP) state_q <= SELF;
        end else if (takes_ask) begin
          ask_q    <= ask;
          own_q    <= short_index_t'(ask_index);
          ends_q   <= ask_ends;
          bucket_q <= {1'b1, ask_ends.port[SHORT_W-1:0]};
          state_q  <= ask == ASK_LISTEN ? HEAD : HASH;
        end
      end
      HASH: begin
        hashed_q <= hashed;
        bucket_q <= hashed;
        state_q  <= HEAD;
      end
      HEAD: state_q <= HEAD_OUT;
      HEAD_OUT: begin
        at_q <= head_q;
        if (acts_q && act_q != INDEX_REMOVE) state_q <= LINK;
        else if (acts_q && head_q.index == own_q) state_q <= UNLINK_FIRST;
        else state_q <= ROW;
      end
      ROW: begin
        if (!ends_here) begin
          state_q <= ROW_OUT;
        end else if (acts_q) begin
          state_q <= UNLINK;
        end else if (match_q) begin
          state_q <= ANSWER;
        end else if (ask_q == ASK_FIND && !bucket_q[SHORT_W]) begin
          // No connection: a listener.
          bucket_q <= {1'b1, ends_q.port[SHORT_W-1:0]};
          state_q  <= HEAD;
        end else begin
          state_q <= ask_q == ASK_FIND || impossible ? ANSWER : SELF;
        end
      end
      ROW_OUT: state_q <= COMPARE;
      COMPARE: begin
        match_q  <= wanted;
        before_q <= at_q.index;
        at_q     <= node_q.next;
        state_q  <= ROW;
      end
      SELF: state_q <= SELF_OUT;
      SELF_OUT: state_q <= SELF_USE;
      SELF_USE: begin
        own_next_q <= node_q.next;
        if (acts_q) begin
          bucket_q <= row_q.bucket;
          state_q  <= node_q.linked == (act_q == INDEX_REMOVE) ? HEAD : IDLE;
        end else begin
          state_q  <= ANSWER;
        end
      end
      UNLINK_FIRST, UNLINK: state_q <= FORGET;
      LINK, FORGET:         state_q <= IDLE;
      default: if (answers) begin
        answer_valid_q <= 1'b1;
        state_q        <= IDLE;
      end
    endcase
    if (answers) begin
      answer_q <= '{found: match_q, listener: bucket_q[SHORT_W], index: index_t'(before_q),
                    refused: ask_q != ASK_FIND && (match_q || impossible), isn: hash[31:0] + clock_q,
                    ts_offset: hash[63:32]};
    end
    if (rst) begin
      state_q        <= CLEAR;
      bucket_q       <= '0;
      answer_valid_q <= 1'b0;
    end
  end

  assign answer       = answer_q;
  assign answer_valid = answer_valid_q;
  assign ready        = state_q != CLEAR;

  // ---- The pool ------------------------------------------------------------------------------------------------------

  logic         pool_ready;
  short_index_t spare_word;

  fifo_sync #(.WIDTH(SHORT_W), .DEPTH(1 << SHORT_W)) u_pool (
    .clk, .rst, .in_data(short_index_t'(pool_index)), .in_valid(pool_valid), .in_ready(pool_ready),
    .out_data(spare_word), .out_valid(spare), .out_ready(takes_spawn),
    /* verilator lint_off PINCONNECTEMPTY */
    .occupancy()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign spare_index = index_t'(spare_word);

  // ---- Ends by index ---------------------------------------------------------------------------------------------------

  logic read_q, ends_valid_q;

  assign read_ready = !reads;
  assign ends_valid = ends_valid_q;
  assign ends       = row_q.ends;

  always_ff @(posedge clk) begin
    read_q       <= read_valid && read_ready && !rst;
    ends_valid_q <= read_q && !rst;
  end

  // ---- Who is found changes --------------------------------------------------------------------------------------------

  logic         change_valid_q, change_enters_q;
  short_index_t change_index_q;
  ends_t        change_ends_q;

  assign change_valid  = change_valid_q;
  assign change_enters = change_enters_q;
  assign change_index  = index_t'(change_index_q);
  assign change_ends   = change_ends_q;

  always_ff @(posedge clk) begin
    change_valid_q  <= state_q == SELF_USE && acts_q && act_q != INDEX_LISTEN
                       && node_q.linked == (act_q == INDEX_REMOVE) && !rst;
    change_enters_q <= act_q == INDEX_INSERT;
    change_index_q  <= own_q;
    change_ends_q   <= row_q.ends;
  end

  a_pool : assert property (@(posedge clk) disable iff (rst) pool_valid -> pool_ready && 32'(pool_index) < CONNECTIONS);
  a_spawn : assert property (@(posedge clk) disable iff (rst) spawn -> act_ready && spare && !act_valid);
  a_act : assert property (@(posedge clk) disable iff (rst) act_valid -> 32'(act_index) < CONNECTIONS);
  a_ask : assert property (@(posedge clk) disable iff (rst)
    ask_valid && ask != ASK_FIND -> 32'(ask_index) < CONNECTIONS);
  a_read : assert property (@(posedge clk) disable iff (rst) read_valid -> 32'(read_index) < CONNECTIONS);
  // What is in a chain is found from its head.
  a_removed : assert property (@(posedge clk) disable iff (rst) state_q == ROW && acts_q && !at_q.some -> match_q);
  a_chained : assert property (@(posedge clk) disable iff (rst)
    state_q == HEAD_OUT && acts_q && act_q == INDEX_REMOVE -> head_q.some);

endmodule
