# SPDX-License-Identifier: Apache-2.0
"""The wheel in an empty environment, without a compiler: what it carries runs, the rest says what it needs."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import needs
import pytest
from docs_pages import ROOT, example

from nsoc import wheel

PAGE = "docs/workbench.md"

pytestmark = pytest.mark.slow


class Installed:
    """A virtual environment with the wheel, and nothing else on the search path or in the home."""

    def __init__(self, folder: Path, made: Path) -> None:
        self.bin, self.home, self.away = folder / "venv" / "bin", folder / "home", folder / "away"
        self.home.mkdir()
        self.away.mkdir()
        kept = {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_", "REQUESTS_"))}
        self.environment = {**kept, "PATH": str(self.bin), "HOME": str(self.home)}
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        done = self.run("pip", "install", "-q", "--disable-pip-version-check", str(made))
        if "No matching distribution" in done.stderr or "connection" in done.stderr.lower():
            pytest.skip("the package index cannot be reached")
        assert done.returncode == 0, done.stderr

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("nsoc", *arguments)

    def run(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.bin / command), *arguments], cwd=self.away, env=self.environment, capture_output=True, text=True,
            check=False, timeout=600,
        )  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel.make(tmp_path_factory.mktemp("wheel") / "dist")


@pytest.fixture(scope="module")
def nsoc(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("installed"), made)


def test_it_is_small_for_one_platform_and_any_python(made: Path) -> None:
    assert re.fullmatch(r"nsoc-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl", made.name)
    assert made.stat().st_size < 12e6
    said = re.search(r"into one file of ([\d.]+) MB in `dist/`", (ROOT / PAGE).read_text(encoding="utf-8"))
    assert said is not None and float(said[1]) == pytest.approx(made.stat().st_size / 1e6, rel=0.05)
    names = zipfile.ZipFile(made).namelist()
    assert any(name.endswith("rtl/soc/nsoc.sv") for name in names)
    assert "nsoc/carried/docs/data/figures.json" in names
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]


def test_benches_find_their_goals(nsoc: Installed) -> None:
    ask = "from nsoc import figures; print(figures.goal('toe', 'toe', 'tcp-both-1', 'goodput_mbps'))"
    done = nsoc.run("python", "-c", ask)
    assert float(done.stdout) > 900, done.stderr


def test_all_that_is_said_to_be_ready_made_is(nsoc: Installed) -> None:
    ask = (
        "from nsoc import wheel; from nsoc.machine import build, firmware, presets\n"
        "for preset in map(presets.load, wheel.READY): print(build.simulator(preset).parents[1].name)\n"
        "for preset, *program in wheel.programs(): print(firmware.build_for(preset, *program).parents[1].name)"
    )
    done = nsoc.run("python", "-c", ask)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"sim", "firmware"}
    assert not [path for path in nsoc.home.rglob("*") if path.suffix in (".so", ".elf")]


@pytest.mark.long
def test_the_picture_crosses_the_soc(made: Path, nsoc: Installed) -> None:
    """By the commands of the page; which C library it asks for is that of the machine that made it."""
    install, demo = example("docs/workbench.md", "Without a compiler").commands
    assert re.sub(r"manylinux_2_\d+", "", install) == re.sub(r"manylinux_2_\d+", "", f"pip install {made.name}")
    done = nsoc(*demo.split()[1:])
    assert done.returncode == 0 and "bit-exact" in done.stdout, done.stdout + done.stderr
    assert "Building" not in done.stderr and "Preparing" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "forward", "--us", "100"), "ready"),
        (("run", "toe_net", "--preset", "toe", "--us", "400"), "N-SoC toe_net"),
        pytest.param(("selftest",), "(?i)pass", marks=pytest.mark.long),
        (("regs", "nic.control"), "nic_enable"),
        (("presets",), "nic12-fast"),
        pytest.param(("bench", "nic", "--lengths", "60"), "(?i)register.load", marks=pytest.mark.long),
        (("--version",), r"nsoc \d"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_commands_that_need_no_compiler(nsoc: Installed, arguments: tuple[str, ...], says: str) -> None:
    done = nsoc(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(says, done.stdout), done.stdout


@needs.gdb
def test_gdb_finds_it(nsoc: Installed) -> None:
    server = subprocess.Popen(
        [str(nsoc.bin / "nsoc"), "gdb", "--port", "0"], cwd=nsoc.away, env=nsoc.environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert server.stderr is not None
        target = next(found for line in server.stderr if (found := re.search(r"target remote (:\d+)", line)))
        words = ("set architecture riscv:rv32", f"target remote {target[1]}", "info registers pc")
        gdb = ["gdb-multiarch", "-batch", "-nx", *(part for word in words for part in ("-ex", word))]
        shown = subprocess.run(gdb, capture_output=True, text=True, check=False, timeout=120).stdout
        assert re.search(r"pc\s+0x0", shown), shown
    finally:
        server.kill()
        server.wait()


def test_a_users_script_is_checked_strictly(nsoc: Installed, tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "support" / "typed" / "script.py", tmp_path)
    command = [
        sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}",
        f"--python-executable={nsoc.bin / 'python'}", "script.py",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, env=nsoc.environment, capture_output=True, text=True, check=False)
    assert done.stdout == "Success: no issues found in 1 source file\n", done.stdout + done.stderr


def test_what_must_be_built_says_what_it_needs(nsoc: Installed) -> None:
    for arguments in (("run", "forward", "--preset", "nic11-fast"), ("gdb", "forward", "--define", "DELAY=9")):
        done = nsoc(*arguments)
        assert done.returncode != 0 and "pip install 'nsoc[build]'" in done.stderr, done.stderr
        assert "Traceback" not in done.stderr


# ---- README's "Install it" -------------------------------------------------------------------------------------------

INSTALL = example("README.md", "Install it").commands


@pytest.fixture
def user(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody with an empty HOME."""
    kept = {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    home = tmp_path / "home"
    home.mkdir()
    return {**kept, "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}


def test_readme_puts_the_command_on_the_path_and_completes_it(user: dict[str, str]) -> None:
    activate, complete, *_ = INSTALL
    bash = ["bash", "--norc", "-c"]

    def said(script: str) -> str:
        done = subprocess.run([*bash, script], cwd=ROOT, env=user, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert said(f"{activate}; command -v nsoc").strip() == str(ROOT / ".venv" / "bin" / "nsoc")
    assert "completion installed" in said(f"{activate}; {complete}; true")
    assert " nsoc" in said(f"{activate}; . ~/.bashrc; complete -p nsoc")
    words = {"COMP_WORDS": "nsoc sys", "COMP_CWORD": "1", "_NSOC_COMPLETE": "complete_bash"}
    assert said(f"{activate}; {' '.join(f'{key}={value!r}' for key, value in words.items())} nsoc").split() == [
        "systems"
    ]


def test_readme_installs_the_wheel_for_every_shell(made: Path, user: dict[str, str]) -> None:
    *_, make, pipx = INSTALL
    assert make == "make wheel" and pipx == "pipx install dist/*.whl"
    environment = {**user, "PATH": f"{Path(sys.executable).parent}:{user['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", pipx], cwd=made.parents[1], env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    if "No matching distribution" in done.stderr or "connection" in done.stderr.lower():
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr
    command = Path(user["HOME"]) / ".local" / "bin" / "nsoc"
    version = subprocess.run([command, "--version"], env=user, capture_output=True, text=True, check=True).stdout
    assert version.split()[1] == made.name.split("-")[1]
    shown = subprocess.run([command, "systems"], env=user, capture_output=True, text=True, check=True).stdout
    assert "Programmable NIC" in shown and "not measured" not in shown
