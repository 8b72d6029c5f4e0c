/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the TCP/IP engine, and the record of a connection as the command STATUS shows it.
 * Generated from rtl/tcp/common/tcp_pkg.sv by `python -m nsoc.regs_gen`. Do not edit.
 *
 * A field of the record is TOE_RECORD_<field>: its first bit, counted from the record's first one on, and
 * how many bits it has. Fields of more than 32 bits are given by their first one alone.
 */
#ifndef NSOC_TOE_RECORD_H
#define NSOC_TOE_RECORD_H

enum { TOE_STATE_CLOSED, TOE_STATE_LISTEN, TOE_STATE_SYN_SENT, TOE_STATE_SYN_RCVD, TOE_STATE_ESTABLISHED,
 TOE_STATE_FIN_WAIT_1, TOE_STATE_FIN_WAIT_2, TOE_STATE_CLOSE_WAIT, TOE_STATE_CLOSING, TOE_STATE_LAST_ACK,
 TOE_STATE_TIME_WAIT};

enum { TOE_WHY_NOT, TOE_WHY_FINISHED, TOE_WHY_RESET, TOE_WHY_REFUSED, TOE_WHY_TIMEOUT, TOE_WHY_UNREACHABLE,
 TOE_WHY_ABORTED};

enum { TOE_OP_SETUP, TOE_OP_OPTION, TOE_OP_OPEN, TOE_OP_LISTEN, TOE_OP_ACCEPT, TOE_OP_SEND, TOE_OP_READ,
 TOE_OP_SHUTDOWN, TOE_OP_CLOSE, TOE_OP_ABORT, TOE_OP_RELEASE, TOE_OP_STATUS};

enum { TOE_DONE, TOE_BAD_STATE, TOE_BAD_VALUE};

enum { TOE_OPTION_NAGLE_OFF, TOE_OPTION_ACK_AT_ONCE, TOE_OPTION_QUIET, TOE_OPTION_KEEP_ON, TOE_OPTION_KEEP_IDLE,
 TOE_OPTION_PATIENCE, TOE_OPTION_TTL, TOE_OPTION_DSCP, TOE_OPTION_MTU};

#define TOE_RECORD_ROW_BITS 406u /* each row begins in the first bit of a word of its own */

#define TOE_RECORD_POOLED 0u, 1u /* a SYN may take it, and it goes back to the pool when it is released */
#define TOE_RECORD_OWNED 1u, 1u /* the processor knows of it: it is told the end, and releases */
#define TOE_RECORD_PASSIVE 2u, 1u /* opened by the peer */
#define TOE_RECORD_CLOSING 3u, 1u /* a listener that takes no more */
#define TOE_RECORD_DEAF 4u, 1u /* the processor has closed: nobody reads */
#define TOE_RECORD_PARENT 5u, 10u /* its listener */
#define TOE_RECORD_CHILDREN 15u, 8u /* of a listener: connections that nobody has accepted yet */
#define TOE_RECORD_BACKLOG 23u, 8u /* of a listener: the most of these */
#define TOE_RECORD_RX_RING 31u, 3u /* receive ring: 2 KB << this */
#define TOE_RECORD_TX_RING 34u, 3u /* send ring: 2 KB << this */
#define TOE_RECORD_NAGLE_OFF 37u, 1u /* small segments go at once */
#define TOE_RECORD_ACK_AT_ONCE 38u, 1u /* acknowledgements do not wait */
#define TOE_RECORD_QUIET 39u, 1u /* soft errors are not told */
#define TOE_RECORD_KEEP_ON 40u, 1u /* keep-alive */
#define TOE_RECORD_KEEP_IDLE 41u, 16u /* s without a segment before keep-alive asks */
#define TOE_RECORD_PATIENCE 57u, 16u /* s without progress before it gives up (R2); 0: never */
#define TOE_RECORD_TTL 73u, 8u /* of IP */
#define TOE_RECORD_DSCP 81u, 6u /* of IP */
#define TOE_RECORD_MTU 87u, 14u /* bytes of an IP packet at most */
#define TOE_RECORD_ISS 101u, 32u /* our first sequence number; the send ring begins behind it */
#define TOE_RECORD_UNA 133u, 32u /* the oldest that is not acknowledged */
#define TOE_RECORD_TAIL 165u, 32u /* behind what the processor has given */
#define TOE_RECORD_FIN_QUEUED 197u, 1u /* a FIN stands at tail */
#define TOE_RECORD_URGENT_OUT 198u, 1u /* snd_up counts */
#define TOE_RECORD_RCV_READ 199u, 32u /* the next that the processor reads */
#define TOE_RECORD_WL1 231u, 32u /* sequence number of the segment that the window is from */
#define TOE_RECORD_WL2 263u, 32u /* its acknowledgement */
#define TOE_RECORD_MAX_WND 295u, 30u /* the largest that was */
#define TOE_RECORD_SND_MSS 325u, 14u /* bytes of TCP options and payload together */
#define TOE_RECORD_SND_SCALE 339u, 4u /* of the window that the peer tells */
#define TOE_RECORD_RCV_SCALE 343u, 2u /* of ours */
#define TOE_RECORD_SCALE_OK 345u, 1u /* both scale */
#define TOE_RECORD_TS_OK 346u, 1u /* both have timestamps */
#define TOE_RECORD_SACK_OK 347u, 1u /* both acknowledge selectively */
#define TOE_RECORD_TS_RECENT 348u, 32u /* the peer's timestamp */
#define TOE_RECORD_CHALLENGES 380u, 4u /* acknowledgements of what may be forged, since */
#define TOE_RECORD_SOFT_ERROR 384u, 8u /* the last soft error: ICMP type and code, 4 bits each */
#define TOE_RECORD_SYN_LOST 392u, 1u /* the SYN timed out */
#define TOE_RECORD_KEEP_COUNT 393u, 4u /* keep-alive probes without an answer */
#define TOE_RECORD_URGENT_IN 397u, 1u /* rcv_up counts */
#define TOE_RECORD_DUP_ACKS 398u, 2u /* in a row, stays at 3 */
#define TOE_RECORD_BACKOFF 400u, 5u /* doublings */
#define TOE_RECORD_FRAGMENTS 405u, 1u /* routers may fragment what is sent: the path takes less than a segment may have */
#define TOE_RECORD_STATE 406u, 4u /* RFC 9293, 3.3.2 */
#define TOE_RECORD_NXT 410u, 32u /* the next to send; goes back after a timeout */
#define TOE_RECORD_MAX 442u, 32u /* behind all that was sent */
#define TOE_RECORD_TS_OFFSET 474u, 32u /* of our timestamps: what they are more than ms */
#define TOE_RECORD_SND_WND 506u, 30u /* bytes from una */
#define TOE_RECORD_SACKED 536u /* blocks that the peer has beyond una, ascending */
#define TOE_RECORD_HIGH_RXT 699u, 20u /* in recovery: holes below it are resent */
#define TOE_RECORD_RECOVERING 719u, 1u /* from a loss, without a timeout */
#define TOE_RECORD_PARTIAL 720u, 1u /* an acknowledgement has come in recovery */
#define TOE_RECORD_SYN_DUE 721u, 1u /* the SYN, or the answer to one */
#define TOE_RECORD_RESEND_DUE 722u, 1u /* the segment at una */
#define TOE_RECORD_PROBING 723u, 1u /* the peer's window is closed: the timer is that of probes */
#define TOE_RECORD_PROBE_DUE 724u, 1u /* a window probe */
#define TOE_RECORD_KEEP_DUE 725u, 1u /* a keep-alive probe */
#define TOE_RECORD_PUSH_DUE 726u, 1u /* a small segment, now */
#define TOE_RECORD_RCV_NXT 727u, 32u /* the next that is wanted */
#define TOE_RECORD_RCV_EDGE 759u, 32u /* right edge of the window, never left of what the peer was told */
#define TOE_RECORD_RCV_FIN 791u, 20u /* where the FIN stands */
#define TOE_RECORD_FIN_SEEN 811u, 1u /* rcv_fin counts */
#define TOE_RECORD_ACK_NOW 812u, 1u /* an acknowledgement, with data or without */
#define TOE_RECORD_ACK_EACH 813u, 3u /* acknowledgements without data, one for each segment out of order, stays at 7 */
#define TOE_RECORD_QUICK 816u, 4u /* how many more segments do not wait for it */
#define TOE_RECORD_HELD 820u /* blocks beyond rcv_nxt, the newest first */
#define TOE_RECORD_RCV_BASE 983u, 32u /* the sequence number at offset 0 of the receive ring */
#define TOE_RECORD_LAST_ACK 1015u, 32u /* the acknowledgement sent last */
#define TOE_RECORD_TS_AT 1047u, 28u /* s when it was taken */
#define TOE_RECORD_RECOVER 1075u, 32u /* max when the last loss was seen */
#define TOE_RECORD_CWND 1107u, 20u /* bytes */
#define TOE_RECORD_SSTHRESH 1127u, 20u /* bytes */
#define TOE_RECORD_COUNTED_BYTES 1147u, 20u /* acknowledged since cwnd grew last (congestion avoidance) */
#define TOE_RECORD_LAST_SENT 1167u, 32u /* ms when data was sent last */
#define TOE_RECORD_SND_UP 1199u, 32u /* behind our urgent data */
#define TOE_RECORD_WHY 1231u, 3u /* why it is closed */
#define TOE_RECORD_COUNTED 1234u, 1u /* is one of its listener's children */
#define TOE_RECORD_UNACKED 1235u, 1u /* a data segment waits for its acknowledgement */
#define TOE_RECORD_REXMT_ON 1236u, 1u
#define TOE_RECORD_DELACK_ON 1237u, 1u
#define TOE_RECORD_PUSH_ON 1238u, 1u
#define TOE_RECORD_IDLE_ON 1239u, 1u
#define TOE_RECORD_RXT_MARK 1240u, 20u /* max when the last of them was */
#define TOE_RECORD_SRTT 1260u, 29u /* us << 3; 0: none yet */
#define TOE_RECORD_RTTVAR 1289u, 28u /* us << 2 */
#define TOE_RECORD_RTO 1317u, 27u /* us, before doubling */
#define TOE_RECORD_TIMED 1344u, 1u /* a segment is timed */
#define TOE_RECORD_TIMED_SEQ 1345u, 32u /* its end */
#define TOE_RECORD_TIMED_AT 1377u, 32u /* us when it was sent */
#define TOE_RECORD_SINCE 1409u, 32u /* ms of the last progress of what waits for the peer */
#define TOE_RECORD_RCV_UP 1441u, 32u /* behind the peer's urgent data */
#define TOE_RECORD_CHALLENGED 1473u, 22u /* this ms */
#define TOE_RECORD_REXMT 1495u, 32u /* us: retransmission, or window probe */
#define TOE_RECORD_DELACK 1527u, 32u /* us: delayed acknowledgement */
#define TOE_RECORD_PUSH 1559u, 32u /* us: a small segment after all (3.8.6.2.1) */
#define TOE_RECORD_IDLE 1591u, 32u /* ms: keep-alive, the end of TIME-WAIT, of FIN-WAIT-2 without an owner, of a handshake */

#endif
