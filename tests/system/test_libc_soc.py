# SPDX-License-Identifier: Apache-2.0
"""<stdio.h> and <string.h> (firmware/lib/libc) on the SoC: what a program writes with them is what Python writes."""

import re
from pathlib import Path

import pytest

from nsoc.errors import NsocError
from nsoc.machine import firmware, lwip, presets
from nsoc.machine.soc import Soc

PRESET = presets.load()

PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "uart.h"

#define TELL(...) (snprintf(line, sizeof line, __VA_ARGS__), uart_puts(line))

static char line[80];
static volatile long long big = -9007199254740993;  // nobody knows it while this is compiled
static const char *volatile words = "one,two;;three";

int main(void) {
    char copy[20], sorted[8], *rest;
    TELL("%d %5u|%-6x|%#X|%05i\n", -2147483647 - 1, 42u, 0xBEEFu, 0xCAFEu, -42);
    TELL("%lld %llu %llx %zu %ld\n", big, (unsigned long long)big, (unsigned long long)big, sizeof line, (long)big);
    TELL("%hhd %hu %c%c %.3s %*s|\n", 0x1FE, 0x18000, 'o', 'k', "abcdef", 6, "right");
    TELL("%p %%\n", (void *)(uintptr_t)0x4000BEE0u);
    TELL("%d\n", snprintf(copy, 5, "%s", words));
    TELL("%s %zu %d\n", copy, strlen(words), strcmp(words, "one") > 0);
    strcpy(line, words);
    for (char *word = strtok_r(line, ",;", &rest); word; word = strtok_r(0, ",;", &rest)) {
        uart_puts(word);
        uart_puts(".");
    }
    TELL("%s %s\n", strchr(words, ','), strstr(words, "th"));
    memset(copy, '-', sizeof copy);
    memcpy(copy + 1, words + 1, 7);
    memmove(copy + 3, copy + 1, 9);
    strncpy(sorted, copy + 2, sizeof sorted);
    TELL("%.20s %.8s %d\n", copy, sorted, memcmp(copy + 3, words + 1, 7));
    uart_puts("end\n");
    return 0;
}
"""
BIG = -9007199254740993
COPY = "-ne,two;------------"
MOVED = COPY[:3] + COPY[1:10] + COPY[12:]
PRINTED = [
    f"{-(1 << 31)} {42:5}|{0xBEEF:<6x}|{0xCAFE:#X}|{-42:05}",
    f"{BIG} {BIG % (1 << 64)} {BIG % (1 << 64):x} 80 {BIG % (1 << 32) - (1 << 32)}",
    "-2 32768 ok abc  right|",
    "0x4000bee0 %",
    str(len("one,two;;three")),
    "one, 14 1",
    "one.two.three.,two;;three three",
    f"{MOVED} {MOVED[2:10]} 0",
    "end",
]


def build(
    folder: Path, text: str, preset: presets.Preset = PRESET, toolchain: str = "zig", place: firmware.Place = "rom"
) -> Path:
    source = folder / "program.c"
    source.write_text(text, encoding="ascii")
    return firmware.compile_program(
        "program", [source], preset.firmware_defines(), toolchain, flags=["-Werror"], arch=preset.core, place=place
    )


def toolchain_there(name: str) -> str:
    try:
        firmware.compiler(name, firmware.ARCHITECTURES[PRESET.core])
    except NsocError as missing:
        pytest.skip(str(missing))
    return name


@pytest.mark.parametrize("toolchain", ["zig", "gcc"])
def test_a_program_prints_with_snprintf_and_takes_texts_apart(tmp_path: Path, toolchain: str) -> None:
    with Soc(PRESET, build(tmp_path, PROGRAM, toolchain=toolchain_there(toolchain))) as soc:
        soc.run(us=20_000, text="end\n")
        assert soc.uart.text.splitlines() == PRINTED


NEEDED = {
    "a driver's": ("nic12-fast", '#include "nic.h"'),
    "with threads": ("nic12-fast", '#include "os.h"'),
    "with sockets": ("toe", "#include <sys/socket.h>"),
    "with lwIP": ("nic12-fast", '#include "nic_netif.h"'),
    "with lwIP's sockets": ("toe-lwip", "#include <sys/socket.h>"),
}
"""Kinds of programs: a preset, and what they include."""
SHORT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%s

int main(void) {
    static char text[64];
    memset(text, 0, sizeof text);
    return snprintf(text, sizeof text, "%%s %%d", strerror(atoi(strpbrk("a1", "1"))), 5) + memcmp(text, "O", 1);
}
"""


LARGE = [(kind, toolchain) for kind in list(NEEDED)[1:] for toolchain in ("zig", "gcc")]


@pytest.mark.parametrize(
    ("kind", "toolchain"),
    [("a driver's", "zig"), ("a driver's", "gcc"), *(pytest.param(*each, marks=pytest.mark.slow) for each in LARGE)],
)
def test_each_kind_of_program_has_the_c_library(tmp_path: Path, kind: str, toolchain: str) -> None:
    preset, include = NEEDED[kind]
    if "lwIP" in kind and lwip.source() is None:
        pytest.skip(str(lwip.why_not()))
    place: firmware.Place = "dram" if toolchain == "gcc" else "rom"  # of gcc's one with lwIP the boot ROM is too small
    elf = build(tmp_path, SHORT % include, presets.load(preset), toolchain_there(toolchain), place)
    assert re.search(rb"\0(snprintf|vsnprintf)\0", elf.read_bytes())
