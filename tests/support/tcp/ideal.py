# SPDX-License-Identifier: Apache-2.0
"""What NewReno with SACK could have of a lossy line: a model of segments that knows nothing of `step.py`.

Windows are counted in whole segments. The scoreboard is unlimited. A segment, also a repeated one, is lost when three
that were sent behind it have come. The window is halved once for each window with a loss, and grows by one for each
window that is acknowledged (RFC 5681, 3465, 6675). A second segment is acknowledged, or what comes at a gap.
"""

import heapq
import random
from dataclasses import dataclass, field

DATA_US, ACK_US = 12.304, 0.672
"""Of a full segment and of an acknowledgement on the line, at 1 Gb/s."""
RTO_US, DELAYED_US = 1000.0, 500.0
FIRST_WINDOW = 10.0


@dataclass
class _Receiver:
    quick: int
    """Segments from a filled gap on that are acknowledged one by one."""
    nxt: int = 0
    ahead: set[int] = field(default_factory=set)
    waiting: bool = False
    left: int = 0

    def take(self, segment: int) -> bool:
        """Whether it is acknowledged at once."""
        gaps, was = bool(self.ahead), self.nxt
        if segment >= self.nxt:
            self.ahead.add(segment)
        while self.nxt in self.ahead:
            self.ahead.remove(self.nxt)
            self.nxt += 1
        if gaps and self.nxt > was:
            self.left = self.quick
        at_once = gaps or self.nxt == was or self.waiting or self.left > 0
        self.left = max(self.left - (self.nxt > was), 0)
        self.waiting = not at_once
        return at_once


def ideal_share(us: float, loss: float, seed: int, *, flight_us: float = 44.0, quick: int = 0) -> float:
    """Of the goodput of a good line, in that time."""
    rng = random.Random(seed)
    receiver = _Receiver(quick)
    window, threshold, counted = FIRST_WINDOW, float("inf"), 0.0
    una = fresh = recover = number = 0
    recovering = False
    out: dict[int, int] = {}  # on their way: segment, and the number of its transmission
    lost: set[int] = set()
    known: set[int] = set()  # acknowledged selectively
    came: list[int] = []  # the latest three transmissions that have
    queue: list[tuple[float, int, int, frozenset[int], bool]] = []
    count, free, ack_free, now = 0, 0.0, 0.0, 0.0
    timeout, delayed = float("inf"), float("inf")

    def acknowledge() -> None:
        nonlocal ack_free, count, delayed
        delayed = float("inf")
        ack_free = max(ack_free, now) + ACK_US
        count += 1
        if rng.random() >= loss:
            heapq.heappush(queue, (ack_free + flight_us, count, receiver.nxt, frozenset(receiver.ahead), False))

    while now < us:
        if free <= now and len(out) + 1 <= window:
            if lost:
                segment = min(lost)
                lost.remove(segment)
            else:
                segment, fresh = fresh, fresh + 1
            number, count = number + 1, count + 1
            out[segment] = number
            free = now + DATA_US
            timeout = min(timeout, now + RTO_US)
            if rng.random() >= loss:
                heapq.heappush(queue, (free + flight_us, count, segment, frozenset(), True))
        now = min(queue[0][0] if queue else timeout, timeout, delayed, free if len(out) + 1 <= window else timeout)
        if now >= delayed:
            receiver.waiting = False
            acknowledge()
        if now >= timeout:
            threshold, window, counted = max(len(out) / 2, 2.0), 1.0, 0.0
            recovering, recover, timeout = False, fresh, now + RTO_US
            lost, out = set(range(una, fresh)) - known, {}
        if not queue or queue[0][0] > now:
            continue
        _, _, segment, selected, is_data = heapq.heappop(queue)
        if is_data:
            if receiver.take(segment):
                acknowledge()
            else:
                delayed = now + DELAYED_US
            continue
        arrived = [one for one in out if one < segment or one in selected]
        came = sorted(came + [out.pop(one) for one in arrived])[-3:]
        known = {one for one in known | selected if one >= segment}
        lost = {one for one in lost if one >= segment and one not in known}
        if segment > una:
            news, una = segment - una, segment
            timeout = now + RTO_US if una < fresh else float("inf")
            if recovering:
                recovering = una < recover
            elif window < threshold:
                window += min(news, 1)
            else:
                counted += news
                if counted >= window:
                    counted, window = counted - window, window + 1
        missing = [one for one, sent in out.items() if len(came) == 3 and sent < came[0]]
        for one in missing:
            del out[one]
            lost.add(one)
        if missing and not recovering and una >= recover:
            threshold = window = max(min(window, fresh - una) / 2, 2.0)
            recovering, recover, counted = True, fresh, 0.0
    return una * DATA_US / us
