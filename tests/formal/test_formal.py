# SPDX-License-Identifier: Apache-2.0
"""The proofs as tests, to pick one: `pytest tests/formal -m long -k fifo`. `make formal` runs those that do not take
long, and installs what they need; without that they are skipped."""

from __future__ import annotations

import sys
from pathlib import Path

import needs
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from proofs import PROOFS
from run import Proof, run

pytestmark = [pytest.mark.long, needs.proofs]


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_block_is_proven(proof: Proof) -> None:
    result = run(proof)
    assert result.status == "PASS", result.where
