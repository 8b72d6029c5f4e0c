# SPDX-License-Identifier: Apache-2.0
"""The commands of a SoC that GDB passes on with `monitor`: what it has no words for itself."""

from typing import TYPE_CHECKING

from nsoc.errors import NsocError

if TYPE_CHECKING:
    from nsoc.machine.gdb.soc_target import SocTarget

_HELP = """\
cycles     simulated time and instructions so far
counters   the NIC's frame counters that are not zero
uart       all that the SoC has printed
send HEX   play a frame to the SoC: hex bytes from the destination address on
effects    on, off: are device registers read whose read does something, as one that takes a byte? off at first
reset      boot again; then say `maintenance flush register-cache`
"""


def monitor(target: "SocTarget", said: str) -> str:
    """What GDB's `monitor` shows for this command."""
    match said.split():
        case ["cycles"]:
            retired = target.registers.retired(target.debugger)
            return (
                f"{target.soc.time_us:.3f} us, {target.soc.cycles} NIC clock cycles, {retired} instructions retired\n"
            )
        case ["counters"]:
            counted = [f"{name:24} {value}\n" for name, value in target.soc.counters.items() if value]
            return "".join(counted) or "all counters are zero\n"
        case ["uart"]:
            return target.soc.uart.text or "nothing was printed\n"
        case ["send", *digits] if digits:
            return _send_frame(target, "".join(digits))
        case ["effects", ("on" | "off") as wish]:
            target.effects = wish == "on"
            return f"device registers whose read does something are {'' if target.effects else 'not '}read\n"
        case ["reset"]:
            return _reset(target)
        case ["help"] | []:
            return _HELP
    return f"there is no monitor command {said!r}; these there are:\n{_HELP}"


def _send_frame(target: "SocTarget", digits: str) -> str:
    try:
        frame = bytes.fromhex(digits.replace(":", ""))
        target.soc.wire.send(frame)
    except ValueError:
        return "a frame is given as two hex digits a byte\n"
    except NsocError as error:
        return f"{error}\n"
    return f"{len(frame)} bytes go out as time passes\n"


def _reset(target: "SocTarget") -> str:
    try:
        target.boot_again()
    except NsocError as error:
        return f"{error}\n"
    return "booted again; now say: maintenance flush register-cache\n"
