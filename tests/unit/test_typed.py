# SPDX-License-Identifier: Apache-2.0
"""`py.typed` is honest: `mypy --strict` checks a user's script against the installed package, without our settings.

tests/system/test_wheel.py does the same with the wheel.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nsoc
from nsoc.docs import api

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "typed" / "script.py"
WRONG = """\
import nsoc

nsoc.Sock
nsoc.Soc(5)
with nsoc.Soc() as soc:
    soc.wire.send("text")
    soc.run(us="1")
    soc.boot(within=5)
    late: str = soc.time_us
nsoc.load_preset("toe").cpu_ghz
nsoc.Peer(nsoc.Network()).ping(5)
nsoc.pcapng.write(5, [])
nsoc.Faults(loss="0.1")
"""
"""Each line but those of the blocks is an error of its own."""


def test_the_script_uses_all_that_is_public() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    names = [*nsoc.__all__, *(path.rpartition(".")[2] for path in api.GIVEN)]
    assert not [name for name in names if not re.search(rf"\b{name}\b", text)]
    assert not [name for name in api.BENCHES if f"{name}.run(" not in text]


def strict(folder: Path, *files: str) -> list[str]:
    """What mypy says of scripts in a folder of a user, who has nsoc installed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MYPY", "PYTHON"))}
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={folder / 'cache'}", *files]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_a_users_script_is_checked_strictly(tmp_path: Path) -> None:
    shutil.copy(SCRIPT, tmp_path)
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    *said, summary = strict(tmp_path, "script.py", "wrong.py")
    wrong = [number for number, line in enumerate(WRONG.splitlines(), 1) if "nsoc." in line or line.startswith("    ")]
    wrong.remove(WRONG.splitlines().index("with nsoc.Soc() as soc:") + 1)
    found = [re.match(r"wrong\.py:(\d+): error: ", line) for line in said if ": note: " not in line]
    assert sorted({int(one[1]) for one in found if one}) == wrong and all(found), "\n".join(said)
    assert summary == f"Found {len(found)} errors in 1 file (checked 2 source files)"
