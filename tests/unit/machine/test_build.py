# SPDX-License-Identifier: Apache-2.0
"""Building the simulator: once for each content, shared by processes, and clear about what is missing."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from runs import slow

from nsoc.errors import NsocError
from nsoc.machine import build, by_clock, compiler, firmware, presets, rest, tool

SIM = Path(__file__).parents[3] / "sim"

TOP = f"""
module sim_top #(parameter int {", ".join(f"{parameter} = 0" for parameter in presets.RTL_PARAMETERS)}) (
  input logic clk, output logic [31:0] sum
);
  always_ff @(posedge clk) sum <= sum + 32'(UART_DIVISOR);
endmodule
"""
HARNESS = """
#include "Vsim_top.h"
extern "C" int nsoc_sim_printf(const char *, ...) { return 0; }
extern "C" __attribute__((visibility("default"))) unsigned sum_after(int cycles) {
    VerilatedContext context;
    Vsim_top top{&context};
    for (int i = 0; i < 2 * cycles + 1; ++i) { top.clk = i & 1; top.eval(); }
    return top.sum;
}
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a design of one adder, and a cache of its own."""
    root = tmp_path / "tree"
    (root / "rtl").mkdir(parents=True)
    (root / "sim").mkdir()
    for name in ("nsoc_print.h", "top.h"):
        shutil.copy(SIM / name, root / "sim")
    (root / "sim" / "public.vlt").write_text("`verilator_config\n", encoding="utf-8")
    (root / "sim" / "sim_top.sv").write_text(TOP, encoding="utf-8")
    (root / "sim" / "harness.cpp").write_text(HARNESS, encoding="utf-8")
    monkeypatch.setattr(build, "checkout", lambda: root)
    monkeypatch.setenv("NSOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "LIBRARY_OPTIMIZATION", "-O0")  # Verilator's library is compiled for each test
    return root


@pytest.mark.slow
def test_a_simulator_is_built_once_for_all_who_want_it(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = (
        "import sys; from pathlib import Path; from nsoc.machine import build, presets; "
        f"build.LIBRARY_OPTIMIZATION = '-O0'; build.checkout = lambda: Path({str(tree)!r}); "
        "print(build.simulator(presets.load().with_(uart_divisor=5)))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    (out, err), (other_out, other_err) = (process.communicate() for process in processes)
    assert out == other_out and [process.returncode for process in processes] == [0, 0], err + other_err
    # One builds, the other waits for it; who waits for more than 2 s is told so.
    says = ("Building the simulator for nic12-fast (first time): ", "Waiting for another process that builds the ")
    assert all(line.startswith(says) for line in (err + other_err).splitlines()), err + other_err

    preset = presets.load().with_(uart_divisor=5)
    library = build.simulator(preset)
    assert library == Path(out.strip())
    assert build.simulator(preset.with_(cpu_mhz=100)) == library, "clocks are not part of the build"
    assert capfd.readouterr() == ("", "")
    assert {path.name for path in library.parent.iterdir()} == {library.name, "recipe.txt"}
    assert ctypes.CDLL(str(library)).sum_after(3) == 15, "the preset's parameter must reach the design"


@pytest.mark.parametrize(
    "command",
    [None, *slow(["g++ -pipe", "without", "g++"])],  # g++ makes those of all other tests
)
def test_each_compiler_makes_a_simulator(tree: Path, monkeypatch: pytest.MonkeyPatch, command: str | None) -> None:
    """Clang of the package; g++ where the package is not; what $CXX says, any number of words. Each file once."""
    monkeypatch.delenv("CXX", raising=False)
    ran: list[list[str]] = []

    def run(words: list[str], *rest: Any) -> None:
        ran.append(words)
        tool.run_tool(words, *rest)

    monkeypatch.setattr(compiler, "run_tool", run)
    if command == "without":
        monkeypatch.setattr(compiler, "PACKAGE", "no-such-package")
    elif command is not None:
        monkeypatch.setenv("CXX", command)
    assert compiler.chosen().is_clang == (command is None)
    library = build.simulator(presets.load().with_(uart_divisor=5))
    assert ctypes.CDLL(str(library)).sum_after(3) == 15
    first = ["g++", "-pipe"] if command == "g++ -pipe" else ["g++"]
    is_clang = [Path(words[0]).name == "zig" and words[1] == "clang" for words in ran]
    assert ran and all(is_clang if command is None else [words[: len(first)] == first for words in ran])
    sources = [words[words.index("-c") + 1] for words in ran if "-c" in words]
    assert str(tree / "sim" / "harness.cpp") in sources and len(sources) == len(set(sources))


def test_a_compiler_that_does_not_exist_is_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -O2")
    with pytest.raises(NsocError, match="building a simulator needs the program no-such-compiler, which is missing"):
        build.simulator(presets.load())


def test_what_is_compiled_by_another_compiler_is_another_build(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(build, "_build", lambda preset, variant, folder: made.append(folder))
    for command in ("", "g++", "g++ -pipe"):
        monkeypatch.setenv("CXX", command)
        build.simulator(presets.load())
    assert len(set(made)) == 3


def test_whatever_goes_in_makes_another_build(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(build, "_build", lambda preset, variant, folder: made.append(folder))
    preset = presets.load()
    build.simulator(preset)
    build.simulator(preset, build.Variant(checks=True))
    build.simulator(preset, build.Variant(trace=True))
    build.simulator(preset, build.Variant(waves=True))
    build.simulator(preset.with_(rx_fifo_bytes=4096))
    (tree / "rtl" / "new.sv").write_text("module unused; endmodule\n", encoding="utf-8")
    build.simulator(preset)
    (tree / "sim" / "harness.cpp").write_text(HARNESS + "// changed\n", encoding="utf-8")
    build.simulator(preset)
    assert len(set(made)) == 7


def test_in_tests_gcc_makes_another_build_and_clang_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(build, "_build", lambda preset, variant, folder: made.append(folder))
    for command in ("g++", ""):
        monkeypatch.setenv("CXX", command)
        for quick in ("", "1"):
            monkeypatch.setenv(build.QUICK, quick)
            build.simulator(presets.load())
    assert made[0] != made[1] and made[2] == made[3]


def test_an_error_in_the_design_is_shown_and_leaves_nothing_behind(tree: Path, tmp_path: Path) -> None:
    (tree / "sim" / "sim_top.sv").write_text(TOP.replace("sum + ", "summ + "), encoding="utf-8")
    with pytest.raises(NsocError, match=r"(?s)verilating the SoC failed.*sim_top\.sv:5.*'summ'"):
        build.simulator(presets.load())
    assert [path.suffix for path in (tmp_path / "cache" / "sim").iterdir()] == [".lock"]


def test_an_error_in_the_models_is_shown(tree: Path) -> None:
    (tree / "sim" / "harness.cpp").write_text("int broken(\n", encoding="utf-8")
    with pytest.raises(NsocError, match=r"(?s)compiling harness\.cpp failed.*error"):
        build.simulator(presets.load())


def _said(folder: Path, lines: list[str], status: int = 1) -> str:
    """What run_tool() says of a tool that prints these lines and fails."""
    (folder / "said.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(NsocError) as problem:
        tool.run_tool(["sh", "-c", f"cat said.txt; exit {status}"], folder, "compiling it")
    return str(problem.value)


def test_what_a_compiler_says_is_shown_once_and_in_order(tmp_path: Path) -> None:
    short = [
        "a.c:3:5: warning: unused variable 'x' [-Wunused-variable]", "    3 |   int x;", "      |       ^",
        "a.c:5:1: error: expected expression", "    5 |   )", "      |   ^", "1 warning and 1 error generated.",
    ]  # fmt: skip
    assert _said(tmp_path, short) == "\n  ".join(["compiling it failed in sh:", *short])
    assert _said(tmp_path, ["no such thing"]) == "compiling it failed in sh:\n  no such thing"
    assert _said(tmp_path, []) == "compiling it failed in sh:\n  "


def test_of_much_that_a_compiler_says_the_errors_and_the_end_are_shown(tmp_path: Path) -> None:
    warnings = [f"warning: {number} in errors.zig" for number in range(40)]
    error = ["a.c:5:1: error: expected expression", "    5 |   )", "      |   ^"]
    said = _said(tmp_path, [*warnings[:20], *error, *warnings[20:]]).splitlines()
    assert said[1:3] == ["  (20 lines left out)", f"  {error[0]}"]
    assert said[5:8] == [f"  {warnings[20]}", "  (7 lines left out)", f"  {warnings[28]}"]
    assert said[-1] == f"  {warnings[39]}" and len(said) == len(set(said))


@pytest.mark.parametrize(
    "line",
    [
        "fatal error: error in backend: IO failure on output stream: No space left on device",
        "warning(zcu): unable to write cached ZIR code for a.zig to z/4461571d1d2988546f1e47ce950d8c41: NoSpaceLeft",
        "/usr/bin/ld: final link failed: Disk quota exceeded",
    ],
)
def test_a_disk_that_a_compiler_finds_full_is_one_sentence(tmp_path: Path, line: str) -> None:
    said = _said(tmp_path, ["a.c:3:5: warning: unused variable", line, "a.c:9:9: error: truncated"])
    assert said.startswith("no room left on the disk of ") and " for compiling it: free some, or set " in said
    assert "\n" not in said and "warning" not in said


def test_a_firmware_on_a_disk_that_is_really_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(small)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("mounting a small disk wants root")
    try:
        monkeypatch.setenv("NSOC_CACHE", str(small))
        with pytest.raises(NsocError) as problem:
            firmware.build("hello")
        sentence = f"no room left on the disk of {small}/firmware for compiling the firmware hello: free some, or set "
        assert str(problem.value) == f"{sentence}NSOC_CACHE to another folder"
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_missing_compiler_is_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(NsocError, match=r"building a simulator needs the program g\+\+, which is missing: install it"):
        build.simulator(presets.load())


USER = """
import os, sys
from pathlib import Path
from nsoc.machine import build
os.setuid(int(sys.argv[1]))
build.checkout = lambda: Path(sys.argv[2])
print(build.cache_folder(), build.cache_folder())
"""


def _cache_of(user: int, root: Path, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in ("NSOC_CACHE", "XDG_CACHE_HOME")}
    environment |= {"HOME": str(home), "PYTHONPATH": str(Path(build.__file__).parents[2])}
    command = [sys.executable, "-c", USER, str(user), str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("what", ["read-only", "a file in its place"])
def test_where_the_checkout_cannot_be_written_the_users_cache_is_used_and_one_line_says_so(
    tmp_path: Path, what: str
) -> None:
    root, home = tmp_path / "tree", tmp_path / "home"
    user = os.getuid()
    root.mkdir()
    home.mkdir()
    if what == "a file in its place":
        (root / "build").write_text("")
    else:
        root.chmod(0o555)
        if user == 0:  # whom permissions do not stop
            user = 65534
            os.chown(home, user, user)
            for folder in tmp_path.parents[: tmp_path.parents.index(Path(tempfile.gettempdir()))]:
                folder.chmod(folder.stat().st_mode | 0o055)
            tmp_path.chmod(0o755)
    done = _cache_of(user, root, home)
    cache = home / ".cache" / "nsoc"
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{cache} {cache}\n"
    assert done.stderr == f"{root} cannot be written: what is built and measured goes to {cache}\n"


def test_where_nothing_can_be_written_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NSOC_CACHE", raising=False)
    (tmp_path / "build").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "build"))
    with pytest.raises(NsocError, match=r"neither .*build nor .*nsoc can be written .*: set NSOC_CACHE to a folder"):
        build._own_cache(tmp_path)


CLOCKS = build.top_clocks()
CLOCKED = f"""
module sim_top #(parameter int {", ".join(f"{parameter} = 0" for parameter in presets.RTL_PARAMETERS)}) (
  input logic {", ".join(CLOCKS)}, arst, d, output logic [15:0] out, output logic other
);
""" + "\n".join(
    f"  always_ff @(posedge {clock} or posedge arst) out[{i}] <= arst ? 1'b0 : d ^ out[{i + 1}];"
    for i, clock in enumerate(CLOCKS)
)


@pytest.mark.parametrize(
    ("more", "possible", "settled"),
    [
        ("always_ff @(posedge cpu_clk) other <= out[0];", True, True),
        ("always_ff @(negedge cpu_clk) other <= out[0];", False, False),
        ("always_ff @(posedge out[0]) other <= out[1];", False, False),
        ("always_ff @(posedge cpu_clk) other <= nic_clk;", False, False),
        ("assign other = cpu_clk;", False, False),
        ("assign other = d ^ out[0];", False, True),
        ("always_ff @(posedge d) other <= out[0];", False, True),
    ],
)
def test_eval_is_passed_over_only_where_nothing_but_rising_clocks_counts(
    tree: Path, tmp_path: Path, more: str, possible: bool, settled: bool
) -> None:
    """`settled`: where the harness tells of each pin that changes."""
    (tree / "sim" / "sim_top.sv").write_text(f"{CLOCKED}\n  {more}\nendmodule\n", encoding="utf-8")
    (tmp_path / "work").mkdir()
    build._verilate(presets.load(), build.PLAIN, tmp_path / "work")
    assert by_clock.possible(tmp_path / "work", build.TOP, CLOCKS, build.LEFT_TO_EVAL) == possible
    assert by_clock.possible(tmp_path / "work", build.TOP, CLOCKS) == settled


@pytest.mark.parametrize("rests", [True, False])
def test_a_block_has_a_clock_of_its_own_only_where_somebody_raises_it(tree: Path, tmp_path: Path, rests: bool) -> None:
    for folder in ("rtl/common", "models/fast"):
        (tree / folder).mkdir(parents=True)
        shutil.copy(SIM.parent / folder / "clock_pass.sv", tree / folder)
    block = "logic own; clock_pass u_own (.clk(cpu_clk), .block_clk(own)); always_ff @(posedge own) other <= out[0];"
    (tree / "sim" / "sim_top.sv").write_text(f"{CLOCKED}\n  {block}\nendmodule\n", encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    build._verilate(presets.load(), build.PLAIN, work, rests=rests)
    assert rest.own_clocks(work, build.TOP) == ({"sim_top__DOT__u_own__DOT__rest_clk": "cpu_clk"} if rests else {})
    assert by_clock.possible(work, build.TOP, CLOCKS, build.LEFT_TO_EVAL)


def test_the_commit_is_that_of_the_tree_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository around the tree is not asked, and an installed package has what its wheel says."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@x", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x")
    inside = tmp_path / build.CARRIED
    inside.mkdir()
    for root, says in ((tmp_path, git("rev-parse", "--short=12", "HEAD")), (inside, "unknown (not a git checkout)")):
        monkeypatch.setattr(build, "checkout", lambda root=root: root)
        assert build.commit() == says
    (inside / build.COMMIT).write_text("0123456789ab, changed since\n", encoding="utf-8")
    assert build.commit() == "0123456789ab, changed since"
    vendored = tmp_path / "vendored"
    vendored.mkdir()
    monkeypatch.setattr(build, "checkout", lambda: vendored)
    assert build.commit() == "unknown (not a git checkout)"
    (tmp_path / "new").touch()
    monkeypatch.setattr(build, "checkout", lambda: tmp_path)
    assert build.commit().endswith(", changed since")


def test_clocks_are_those_that_the_harness_raises() -> None:
    assert by_clock.clocks([SIM / "clocks.h", SIM / "top.h"], "sim_top") == CLOCKS
    assert CLOCKS == ("gmii_rx_clk", "gmii_tx_clk", "nic_clk", "cpu_clk", "dram_clk")
    assert by_clock.clocks([SIM / "pnic" / "nic.h", SIM / "pnic" / "cluster.cpp"], "cluster_top") == ("clk",)
    with pytest.raises(NsocError, match="no C\\+\\+ says which pins of lat_pair are clocks"):
        by_clock.clocks([SIM / "top.h"], "lat_pair")


@pytest.mark.parametrize("fields", [{}, *slow([{"cores": 2}, {"core": "sparc"}])])
def test_eval_is_passed_over_in_the_soc(tmp_path: Path, fields: dict[str, int]) -> None:
    build._verilate(presets.load().with_(**fields), build.PLAIN, tmp_path)
    assert by_clock.possible(tmp_path, build.TOP, CLOCKS, build.LEFT_TO_EVAL)
