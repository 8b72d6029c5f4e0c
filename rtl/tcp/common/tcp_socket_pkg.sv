// SPDX-License-Identifier: Apache-2.0
//
// The socket between tcp_engine and the owner of its rings. docs/tcp.md shows who may be the owner, and
// what each bundle promises. A bundle goes one way and has one time; `ready` is a port of its own.
package tcp_socket_pkg;

  import tcp_pkg::*;

  // ---- To the owner: out of registers, or through few gates -------------------------------------------------------

  typedef struct packed {                  // with DCA: whose rings are the owner's. Neither changes while it is in use
    logic [DIRECT-1:0]         direct;
    direct_size_t [DIRECT-1:0] sizes;
  } owner_rings_t;

  typedef struct packed {                  // what became of a connection that is the owner's
    logic    valid;                        // pulse, at most each second cycle
    index_t  index;
    direct_t direct;                       // its `index` is of the first connections only
  } owner_told_t;

  typedef struct packed {                  // a fetch, while it has not begun
    fetch_t  fetch;                        // tcp_tx asks for it, or will
    logic    idle;                         // nothing else is fetched
  } owner_fetch_t;

  typedef struct packed {                  // what tcp_core tells. The owner passes it on, and all others hear that
    logic        valid;                    // pulse
    event_kind_t kind;
    index_t      index;
    actions_t    actions;
  } core_told_t;

  // ---- To the owner, late -----------------------------------------------------------------------------------------

  typedef struct packed {
    logic    begins;                       // pulse: the fetch does
    logic    ends;                         // pulse: tcp_tx takes the last beat of the oldest one
  } owner_step_t;

  // ---- From the owner ---------------------------------------------------------------------------------------------

  typedef struct packed {                  // a SEND or READ; stays until it is ready
    logic     valid;
    request_t request;
  } owner_request_t;

  typedef struct packed {                  // of what is fetched, ahead of it
    logic        valid;
    logic [15:0] sum;
  } owner_sum_t;

  typedef struct packed {                  // with STREAM: an arrival whose connection is known
    logic          valid;
    fast_arrival_t arrival;
    logic [4:0]    count;                  // so many wait, this one too, and those of connections that have ended
  } owner_arrival_t;

endpackage
