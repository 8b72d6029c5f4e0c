/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a connection in the TCP/IP engine, as a STATUS command leaves it in NSOC_TOE->record;
 * numbers of states, reasons, commands, answers and options.
 * Generated from rtl/tcp/tcp_pkg.sv by `python -m nsoc.regs_gen`. Do not edit.
 *
 * NSOC_TOE_RECORD_<field> are two arguments: its place in the record, and how many bits it has (up to 32 can
 * be read at once, of a longer one a part):
 *     uint32_t state = nsoc_toe_record(NSOC_TOE, NSOC_TOE_RECORD_STATE);
 */
#ifndef TOE_RECORD_H
#define TOE_RECORD_H

#include "nsoc_regs.h"

#define NSOC_TOE_STATE_CLOSED 0
#define NSOC_TOE_STATE_LISTEN 1
#define NSOC_TOE_STATE_SYN_SENT 2
#define NSOC_TOE_STATE_SYN_RCVD 3
#define NSOC_TOE_STATE_ESTABLISHED 4
#define NSOC_TOE_STATE_FIN_WAIT_1 5
#define NSOC_TOE_STATE_FIN_WAIT_2 6
#define NSOC_TOE_STATE_CLOSE_WAIT 7
#define NSOC_TOE_STATE_CLOSING 8
#define NSOC_TOE_STATE_LAST_ACK 9
#define NSOC_TOE_STATE_TIME_WAIT 10
#define NSOC_TOE_WHY_NOT 0
#define NSOC_TOE_WHY_FINISHED 1
#define NSOC_TOE_WHY_RESET 2
#define NSOC_TOE_WHY_REFUSED 3
#define NSOC_TOE_WHY_TIMEOUT 4
#define NSOC_TOE_WHY_UNREACHABLE 5
#define NSOC_TOE_WHY_ABORTED 6
#define NSOC_TOE_OP_SETUP 0
#define NSOC_TOE_OP_OPTION 1
#define NSOC_TOE_OP_OPEN 2
#define NSOC_TOE_OP_LISTEN 3
#define NSOC_TOE_OP_ACCEPT 4
#define NSOC_TOE_OP_SEND 5
#define NSOC_TOE_OP_READ 6
#define NSOC_TOE_OP_SHUTDOWN 7
#define NSOC_TOE_OP_CLOSE 8
#define NSOC_TOE_OP_ABORT 9
#define NSOC_TOE_OP_RELEASE 10
#define NSOC_TOE_OP_STATUS 11
#define NSOC_TOE_ANSWER_DONE 0
#define NSOC_TOE_ANSWER_BAD_STATE 1
#define NSOC_TOE_ANSWER_BAD_VALUE 2

/* Options, the first argument of OPTION. */
#define NSOC_TOE_OPTION_NAGLE_OFF 0
#define NSOC_TOE_OPTION_ACK_AT_ONCE 1
#define NSOC_TOE_OPTION_QUIET 2
#define NSOC_TOE_OPTION_KEEP_ON 3
#define NSOC_TOE_OPTION_KEEP_IDLE 4
#define NSOC_TOE_OPTION_PATIENCE 5
#define NSOC_TOE_OPTION_TTL 6
#define NSOC_TOE_OPTION_DSCP 7
#define NSOC_TOE_OPTION_MTU 8

/* Fields of the record: place, bits. */
/* RFC 9293, 3.3.2 */
#define NSOC_TOE_RECORD_STATE 0u, 4u
/* why it is closed */
#define NSOC_TOE_RECORD_WHY 4u, 3u
/* a SYN may take it, and it goes back to the pool when it is released */
#define NSOC_TOE_RECORD_POOLED 7u, 1u
/* the processor knows of it: it is told the end, and releases */
#define NSOC_TOE_RECORD_OWNED 8u, 1u
/* opened by the peer */
#define NSOC_TOE_RECORD_PASSIVE 9u, 1u
/* is one of its listener's children */
#define NSOC_TOE_RECORD_COUNTED 10u, 1u
/* a listener that takes no more */
#define NSOC_TOE_RECORD_CLOSING 11u, 1u
/* the processor has closed: nobody reads */
#define NSOC_TOE_RECORD_DEAF 12u, 1u
/* its listener */
#define NSOC_TOE_RECORD_PARENT 13u, 10u
/* of a listener: connections that nobody has accepted yet */
#define NSOC_TOE_RECORD_CHILDREN 23u, 8u
/* of a listener: the most of these */
#define NSOC_TOE_RECORD_BACKLOG 31u, 8u
/* receive ring: 2 KB << this */
#define NSOC_TOE_RECORD_RX_RING 39u, 3u
/* send ring: 2 KB << this */
#define NSOC_TOE_RECORD_TX_RING 42u, 3u
/* small segments go at once */
#define NSOC_TOE_RECORD_NAGLE_OFF 45u, 1u
/* acknowledgements do not wait */
#define NSOC_TOE_RECORD_ACK_AT_ONCE 46u, 1u
/* soft errors are not told */
#define NSOC_TOE_RECORD_QUIET 47u, 1u
/* keep-alive */
#define NSOC_TOE_RECORD_KEEP_ON 48u, 1u
/* s without a segment before keep-alive asks */
#define NSOC_TOE_RECORD_KEEP_IDLE 49u, 16u
/* s without progress before it gives up (R2); 0: never */
#define NSOC_TOE_RECORD_PATIENCE 65u, 16u
/* of IP */
#define NSOC_TOE_RECORD_TTL 81u, 8u
/* of IP */
#define NSOC_TOE_RECORD_DSCP 89u, 6u
/* bytes of an IP packet at most */
#define NSOC_TOE_RECORD_MTU 95u, 14u
/* our first sequence number; the send ring begins behind it */
#define NSOC_TOE_RECORD_ISS 109u, 32u
/* the oldest that is not acknowledged */
#define NSOC_TOE_RECORD_UNA 141u, 32u
/* the next to send; goes back after a timeout */
#define NSOC_TOE_RECORD_NXT 173u, 32u
/* behind all that was sent */
#define NSOC_TOE_RECORD_MAX 205u, 32u
/* behind what the processor has given */
#define NSOC_TOE_RECORD_TAIL 237u, 32u
/* a FIN stands at tail */
#define NSOC_TOE_RECORD_FIN_QUEUED 269u, 1u
/* snd_up counts */
#define NSOC_TOE_RECORD_URGENT_OUT 270u, 1u
/* behind our urgent data */
#define NSOC_TOE_RECORD_SND_UP 271u, 32u
/* bytes from una */
#define NSOC_TOE_RECORD_SND_WND 303u, 30u
/* the largest that was */
#define NSOC_TOE_RECORD_MAX_WND 333u, 30u
/* sequence number of the segment that the window is from */
#define NSOC_TOE_RECORD_WL1 363u, 32u
/* its acknowledgement */
#define NSOC_TOE_RECORD_WL2 395u, 32u
/* bytes of TCP options and payload together */
#define NSOC_TOE_RECORD_SND_MSS 427u, 14u
/* of the window that the peer tells */
#define NSOC_TOE_RECORD_SND_SCALE 441u, 4u
/* of ours */
#define NSOC_TOE_RECORD_RCV_SCALE 445u, 2u
/* both scale */
#define NSOC_TOE_RECORD_SCALE_OK 447u, 1u
/* both have timestamps */
#define NSOC_TOE_RECORD_TS_OK 448u, 1u
/* both acknowledge selectively */
#define NSOC_TOE_RECORD_SACK_OK 449u, 1u
/* bytes */
#define NSOC_TOE_RECORD_CWND 450u, 20u
/* bytes */
#define NSOC_TOE_RECORD_SSTHRESH 470u, 20u
/* acknowledged since cwnd grew last (congestion avoidance) */
#define NSOC_TOE_RECORD_COUNTED_BYTES 490u, 20u
/* max when the last loss was seen */
#define NSOC_TOE_RECORD_RECOVER 510u, 32u
/* from a loss, without a timeout */
#define NSOC_TOE_RECORD_RECOVERING 542u, 1u
/* an acknowledgement has come in recovery */
#define NSOC_TOE_RECORD_PARTIAL 543u, 1u
/* in a row, stays at 3 */
#define NSOC_TOE_RECORD_DUP_ACKS 544u, 2u
/* in recovery: holes below it are resent */
#define NSOC_TOE_RECORD_HIGH_RXT 546u, 32u
/* max when the last of them was */
#define NSOC_TOE_RECORD_RXT_MARK 578u, 32u
/* blocks that the peer has beyond una, ascending */
#define NSOC_TOE_RECORD_SACKED 610u, 259u
/* us << 3; 0: none yet */
#define NSOC_TOE_RECORD_SRTT 869u, 29u
/* us << 2 */
#define NSOC_TOE_RECORD_RTTVAR 898u, 28u
/* us, before doubling */
#define NSOC_TOE_RECORD_RTO 926u, 27u
/* doublings */
#define NSOC_TOE_RECORD_BACKOFF 953u, 5u
/* a segment is timed */
#define NSOC_TOE_RECORD_TIMED 958u, 1u
/* its end */
#define NSOC_TOE_RECORD_TIMED_SEQ 959u, 32u
/* us when it was sent */
#define NSOC_TOE_RECORD_TIMED_AT 991u, 32u
/* ms when data was sent last */
#define NSOC_TOE_RECORD_LAST_SENT 1023u, 32u
/* ms of the last progress of what waits for the peer */
#define NSOC_TOE_RECORD_SINCE 1055u, 32u
/* the SYN, or the answer to one */
#define NSOC_TOE_RECORD_SYN_DUE 1087u, 1u
/* the segment at una */
#define NSOC_TOE_RECORD_RESEND_DUE 1088u, 1u
/* the peer's window is closed: the timer is that of probes */
#define NSOC_TOE_RECORD_PROBING 1089u, 1u
/* a window probe */
#define NSOC_TOE_RECORD_PROBE_DUE 1090u, 1u
/* a keep-alive probe */
#define NSOC_TOE_RECORD_KEEP_DUE 1091u, 1u
/* a small segment, now */
#define NSOC_TOE_RECORD_PUSH_DUE 1092u, 1u
/* the SYN timed out */
#define NSOC_TOE_RECORD_SYN_LOST 1093u, 1u
/* keep-alive probes without an answer */
#define NSOC_TOE_RECORD_KEEP_COUNT 1094u, 4u
/* the next that is wanted */
#define NSOC_TOE_RECORD_RCV_NXT 1098u, 32u
/* the sequence number at offset 0 of the receive ring */
#define NSOC_TOE_RECORD_RCV_BASE 1130u, 32u
/* the next that the processor reads */
#define NSOC_TOE_RECORD_RCV_READ 1162u, 32u
/* right edge of the window, never left of what the peer was told */
#define NSOC_TOE_RECORD_RCV_EDGE 1194u, 32u
/* blocks beyond rcv_nxt, the newest first */
#define NSOC_TOE_RECORD_HELD 1226u, 259u
/* where the FIN stands */
#define NSOC_TOE_RECORD_RCV_FIN 1485u, 32u
/* rcv_fin counts */
#define NSOC_TOE_RECORD_FIN_SEEN 1517u, 1u
/* rcv_up counts */
#define NSOC_TOE_RECORD_URGENT_IN 1518u, 1u
/* behind the peer's urgent data */
#define NSOC_TOE_RECORD_RCV_UP 1519u, 32u
/* the acknowledgement sent last */
#define NSOC_TOE_RECORD_LAST_ACK 1551u, 32u
/* an acknowledgement, with data or without */
#define NSOC_TOE_RECORD_ACK_NOW 1583u, 1u
/* acknowledgements without data, one for each segment out of order, stays at 7 */
#define NSOC_TOE_RECORD_ACK_EACH 1584u, 3u
/* a data segment waits for its acknowledgement */
#define NSOC_TOE_RECORD_UNACKED 1587u, 1u
/* how many more segments do not wait for it */
#define NSOC_TOE_RECORD_QUICK 1588u, 4u
/* the peer's timestamp */
#define NSOC_TOE_RECORD_TS_RECENT 1592u, 32u
/* s when it was taken */
#define NSOC_TOE_RECORD_TS_AT 1624u, 28u
/* acknowledgements of what may be forged, since */
#define NSOC_TOE_RECORD_CHALLENGES 1652u, 4u
/* this ms */
#define NSOC_TOE_RECORD_CHALLENGED 1656u, 22u
/* the last soft error: ICMP type and code, 4 bits each */
#define NSOC_TOE_RECORD_SOFT_ERROR 1678u, 8u
/* See the next field. */
#define NSOC_TOE_RECORD_REXMT_ON 1686u, 1u
/* us: retransmission, or window probe */
#define NSOC_TOE_RECORD_REXMT 1687u, 32u
/* See the next field. */
#define NSOC_TOE_RECORD_DELACK_ON 1719u, 1u
/* us: delayed acknowledgement */
#define NSOC_TOE_RECORD_DELACK 1720u, 32u
/* See the next field. */
#define NSOC_TOE_RECORD_PUSH_ON 1752u, 1u
/* us: a small segment after all (3.8.6.2.1) */
#define NSOC_TOE_RECORD_PUSH 1753u, 32u
/* See the next field. */
#define NSOC_TOE_RECORD_IDLE_ON 1785u, 1u
/* ms: keep-alive, the end of TIME-WAIT, of FIN-WAIT-2 without an owner */
#define NSOC_TOE_RECORD_IDLE 1786u, 32u

#define NSOC_TOE_RECORD_ROW_BITS 455u
#define NSOC_TOE_RECORD_ROW_WORDS 16u

/* `bits` (1 to 32) of the record from `at` on. */
static inline uint32_t nsoc_toe_record(const nsoc_toe_t *toe, uint32_t at, uint32_t bits) {
    uint32_t value = 0;
    while (bits != 0) {
        uint32_t row = at / NSOC_TOE_RECORD_ROW_BITS, place = at % NSOC_TOE_RECORD_ROW_BITS;
        uint32_t in_word = 32u - place % 32u, in_row = NSOC_TOE_RECORD_ROW_BITS - place;
        uint32_t count = bits < in_word ? bits : in_word;
        count = count < in_row ? count : in_row;
        uint32_t word = toe->record[row * NSOC_TOE_RECORD_ROW_WORDS + place / 32u].word;
        uint32_t part = word << place % 32u >> (32u - count);
        value = count == 32u ? part : value << count | part;
        at += count;
        bits -= count;
    }
    return value;
}

#endif
