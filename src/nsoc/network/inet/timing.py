# SPDX-License-Identifier: Apache-2.0
"""When TCP sends again, and how much it may have on the way (RFCs 6298, 5681, 6582, 6928). Times are microseconds."""

FIRST_RTO_US = 1e6
LONGEST_RTO_US = 60e6
FIRST_WINDOW = 10
"""Segments (RFC 6928)."""
DUPLICATES = 3
"""Acknowledgements that repeat the last one, until the segment behind it counts as lost."""


class Timeout:
    """The retransmission timeout (RFC 6298)."""

    def __init__(self, least_us: float, first_us: float = FIRST_RTO_US) -> None:
        self._least_us = least_us
        self._smoothed_us: float | None = None
        self._variation_us = 0.0
        self._backoff = 0
        self._base_us = max(first_us, least_us)

    @property
    def smoothed_us(self) -> float | None:
        """The smoothed round-trip time, None before the first."""
        return self._smoothed_us

    @property
    def us(self) -> float:
        """With what it was doubled."""
        return float(min(self._base_us * 2**self._backoff, LONGEST_RTO_US))

    @property
    def doubled(self) -> bool:
        """Whether it expired and nothing new has been acknowledged since."""
        return self._backoff > 0

    def assume(self, us: float) -> None:
        """Until the first sample."""
        if self._smoothed_us is None:
            self._base_us = max(us, self._least_us)

    def sample(self, us: float) -> None:
        """A round trip of a segment that was sent once."""
        if self._smoothed_us is None:
            self._smoothed_us, self._variation_us = us, us / 2
        else:
            self._variation_us += (abs(self._smoothed_us - us) - self._variation_us) / 4
            self._smoothed_us += (us - self._smoothed_us) / 8
        self._base_us = min(max(self._smoothed_us + 4 * self._variation_us, self._least_us), LONGEST_RTO_US)

    def expired(self) -> None:
        self._backoff = min(self._backoff + 1, 16)

    def progressed(self) -> None:
        """New data is acknowledged."""
        self._backoff = 0


class Congestion:
    """The congestion window of NewReno; all in bytes."""

    def __init__(self, mss: int, recover: int, *, syn_was_lost: bool) -> None:
        self._mss = mss
        self.window = mss if syn_was_lost else FIRST_WINDOW * mss
        self.threshold = 1 << 40
        self.duplicates = 0
        self.recovering = False
        self._recover = recover
        """What was sent when the last loss was seen."""
        self._acked = 0

    @property
    def limited_transmit(self) -> int:
        """So much more may be on the way (RFC 3042)."""
        return 0 if self.recovering else min(self.duplicates, 2) * self._mss

    def duplicate(self, una: int, sent: int) -> bool:
        """A repeated acknowledgement: whether the segment at `una` is to be sent again. `sent`: up to where all was."""
        self.duplicates += 1
        if self.recovering:
            self.window += self._mss
            return False
        if self.duplicates < DUPLICATES or una <= self._recover:
            return False
        self.threshold = max((sent - una) // 2, 2 * self._mss)
        self.window = self.threshold + DUPLICATES * self._mss
        self.recovering, self._recover = True, sent
        return True

    def acknowledged(self, count: int, una: int, flight: int) -> bool:
        """`count` bytes up to `una` are; `flight` are not yet. Whether the segment at `una` is to be sent again."""
        self.duplicates = 0
        if self.recovering:
            if una < self._recover:
                self.window = max(self.window - count, 0) + (self._mss if count >= self._mss else 0)
                return True
            self.recovering = False
            self.window = min(self.threshold, max(flight, self._mss) + self._mss)
            return False
        if self.window < self.threshold:
            self.window += min(count, self._mss)
            return False
        self._acked += count
        if self._acked >= self.window:
            self._acked -= self.window
            self.window += self._mss
        return False

    def expired(self, flight: int, sent: int, *, first: bool) -> None:
        """The timer did; `first`: for this segment."""
        if first:
            self.threshold = max(flight // 2, 2 * self._mss)
        self.window = self._mss
        self.duplicates, self.recovering, self._recover, self._acked = 0, False, sent, 0

    def idle(self) -> None:
        """Nothing was sent for longer than the timeout."""
        self.window = min(self.window, FIRST_WINDOW * self._mss)
