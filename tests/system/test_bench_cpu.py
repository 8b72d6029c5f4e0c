# SPDX-License-Identifier: Apache-2.0
"""`nsoc bench cpu`: what the loops compute, that the figures add up and stay, and the port of CoreMark.

CoreMark's own sources are not here; the port is compiled with a stub that calls the same interface.
"""

import json
import re
import zlib
from pathlib import Path

import pytest
from docs_pages import says

from nsoc.bench import core_alone, cpu
from nsoc.cli import call
from nsoc.errors import NsocError
from nsoc.machine import firmware
from nsoc.machine.build import checkout
from nsoc.machine.presets import DEFAULT, load

pytestmark = pytest.mark.slow

RECORD_KEYS = ["suite", "preset", "mode", "metric", "payload", "value", "unit", "limit", "published", "source"]
MASK = 0xFFFF_FFFF
SPARC = "ajit-nic12-fast"


# --- What each loop must come to, computed by other means than the firmware's ---


def draws(x: int, count: int) -> list[int]:
    """The firmware's pseudo-random numbers."""
    numbers = []
    for _ in range(count):
        x = (x * 1664525 + 1013904223) & MASK
        numbers.append(x >> 16)
    return numbers


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def hashed(words) -> int:
    h = 0
    for word in words:
        h = ((h ^ (word & MASK)) * 16777619) & MASK
    return h


def lists() -> dict[str, int]:
    keys = [key & 0x3FF for key in draws(1, 96)]
    wanted = [key & 0x3FF for key in draws(2, 64)]
    items = [(key, place) for place, key in enumerate(keys)]
    return {
        "list_search": sum(keys.index(key) if key in keys else len(keys) for key in wanted),
        "list_reverse": hashed(word for item in reversed(items) for word in item),
        "list_sort": hashed(word for item in sorted(items) for word in item),
    }


def matrices() -> dict[str, int]:
    numbers = draws(3, 2 * 256 + 24 * 24)
    a = [[signed(numbers[2 * (16 * i + j)], 16) for j in range(16)] for i in range(16)]
    b = [[signed(numbers[2 * (16 * i + j) + 1], 16) for j in range(16)] for i in range(16)]
    product = [sum(signed(a[i][k] * b[k][j], 32) >> 4 for k in range(16)) for i in range(16) for j in range(16)]
    image = [[number & 0xFF for number in numbers[512 + 24 * i : 536 + 24 * i]] for i in range(24)]
    kernel = [1, -2, 3, -4, 50, -6, 7, -8, 9]

    def pixel(i: int, j: int) -> int:
        if not (0 < i < 23 and 0 < j < 23):
            return 0
        around = [value for row in image[i - 1 : i + 2] for value in row[j - 1 : j + 2]]
        return int(sum(k * v for k, v in zip(kernel, around, strict=True)) / 50)

    filtered = [pixel(i, j) for i in range(24) for j in range(24)]
    return {"matrix_multiply": hashed(product), "matrix_filter": hashed(filtered)}


TOKEN = re.compile(
    r"""(?P<space>[ \n]) | (?P<name>[A-Za-z_]\w*) | (?P<comment>\#[^\n]*) | (?P<string>"(?:\\.|[^"\\])*")
    | (?P<wrong>0x[\da-fA-F]*[g-zG-Z_]\w* | (?!0x)\d+[A-Za-z_]\w*) | (?P<hex>0x[\da-fA-F]*)
    | (?P<decimal>\d\d+|[1-9]) | (?P<zero>0) | (?P<sign>.)""",
    re.VERBOSE,
)


def text() -> dict[str, int]:
    """Tokens by regular expression; then how many characters the machine reads in each of its states."""
    source = (checkout() / "firmware" / "apps" / "bench_cpu" / "text.c").read_text()
    literal = re.search(r"text\[\] =(.*?);\n\n", source, re.DOTALL)
    assert literal
    contents = "".join(line.strip()[1:-1] for line in literal.group(1).strip().splitlines())
    contents = contents.encode().decode("unicode_escape")
    states = ("space", "name", "zero", "decimal", "hex", "string", "escape", "comment", "sign", "wrong")
    tokens, characters = dict.fromkeys(states, 0), dict.fromkeys(states, 0)
    tokens["space"] = 1  # it begins in that state
    for match in TOKEN.finditer(contents):
        kind, token = match.lastgroup, match.group()
        assert kind
        if kind == "string":  # ends with its quote, a sign
            tokens["sign"] += 1
            parts = {"escape": len(re.findall(r"\\.", token)), "sign": 1}
            parts["string"] = len(token) - sum(parts.values())
        else:
            tokens[kind] += 1
            digits = re.match(r"(?P<zero>0?)(?P<hex>(?<=0)x[\da-fA-F]*)?(?P<decimal>\d*)", token)
            assert digits
            parts = {name: len(part or "") for name, part in digits.groupdict().items()} if token[0].isdigit() else {}
            parts[kind] = parts.get(kind, 0) + len(token) - sum(parts.values())
        for name, count in parts.items():
            characters[name] += count
    return {"text_states": hashed(count for state in states for count in (tokens[state], characters[state]))}


def crcs() -> dict[str, int]:
    data = bytes(number & 0xFF for number in draws(4, 1024))
    return {"crc_table": zlib.crc32(data), "crc_bitwise": zlib.crc32(data[:128])}


def strings() -> dict[str, int]:
    numbers = draws(5, 64 + 256)
    alphabet, words = bytes(97 + number % 26 for number in numbers[:64]), numbers[64:]
    copied = bytearray()
    for i in range(64):
        at = i // 4 % 4
        copied += b"-" * at + alphabet[:i] + b"\0" + b"-" * (68 - at - i - 1)
    order = 0
    for i in range(63):
        order = 5 * (3 * order - alphabet[i]) + alphabet[i]
    return {
        "string_copy": hashed(copied),
        "memory_copy": hashed(words[3:] + words[:3]),
        "string_compare": order & MASK,
    }


EXPECTED = {**lists(), **matrices(), **text(), **crcs(), **strings(), "nic_forward": 48}


@pytest.fixture(scope="module")
def measured() -> dict[str, cpu.Measured]:
    return {loop.name: loop for loop in cpu.run_loops(cpu.LOOPS, load())}


def test_every_loop_computes_what_python_computes(measured: dict[str, cpu.Measured]) -> None:
    assert list(measured) == list(cpu.LOOPS)
    assert {name: hex(loop.result) for name, loop in measured.items()} == {n: hex(v) for n, v in EXPECTED.items()}
    assert all(loop.ok for loop in measured.values()), "the firmware's own constants differ"


def test_cycles_are_instructions_and_stalls(measured: dict[str, cpu.Measured]) -> None:
    for loop in measured.values():
        assert loop.cycles == loop.instructions + sum((loop.stalls or {}).values()) + loop.other
        assert loop.cycles > loop.instructions > 1000
        if loop.stalls is not None:
            assert loop.other == 0, f"{loop.name}: {loop.other} cycles of {loop.cycles} have no cause"


def alone(core: str) -> list[cpu.Measured]:
    """The loops on the core with memory at once, but nic_forward, which wants a NIC."""
    mask = sum(1 << number for number, name in enumerate(cpu.LOOPS) if name != "nic_forward")
    elf = firmware.build(cpu.FIRMWARE, {"LOOPS": f"{mask}u"}, arch=core)
    return cpu.read_loops(core_alone.run(elf, "end\n", 10_000_000, core))


def test_an_instruction_of_sparc_takes_as_long_as_one_of_risc_v() -> None:
    """The mean of all loops, within 3 %; docs/sparc.md has each."""
    theirs, ours = ([*alone(load(name).core), *cpu.run_loops(["nic_forward"], load(name))] for name in (DEFAULT, SPARC))
    assert [loop.name for loop in ours] == [loop.name for loop in theirs] == list(cpu.LOOPS)
    assert all(loop.ok for loop in ours)
    for one, other in zip(theirs, ours, strict=True):
        figures = [f"{loop.instructions:,} | {loop.cpi:.3f}" for loop in (one, other)]
        says("docs/sparc.md", f"| `{one.name}` | {' | '.join(figures)} |")
    of_theirs, of_ours = (sum(loop.cpi for loop in loops) / len(loops) for loops in (theirs, ours))
    says("docs/sparc.md", f"| mean | | {of_theirs:.3f} | | {of_ours:.3f} |")
    assert of_ours <= 1.03 * of_theirs


@pytest.mark.long
def test_the_same_run_takes_the_same_cycles(measured: dict[str, cpu.Measured]) -> None:
    assert cpu.run_loops(cpu.LOOPS, load()) == list(measured.values())


def test_loops_measure_the_same_alone(measured: dict[str, cpu.Measured]) -> None:
    """But for what another size of program changes in addresses, caches and branch predictor."""
    for name in ("memory_copy",):
        (alone,) = cpu.run_loops([name], load())
        assert alone.instructions == pytest.approx(measured[name].instructions, rel=0.01)
        assert alone.cycles == pytest.approx(measured[name].cycles, rel=0.02)


def test_a_wrong_result_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(cpu, "FRAME_BACK", cpu.FRAME)
    assert call(["bench", "cpu", "--loop", "nic_forward"]) == 1
    out, err = capsys.readouterr()
    assert "nic_forward WRONG" in out
    assert "nsoc: the processor computed something wrong in nic_forward" in err


def test_records_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "r.json"
    names = ["list_sort", "nic_forward"]
    assert call(["bench", "cpu", *(a for name in names for a in ("--loop", name)), "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    assert all(list(record) == RECORD_KEYS and record["suite"] == "cpu" for record in found)
    assert {record["mode"] for record in found} == set(names)
    value = {(record["mode"], record["metric"]): record["value"] for record in found}
    for name in names:
        stalls = sum(v for (mode, metric), v in value.items() if mode == name and metric.startswith("stall_"))
        assert value[name, "cycles"] == value[name, "instructions"] + stalls
        assert value[name, "cpi"] == value[name, "cycles"] / value[name, "instructions"]
        assert value[name, "bit_exact"] is True
    assert value["nic_forward", "cycles_per_frame"] == value["nic_forward", "cycles"] / 48
    out, _ = capsys.readouterr()
    assert "list_sort" in out and "crc_table" not in out and "million frames/s" in out


def test_flags_reach_the_compiler(measured: dict[str, cpu.Measured]) -> None:
    (slow,) = cpu.run_loops(["crc_table"], load(), flags=["-O1", "-fno-unroll-loops"])
    assert slow.ok and slow.instructions != measured["crc_table"].instructions


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--loop", "dhrystone"], "there is no loop 'dhrystone', only list_search, "),
        (["--flags", "'"], "is not a list of compiler flags"),
        (["--coremark", "/nowhere"], "/nowhere has no core_list_join.c: give --coremark the folder"),
        (["--coremark", "/nowhere", "--preset", SPARC], "/nowhere has no core_list_join.c: give --coremark the folder"),
        (["--preset", "nic99"], "there is no preset 'nic99'"),
    ],
)
def test_mistakes_get_a_sentence(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["bench", "cpu", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == "" and complaint in err and "Traceback" not in err


# --- What is printed, read ---


def test_stall_counters_are_read_in_the_order_of_the_hardware() -> None:
    (loop,) = cpu.read_loops(
        "core counts stalls\nloop list_sort ok 0x0000002a cycles 1000 instructions 700 stalls 1 2 3 4 5 6 7 8 9\nend\n"
    )
    assert loop.stalls == {
        "load_use": 1, "branch": 2, "muldiv": 3, "fetch": 4, "load_miss": 5, "uncached": 6, "store_buffer": 7,
        "serial": 8, "trap": 9,
    }  # fmt: skip
    assert (loop.other, loop.cpi, loop.result) == (1000 - 700 - 45, 1000 / 700, 42)


REPORT = """\
2K performance run parameters for coremark.
seedcrc          : 0xe9f5
[0]crclist       : 0xe714
[0]crcmatrix     : 0x1fd7
[0]crcstate      : 0x8e3a
[0]crcfinal      : 0x72be
measured cycles 700000 instructions 600000 stalls none
end
"""


@pytest.mark.parametrize(
    ("change", "ok"),
    [
        (("", ""), True),
        (("0x1fd7", "0x1fd8"), False),
        (("[0]crcstate      : 0x8e3a\n", ""), False),
        (("seedcrc", "[0]ERROR! list crc 0x1234 - should be 0xe714\nseedcrc"), False),
    ],
)
def test_coremark_counts_when_its_crcs_are_right(change: tuple[str, str], ok: bool) -> None:
    run = cpu.read_coremark(REPORT.replace(*change), cpu.PLAIN, cpu.ALONE, "-O2", 2)
    assert run.ok is ok
    assert run.per_mhz == pytest.approx(2.857142857)


def test_coremark_that_did_not_end_is_an_error() -> None:
    with pytest.raises(NsocError, match="CoreMark did not end"):
        cpu.read_coremark("CoreMark Size", cpu.PLAIN, cpu.ALONE, "-O2", 2)


# --- The port of CoreMark, with a stub in the place of its sources ---

STUB_HEADER = """
#include "core_portme.h"
typedef ee_u32 secs_ret;
void start_time(void);
void stop_time(void);
CORE_TICKS get_time(void);
secs_ret time_in_secs(CORE_TICKS ticks);
"""
STUB_MAIN = """
#include "coremark.h"
#if MEM_METHOD != MEM_STATIC || SEED_METHOD != SEED_VOLATILE || HAS_FLOAT
#error "the port is not what this expects"
#endif
extern volatile ee_s32 seed1_volatile, seed2_volatile, seed3_volatile, seed4_volatile, seed5_volatile;
int main(void) {
    core_portable port;
    portable_init(&port, 0, 0);
    start_time();
    for (volatile ee_s32 i = 0; i < 100 * seed4_volatile; i++) {}
    stop_time();
    ee_printf("%d %u %lu %04x %5d| %s %c %% %d\\n", -12, 34u, 56ul, 0xabu, 7, "text", 'c', time_in_secs(get_time()));
    ee_printf("seeds %d %d %d", seed1_volatile, seed2_volatile, seed3_volatile);
    ee_printf(" %d %d\\n", seed4_volatile, seed5_volatile);
    ee_printf("flags %s\\n", COMPILER_FLAGS);
    ee_printf("sizes %d %d %d %d\\n", sizeof(ee_u8), sizeof(ee_s16), sizeof(ee_u32), (ee_u32)align_mem(5));
    ee_printf("seedcrc          : 0x%04x\\n", 0xe9f5);
    ee_printf("[%d]crclist       : 0x%04x\\n", 0, 0xe714);
    ee_printf("[%d]crcmatrix     : 0x%04x\\n", 0, 0x1fd7);
    ee_printf("[%d]crcstate      : 0x%04x\\n", 0, 0x8e3a);
    portable_fini(&port);
    return 0;
}
"""


@pytest.fixture
def stub(tmp_path: Path) -> Path:
    """A folder with the files of CoreMark, and a port in the way that must not be taken."""
    for name in cpu.COREMARK_FILES:
        (tmp_path / name).write_text("")
    constants = "".join(f"#define {name} {i}\n" for i, name in enumerate(("SEED_ARG", "SEED_FUNC", "SEED_VOLATILE")))
    constants += "".join(f"#define {name} {i}\n" for i, name in enumerate(("MEM_STATIC", "MEM_MALLOC", "MEM_STACK")))
    (tmp_path / "coremark.h").write_text(constants + STUB_HEADER)
    (tmp_path / "core_main.c").write_text(STUB_MAIN)
    (tmp_path / "core_portme.h").write_text("#ifndef CORE_PORTME_H\n#error taken\n#endif\n")
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize("name", [DEFAULT, SPARC])
def test_the_port_prints_counts_and_ends_on_both_memories(stub: Path, name: str) -> None:
    preset = load(name)
    elf = cpu.build_coremark(cpu.coremark_sources(stub), ["-O2", "-DX=1"], 3, preset)
    printed = core_alone.run(elf, "end\n", 1_000_000, preset.core)
    assert printed.splitlines()[:4] == [
        "-12 34 56 00ab     7| text c % 0", "seeds 0 0 102 3 0", "flags -O2 -DX=1", "sizes 1 2 4 8",
    ]  # fmt: skip
    run = cpu.read_coremark(printed, cpu.PLAIN, cpu.ALONE, "-O2", 3)
    assert run.ok and run.cycles > run.instructions > 300 * 4
    assert core_alone.run(elf, "end\n", 1_000_000, preset.core) == printed
    in_soc = cpu.read_coremark(cpu._run_soc(elf, preset, 1, 3), cpu.PLAIN, cpu.SOC_MEMORY, "-O2", 3)
    assert in_soc.ok and in_soc.instructions == run.instructions and in_soc.cycles >= run.cycles - 16


def test_a_program_that_does_not_end_is_an_error(stub: Path) -> None:
    elf = cpu.build_coremark(cpu.coremark_sources(stub), ["-O2"], 3, load())
    with pytest.raises(NsocError, match=r"coremark\.elf on the core alone: did not print 'never'"):
        core_alone.run(elf, "never", 100_000)


def test_coremark_of_sparc_is_reported_beside_published_cores(
    stub: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "r.json"
    arguments = ["--loop", "crc_bitwise", "--coremark", str(stub), "--iterations", "1", "--preset", SPARC]
    assert call(["bench", "cpu", *arguments, "--json", str(file)]) == 0
    out, _ = capsys.readouterr()
    assert all(core["name"] in out for core in cpu.published("sparc")) and "Hazard3" not in out
    figures = {r["mode"]: r for r in json.loads(file.read_text()) if r["metric"] == "coremark_per_mhz"}
    names = ["O2", "tuned", *(["gcc-O2", "gcc-tuned"] if cpu.gcc_version(load(SPARC)) else [])]
    assert list(figures) == [f"coremark:{name}{where}" for name in names for where in ("", ":soc")]
    assert all(
        figures[mode]["value"] > figures[f"{mode}:soc"]["value"] > 0 for mode in ("coremark:O2", "coremark:tuned")
    )


def test_coremark_is_reported_beside_published_cores(
    stub: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "r.json"
    arguments = ["--loop", "crc_bitwise", "--coremark", str(stub), "--iterations", "2", "--flags", "-O1"]
    assert call(["bench", "cpu", *arguments, "--json", str(file)]) == 0
    out, _ = capsys.readouterr()
    for core in cpu.published():
        assert core["name"] in out and core["source"]
    figures = {r["mode"]: r for r in json.loads(file.read_text()) if r["metric"] == "coremark_per_mhz"}
    names = ["O2", "tuned", "flags", *(["gcc-O2", "gcc-tuned"] if cpu.gcc_version(load()) else [])]
    assert list(figures) == [f"coremark:{name}{where}" for name in names for where in ("", ":soc")]
    assert figures["coremark:O2"]["published"] == 2.85 and "Hazard3" in figures["coremark:O2"]["source"]
    assert figures["coremark:tuned"]["published"] == 3.60
    assert figures["coremark:O2:soc"]["published"] is None
    cycles = {r["mode"]: r["value"] for r in json.loads(file.read_text()) if r["metric"] == "cycles"}
    for mode, record in figures.items():
        assert record["value"] == pytest.approx(2 * 1e6 / cycles[mode])
    reportable = {r["mode"]: r["value"] for r in json.loads(file.read_text()) if r["metric"] == "coremark_reportable"}
    assert set(reportable) == set(figures) and not any(reportable.values())
    assert "none of these is a score to report" in " ".join(out.split())


def _run(toolchain: str, name: str, memory: str, cycles: int) -> cpu.CoreMark:
    return cpu.read_coremark(REPORT.replace("700000", str(cycles)), name, memory, "-O", 2, toolchain)


def test_where_there_is_a_gcc_it_is_its_figures_that_published_ones_are_compared_with() -> None:
    places = [(name, memory) for name in (cpu.PLAIN, cpu.TUNED) for memory in (cpu.ALONE, cpu.SOC_MEMORY)]
    clang = [_run("zig", *place, 500_000) for place in places]
    gcc = [_run(cpu.GCC, *place, 800_000) for place in places]

    def rows(runs: list[cpu.CoreMark], core: str = "rv32") -> list[list[str]]:
        columns = [list(column.cells) for column in cpu._coremark_table(runs, core).columns]
        return [list(map(str, row)) for row in zip(*columns, strict=True)]

    assert rows(clang)[2] == ["Hazard3, GCC, memory at once", "2.85 (1.40x)", "3.60 (1.11x)", "1.12 (0.74x)"]
    both = rows(clang + gcc)
    assert [row[0] for row in both[:4]] == [
        f"N-SoC, {compiler}, {memory}" for compiler in ("clang", "GCC") for memory in ("memory at once", "in the SoC")
    ]
    assert both[0][1:] == ["4.000", "4.000", "0.833"] and both[2][1:] == ["2.500", "2.500", "1.333"]
    assert both[4] == ["Hazard3, GCC, memory at once", "2.85 (0.88x)", "3.60 (0.69x)", "1.12 (1.19x)"]
    slower = [_run("zig", name, memory, 500_000 if memory == cpu.ALONE else 1_000_000) for name, memory in places]
    sparc = rows(slower, "sparc")
    assert [row[0].split(",")[0] for row in sparc[2:]] == ["AJIT (KC705)", "LEON3", "LEON4"]
    assert sparc[2] == ["AJIT (KC705), GCC, in the SoC", "", "1.82 (1.10x)", ""]


@pytest.mark.parametrize("name", [DEFAULT, SPARC])
def test_records_have_a_published_figure_of_the_same_instruction_set_flags_and_memory(name: str) -> None:
    runs = [
        _run("zig", flags, memory, 500_000)
        for flags in (cpu.PLAIN, cpu.TUNED)
        for memory in (cpu.ALONE, cpu.SOC_MEMORY)
    ]
    records = [record for record in cpu.records(cpu.CpuResult(load(name), [], runs)) if record.published is not None]
    found = {(record.mode, record.metric): record.published for record in records}
    assert all(record.source for record in records)
    assert found == {
        DEFAULT: {
            ("coremark:O2", "coremark_per_mhz"): 2.85, ("coremark:tuned", "coremark_per_mhz"): 3.60,
            ("coremark:tuned", "cpi"): 1.12,
        },
        SPARC: {("coremark:tuned:soc", "coremark_per_mhz"): 1.82},
    }[name]  # fmt: skip


def test_a_run_of_ten_seconds_may_be_reported() -> None:
    runs = [_run("zig", cpu.TUNED, cpu.ALONE, cycles) for cycles in (799_999_999, 800_000_000)]
    result = cpu.CpuResult(load(), [], runs)
    values = [record.value for record in cpu.records(result) if record.metric == "coremark_reportable"]
    assert values == [False, True]
    assert not any("score to report" in line for line in cpu.lines(result))
