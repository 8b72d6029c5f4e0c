# SPDX-License-Identifier: Apache-2.0
"""How simulated time follows the clock on the wall.

Simulated time never passes faster than that clock, from whatever moment on one measures. What it lags behind is dropped
and never caught up: a SoC that waits for Linux must wait as long as Linux has had time to answer.
"""


class Pace:
    """Times are nanoseconds: of the clock on the wall, and of the simulation."""

    def __init__(self, wall_ns: int, simulated_ns: int) -> None:
        self.begin(wall_ns, simulated_ns)

    def allowed(self, wall_ns: int) -> int:
        """How far simulated time may be, by then."""
        return self._simulated + wall_ns - self._wall

    def wall_until(self, wall_ns: int, simulated_ns: int) -> int:
        """How long to wait, from `wall_ns` on, until simulated time may be that far."""
        return max(0, simulated_ns - self.allowed(wall_ns))

    def came(self, wall_ns: int, simulated_ns: int) -> None:
        """Simulated time is there: what it lags behind is dropped."""
        if simulated_ns <= self.allowed(wall_ns):
            self.begin(wall_ns, simulated_ns)

    def begin(self, wall_ns: int, simulated_ns: int) -> None:
        """From here on, whatever was before."""
        self._wall, self._simulated = wall_ns, simulated_ns
