// SPDX-License-Identifier: Apache-2.0
#ifndef NSOC_NETINET_TCP_H
#define NSOC_NETINET_TCP_H

#include <stdint.h>

#define TCP_NODELAY 1
#define TCP_MAXSEG 2
#define TCP_KEEPIDLE 4
#define TCP_INFO 11
#define TCP_USER_TIMEOUT 18
#define SOL_TCP 6

enum {
    TCP_ESTABLISHED = 1,
    TCP_SYN_SENT,
    TCP_SYN_RECV,
    TCP_FIN_WAIT1,
    TCP_FIN_WAIT2,
    TCP_TIME_WAIT,
    TCP_CLOSE,
    TCP_CLOSE_WAIT,
    TCP_LAST_ACK,
    TCP_LISTEN,
    TCP_CLOSING
};

// The fields that Linux has under these names and the engine knows; times in microseconds, _ms in milliseconds.
struct tcp_info {
    uint8_t tcpi_state, tcpi_backoff, tcpi_options;  // 1: time stamps, 2: SACK, 4: window scale
    uint8_t tcpi_snd_wscale, tcpi_rcv_wscale;
    uint32_t tcpi_rto, tcpi_rtt, tcpi_rttvar, tcpi_snd_mss, tcpi_snd_cwnd, tcpi_snd_ssthresh;  // cwnd in segments
    uint32_t tcpi_unacked, tcpi_notsent_bytes, tcpi_last_data_sent, tcpi_total_retrans;
    uint32_t tcpi_segs_out, tcpi_segs_in, tcpi_data_segs_in, tcpi_data_segs_out, tcpi_rcv_space, tcpi_snd_wnd;
    uint64_t tcpi_bytes_sent, tcpi_bytes_retrans;
};

#define TCPI_OPT_TIMESTAMPS 1
#define TCPI_OPT_SACK 2
#define TCPI_OPT_WSCALE 4

#endif
