# SPDX-License-Identifier: Apache-2.0
"""Where everything lies: sections of object files in sections of the program, these in regions, symbols of the script.

Addresses are found in passes, as an expression may want the address of what comes behind it: the last pass, which
changes nothing, is the one whose mistakes count.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import translate

from nsoc.errors import NsocError
from nsoc.machine.sparc_ld.expressions import ScriptError, Value, Where, evaluate
from nsoc.machine.sparc_ld.objects import (
    SHF_ALLOC,
    SHF_EXECUTE,
    SHF_WRITE,
    SHT_NOBITS,
    SHT_PROGBITS,
    ObjectFile,
    Section,
)
from nsoc.machine.sparc_ld.script import DISCARD, Assert, Assign, Inputs, OutputStatement, Script
from nsoc.machine.sparc_ld.symbols import SymbolTable

SHF_EXCLUDE = 0x80000000
"""Of a section that is only for the linker."""
NO_STACK = ".note.GNU-stack"
"""Says by being there that the stack need not be executable."""
ALL = 1 << 32
PASSES = 8


@dataclass(slots=True, eq=False)
class Region:
    """Of memory."""

    name: str
    origin: int
    length: int
    current: int = 0
    """What is used of it ends here."""
    last: "OutputSection | None" = None
    """The last section with load addresses that follow from it."""


@dataclass(slots=True, eq=False)
class OutputSection:
    """A section of the program."""

    name: str
    statement: OutputStatement | None
    """None: no script names it. It is not in memory."""
    body: list[Section | Assign | Assert] = field(default_factory=list)
    """In the order of the script."""
    address: int = 0
    load_address: int = 0
    size: int = 0
    alignment: int = 1
    flags: int = 0
    kind: int = SHT_NOBITS
    is_present: bool = False
    """It is part of the program."""

    @property
    def inputs(self) -> Iterator[Section]:
        return (part for part in self.body if isinstance(part, Section))

    @property
    def is_loaded(self) -> bool:
        """The file has its contents, which belong in memory."""
        return self.is_present and bool(self.flags & SHF_ALLOC) and self.kind != SHT_NOBITS


class Layout:
    """Places what is linked by a script."""

    def __init__(self, script: Script, table: SymbolTable) -> None:
        self.sections: list[OutputSection] = []
        self.values: dict[str, Value] = {}
        """Symbols of the script."""
        self._script, self._table = script, table
        self._steps: list[Assign | Assert | OutputSection] = []
        self._regions: dict[str, Region] = {}
        self._default = Region("*default*", 0, ALL)
        self._discarded: set[int] = set()
        self._dot = 0
        self._inside: OutputSection | None = None
        """Where the location counter is."""
        self._is_last = False
        self._too_much: dict[str, tuple[str, int]] = {}
        self._failed: ScriptError | None = None
        self._regions_of_script()

    def _regions_of_script(self) -> None:
        for memory in self._script.memories:
            origin, length = evaluate(memory.origin, self).number, evaluate(memory.length, self).number
            self._regions[memory.name] = Region(memory.name, origin, length)
        for alias, (name, where) in self._script.aliases.items():
            self._regions[alias] = self.region(name, where)

    # ---- Which section goes where ----

    def place(self, files: Sequence[ObjectFile]) -> list[Section]:
        """Gives each section of the files its place by the first pattern that fits. Returns those that KEEP() names."""
        kept: list[Section] = []
        placed: set[int] = set()
        for statement in self._script.statements:
            if not isinstance(statement, OutputStatement):
                self._steps.append(statement)
                continue
            output = OutputSection(statement.name, statement)
            for part in statement.body:
                if not isinstance(part, Inputs):
                    output.body.append(part)
                    continue
                for section in _matching(part, files):
                    if part.keep:
                        kept.append(section)
                    if id(section) not in placed:
                        placed.add(id(section))
                        section.output = output
                        output.body.append(section)
            if statement.name == DISCARD:
                for section in output.inputs:
                    section.output = None
                    self._discarded.add(id(section))
            else:
                self.sections.append(output)
                self._steps.append(output)
        self._place_others([s for file in files for s in file.sections if id(s) not in placed])
        return [section for section in kept if section.output is not None]

    def _place_others(self, sections: Sequence[Section]) -> None:
        by_name: dict[str, OutputSection] = {}
        for section in sections:
            if section.is_allocated or section.flags & SHF_EXCLUDE or section.name == NO_STACK:
                continue
            if section.name not in by_name:
                by_name[section.name] = OutputSection(section.name, None)
                self.sections.append(by_name[section.name])
            section.output = by_name[section.name]
            section.output.body.append(section)

    def drop_unused(self, files: Sequence[ObjectFile]) -> None:
        """Takes out what is not part of the program. Raises NsocError for a part that no pattern of the script fits."""
        for output in self.sections:
            output.body = [part for part in output.body if not isinstance(part, Section) or part.is_kept]
            for section in output.inputs:
                output.alignment = max(output.alignment, section.alignment)
                output.flags |= section.flags & (SHF_WRITE | SHF_ALLOC | SHF_EXECUTE)
                if section.kind != SHT_NOBITS and not (output.statement and output.statement.is_noload):
                    output.kind = SHT_PROGBITS
        for file in files:
            for section in file.sections:
                if not section.is_kept:
                    section.output = None
                elif (
                    section.output is None
                    and section.is_allocated
                    and section.size
                    and id(section) not in self._discarded
                ):
                    raise NsocError(f"the linker script has no place for the section {section}")

    # ---- Addresses ----

    def run(self) -> None:
        """Finds addresses and the values of the script's symbols. Raises ScriptError for an expression without value
        or an ASSERT that fails, NsocError when something does not fit."""
        before: object = None
        for _ in range(PASSES):
            self._pass()
            after = [(s.address, s.load_address, s.size, s.is_present) for s in self.sections], dict(self.values)
            if after == before:
                break
            before = after
        else:
            raise NsocError("the linker script has addresses that depend on each other, and never settle")
        self._is_last = True
        self._pass()
        for region, (section, too_much) in self._too_much.items():
            raise NsocError(f"{section} does not fit in the memory region {region}: it is {too_much} bytes too large")
        if self._failed is not None:
            raise self._failed
        for name, value in self.values.items():
            symbol = self._table.by_name.get(name)
            if symbol is not None:
                symbol.script_value = value.number & (ALL - 1)

    def _pass(self) -> None:
        self._dot = 0
        for region in (*self._regions.values(), self._default):
            region.current, region.last = region.origin, None
        for step in self._steps:
            if isinstance(step, OutputSection):
                self._section(step)
            elif isinstance(step, Assert):
                self._check(step)
            else:
                self._assign(step)
        for output in self.sections:
            if output.statement is None:
                self._lie_behind_each_other(output)

    def _lie_behind_each_other(self, output: OutputSection) -> None:
        """Contents without an address."""
        output.size = 0
        for section in output.inputs:
            if section.merged is None or section.size:
                section.offset = _up(output.size, section.alignment)
                output.size = section.offset + section.size
        output.is_present = output.size > 0

    def _section(self, output: OutputSection) -> None:
        statement = output.statement
        assert statement is not None
        region = self._region_of(statement)
        own_alignment = 1 if statement.alignment is None else evaluate(statement.alignment, self).number
        if own_alignment < 1 or own_alignment & (own_alignment - 1):
            raise ScriptError(statement.where, f"ALIGN wants a power of two, not {own_alignment}")
        output.alignment = max(output.alignment, own_alignment)
        before = self._dot
        start = self._dot = output.address = _up(region.current, output.alignment)
        self._inside = output
        for part in output.body:
            if isinstance(part, Assign):
                self._assign(part)
            elif isinstance(part, Assert):
                self._check(part)
            elif part.merged is None or part.size:
                part.offset = _up(self._dot, part.alignment) - start
                self._dot = start + part.offset + part.size
        self._inside = None
        output.size = self._dot - start
        assigned = [part.name for part in output.body if isinstance(part, Assign)]
        output.is_present = output.size > 0 or "." in assigned
        if not output.is_present and not assigned:
            self._dot = before
            return  # as if the script had nothing of it
        if output.size and not output.flags & SHF_ALLOC:  # by the location counter alone
            output.flags |= SHF_ALLOC | SHF_WRITE
        output.load_address = self._load_address(output, statement, region, own_alignment)
        if statement.load_region is None and output.flags & SHF_ALLOC and (output.size or region.last is not None):
            region.last = output
        if not output.flags & SHF_ALLOC:
            return
        region.current = self._dot
        self._check_fit(output, region, output.address)
        if statement.load_region is not None:
            load_region = self.region(statement.load_region, statement.where)
            if load_region is not region and output.kind != SHT_NOBITS:
                load_region.current = output.load_address + output.size
                self._check_fit(output, load_region, output.load_address)

    def _load_address(
        self, output: OutputSection, statement: OutputStatement, region: Region, own_alignment: int
    ) -> int:
        if statement.load_address is not None:
            return evaluate(statement.load_address, self).number
        if statement.load_region is not None:
            load_region = self.region(statement.load_region, statement.where)
            return _up(load_region.current, output.alignment if load_region is region else own_alignment)
        if region.last is None:
            return output.address
        return _up(output.address + region.last.load_address - region.last.address, output.alignment)

    def _region_of(self, statement: OutputStatement) -> Region:
        if statement.region is not None:
            return self.region(statement.region, statement.where)
        if self._regions:
            raise ScriptError(statement.where, f"the section {statement.name} names no region of memory")
        return self._default

    def _check_fit(self, output: OutputSection, region: Region, start: int) -> None:
        end = region.origin + region.length
        if self._is_last and (region.current > end or start < region.origin):
            first = self._too_much.get(region.name, (output.name, 0))[0]
            self._too_much[region.name] = first, region.current - end if start >= region.origin else output.size

    def _assign(self, statement: Assign) -> None:
        if statement.provide:
            wanted = self._table.by_name.get(statement.name)
            if wanted is None or not wanted.is_undefined:
                return
        value = evaluate(statement.value, self)
        inside = self._inside
        if inside is not None and value.section is None:  # in a section a number counts from its start
            value = Value(inside.address + value.number, inside)
        if statement.name != ".":
            self.values[statement.name] = value
        elif inside is None:
            self._dot = self._default.current = value.number
        elif value.number < self._dot:
            raise ScriptError(statement.where, f"'.' goes back by {self._dot - value.number} bytes in {inside.name}")
        else:
            self._dot = value.number

    def _check(self, statement: Assert) -> None:
        if not evaluate(statement.condition, self).number and self._is_last and self._failed is None:
            self._failed = ScriptError(statement.where, f"ASSERT: {statement.message}")

    # ---- Names in expressions ----

    def here(self, where: Where) -> Value:
        """The location counter."""
        return Value(self._dot, self._inside)

    def symbol(self, name: str, where: Where) -> Value:
        """Of the script, else of an object file."""
        if name in self.values:
            return self.values[name]
        found = self._table.by_name.get(name)
        if found is not None and not found.is_undefined and (found.section is None or found.section.is_kept):
            return Value(found.address(), None if found.section is None else found.section.output)
        if self._is_last:
            raise ScriptError(where, f"nobody defines the symbol {name}")
        return Value(0)

    def region(self, name: str, where: Where) -> Region:
        """By its name or an alias."""
        if name not in self._regions:
            raise ScriptError(where, f"there is no region of memory {name}")
        return self._regions[name]

    def section(self, name: str, where: Where) -> OutputSection:
        """Of the program."""
        for output in self.sections:
            if output.name == name:
                return output
        raise ScriptError(where, f"there is no section {name}")


def _up(address: int, alignment: int) -> int:
    return -(-address // alignment) * alignment


def _matching(part: Inputs, files: Sequence[ObjectFile]) -> Iterator[Section]:
    """In the order of linking."""
    is_file, is_section = _pattern((part.files,)), _pattern(part.patterns)
    for file in files:
        if part.files == "*" or is_file.match(file.path):
            yield from (section for section in file.sections if is_section.match(section.name))


def _pattern(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))
