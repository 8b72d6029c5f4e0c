// SPDX-License-Identifier: Apache-2.0
// setsockopt and getsockopt.
#include <netinet/tcp.h>

#include "membership.h"
#include "socket_internal.h"

#define LEAST_BUFFER 256u

static os_time_t patience_of(const struct timeval *t) {
    const os_time_t us = (os_time_t)t->tv_sec * 1000000u + (os_time_t)t->tv_usec;
    return us ? OS_US(us) : OS_FOREVER;
}

static struct timeval time_of(os_time_t patience) {
    if (patience == OS_FOREVER) return (struct timeval){0, 0};
    const uint64_t us = patience / CPU_MHZ;
    return (struct timeval){(time_t)(us / 1000000u), (suseconds_t)(us % 1000000u)};
}

// To the engine, when there is a connection. Interrupts are off.
static void tell(const sock_t *s, unsigned option, uint32_t value) {
    if (s->c && s->state != OVER) (void)toe_option(s->c, option, value);
}

static int set_socket(sock_t *s, int option, const void *value, socklen_t length) {
    int number = 0;
    if (option == SO_LINGER) {
        struct linger linger;
        if (length < sizeof linger) return EINVAL;
        __builtin_memcpy(&linger, value, sizeof linger);
        s->linger = linger.l_onoff;
        if (linger.l_onoff) s->linger_s = (uint32_t)linger.l_linger;
        return 0;
    }
    if (option == SO_RCVTIMEO || option == SO_SNDTIMEO) {
        struct timeval time;
        if (length < sizeof time) return EINVAL;
        __builtin_memcpy(&time, value, sizeof time);
        if (time.tv_usec < 0 || time.tv_usec >= 1000000) return EDOM;
        if (time.tv_sec < 0) time.tv_sec = 0, time.tv_usec = 1;  // at once
        *(option == SO_RCVTIMEO ? &s->receive_patience : &s->send_patience) = patience_of(&time);
        return 0;
    }
    if (length < sizeof number) return EINVAL;
    __builtin_memcpy(&number, value, sizeof number);
    switch (option) {
        case SO_REUSEADDR: s->reuse = number; return 0;
        case SO_BROADCAST: s->broadcast = number; return 0;
        case SO_KEEPALIVE:
            s->keep_alive = number;
            if (s->kind == STREAM) tell(s, TOE_OPTION_KEEP_ON, s->keep_alive);
            return 0;
        case SO_SNDBUF:
        case SO_RCVBUF: {
            const bool sends = option == SO_SNDBUF, has_rings = s->c && s->state != LISTENING;
            const uint32_t most = s->kind == DATAGRAM ? 32768u
                                  : has_rings         ? (sends ? send_ring(s) : receive_ring(s))
                                  : sends             ? LARGER_RING(TOE_TX_BYTES)
                                                      : LARGER_RING(TOE_RX_BYTES);
            uint32_t bytes = number < 0 || (uint32_t)number > most ? most : (uint32_t)number;
            if (bytes < LEAST_BUFFER) bytes = LEAST_BUFFER;
            *(sends ? &s->send_limit : &s->receive_limit) = bytes;
            if (s->c && is_direct(s)) s->limited = s->send_limit < TOE_DIRECT_BYTES;
            return 0;
        }
        default: return ENOPROTOOPT;
    }
}

static int set_ip(sock_t *s, int option, const void *value, socklen_t length) {
    int number;
    if (option == IP_ADD_MEMBERSHIP || option == IP_DROP_MEMBERSHIP) return membership_set(s, option, value, length);
    if (option == IP_MULTICAST_IF) return membership_interface(s, value, length);
    if (option != IP_TTL && option != IP_TOS && option != IP_MULTICAST_TTL && option != IP_MULTICAST_LOOP) return ENOPROTOOPT;
    if (length >= sizeof number) __builtin_memcpy(&number, value, sizeof number);
    else if (length) number = *(const uint8_t *)value;
    else return EINVAL;
    if (option == IP_TTL) {
        if (number != -1 && (number < 1 || number > 255)) return EINVAL;
        s->ttl = number < 0 ? 64u : (uint8_t)number;
        if (s->kind == STREAM) tell(s, TOE_OPTION_TTL, s->ttl);
    } else if (option == IP_MULTICAST_TTL) {
        if (s->kind == STREAM || number < -1 || number > 255) return EINVAL;
        s->group_ttl = number < 0 ? 1u : (uint8_t)number;
    } else if (option == IP_MULTICAST_LOOP) {
        s->group_loop = number;
    } else {
        s->tos = (uint8_t)(number & (s->kind == STREAM ? 0xFC : 0xFF));  // of a stream the two lowest are the engine's
        if (s->kind == STREAM) tell(s, TOE_OPTION_DSCP, s->tos >> 2);
    }
    return 0;
}

static int set_tcp(sock_t *s, int option, const void *value, socklen_t length) {
    int number;
    if (s->kind != STREAM) return ENOPROTOOPT;
    if (length < sizeof number) return EINVAL;
    __builtin_memcpy(&number, value, sizeof number);
    switch (option) {
        case TCP_NODELAY:
            s->no_delay = number;
            tell(s, TOE_OPTION_NAGLE_OFF, s->no_delay);
            return 0;
        case TCP_KEEPIDLE:
            if (number < 1 || number > 32767) return EINVAL;
            s->keep_idle_s = (uint32_t)number;
            tell(s, TOE_OPTION_KEEP_IDLE, s->keep_idle_s);
            return 0;
        case TCP_USER_TIMEOUT:
            if (number < 0) return EINVAL;
            s->patience_ms = (uint32_t)number;
            if (number) tell(s, TOE_OPTION_PATIENCE, (s->patience_ms + 999u) / 1000u);
            return 0;
        default: return ENOPROTOOPT;
    }
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t length) {
    sock_t *s = sock_of(fd);
    if (!s) return fail(EBADF);
    if (!value && length) return fail(EFAULT);
    if (level == IPPROTO_IP && option == IP_ADD_MEMBERSHIP) membership_begin();
    os_enter();
    const int error = level == SOL_SOCKET    ? set_socket(s, option, value, length)
                      : level == IPPROTO_IP  ? set_ip(s, option, value, length)
                      : level == IPPROTO_TCP ? set_tcp(s, option, value, length)
                                             : ENOPROTOOPT;
    os_leave();
    return error ? fail(error) : 0;
}

static int put(void *value, socklen_t *length, const void *from, size_t bytes) {
    if ((int32_t)*length < 0) return fail(EINVAL);
    if (*length > bytes) *length = (socklen_t)bytes;
    __builtin_memcpy(value, from, *length);
    return 0;
}

static int info(const sock_t *s, void *value, socklen_t *length) {
    static const uint8_t states[] = {TCP_CLOSE,     TCP_LISTEN,    TCP_SYN_SENT, TCP_SYN_RECV,  TCP_ESTABLISHED, TCP_FIN_WAIT1,
                                     TCP_FIN_WAIT2, TCP_CLOSE_WAIT, TCP_CLOSING,  TCP_LAST_ACK, TCP_TIME_WAIT};
    struct tcp_info all = {.tcpi_state = TCP_CLOSE};
    toe_status_t is;
    os_enter();
    const bool known = s->c && toe_status(s->c, &is) == TOE_OK;
    os_leave();
    if (known) {
        all = (struct tcp_info){
            .tcpi_state = states[is.state < sizeof states ? is.state : 0],
            .tcpi_backoff = (uint8_t)is.backoff,
            .tcpi_options = (uint8_t)((is.has_stamps ? TCPI_OPT_TIMESTAMPS : 0) | (is.has_sack ? TCPI_OPT_SACK : 0) |
                                      (is.has_scale ? TCPI_OPT_WSCALE : 0)),
            .tcpi_snd_wscale = (uint8_t)is.peer_scale,
            .tcpi_rcv_wscale = (uint8_t)is.scale,
            .tcpi_rto = is.rto,
            .tcpi_rtt = is.rtt,
            .tcpi_rttvar = is.rttvar,
            .tcpi_snd_mss = is.mss,
            .tcpi_snd_cwnd = is.mss ? is.cwnd / is.mss : 0,
            .tcpi_snd_ssthresh = is.mss ? is.ssthresh / is.mss : 0,
            .tcpi_unacked = is.mss ? (is.unacknowledged + is.mss - 1u) / is.mss : 0,
            .tcpi_notsent_bytes = is.unsent,
            .tcpi_last_data_sent = is.last_sent_ms,
            .tcpi_total_retrans = is.segments_again,
            .tcpi_segs_out = is.segments_out,
            .tcpi_segs_in = is.segments_in,
            .tcpi_data_segs_in = is.data_segments_in,
            .tcpi_data_segs_out = is.data_segments_out,
            .tcpi_rcv_space = is.window,
            .tcpi_snd_wnd = is.peer_window,
            .tcpi_bytes_sent = is.bytes_sent,
            .tcpi_bytes_retrans = is.bytes_again,
        };
    }
    return put(value, length, &all, sizeof all);
}

int getsockopt(int fd, int level, int option, void *value, socklen_t *length) {
    sock_t *s = sock_of(fd);
    int number;
    if (!s) return fail(EBADF);
    if (!length || (!value && *length)) return fail(EFAULT);
    if (level == SOL_SOCKET) {
        switch (option) {
            case SO_LINGER: {
                const struct linger linger = {s->linger, (int)s->linger_s};
                return put(value, length, &linger, sizeof linger);
            }
            case SO_RCVTIMEO:
            case SO_SNDTIMEO: {
                const struct timeval time = time_of(option == SO_RCVTIMEO ? s->receive_patience : s->send_patience);
                return put(value, length, &time, sizeof time);
            }
            case SO_ERROR:
                os_enter();
                number = s->error;
                s->error = 0;
                os_leave();
                break;
            case SO_TYPE: number = s->kind == STREAM ? SOCK_STREAM : SOCK_DGRAM; break;
            case SO_DOMAIN: number = AF_INET; break;
            case SO_PROTOCOL: number = s->kind == STREAM ? IPPROTO_TCP : IPPROTO_UDP; break;
            case SO_ACCEPTCONN: number = s->state == LISTENING; break;
            case SO_REUSEADDR: number = s->reuse; break;
            case SO_BROADCAST: number = s->broadcast; break;
            case SO_KEEPALIVE: number = s->keep_alive; break;
            case SO_SNDBUF: number = (int)s->send_limit; break;
            case SO_RCVBUF: number = (int)s->receive_limit; break;
            default: return fail(ENOPROTOOPT);
        }
    } else if (level == IPPROTO_IP) {
        switch (option) {
            case IP_TTL: number = s->ttl; break;
            case IP_TOS: number = s->tos; break;
            case IP_MULTICAST_TTL: number = s->group_ttl; break;
            case IP_MULTICAST_LOOP: number = s->group_loop; break;
            case IP_MULTICAST_IF: return put(value, length, &s->group_address, sizeof s->group_address);
            default: return fail(ENOPROTOOPT);
        }
    } else if (level == IPPROTO_TCP && s->kind == STREAM) {
        switch (option) {
            case TCP_INFO: return info(s, value, length);
            case TCP_NODELAY: number = s->no_delay; break;
            case TCP_KEEPIDLE: number = s->keep_idle_s ? (int)s->keep_idle_s : 7200; break;
            case TCP_USER_TIMEOUT: number = (int)s->patience_ms; break;
            default: return fail(ENOPROTOOPT);
        }
    } else {
        return fail(ENOPROTOOPT);
    }
    return put(value, length, &number, sizeof number);
}
