// SPDX-License-Identifier: Apache-2.0
//
// Bus interface unit: joins the data path's and the instruction cache's requests into the one ACB master of the
// processor slot, and sends the responses back where they belong.
//
// Latency: one cycle (the request register); one request a cycle; up to 16 in flight. Responses are never held back and
// pass through without a register. Data goes before instructions; between a locked read and the unlocked access that
// follows it, no instruction read slips in and releases the lock.
//
// Ordering. Requests leave in order, and a slave answers in order, but slaves do not wait for each other. A device
// access therefore waits here until every posted store that went elsewhere (memory, or the other device group: NIC at
// 0xFF0..., peripherals at 0xFF8... and above) has been answered: a pointer is never pushed to the NIC before the frame
// it points to is in memory. A memory access does not wait for posted device stores; a fence does. A device store, and a
// swap, also waits until every overlapped load has been answered: what is given back with the pointer has been read. (A
// store to the NIC does not wait for loads from the NIC. They go the same way, and it keeps their order.)
module cpu_biu
  import cpu_core_pkg::*;
  import cpu_regions_pkg::*;
(
  input  logic               cpu_clk,
  input  logic               cpu_rst,
  // Data path
  input  logic               d_valid,
  output logic               d_ready,
  input  bus_req_t           d_req,
  output logic               d_rsp_valid,    // not for posted stores and overlapped loads
  output logic               d_load_rsp_valid, // for an overlapped load
  output logic               stores_pending, // posted stores that have not been answered
  output logic               bus_error,      // a posted store or an overlapped load was answered with an error
  output logic               bus_error_load, // with bus_error: it was an overlapped load
  output logic [31:0]        bus_error_address,
  // Instruction cache
  input  logic               i_valid,
  output logic               i_ready,
  input  logic [31:3]        i_address,
  output logic               i_rsp_valid,
  // Response, for whom a _rsp_valid says
  output logic               rsp_err,
  output logic [63:0]        rsp_data,
  // ACB master
  output logic               idle,           // nothing has been taken that is not answered
  output acb_pkg::acb_m2s_t  acb_m2s,
  input  acb_pkg::acb_s2m_t  acb_s2m
);

  typedef enum logic [1:0] {FOR_DATA, FOR_FETCH, FOR_STORE, FOR_LOAD} owner_t;
  typedef enum logic [1:0] {MEMORY, NIC, PERIPHERAL} domain_t;
  typedef struct packed {
    owner_t      owner;
    logic [31:0] address;
  } flight_t;

  acb_pkg::acb_req_t req_q;
  logic              req_valid_q;
  logic              locked_q;

  // ---- In flight: who waits for each response, oldest first
  flight_t    flights [16];
  flight_t    oldest;
  logic [4:0] head_q, tail_q;
  logic       full, d_take, i_take, pop;

  assign oldest = flights[head_q[3:0]];
  assign full   = (tail_q ^ head_q) == 5'd16;
  assign pop    = acb_s2m.rsp_valid;

  always_ff @(posedge cpu_clk) begin
    if (d_take || i_take) begin
      flights[tail_q[3:0]] <= d_take ? '{owner: !d_req.posted ? FOR_DATA : d_req.read ? FOR_LOAD : FOR_STORE,
                                         address: d_req.address} :
                                       '{owner: FOR_FETCH, address: {i_address, 3'b000}};
      tail_q <= tail_q + 5'd1;
    end
    if (pop) head_q <= head_q + 5'd1;
    if (cpu_rst) begin
      head_q <= '0;
      tail_q <= '0;
    end
  end

  // ---- Ordering of device accesses behind posted stores
  domain_t    d_domain;
  domain_t    stores_domain_q; // of the last one; if that is a device's, all of them are, as it waited for the others
  logic [4:0] stores_q;        // posted stores in flight
  logic [4:0] loads_q;         // overlapped loads in flight
  logic [4:0] other_loads_q;   // those of them that are not from the NIC
  logic       in_order, store_sent, store_answered, load_sent, load_answered;

  function automatic domain_t domain_of(input logic [31:23] address);
    return !is_device(address[31:24]) ? MEMORY : address[23] ? PERIPHERAL : NIC;
  endfunction

  assign d_domain       = domain_of(d_req.address[31:23]);
  assign stores_pending = stores_q != 5'd0;
  assign in_order       = d_domain == MEMORY ||
                          ((!stores_pending || stores_domain_q == d_domain) &&
                           (d_req.read || (d_domain == NIC ? other_loads_q == 5'd0 : loads_q == 5'd0)));
  assign store_sent     = d_take && d_req.posted && !d_req.read;
  assign load_sent      = d_take && d_req.posted && d_req.read;
  assign store_answered = pop && oldest.owner == FOR_STORE;
  assign load_answered  = pop && oldest.owner == FOR_LOAD;

  always_ff @(posedge cpu_clk) begin
    stores_q      <= stores_q + 5'(store_sent) - 5'(store_answered);
    loads_q       <= loads_q + 5'(load_sent) - 5'(load_answered);
    other_loads_q <= other_loads_q + 5'(load_sent && d_domain != NIC)
                     - 5'(load_answered && domain_of(oldest.address[31:23]) != NIC);
    if (store_sent) stores_domain_q <= d_domain;
    if (cpu_rst) begin
      stores_q      <= '0;
      loads_q       <= '0;
      other_loads_q <= '0;
    end
  end

  // ---- Request register
  logic slot_free;

  assign slot_free = (!req_valid_q || acb_s2m.req_ready) && !full;
  assign d_ready   = slot_free && in_order;
  assign i_ready   = slot_free && !locked_q && !d_valid;
  assign d_take    = d_valid && d_ready;
  assign i_take    = i_valid && i_ready;

  assign acb_m2s = '{req: req_q, req_valid: req_valid_q, rsp_ready: 1'b1};
  assign idle    = head_q == tail_q;

  always_ff @(posedge cpu_clk) begin
    if (acb_s2m.req_ready) req_valid_q <= 1'b0;
    if (d_take) begin
      req_q <= '{lock: d_req.lock, read: d_req.read, byte_mask: d_req.mask,
                 address: {4'b0, d_req.address}, write_data: d_req.data};
      locked_q    <= d_req.lock;
      req_valid_q <= 1'b1;
    end else if (i_take) begin
      req_q <= '{lock: 1'b0, read: 1'b1, byte_mask: 8'hFF, address: {4'b0, i_address, 3'b000}, write_data: '0};
      req_valid_q <= 1'b1;
    end
    if (cpu_rst) begin
      req_valid_q <= 1'b0;
      locked_q    <= 1'b0;
    end
  end

  // ---- Responses
  assign d_rsp_valid       = acb_s2m.rsp_valid && oldest.owner == FOR_DATA;
  assign d_load_rsp_valid  = load_answered;
  assign i_rsp_valid       = acb_s2m.rsp_valid && oldest.owner == FOR_FETCH;
  assign rsp_err           = acb_s2m.rsp.err;
  assign rsp_data          = acb_s2m.rsp.data;
  assign bus_error         = (store_answered || load_answered) && acb_s2m.rsp.err;
  assign bus_error_load    = oldest.owner == FOR_LOAD;
  assign bus_error_address = oldest.address;

  a_no_stray_response : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    acb_s2m.rsp_valid -> head_q != tail_q);
  a_request_holds : assert property (@(posedge cpu_clk) disable iff (cpu_rst)
    $past(!cpu_rst && req_valid_q && !acb_s2m.req_ready) -> req_valid_q && $stable(req_q));

endmodule
