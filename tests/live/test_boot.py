# SPDX-License-Identifier: Apache-2.0
"""Boot over the wire: the firmware `monitor` in `nsoc up` is given a program by `nsoc boot`."""

import subprocess
import sys

import pytest
from live import HANG_S, SOC, up

from nsoc.cli import call

pytestmark = pytest.mark.slow


def nsoc(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """The command, outside of the namespace: it finds its way in."""
    command = [sys.executable, "-m", "nsoc", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def boot(program: str, pid: int) -> None:
    """It is loaded and started."""
    done = nsoc("boot", program, "--pid", pid, "--timeout", 60_000)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{program}: ") and "it starts at 0x4000" in done.stdout


def test_a_program_is_loaded_over_a_bad_line_and_starts() -> None:
    with up(["--firmware", "monitor", "--loss", 0.05]) as live:
        pid = live.running.info.pid
        wrong = nsoc("boot", "hello", "--to", 9, "--pid", pid, "--timeout", 500)
        assert wrong.returncode == 1 and wrong.stderr.startswith("nsoc: nobody answers at 02:00:00:00:00:09")
        assert wrong.stderr.count("\n") == 1
        with live.running.console() as console:
            boot("hello", pid)
            console.settimeout(HANG_S)
            said = b""
            while b"Hello from the N-SoC." not in said:
                said += console.recv(4096)


@pytest.mark.long
def test_net_is_loaded_over_a_bad_line_and_answers_ping() -> None:
    with up(["--firmware", "monitor", "--loss", 0.05]) as live:
        boot("net", live.running.info.pid)
        # The monitor answers no ARP: who answers is the program, which needs a while to come up.
        assert " 0 received" not in live.run("ping", "-c", 60, "-w", 300, "-i", 0.5, SOC, status=None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["net", "--to", "0"], "--to wants 1 to 255, or one MAC address, not '0'"),
        (["net", "--to", "02:00"], "--to wants"),
        (["net", "--pid", "1"], "no nsoc up is"),
        (["no-such-firmware", "--interface", "lo"], "there is no firmware 'no-such-firmware'"),
        (["/dev/null/x.elf", "--interface", "lo"], "cannot read the firmware /dev/null/x.elf"),
        (["/etc/passwd", "--interface", "lo"], "is not a 32-bit little-endian ELF file"),
        (["net", "--interface", "lo", "--preset", "mac-example"], "has no processor"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["boot", *arguments]) != 0
    assert said in capsys.readouterr().err
