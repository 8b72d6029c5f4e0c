// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the programmable NIC agree on: small cores and assists around a banked scratchpad, a frame memory
// that only frames go through, and the host. Words are little-endian values everywhere; in frames the first byte is in
// the most significant lane, as on the frame stream.
package pnic_pkg;

  // ---- What a core sees where: scratchpad, frame memory, registers. Elsewhere there is nothing but, for fetches,
  // instructions from 0 on.
  localparam logic [31:0] SCRATCHPAD   = 32'(memory_map_pkg::PACKET_MEMORY_BASE);
  localparam logic [31:0] FRAME_MEMORY = 32'(memory_map_pkg::DRAM_BASE);
  localparam logic [31:0] REGISTERS    = 32'(memory_map_pkg::NIC_BASE);

  // ---- Scratchpad, in the cores' clock. 256 KB in words of 32 bits, cut into rows of 32 words. Which bank has a row:
  // pnic_crossbar.
  //
  // A master shows a request until it is granted, and may show the next in the cycle behind that. The answer comes in
  // the cycle behind the grant, that of PAD_UPDATE when it is there; a master shows nothing new until it has that one.
  // So what one master asks for is done in the order in which it asks, and all masters see one order of everything.
  localparam int unsigned PAD_W = 16;  // address of a word
  localparam int unsigned ROW_W = 5;   // ... in a row

  typedef enum logic [3:0] {
    PAD_LOAD,
    PAD_STORE,   // the bytes of the mask; answered with anything
    PAD_LR,      // a load that reserves the word for this master
    PAD_SC,      // a store, if nobody has written the word since its LR; answered with 0 if so, else 1
    PAD_SET,     // see below; answered with the flags as they were
    PAD_UPDATE,  // see below; answered with the position
    PAD_SWAP,    // this and all that follow: answered with the word as it was
    PAD_ADD,
    PAD_XOR,
    PAD_OR,
    PAD_AND,
    PAD_MIN,
    PAD_MAX,
    PAD_MINU,
    PAD_MAXU
  } pad_op_t;

  // An order record is one row: word 0 is the position, words 16 to 31 are FLAGS flags; words 1 to 15 are free for
  // anything. The position counts from 0 without end. PAD_SET sets the flag of count `data`, PAD_UPDATE clears the
  // consecutive flags that are set from the position on, to the end of their word at most, and moves the position
  // behind them. `address`: anywhere in the row. Both are one step for everybody. Less than FLAGS may be under way:
  // whoever sets position + FLAGS sets the flag of the position.
  localparam int unsigned FLAG_W = 9;
  localparam int unsigned FLAGS  = 1 << FLAG_W;

  typedef struct packed {
    logic             valid;
    pad_op_t          op;
    logic [PAD_W-1:0] address;
    logic [3:0]       mask;     // of a store; [0] is the byte at the lowest address
    logic [31:0]      data;
  } pad_req_t;

  typedef struct packed {
    logic        ready;  // granted
    logic        valid;  // the answer
    logic [31:0] data;
  } pad_rsp_t;

  // ---- Far port of a small core, in its clock: frame memory and registers. A request stands until it is ready; one
  // answer each, in a later cycle, and no request before it. Addresses are those of the core.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [31:0] address;
    logic [3:0]  mask;     // bytes that are wanted or written; [0] is the lowest address
    logic [31:0] data;
  } far_req_t;

  typedef struct packed {
    logic        ready;
    logic        valid;    // the answer
    logic        error;    // there is nothing there
    logic [31:0] data;
  } far_rsp_t;

  // ---- Registers of assists, in the cores' clock: taken at once, read data in the next cycle.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [5:0]  number;
    logic [31:0] data;
  } assist_reg_t;

  // ---- Frame memory, in its own clock: beats of 16 bytes, the first byte in the top lane. Each client shows a beat
  // until it is ready; `more` says that the next one is at the next address and follows at once: it goes before other
  // clients. Answers of reads come in order; a client takes them at once.
  localparam int unsigned FM_W     = 20;  // address of a beat: up to 16 MB
  localparam int unsigned FM_BURST = 32;  // beats of one client, when others wait; a power of two

  typedef struct packed {
    logic            valid;
    logic            write;
    logic            more;
    logic [FM_W-1:0] address;
    logic [15:0]     mask;     // of a write; [15] is the first byte
    logic [127:0]    data;
  } fm_req_t;

  typedef struct packed {
    logic         ready;
    logic         valid;  // the answer of the oldest read
    logic [127:0] data;
  } fm_rsp_t;

  // ---- Host, in its own clock. Bytes are packed: the first byte of a transfer is in the top lane of its first beat,
  // whatever its address, and only the last beat may have less than 16.
  localparam int unsigned TAG_W      = 6;
  localparam int unsigned HOST_BURST = 256;  // bytes of a request at most; none crosses a multiple of 4096

  typedef struct packed {     // reads: answered by tag, in any order, all beats of an answer together
    logic             valid;
    logic [TAG_W-1:0] tag;
    logic [63:0]      address;
    logic [8:0]       bytes;  // 1 to HOST_BURST
  } host_read_t;

  typedef struct packed {
    logic             valid;
    logic [TAG_W-1:0] tag;
    logic             last;
    logic             error;  // with last: the address was refused; the data is nothing
    logic [127:0]     data;
  } host_answer_t;

  typedef struct packed {     // writes: nobody answers, their order stays
    logic         valid;
    logic         first;
    logic         last;
    logic [63:0]  address;    // in all beats that of the first byte of the request
    logic [8:0]   bytes;      // likewise: of the whole request
    logic [127:0] data;
  } host_write_t;

  typedef struct packed {     // the host reads and writes the NIC (pnic_host_port): a word, until it is taken
    logic        valid;
    logic        write;
    logic [18:2] address;
    logic [31:0] data;
  } host_access_t;

  // ---- Registers of the assists, by number.
  localparam logic [5:0] REG_BASE     = 6'd0;  // of the ring: address of a word
  localparam logic [5:0] REG_ENTRIES  = 6'd1;  // log2
  localparam logic [5:0] REG_TAIL     = 6'd2;
  localparam logic [5:0] REG_NEWS     = 6'd3;  // address of the word that shows the progress
  localparam logic [5:0] REG_PROGRESS = 6'd4;  // read
  localparam logic [5:0] REG_LENGTH   = 6'd5;  // read: descriptors of a wrong length
  localparam logic [5:0] REG_CONTROL  = 6'd6;  // [0] enable
  localparam logic [5:0] REG_REFUSED  = 6'd7;  // read: descriptors refused by the host
  localparam logic [5:0] REG_BEYOND   = 6'd8;  // read: tails that the ring has no room for

  // Those of pnic_mac_receive.
  localparam logic [5:0] REG_BUFFER      = 6'd16;  // address of its first byte in the frame memory, a multiple of 16
  localparam logic [5:0] REG_BUFFER_SIZE = 6'd17;  // log2 of its bytes
  localparam logic [5:0] REG_FRAMES      = 6'd18;  // read, as those that follow: all that came
  localparam logic [5:0] REG_BAD         = 6'd19;  // ... and were bad
  localparam logic [5:0] REG_LONG        = 6'd20;  // ... and were longer than a frame may be
  localparam logic [5:0] REG_NO_BUFFER   = 6'd21;  // ... and found no room in the buffer
  localparam logic [5:0] REG_NO_ENTRY    = 6'd22;  // ... and found no free descriptor
  localparam logic [5:0] REG_OFF         = 6'd23;  // ... and nobody wanted: enable was 0

  // ---- A descriptor of the DMA assists in pieces, each one request to the host (pnic_pieces).
  localparam int unsigned LOCAL_W = FM_W + 4;  // address of a byte in the frame memory, or in the scratchpad

  typedef struct packed {
    logic [63:0]        address;  // at the host
    logic [8:0]         bytes;
    logic               pad;      // the local address is in the scratchpad
    logic [LOCAL_W-1:0] local_address;
    logic               last;     // of its descriptor
  } dma_piece_t;

  // What of pnic_dma_read goes to the frame memory or the scratchpad: a beat of a piece, or that there is none.
  typedef struct packed {
    logic            last;     // of its piece
    logic            bad;      // never
    logic            refused;  // the host has refused the piece: nothing is written
    logic            ends;     // the descriptor
    logic [FM_W-1:0] address;  // of a beat, also in the scratchpad
    logic [15:0]     mask;
    logic [127:0]    data;
  } dma_beat_t;

endpackage
