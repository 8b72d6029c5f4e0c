// SPDX-License-Identifier: Apache-2.0
//
// The owner that owns nothing: all rings lie in memory behind ACB, and the processor's commands are the only requests.
// It has the ports of tcp_engine's socket that concern rings, and does without each. The next owner may begin with it.
//
//     tcp_engine --ring_m2s--> ACB --> memory
//                <--request, sum, fetch_held-- none
//
// Latency: none. Borders: ACB as that of tcp_rings.
module tcp_memory
  import acb_pkg::*;
  import tcp_socket_pkg::*;
(
  input  acb_m2s_t       ring_m2s,
  output acb_s2m_t       ring_s2m,
  output acb_m2s_t       memory_m2s,
  input  acb_s2m_t       memory_s2m,

  input  owner_rings_t   owned,
  input  owner_told_t    told,
  output owner_request_t request,
  input  logic           request_ready,
  input  owner_fetch_t   fetch,
  output logic           fetch_held,
  input  owner_step_t    fetch_step,
  output owner_sum_t     sum
);

  assign memory_m2s = ring_m2s;
  assign ring_s2m   = memory_s2m;
  assign request    = '0;
  assign fetch_held = 1'b0;
  assign sum        = '0;

  logic unused;
  assign unused = &{1'b0, owned, told, request_ready, fetch, fetch_step};

endmodule
