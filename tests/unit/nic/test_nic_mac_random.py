# SPDX-License-Identifier: Apache-2.0
"""NIC and MAC together under random traffic: 10,000 carrier events by default, 100,000 in the long run.

What is sent and what is checked is described in tests/support/nic_mac/bench.h. NSOC_RANDOM_SEEDS and
NSOC_RANDOM_FRAMES ask for more: `NSOC_RANDOM_SEEDS=100 .venv/bin/pytest tests/unit/nic/test_nic_mac_random.py`.
"""

import os
import subprocess

import nic_mac_harness
import pytest
from runs import seeds

pytestmark = pytest.mark.slow

ASKED = int(os.environ.get("NSOC_RANDOM_SEEDS", "0"))
SEEDS = seeds(ASKED or 1, ASKED or 10)
FRAMES = int(os.environ.get("NSOC_RANDOM_FRAMES", "10000"))
# What a run of FRAMES must have come across, or it would have tested less than it says.
ALWAYS = (
    "rx_good", "rx_drop_fcs", "rx_drop_runt", "rx_drop_oversize", "rx_drop_error", "rx_drop_overflow",
    "rx_drop_disabled", "rx_drop_too_long", "rx_drop_memory_error", "tx_taken", "tx_drop_bad_length", "tx_drop_abort",
    "sent_to_line", "popped", "mac_looped", "nic_looped", "irq_rises", "tests_passed",
    "tests_refused", "longer_stored", "longer_sent",
)  # fmt: skip
WITH_FEATURE = {
    "filter": ("rx_drop_filtered",),
    "pause": ("rx_pause", "tx_pause"),
    "patience": ("rx_drop_no_buffer", "rx_drop_no_server"),
    "stamp": ("stamps_read",),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_every_frame_and_every_buffer_is_accounted_for(seed: int) -> None:
    happened = nic_mac_harness.run(nic_mac_harness.build(), seed, FRAMES)
    wanted = [*ALWAYS, *(name for feature in nic_mac_harness.BUILT for name in WITH_FEATURE.get(feature, ()))]
    assert not [name for name in wanted if not happened[name]], f"seed {seed} never came to it"
    assert happened["tx_drop_underrun"] == 0


def test_a_seed_gives_the_same_run_again() -> None:
    program = nic_mac_harness.build()
    assert nic_mac_harness.run(program, 77, 500) == nic_mac_harness.run(program, 77, 500)
    assert nic_mac_harness.run(program, 77, 500) != nic_mac_harness.run(program, 78, 500)


@pytest.mark.parametrize("bug", nic_mac_harness.BUGS)
def test_a_mistake_is_found_and_reported_with_its_seed(bug: str) -> None:
    """The harness errs on purpose: loses a pointer, misreads a byte, a frame, a counter."""
    command = nic_mac_harness.command(nic_mac_harness.build(), 5, 4000, bug=bug)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "seed 5, cycle" in done.stderr and f"to repeat: {' '.join(command)}" in done.stderr
