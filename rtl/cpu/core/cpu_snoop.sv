// SPDX-License-Identifier: Apache-2.0
//
// The data cache's lines that another master writes: their tags are cleared. `snoop.valid` comes in the cycle in which
// such a write gets its place in the order of accesses to memory (or later, but in that order). Cycle by cycle:
//
//     0  snoop.valid      the copy of the tags is read
//     1  valid_q          is the line there (`hit`), or was it filled last?
//     2  clear            the tag is cleared; a load handed over from EX in cycle 3 misses
//
// A load that reads the tags until then takes the line as it was: it comes before the write in the order of accesses,
// and nothing can tell that it did not. Whoever learns of the write, from the master's flag in a register or in
// memory, learns it by a response to a request that came behind the write, which takes longer than these three
// cycles. For the same reason it does not matter what a read finds in the very cycle of the clearing, and a store
// that has found its line may still write into it: a line that is not valid.
//
// A fill whose line is written meanwhile may have old dwords and new ones and does not become valid (`spoils`); the
// dword that the load waits for is one or the other. In cycle 0 the copy of the tags does not show yet what is just
// being written, nor what is in cycle 1: the line that is being filled, or was until then, is cleared without asking.
// An end of a fill that meets `clear` is lost, and its line stays invalid, as it was dropped when the fill began.
// Every other write of tags waits for `clear`.
//
// The wait ends, even with a snoop in each cycle: a line is found in cycles 0 to 2 and then no more, and while an
// operation waits no line becomes valid. It waits for `clear` for at most three cycles for each line of the cache
// (and one for the line that was filled last); one that does not write tags, of an address that is never cached, for
// none.
module cpu_snoop
  import cpu_slot_pkg::*;
(
  input  logic        cpu_clk,
  input  logic        cpu_rst,
  input  cpu_snoop_t  snoop,
  input  logic        hit,        // the line of the cycle before is in the cache, by the copy of the tags
  input  logic        filling,
  input  logic [31:5] fill_line,  // that is being filled, or was filled last
  output logic        spoils,     // the line that is being filled has been written
  output logic        clear,      // the tag of this line, if it is there
  output logic [31:5] clear_line
);

  logic        valid_q, filling_before_q, filled, clear_q;
  logic [31:5] line_q, clear_line_q;

  assign filled     = valid_q && (filling || filling_before_q) && line_q == fill_line;
  assign spoils     = filled && filling;
  assign clear      = clear_q;
  assign clear_line = clear_line_q;

  always_ff @(posedge cpu_clk) begin
    valid_q          <= snoop.valid && !cpu_rst;
    line_q           <= snoop.address;
    filling_before_q <= filling;
    clear_q          <= ((valid_q && hit) || filled) && !cpu_rst;
    clear_line_q     <= line_q;
  end

endmodule
