# SPDX-License-Identifier: Apache-2.0
"""tests/formal/proofs.py: each mistake that a proof must find (`run.py --mutate`) can still be made."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "formal"))

import proofs  # noqa: E402


def test_the_place_of_each_mistake_is_there_once() -> None:
    breaks = {broken for proof in proofs.PROOFS for broken in proof.breaks}
    texts = {name: (ROOT / "rtl" / name).read_text(encoding="utf-8") for name in {broken.file for broken in breaks}}
    assert len(breaks) > 50
    assert not [broken for broken in breaks if texts[broken.file].count(broken.old) != 1]
