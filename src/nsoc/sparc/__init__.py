# SPDX-License-Identifier: Apache-2.0
"""The instruction-set simulator of the SPARC V8 core (models/sparc), with the SoC's memories, timer and UART.

`run()` runs a program to its end; `Iss` goes step by step and says of each all that it has changed.
"""

from nsoc.sparc.iss import Ended, Iss, Reason, run
from nsoc.sparc.library import GLOBALS, ROW, Access, AccessMade, Answer, Effect, Kind, State, Step

__all__ = [
    "GLOBALS",
    "ROW",
    "Access",
    "AccessMade",
    "Answer",
    "Effect",
    "Ended",
    "Iss",
    "Kind",
    "Reason",
    "State",
    "Step",
    "run",
]
