# SPDX-License-Identifier: Apache-2.0
"""Which traps which instructions of SPARC V8 may have (the manual's facts), programs that have each of them in place,
in delay slots and in annulled ones, in both modes and with ET = 0, and what of all that a run has seen."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sparc_asm import assemble
from sparc_programs import BODY, NOT_THERE, START, TO_SUPERVISOR, TO_USER
from sparc_words import (
    ALTERNATE,
    ARITHMETIC,
    CONDITIONS,
    COPROCESSOR,
    FLOATING,
    MEMORY,
    NOP,
    OP3,
    G,
    L,
    O,
    Reg,
    branch,
    call,
    packed,
    sethi,
    trap,
    word,
)
from v8_bench import BAD, Program, Result, Seen

FETCH, ILLEGAL, PRIVILEGED, NO_FPU, OVERFLOW, UNDERFLOW, MISALIGNED, DATA, TAG = 1, 2, 3, 4, 5, 6, 7, 9, 0x0A
INTERRUPT, NO_COPROCESSOR, DIVISION, STORE, LATE_LOAD, TRAP = 0x10, 0x24, 0x2A, 0x2B, 0x60, 0x80
OWN = {
    FETCH, ILLEGAL, PRIVILEGED, NO_FPU, OVERFLOW, UNDERFLOW, MISALIGNED, DATA, TAG, NO_COPROCESSOR, DIVISION, TRAP
}  # fmt: skip
"""Traps of an instruction itself."""
PLACES = ("in place", "slot of a jump", "slot of none", "annulled")
IN_PLACE, SLOT, IDLE_SLOT, ANNULLED = range(4)
INDEX = 0x48
BAD_DATA = 0x80
"""Offset from g1 of a line that is answered with an error."""


BAD_LOCAL = 0x88
"""Offset from the middle of local memory of a doubleword that is answered with an error."""


@dataclass(frozen=True)
class Cause:
    """An instruction that has this trap (0: that retires), in these modes; what goes before it. `word` is told how many
    instructions there are from the CALL at the beginning of `before` to the end."""

    name: str
    trap: int
    word: Callable[[int], int]
    supervisor: bool = True
    user: bool = True
    before: tuple[int, ...] = ()


def _plain(name: str, trap_type: int, value: int, **more: object) -> Cause:
    return Cause(name, trap_type, lambda _: value, **more)  # type: ignore[arg-type]


def _loads_and_stores() -> Iterator[Cause]:
    for name in MEMORY:
        stores = name.startswith("st")
        rd = O[0] if stores else L[2]
        size = 1 if "b" in name else 2 if "h" in name else 8 if name.endswith("d") and name != "ld" else 4
        yield _plain(name, 0, word(name, rd, G[1], 16))
        yield _plain(name, STORE if stores else DATA, word(name, rd, G[1], BAD_DATA))
        if size > 1:
            yield _plain(name, MISALIGNED, word(name, rd, G[1], 16 + size // 2))
        if size == 8:
            yield _plain(name, ILLEGAL, word(name, rd + 1, G[1], 16))
        name += "a"
        index = word("or", L[3], G[0], 16)
        bad = word("or", L[3], G[0], BAD_DATA)
        odd = word("or", L[3], G[0], 16 + size // 2)
        only = {"user": False}
        yield _plain(name, 0, word(name, rd, G[1], L[3], 0x0B), before=(index,), **only)
        yield _plain(name, DATA, word(name, rd, G[1], L[3], 0x30), before=(index,), **only)
        if stores:
            yield _plain(name, STORE, word(name, rd, G[1], L[3], 0x0B), before=(bad,), **only)
        else:
            yield _plain(name, DATA, word(name, rd, G[1], L[3], 0x0B), before=(bad,), **only)
        if size > 1:
            yield _plain(name, MISALIGNED, word(name, rd, G[1], L[3], 0x0B), before=(odd,), **only)
        yield _plain(name, ILLEGAL, word(name, rd, G[1], 16), **only)
        yield _plain(name, PRIVILEGED, word(name, rd, G[1], L[3], 0x0B), supervisor=False)


def _state() -> Iterator[Cause]:
    only = {"user": False}
    for name in ("rdpsr", "rdwim", "rdtbr"):
        yield _plain(name, 0, word(name, L[2]), **only)
        yield _plain(name, PRIVILEGED, word(name, L[2]), supervisor=False)
    yield _plain("wrpsr", 0, word("wrpsr", 0, G[0], 0xE0), **only)
    yield _plain("wrpsr", ILLEGAL, word("wrpsr", 0, G[0], 0xE8), **only)
    yield _plain("wrwim", 0, word("wrwim", 0, G[0], 0x10), **only)
    yield _plain("wrtbr", 0, word("wrtbr", 0, G[0], 0), **only)
    for name in ("wrpsr", "wrwim", "wrtbr"):
        yield _plain(name, PRIVILEGED, word(name, 0, G[0], 0), supervisor=False)
    yield _plain("rdy", 0, word("rdasr", L[2], 0, Reg(0)))
    yield _plain("wry", 0, word("wrasr", 0, O[0], 5))
    yield _plain("stbar", 0, word("rdasr", 0, 15, Reg(0)))
    yield _plain("rdasr", 0, word("rdasr", L[2], 29, Reg(0)))
    yield _plain("rdasr", ILLEGAL, word("rdasr", L[2], 15, Reg(0)))
    yield _plain("rdasr", PRIVILEGED, word("rdasr", L[2], 16, Reg(0)), supervisor=False)
    yield _plain("wrasr", 0, word("wrasr", 20, G[0], -1), **only)
    yield _plain("wrasr", ILLEGAL, word("wrasr", 1, G[0], 0))
    yield _plain("wrasr", PRIVILEGED, word("wrasr", 16, G[0], 0), supervisor=False)


def _jumps() -> Iterator[Cause]:
    for condition in CONDITIONS:
        yield _plain(f"b{condition}", 0, branch(condition, 2))
    yield _plain("call", 0, call(2))
    here = (call(2), NOP)  # o7: the address of the CALL
    yield Cause("jmpl", 0, lambda length: word("jmpl", L[2], O[7], 4 * length), before=here)
    yield Cause("jmpl", MISALIGNED, lambda length: word("jmpl", L[2], O[7], 4 * length + 2), before=here)
    yield _plain("rett", ILLEGAL, word("rett", 0, G[0], 0), user=False)
    yield _plain("rett", PRIVILEGED, word("rett", 0, G[0], 0), supervisor=False)
    yield _plain("ticc", 0, trap("n", G[0], 9))
    yield _plain("ticc", TRAP, trap("a", G[0], 9))


def _two_at_once() -> Iterator[Cause]:
    """Instructions with two causes to trap: the one with priority is taken."""
    yield _plain("jmpl", MISALIGNED, word("jmpl", L[2], G[0], -2))  # to where nothing is
    for name in ("ld", "st", "ldd", "std"):
        yield _plain(name, MISALIGNED, word(name, O[0], G[1], BAD_DATA + 2))  # and is answered with an error
    for name in ("ldd", "std"):
        yield _plain(name, ILLEGAL, word(name, O[1], G[1], BAD_DATA + 4))
    for name, type_ in (("lddf", NO_FPU), ("stdf", NO_FPU), ("lddc", NO_COPROCESSOR), ("stdc", NO_COPROCESSOR)):
        yield _plain(name, type_, word(name, Reg(3), G[1], 1))
    odd, zero = (word("or", L[3], G[0], 2),), (word("or", L[3], G[0], 0),)
    for name in ("lda", "sta", "ldda", "stda"):
        yield _plain(name, MISALIGNED, word(name, O[0], G[1], L[3], 0x30), before=odd, user=False)
        yield _plain(name, PRIVILEGED, word(name, O[0], G[1], L[3], 0x0B), before=odd, supervisor=False)
        yield _plain(name, PRIVILEGED, word(name, O[0], G[1], L[3], 0x30), before=zero, supervisor=False)
        yield _plain(name, ILLEGAL, word(name, O[1], G[1], 2), user=False)
        yield _plain(name, PRIVILEGED, word(name, O[1], G[1], 2), supervisor=False)
    for name in ("ldda", "stda"):
        yield _plain(name, ILLEGAL, word(name, O[1], G[1], L[3], 0x30), before=odd, user=False)
    yield _plain("wrpsr", PRIVILEGED, word("wrpsr", 0, G[0], 0xE8), supervisor=False)
    yield _plain("rett", PRIVILEGED, word("rett", 0, G[0], 2), supervisor=False)
    yield _plain("rett", ILLEGAL, word("rett", 0, G[0], 2), user=False)
    large = (sethi(L[3], 0x8000_0000 >> 10), word("or", L[3], L[3], 1))
    for name in ("taddcctv", "tsubcctv"):
        yield _plain(name, TAG, word(name, L[2], L[3], 3 if name == "tsubcctv" else L[3]), before=large)
    for name in ("udiv", "sdiv", "udivcc", "sdivcc"):
        yield _plain(name, DIVISION, word(name, L[2], O[0], G[0]), before=(word("wrasr", 0, G[0], -1),))


def causes() -> list[Cause]:
    """Each instruction with each trap of its own, and without one."""
    found = [_plain(name, 0, word(name, L[2], O[0], O[1])) for name in ARITHMETIC]
    found = [c for c in found if c.name not in ("taddcctv", "tsubcctv")]
    for name in ("taddcctv", "tsubcctv"):
        found += [_plain(name, 0, word(name, L[2], G[0], G[0])), _plain(name, TAG, word(name, L[2], G[0], 1))]
    found += [_plain(name, DIVISION, word(name, L[2], O[0], G[0])) for name in ("udiv", "sdiv", "udivcc", "sdivcc")]
    found += [_plain("sethi", 0, sethi(L[2], 0x12345)), _plain("flush", 0, word("flush", 0, G[1], G[6]))]
    found += [*_loads_and_stores(), *_state(), *_jumps(), *_two_at_once()]
    found += [
        _plain(name, NO_FPU, word(name, 0, G[1], Reg(0))) for name in (*FLOATING, "fpop1", "fpop2") if name != "stdfq"
    ]
    found += [
        _plain(name, NO_COPROCESSOR, word(name, 0, G[1], Reg(0)))
        for name in (*COPROCESSOR, "cpop1", "cpop2")
        if name != "stdcq"
    ]
    for name, type_ in (("stdfq", NO_FPU), ("stdcq", NO_COPROCESSOR)):
        found += [
            _plain(name, type_, word(name, 0, G[1], Reg(0)), user=False),
            _plain(name, PRIVILEGED, word(name, 0, G[1], Reg(0)), supervisor=False),
        ]
    found += [_plain("fbfcc", NO_FPU, branch("e", 2, op2=6)), _plain("cbccc", NO_COPROCESSOR, branch("e", 2, op2=7))]
    return found + [_plain(name_of_word(value), ILLEGAL, value) for value in NOT_THERE]


WINDOW_CAUSES = [
    _plain("save", 0, word("save", L[2], G[0], 1)), _plain("restore", 0, word("restore", L[2], G[0], 1)),
    _plain("save", OVERFLOW, word("save", L[2], G[0], 1)), _plain("restore", UNDERFLOW, word("restore", L[2], G[0], 1)),
]  # fmt: skip
"""They need a WIM of their own, which stands before them."""


def key_of_word(value: int) -> int:
    """As the bench numbers instructions."""
    op, op2, op3, rd, rs1 = value >> 30, value >> 22 & 7, value >> 19 & 63, value >> 25 & 31, value >> 14 & 31
    if op == 0:
        return op2 << 4 | (rd & 15 if op2 == 2 else 0)
    if op == 1:
        return 0x100
    if (op, op3, rs1) == (2, 0x28, 0):
        return 0x500
    if (op, op3, rs1, rd) == (2, 0x28, 15, 0):
        return 0x501
    if (op, op3, rd) == (2, 0x30, 0):
        return 0x502
    return op << 8 | op3


NAMES = {
    **{op << 8 | op3: name for name, (op, op3) in OP3.items()},
    **{0x20 | i: f"b{condition}" for i, condition in enumerate(CONDITIONS)},
    0x40: "sethi", 0x60: "fbfcc", 0x70: "cbccc", 0x100: "call", 0x400: "(no fetch)", 0x500: "rdy", 0x501: "stbar",
    0x502: "wry",
}  # fmt: skip


def name_of(key: int) -> str:
    """Opcodes of no instruction have their number for a name."""
    return NAMES.get(key, f"op {key >> 8 if key >= 0x100 else 0} {key & 0xFF:#04x}")


def name_of_word(value: int) -> str:
    return name_of(key_of_word(value))


def _placed(cause: Cause) -> list[int]:
    """It four times: in place, in the slot of a jump, in that of one that is not taken, annulled."""
    body: list[int] = []
    for lead, tail in (
        ([NOP], [NOP, NOP]),
        ([branch("a", 3)], [NOP, NOP]),
        ([branch("n", 2)], [NOP, NOP]),
        ([branch("a", 2, True)], [NOP, NOP]),
    ):
        length = len(cause.before) + len(lead) + 1 + len(tail)
        body += [*cause.before, *lead, cause.word(length), *tail]
    return body


def _placed_window(cause: Cause, supervisor: bool) -> list[int]:
    """SAVE and RESTORE in CWP 0 of either mode, with a WIM that makes it trap or not."""
    mode = TO_SUPERVISOR if supervisor else TO_USER
    body: list[int] = []
    target = 7 if cause.name == "save" else 1
    for lead in ([NOP], [branch("a", 3)], [branch("n", 2)], [branch("a", 2, True)]):
        wim = 1 << target if cause.trap else 1 << 4
        body += [trap("a", G[0], TO_SUPERVISOR), word("wrpsr", 0, G[0], 0xE0), word("wrwim", 0, G[0], wim)]
        # The way to user mode must not take the window that is to trap: it is over RETT's, which is CWP 0.
        body += [trap("a", G[0], mode), *lead, cause.word(0), NOP, NOP]
    return body


def every_cause(*, precise: bool = True) -> list[int]:
    """A body of them all, in both modes. Posted stores and overlapped loads, unless `precise`."""
    body = [word("wrasr", 16, G[0], 1 if precise else 2)]
    for supervisor in (True, False):
        mode = TO_SUPERVISOR if supervisor else TO_USER
        for cause in causes():
            if not (cause.supervisor if supervisor else cause.user):
                continue
            body += [trap("a", G[0], TO_SUPERVISOR), word("wrpsr", 0, G[0], 0xE0), word("wrwim", 0, G[0], 0x10)]
            body += [sethi(O[0], 0x3F_FF00), word("or", O[1], G[0], 77), trap("a", G[0], mode), *_placed(cause)]
        for cause in WINDOW_CAUSES:
            body += _placed_window(cause, supervisor)
    return body


def directed(body: list[int], **more: object) -> Program:
    """A program of sparc_programs' kind with this body. It ends in a jump to itself."""
    start = assemble(START)
    assert len(start) <= BODY
    image = start.ljust(BODY, b"\0") + packed([*body, *[NOP] * 8, branch("a", 0), NOP])
    return Program(image, end=BODY + 4 * (len(body) + 8), **more)  # type: ignore[arg-type]


ALONE = """
  wr %g0, 0x80, %psr
  wr %g0, 0x82, %wim
  wr %g0, 1, %asr16
  sethi %hi(0x40008000), %g1
  mov 0x48, %g6
  sethi %hi(0xfffc0000), %o0
  mov 77, %o1
"""


def error_modes() -> list[Program]:
    """Each trap with ET = 0, in place and in a slot, in both modes: a program each, which stops there."""
    start = assemble(ALONE)
    programs = []
    to_user = [word("wrpsr", 0, G[0], 0)]
    for cause in (*causes(), *WINDOW_CAUSES[2:]):
        if not cause.trap:
            continue
        for user in (False, True):
            if not (cause.user if user else cause.supervisor) or cause.name == "rett":
                continue
            for lead in ([], [branch("a", 3)]):
                length = len(cause.before) + len(to_user if user else []) + len(lead) + 1 + 2
                body = [*cause.before, *(to_user if user else []), *lead, cause.word(length), NOP, NOP]
                programs.append(Program(start + packed(body), flags=BAD, steps=40))
    # RETT with ET = 0: in user mode, to an invalid window, to a misaligned target; and one that is right.
    for before, value in (
        ([word("wrpsr", 0, G[0], 0)], word("rett", 0, G[0], 0x100)),
        ([word("wrwim", 0, G[0], 2)], word("rett", 0, G[0], 0x100)),
        ([word("wrwim", 0, G[0], 0)], word("rett", 0, G[0], 0x102)),
        ([word("wrwim", 0, G[0], 0)], word("rett", 0, G[0], 0x100)),
        ([word("wrpsr", 0, G[0], 0), word("wrwim", 0, G[0], 2)], word("rett", 0, G[0], 0x102)),
        ([word("wrwim", 0, G[0], 2)], word("rett", 0, G[0], 0x102)),
    ):
        for lead in ([], [branch("a", 3)]):
            programs.append(Program(start + packed([*before, *lead, value, NOP, NOP]), flags=BAD, steps=40))
    # What EX would write is not written: the instruction ahead of it stops the core, by its operands or by an answer.
    for ahead in ([word("jmpl", G[0], G[0], 2)], [sethi(O[2], 0x6000_0000 >> 10), word("ld", G[0], O[2], 0)]):
        for behind in (word("rett", 0, G[0], 0x100), word("wrwim", 0, G[0], 4), word("wrtbr", 0, O[0], G[0])):
            body = [word("wrwim", 0, G[0], 0), *ahead, behind, NOP, NOP]
            programs.append(Program(start + packed(body), flags=BAD, steps=40))
    # Fetches that are answered with an error, at each CWP and in both modes. The trap finds this program at TBR.
    for cwp in range(8):
        for psr in (0xE0, 0x20):
            nowhere = [sethi(O[2], 0x5000_8080 >> 10), word("or", O[2], O[2], 0x80)]
            body = [word("wrpsr", 0, G[0], 0x80 + cwp), *nowhere, word("wrpsr", 0, G[0], psr + cwp)]
            programs.append(Program(start + packed([*body, word("jmpl", G[0], O[2], 8), NOP]), flags=BAD, steps=20))
    # A trap within a trap, a jump to nowhere, a table that is not there.
    programs.append(Program(start + packed([word("jmpl", G[0], G[0], -4096), NOP, NOP]), flags=BAD, steps=40))
    enable = word("wrpsr", 0, G[0], 0xE0)
    for base in (0x6000_0000, 0xE000_0000):
        table = [sethi(L[0], base >> 10), word("wrtbr", 0, L[0], G[0]), enable, trap("a", G[0], 3), NOP]
        programs.append(Program(start + packed(table), flags=BAD, steps=40))
    return programs


Wanted = tuple[str, int, int, int, int]
"""Name, trap, place, user, error mode."""


def wanted() -> set[Wanted]:
    """Of the traps of instructions themselves: all in both modes and at all places, and error mode of each."""
    rows: set[Wanted] = set()
    for cause in (*causes(), *WINDOW_CAUSES):
        for user in (0, 1):
            if not (cause.user if user else cause.supervisor):
                continue
            for place in (IN_PLACE, SLOT, IDLE_SLOT):
                rows.add((cause.name, cause.trap, place, user, 0))
            rows.add((cause.name, 0, ANNULLED, user, 0))
            if cause.trap and cause.name != "rett":
                rows |= {(cause.name, cause.trap, place, user, 1) for place in (IN_PLACE, SLOT)}
    rows |= {("rett", 0, IN_PLACE, 0, 0), ("rett", 0, SLOT, 0, 0)}
    rows |= {("rett", type_, place, user, 1) for type_, user in ((3, 1), (6, 0), (7, 0)) for place in (IN_PLACE, SLOT)}
    return rows


KINDS = {
    "arithmetic": [
        n for n in ARITHMETIC if n not in ("umul", "smul", "umulcc", "smulcc", "udiv", "sdiv", "udivcc", "sdivcc")
    ],
    "multiplication": ["umul", "smul", "umulcc", "smulcc"],
    "division": ["udiv", "sdiv", "udivcc", "sdivcc"],
    "sethi": ["sethi"],
    "branch": [f"b{condition}" for condition in CONDITIONS],
    "call": ["call"],
    "jmpl": ["jmpl"],
    "window": ["save", "restore"],
    "ticc": ["ticc"],
    "read state": ["rdasr", "rdpsr", "rdwim", "rdtbr", "rdy", "stbar"],
    "write state": ["wrasr", "wrpsr", "wrwim", "wrtbr", "wry"],
    "load": ["ld", "ldub", "lduh", "ldsb", "ldsh"],
    "load pair": ["ldd"],
    "store": ["st", "stb", "sth"],
    "store pair": ["std"],
    "atomic": ["ldstub", "swap"],
    "alternate": list(ALTERNATE),
    "flush": ["flush"],
}
"""Instructions that go the same way through a core, for what comes from outside: it may meet each."""


def met(seed: int, from_outside: int) -> Program:
    """Each kind of instruction at each place and in both modes, shortly behind a store or load that is answered with an
    error, or among interrupts: which of them that meets is chance."""
    draw = random.Random(seed)
    disturb = {
        INTERRUPT: [], STORE: [word("st", O[0], G[1], BAD_DATA)], LATE_LOAD: [word("ld", L[5], G[3], BAD_LOCAL)]
    }[from_outside]  # fmt: skip
    found = [*causes(), *WINDOW_CAUSES[:2]]
    body: list[int] = []
    for supervisor in (True, False):
        body += [trap("a", G[0], TO_SUPERVISOR), word("wrpsr", 0, G[0], 0xE0), word("wrwim", 0, G[0], 0x10)]
        body += [word("wrasr", 16, G[0], 2), sethi(G[3], 0x5000_8000 >> 10)]
        for names in KINDS.values():
            body += [trap("a", G[0], TO_SUPERVISOR if supervisor else TO_USER)] * 2  # an interrupt may pass one
            those = [c for c in found if c.name in names and (c.supervisor if supervisor else c.user)]
            those = [c for c in those if not c.trap] or those  # alternate spaces trap in user mode
            for lead in ([NOP], [branch("a", 3)], [branch("n", 2)]):
                for _ in range(10):
                    cause, wait = draw.choice(those), 0
                    if disturb:
                        wait = draw.randrange(12)
                        body += [NOP] * draw.randrange(8)  # else it is always at the same place of its cache line
                    tail = [NOP, NOP]
                    length = len(cause.before) + len(disturb) + wait + len(lead) + 1 + len(tail)
                    body += [*cause.before, *disturb, *[NOP] * wait, *lead, cause.word(length), *tail]
    levels = draw.choice([30, 60]) if from_outside == INTERRUPT else 0
    latency = draw.choice([1, 3, 6, 12])
    return directed(body, seed=seed, stall=draw.choice([0, 0, 1]), latency=latency, levels=levels, flags=BAD)


def wanted_outside() -> set[Wanted]:
    """Interrupts and late errors, at each kind of instruction and place, in both modes. But an interrupt is never taken
    where an alternate space traps in user mode: privileged_instruction goes before it."""
    return {
        (kind, type_, place, user, 0)
        for kind in KINDS
        for type_ in (INTERRUPT, STORE, LATE_LOAD)
        for place in (IN_PLACE, SLOT, IDLE_SLOT)
        for user in (0, 1)
        if (kind, type_, user) != ("alternate", INTERRUPT, 1)
    }


def _named(seen: Seen) -> Wanted:
    key, type_, place, user, stops, _ = seen
    return (name_of(key), type_, place, user, stops)


def missing(result: Result, rows_wanted: set[Wanted]) -> list[str]:
    """What has not been seen of these."""
    kind_of = {name: kind for kind, names in KINDS.items() for name in names}
    seen = {_named(one) for one in result.seen}
    seen |= {(kind_of[name], *rest) for name, *rest in seen if name in kind_of}  # type: ignore[misc]
    rows = sorted(rows_wanted - seen)
    return [
        f"{name}: {f'trap {type_:#04x}' if type_ else 'done'}, {PLACES[place]}, {'user' if user else 'supervisor'}"
        f"{', error mode' if stops else ''}"
        for name, type_, place, user, stops in rows
    ]


def with_another(result: Result) -> set[int]:
    """Traps that were taken although an interrupt or a late error was there, too."""
    return {trap for _, trap, _, _, stops, another in result.seen if another and not stops}


def table(result: Result) -> str:
    """How often each instruction was done, annulled, and had each trap at each place, for people."""
    counts: dict[tuple[str, int, int], int] = {}
    for one, count in result.seen.items():
        name, type_, place, _, stops = _named(one)
        counts[name, type_ if not stops else -type_, place] = (
            counts.get((name, type_ if not stops else -type_, place), 0) + count
        )
    lines = []
    for name in sorted({name for name, _, _ in counts}):
        rows = sorted((type_, place) for n, type_, place in counts if n == name)
        parts = [f"{f'{abs(t):02x}' if t else 'done'}{'!' if t < 0 else ''}@{p} {counts[name, t, p]}" for t, p in rows]
        lines.append(f"{name}: {', '.join(parts)}")
    return "\n".join(lines)
