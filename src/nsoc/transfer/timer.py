# SPDX-License-Identifier: Apache-2.0
"""The retransmission timer of RFC 6298, with bounds for a local network. Times are the caller's, in microseconds.

A simulated peer on a real line answers so many times slower than the bounds are made for: its `slowness`.
"""

FIRST_US = 2_000.0
SHORTEST_US = 300.0
LONGEST_US = 1_000_000.0
_GRANULARITY_US = 100.0


class RetryTimer:
    """Expires when nothing was heard for the retransmission timeout, which doubles each time."""

    def __init__(self, now: float, slowness: float = 1.0) -> None:
        self.srtt_us: float | None = None
        """The smoothed round trip time; None before the first one."""
        self._rttvar = 0.0
        self._timeout = FIRST_US * slowness
        self._slowness = slowness
        self._start = now

    @property
    def deadline(self) -> float:
        """When it expires."""
        return self._start + self._timeout

    def restart(self, now: float) -> None:
        """Something was heard."""
        self._start = now

    def sample(self, rtt_us: float) -> None:
        """Learn from a round trip."""
        if self.srtt_us is None:
            self.srtt_us, self._rttvar = rtt_us, rtt_us / 2
        else:
            self._rttvar += (abs(self.srtt_us - rtt_us) - self._rttvar) / 4
            self.srtt_us += (rtt_us - self.srtt_us) / 8
        timeout = self.srtt_us + max(4 * self._rttvar, _GRANULARITY_US * self._slowness)
        self._timeout = min(max(timeout, SHORTEST_US * self._slowness), LONGEST_US * self._slowness)

    def expired(self, now: float) -> bool:
        """Whether it has expired; if so it starts again, for twice the time."""
        if now < self.deadline:
            return False
        self._timeout = min(2 * self._timeout, LONGEST_US * self._slowness)
        self._start = now
        return True
