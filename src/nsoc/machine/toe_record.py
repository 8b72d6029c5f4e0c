# SPDX-License-Identifier: Apache-2.0
"""The record of a connection in the TCP/IP engine, as a STATUS command leaves it in the registers `record`.

Generated from rtl/tcp/tcp_pkg.sv by `python -m nsoc.regs_gen`. Do not edit.
"""

# fmt: off
from collections.abc import Sequence

ROWS, ROW_BITS, ROW_WORDS = 4, 455, 16

NUMBERS = {
    "STATE_CLOSED": 0,
    "STATE_LISTEN": 1,
    "STATE_SYN_SENT": 2,
    "STATE_SYN_RCVD": 3,
    "STATE_ESTABLISHED": 4,
    "STATE_FIN_WAIT_1": 5,
    "STATE_FIN_WAIT_2": 6,
    "STATE_CLOSE_WAIT": 7,
    "STATE_CLOSING": 8,
    "STATE_LAST_ACK": 9,
    "STATE_TIME_WAIT": 10,
    "WHY_NOT": 0,
    "WHY_FINISHED": 1,
    "WHY_RESET": 2,
    "WHY_REFUSED": 3,
    "WHY_TIMEOUT": 4,
    "WHY_UNREACHABLE": 5,
    "WHY_ABORTED": 6,
    "OP_SETUP": 0,
    "OP_OPTION": 1,
    "OP_OPEN": 2,
    "OP_LISTEN": 3,
    "OP_ACCEPT": 4,
    "OP_SEND": 5,
    "OP_READ": 6,
    "OP_SHUTDOWN": 7,
    "OP_CLOSE": 8,
    "OP_ABORT": 9,
    "OP_RELEASE": 10,
    "OP_STATUS": 11,
    "ANSWER_DONE": 0,
    "ANSWER_BAD_STATE": 1,
    "ANSWER_BAD_VALUE": 2,
}
"""States, reasons, commands and answers."""
OPTIONS = ("nagle_off", "ack_at_once", "quiet", "keep_on", "keep_idle", "patience", "ttl", "dscp", "mtu")
"""In the order of their numbers."""
FIELDS = {
    "state": (0, 4),
    "why": (4, 3),
    "pooled": (7, 1),
    "owned": (8, 1),
    "passive": (9, 1),
    "counted": (10, 1),
    "closing": (11, 1),
    "deaf": (12, 1),
    "parent": (13, 10),
    "children": (23, 8),
    "backlog": (31, 8),
    "rx_ring": (39, 3),
    "tx_ring": (42, 3),
    "nagle_off": (45, 1),
    "ack_at_once": (46, 1),
    "quiet": (47, 1),
    "keep_on": (48, 1),
    "keep_idle": (49, 16),
    "patience": (65, 16),
    "ttl": (81, 8),
    "dscp": (89, 6),
    "mtu": (95, 14),
    "iss": (109, 32),
    "una": (141, 32),
    "nxt": (173, 32),
    "max": (205, 32),
    "tail": (237, 32),
    "fin_queued": (269, 1),
    "urgent_out": (270, 1),
    "snd_up": (271, 32),
    "snd_wnd": (303, 30),
    "max_wnd": (333, 30),
    "wl1": (363, 32),
    "wl2": (395, 32),
    "snd_mss": (427, 14),
    "snd_scale": (441, 4),
    "rcv_scale": (445, 2),
    "scale_ok": (447, 1),
    "ts_ok": (448, 1),
    "sack_ok": (449, 1),
    "cwnd": (450, 20),
    "ssthresh": (470, 20),
    "counted_bytes": (490, 20),
    "recover": (510, 32),
    "recovering": (542, 1),
    "partial": (543, 1),
    "dup_acks": (544, 2),
    "high_rxt": (546, 32),
    "rxt_mark": (578, 32),
    "sacked": (610, 259),
    "srtt": (869, 29),
    "rttvar": (898, 28),
    "rto": (926, 27),
    "backoff": (953, 5),
    "timed": (958, 1),
    "timed_seq": (959, 32),
    "timed_at": (991, 32),
    "last_sent": (1023, 32),
    "since": (1055, 32),
    "syn_due": (1087, 1),
    "resend_due": (1088, 1),
    "probing": (1089, 1),
    "probe_due": (1090, 1),
    "keep_due": (1091, 1),
    "push_due": (1092, 1),
    "syn_lost": (1093, 1),
    "keep_count": (1094, 4),
    "rcv_nxt": (1098, 32),
    "rcv_base": (1130, 32),
    "rcv_read": (1162, 32),
    "rcv_edge": (1194, 32),
    "held": (1226, 259),
    "rcv_fin": (1485, 32),
    "fin_seen": (1517, 1),
    "urgent_in": (1518, 1),
    "rcv_up": (1519, 32),
    "last_ack": (1551, 32),
    "ack_now": (1583, 1),
    "ack_each": (1584, 3),
    "unacked": (1587, 1),
    "quick": (1588, 4),
    "ts_recent": (1592, 32),
    "ts_at": (1624, 28),
    "challenges": (1652, 4),
    "challenged": (1656, 22),
    "soft_error": (1678, 8),
    "rexmt_on": (1686, 1),
    "rexmt": (1687, 32),
    "delack_on": (1719, 1),
    "delack": (1720, 32),
    "push_on": (1752, 1),
    "push": (1753, 32),
    "idle_on": (1785, 1),
    "idle": (1786, 32),
}
"""By name: place in the record, and how many bits."""


def unpack(words: Sequence[int]) -> dict[str, int]:
    """The record by field, from the registers' words."""
    record = 0
    for row in range(ROWS):
        for word in words[ROW_WORDS * row : ROW_WORDS * (row + 1)]:
            record = record << 32 | word
        record >>= 32 * ROW_WORDS - ROW_BITS
    return {
        name: record >> ROWS * ROW_BITS - at - bits & (1 << bits) - 1 for name, (at, bits) in FIELDS.items()
    }
