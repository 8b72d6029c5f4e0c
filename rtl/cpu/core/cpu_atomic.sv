// SPDX-License-Identifier: Apache-2.0
//
// RISC-V's atomics: what goes to memory, of the value that was read there and the register's. Combinational.
module cpu_atomic
  import cpu_core_pkg::*;
(
  input  logic [4:0]  amo,
  input  logic [31:0] old,
  input  logic [31:0] data,
  output logic [31:0] value
);

  logic less;
  assign less = (old[31] == data[31]) ? old < data : old[31] ^ amo[3];

  always_comb begin
    case (amo_t'(amo))
      AMO_ADD:            value = old + data;
      AMO_XOR:            value = old ^ data;
      AMO_OR:             value = old | data;
      AMO_AND:            value = old & data;
      AMO_MIN, AMO_MINU:  value = less ? old : data;
      AMO_MAX, AMO_MAXU:  value = less ? data : old;
      default:            value = data;  // AMO_SWAP, SC
    endcase
  end

endmodule
