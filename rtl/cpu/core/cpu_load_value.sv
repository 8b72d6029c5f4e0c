// SPDX-License-Identifier: Apache-2.0
//
// The value that a load takes out of a dword in bus lanes, which are in the order of addresses. Combinational.
module cpu_load_value #(
  parameter bit BIG_ENDIAN = 1'b0
) (
  input  logic [63:0] lanes,
  input  logic [2:0]  first,   // of the byte at the load's address
  input  logic [2:0]  funct3,  // [1:0] log2 of the size in bytes, [2] zero-extend
  output logic [31:0] value    // of a dword the word at its address
);

  if (BIG_ENDIAN) begin : g_big
    logic [31:0] word;
    logic [15:0] half;
    logic [7:0]  low;
    logic        fill;
    assign word = first[2] ? lanes[31:0] : lanes[63:32];
    assign half = first[1] ? word[15:0] : word[31:16];
    assign low  = first[0] ? half[7:0] : half[15:8];
    assign fill = !funct3[2] && low[7];  // of a half, too: its address is even
    always_comb begin
      case (funct3[1:0])
        2'b00:   value = {{24{fill}}, low};
        2'b01:   value = {{16{fill}}, half};
        default: value = word;
      endcase
    end
  end else begin : g_little
    // The byte at its address becomes the lowest one. In a device register that is at the other end of the word.
    always_comb begin
      logic [7:0][7:0] bytes;  // by address
      logic            fill;
      for (int i = 0; i < 8; i++) bytes[i] = lanes[8*(7-i)+:8];
      for (int i = 0; i < 4; i++) value[8*i+:8] = bytes[first ^ 3'(i)];
      fill = !funct3[2] && (funct3[0] ? value[15] : value[7]);
      if (funct3[1:0] == 2'b00) value[15:8] = {8{fill}};
      if (!funct3[1]) value[31:16] = {16{fill}};
    end
  end

endmodule
