# SPDX-License-Identifier: Apache-2.0
"""docs/sparc.md, of the firmware: its example prints what it shows, its figures are those of the code."""

from pathlib import Path

import pytest
from docs_pages import check_same, example, run_python, says

from nsoc import NsocError
from nsoc.machine import firmware, memory_map

PAGE = "docs/sparc.md"
ARCH = firmware.checkout() / "firmware" / "arch" / "sparc"


def test_the_example_prints_what_is_shown(tmp_path: Path) -> None:
    check_same(example(PAGE, "Firmware", 2), run_python(example(PAGE, "Firmware", 1).text, tmp_path))


def test_handlers_of_windows_are_as_long_as_it_says() -> None:
    lines = (ARCH / "crt0.S").read_text(encoding="utf-8").partition("window_overflow:    ")[2].splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith("// All other traps"))
    code = [line.split("//")[0].strip() for line in lines[1:end]]
    words = [line for line in code if line and not line.endswith(":")]
    in_the_table, of_a_macro = 2 * 2, 8
    says(PAGE, f"in {in_the_table + sum(of_a_macro if word.startswith('V8_') else 1 for word in words)} instructions")


def test_stacks_are_larger_by_what_it_says() -> None:
    least = int((ARCH / "arch_inline.h").read_text(encoding="utf-8").partition("ARCH_STACK_LEAST ")[2].split("u")[0])
    says(PAGE, f"adds {least - 256} bytes")


@pytest.mark.slow
def test_net_takes_what_it_says() -> None:
    for arch, words in (("sparc", "takes {} bytes"), ("rv32", "RISC-V: {}")):
        image = firmware.image(firmware.build("net", {"NSOC_CONNECTIONS": 0}, arch=arch), arch)
        rom = sum(len(part.data) for part in image.segments if part.address < memory_map.BOOT_ROM_BYTES)
        says(PAGE, words.format(f"{rom:,}"))


def test_freertos_and_the_unit_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NsocError, match=r"^threads on FreeRTOS: there is no port of it for SPARC V8 here; take OS_F"):
        firmware.build("os_cycles", {"OS_FREERTOS": 1}, arch="sparc")
    with pytest.raises(NsocError, match="SPARC V8 has no unit beside the core: set NSOC_HAS_DCA to 0"):
        firmware.build("dca_echo", {"NSOC_HAS_DCA": 1}, arch="sparc")
