# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

import os

from nsoc.machine import build

os.environ.setdefault(build.QUICK, "1")  # most simulators are used for seconds: they are compiled once
