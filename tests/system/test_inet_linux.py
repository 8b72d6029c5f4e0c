# SPDX-License-Identifier: Apache-2.0
"""The Python TCP and Linux's understand each other: Linux is the reference that was written by others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from runs import some

CHILD = Path(__file__).with_name("inet_linux_child.py")
MAY = os.geteuid() == 0 and os.access("/dev/net/tun", os.W_OK)


@pytest.mark.skipif(not MAY, reason="a TAP device needs root and /dev/net/tun")
@pytest.mark.parametrize("loss", some([0.0], [0.03]))
def test_linux_and_the_python_stack_understand_each_other(loss: float) -> None:
    result = subprocess.run([sys.executable, CHILD, str(loss)], capture_output=True, text=True, timeout=800)
    if "no network namespace" in result.stderr:
        pytest.skip("no network namespace of one's own")
    assert result.returncode == 0, result.stderr
    kinds = ("plain", "with options", "small segments")
    assert result.stdout.splitlines() == [f"{kind}, opened by {who}" for kind in kinds for who in ("Linux", "the peer")]
