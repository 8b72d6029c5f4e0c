# SPDX-License-Identifier: Apache-2.0
"""The words that tests make are those of clang's assembler."""

from sparc_asm import assemble
from sparc_words import (
    ALTERNATE,
    ARITHMETIC,
    CONDITIONS,
    MEMORY,
    NOP,
    G,
    I,
    L,
    O,
    branch,
    call,
    packed,
    sethi,
    trap,
    word,
)


def rd_of(name: str) -> int:
    """A pair's first register is an even one."""
    return L[2] if name.startswith(("ldd", "std")) else L[3]


def access(name: str, address: str) -> str:
    """As the assembler has it: a store names its register first."""
    rd = f"%l{rd_of(name) - L[0]}"
    return f"{name} {rd}, {address}" if name.startswith("st") else f"{name} {address}, {rd}"


def test_words_are_those_of_the_assembler() -> None:
    lines: list[tuple[str, int]] = [("nop", NOP)]
    for name in ARITHMETIC:
        lines += [(f"{name} %g1, %o2, %i3", word(name, I[3], G[1], O[2]))]
        number = 21 if name in ("sll", "srl", "sra") else -17
        lines += [(f"{name} %l7, {number}, %g4", word(name, G[4], L[7], number))]
    for name in MEMORY:
        lines += [(access(name, "[%o1+%g2]"), word(name, rd_of(name), O[1], G[2]))]
        lines += [(access(name, "[%o1+-8]"), word(name, rd_of(name), O[1], -8))]
    for name in ALTERNATE:
        lines += [(access(name, "[%o1+%g2] 17"), word(name, rd_of(name), O[1], G[2], 17))]
    for condition in CONDITIONS:
        lines += [(f"b{condition} .+12", branch(condition, 3)), (f"b{condition},a .-8", branch(condition, -2, True))]
        lines += [(f"t{condition} %g0+5", trap(condition, G[0], 5))]
    lines += [
        ("call .+64", call(16)),
        ("sethi 0x12345, %o3", sethi(O[3], 0x12345)),
        ("jmpl %o7+8, %g0", word("jmpl", G[0], O[7], 8)),
        ("rett %i7+%g1", word("rett", 0, I[7], G[1])),
        ("save %sp, -96, %sp", word("save", O[6], O[6], -96)),
        ("restore %l0, %l1, %o0", word("restore", O[0], L[0], L[1])),
        ("flush %g3+4", word("flush", 0, G[3], 4)),
        ("stbar", word("rdasr", 0, 15, G[0])),
        ("rd %y, %l1", word("rdasr", L[1], 0, G[0])),
        ("rd %asr30, %l1", word("rdasr", L[1], 30, G[0])),
        ("rd %psr, %l1", word("rdpsr", L[1], 0, G[0])),
        ("rd %wim, %l1", word("rdwim", L[1], 0, G[0])),
        ("rd %tbr, %l1", word("rdtbr", L[1], 0, G[0])),
        ("wr %l1, 3, %y", word("wrasr", 0, L[1], 3)),
        ("wr %l1, %l2, %asr19", word("wrasr", 19, L[1], L[2])),
        ("wr %l1, %l2, %psr", word("wrpsr", 0, L[1], L[2])),
        ("wr %l1, 3, %wim", word("wrwim", 0, L[1], 3)),
        ("wr %l1, 3, %tbr", word("wrtbr", 0, L[1], 3)),
    ]
    made = assemble("".join(f"  {text}\n" for text, _ in lines))
    expected = packed([value for _, value in lines])
    wrong = [
        f"{text}: {value:#010x} here, {made[4 * i : 4 * i + 4].hex()} from clang"
        for i, (text, value) in enumerate(lines)
        if made[4 * i : 4 * i + 4] != expected[4 * i : 4 * i + 4]
    ]
    assert not wrong and len(made) == len(expected), wrong
