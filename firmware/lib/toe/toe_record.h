/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the TCP/IP engine, and the record of a connection as the command STATUS shows it.
 * Generated from rtl/tcp/tcp_pkg.sv by `python -m nsoc.regs_gen`. Do not edit.
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

#define TOE_RECORD_ROW_BITS 398u /* each row begins in the first bit of a word of its own */

#define TOE_RECORD_STATE 0u, 4u /* RFC 9293, 3.3.2 */
#define TOE_RECORD_WHY 4u, 3u /* why it is closed */
#define TOE_RECORD_POOLED 7u, 1u /* a SYN may take it, and it goes back to the pool when it is released */
#define TOE_RECORD_OWNED 8u, 1u /* the processor knows of it: it is told the end, and releases */
#define TOE_RECORD_PASSIVE 9u, 1u /* opened by the peer */
#define TOE_RECORD_COUNTED 10u, 1u /* is one of its listener's children */
#define TOE_RECORD_CLOSING 11u, 1u /* a listener that takes no more */
#define TOE_RECORD_DEAF 12u, 1u /* the processor has closed: nobody reads */
#define TOE_RECORD_PARENT 13u, 10u /* its listener */
#define TOE_RECORD_CHILDREN 23u, 8u /* of a listener: connections that nobody has accepted yet */
#define TOE_RECORD_BACKLOG 31u, 8u /* of a listener: the most of these */
#define TOE_RECORD_RX_RING 39u, 3u /* receive ring: 2 KB << this */
#define TOE_RECORD_TX_RING 42u, 3u /* send ring: 2 KB << this */
#define TOE_RECORD_NAGLE_OFF 45u, 1u /* small segments go at once */
#define TOE_RECORD_ACK_AT_ONCE 46u, 1u /* acknowledgements do not wait */
#define TOE_RECORD_QUIET 47u, 1u /* soft errors are not told */
#define TOE_RECORD_KEEP_ON 48u, 1u /* keep-alive */
#define TOE_RECORD_KEEP_IDLE 49u, 16u /* s without a segment before keep-alive asks */
#define TOE_RECORD_PATIENCE 65u, 16u /* s without progress before it gives up (R2); 0: never */
#define TOE_RECORD_TTL 81u, 8u /* of IP */
#define TOE_RECORD_DSCP 89u, 6u /* of IP */
#define TOE_RECORD_MTU 95u, 14u /* bytes of an IP packet at most */
#define TOE_RECORD_ISS 109u, 32u /* our first sequence number; the send ring begins behind it */
#define TOE_RECORD_UNA 141u, 32u /* the oldest that is not acknowledged */
#define TOE_RECORD_NXT 173u, 32u /* the next to send; goes back after a timeout */
#define TOE_RECORD_MAX 205u, 32u /* behind all that was sent */
#define TOE_RECORD_TAIL 237u, 32u /* behind what the processor has given */
#define TOE_RECORD_FIN_QUEUED 269u, 1u /* a FIN stands at tail */
#define TOE_RECORD_URGENT_OUT 270u, 1u /* snd_up counts */
#define TOE_RECORD_SND_UP 271u, 32u /* behind our urgent data */
#define TOE_RECORD_SND_WND 303u, 30u /* bytes from una */
#define TOE_RECORD_MAX_WND 333u, 30u /* the largest that was */
#define TOE_RECORD_WL1 363u, 32u /* sequence number of the segment that the window is from */
#define TOE_RECORD_WL2 395u, 32u /* its acknowledgement */
#define TOE_RECORD_SND_MSS 427u, 14u /* bytes of TCP options and payload together */
#define TOE_RECORD_SND_SCALE 441u, 4u /* of the window that the peer tells */
#define TOE_RECORD_RCV_SCALE 445u, 2u /* of ours */
#define TOE_RECORD_SCALE_OK 447u, 1u /* both scale */
#define TOE_RECORD_TS_OK 448u, 1u /* both have timestamps */
#define TOE_RECORD_SACK_OK 449u, 1u /* both acknowledge selectively */
#define TOE_RECORD_CWND 450u, 20u /* bytes */
#define TOE_RECORD_SSTHRESH 470u, 20u /* bytes */
#define TOE_RECORD_COUNTED_BYTES 490u, 20u /* acknowledged since cwnd grew last (congestion avoidance) */
#define TOE_RECORD_RECOVER 510u, 32u /* max when the last loss was seen */
#define TOE_RECORD_RECOVERING 542u, 1u /* from a loss, without a timeout */
#define TOE_RECORD_PARTIAL 543u, 1u /* an acknowledgement has come in recovery */
#define TOE_RECORD_DUP_ACKS 544u, 2u /* in a row, stays at 3 */
#define TOE_RECORD_HIGH_RXT 546u, 20u /* in recovery: holes below it are resent */
#define TOE_RECORD_RXT_MARK 566u, 20u /* max when the last of them was */
#define TOE_RECORD_SACKED 586u /* blocks that the peer has beyond una, ascending */
#define TOE_RECORD_SRTT 749u, 29u /* us << 3; 0: none yet */
#define TOE_RECORD_RTTVAR 778u, 28u /* us << 2 */
#define TOE_RECORD_RTO 806u, 27u /* us, before doubling */
#define TOE_RECORD_BACKOFF 833u, 5u /* doublings */
#define TOE_RECORD_TIMED 838u, 1u /* a segment is timed */
#define TOE_RECORD_TIMED_SEQ 839u, 32u /* its end */
#define TOE_RECORD_TIMED_AT 871u, 32u /* us when it was sent */
#define TOE_RECORD_LAST_SENT 903u, 32u /* ms when data was sent last */
#define TOE_RECORD_SINCE 935u, 32u /* ms of the last progress of what waits for the peer */
#define TOE_RECORD_SYN_DUE 967u, 1u /* the SYN, or the answer to one */
#define TOE_RECORD_RESEND_DUE 968u, 1u /* the segment at una */
#define TOE_RECORD_PROBING 969u, 1u /* the peer's window is closed: the timer is that of probes */
#define TOE_RECORD_PROBE_DUE 970u, 1u /* a window probe */
#define TOE_RECORD_KEEP_DUE 971u, 1u /* a keep-alive probe */
#define TOE_RECORD_PUSH_DUE 972u, 1u /* a small segment, now */
#define TOE_RECORD_SYN_LOST 973u, 1u /* the SYN timed out */
#define TOE_RECORD_KEEP_COUNT 974u, 4u /* keep-alive probes without an answer */
#define TOE_RECORD_RCV_NXT 978u, 32u /* the next that is wanted */
#define TOE_RECORD_RCV_BASE 1010u, 32u /* the sequence number at offset 0 of the receive ring */
#define TOE_RECORD_RCV_READ 1042u, 32u /* the next that the processor reads */
#define TOE_RECORD_RCV_EDGE 1074u, 32u /* right edge of the window, never left of what the peer was told */
#define TOE_RECORD_HELD 1106u /* blocks beyond rcv_nxt, the newest first */
#define TOE_RECORD_RCV_FIN 1269u, 20u /* where the FIN stands */
#define TOE_RECORD_FIN_SEEN 1289u, 1u /* rcv_fin counts */
#define TOE_RECORD_URGENT_IN 1290u, 1u /* rcv_up counts */
#define TOE_RECORD_RCV_UP 1291u, 32u /* behind the peer's urgent data */
#define TOE_RECORD_LAST_ACK 1323u, 32u /* the acknowledgement sent last */
#define TOE_RECORD_ACK_NOW 1355u, 1u /* an acknowledgement, with data or without */
#define TOE_RECORD_ACK_EACH 1356u, 3u /* acknowledgements without data, one for each segment out of order, stays at 7 */
#define TOE_RECORD_UNACKED 1359u, 1u /* a data segment waits for its acknowledgement */
#define TOE_RECORD_QUICK 1360u, 4u /* how many more segments do not wait for it */
#define TOE_RECORD_TS_RECENT 1364u, 32u /* the peer's timestamp */
#define TOE_RECORD_TS_AT 1396u, 28u /* s when it was taken */
#define TOE_RECORD_CHALLENGES 1424u, 4u /* acknowledgements of what may be forged, since */
#define TOE_RECORD_CHALLENGED 1428u, 22u /* this ms */
#define TOE_RECORD_SOFT_ERROR 1450u, 8u /* the last soft error: ICMP type and code, 4 bits each */
#define TOE_RECORD_REXMT_ON 1458u, 1u
#define TOE_RECORD_REXMT 1459u, 32u /* us: retransmission, or window probe */
#define TOE_RECORD_DELACK_ON 1491u, 1u
#define TOE_RECORD_DELACK 1492u, 32u /* us: delayed acknowledgement */
#define TOE_RECORD_PUSH_ON 1524u, 1u
#define TOE_RECORD_PUSH 1525u, 32u /* us: a small segment after all (3.8.6.2.1) */
#define TOE_RECORD_IDLE_ON 1557u, 1u
#define TOE_RECORD_IDLE 1558u, 32u /* ms: keep-alive, the end of TIME-WAIT, of FIN-WAIT-2 without an owner */

#endif
