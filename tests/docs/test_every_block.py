# SPDX-License-Identifier: Apache-2.0
"""Each block of commands or code in README, CONTRIBUTING and docs/ has a test that runs it, or a reason why not."""

import ast
import functools
from collections import Counter
from pathlib import Path

import pytest
from docs_pages import ROOT, Block, blocks, check_same, example, pages, parse

MOST_EXEMPT = 8


@functools.cache
def claims() -> Counter[tuple[str, str, int]]:
    """What tests say they run: the arguments of `example(...)` in their sources."""
    found: Counter[tuple[str, str, int]] = Counter()
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path == Path(__file__):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not _takes_example(tree):
            continue
        constants = _constants(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "example":
                page, section, *number = [
                    constants[argument.id] if isinstance(argument, ast.Name) else ast.literal_eval(argument)
                    for argument in node.args
                ]
                found[page, section, *(number or [1])] += 1
    return found


def _takes_example(tree: ast.Module) -> bool:
    """Whether `example` is the one of docs_pages in that file; hypothesis has another one."""
    origins = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "docs_pages"]
    return any(name.name == "example" for node in origins for name in node.names)


def _constants(tree: ast.Module) -> dict[str, object]:
    """What a file names at its top level: NAME = "text", A, B = "one", "two"."""
    found: dict[str, object] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            for name, value in pairs:
                if isinstance(name, ast.Name) and isinstance(value, ast.Constant):
                    found[name.id] = value.value
    return found


ALL = [block for page in pages() for block in blocks(page)]


def test_each_block_has_a_test_that_runs_it() -> None:
    claimed = claims()
    alone = [str(block) for block in ALL if not block.exempt and not claimed[block.page, block.section, block.number]]
    assert not alone, "no test calls example() for:\n" + "\n".join(alone)


def test_no_test_claims_a_block_that_is_not_there() -> None:
    there = {(block.page, block.section, block.number) for block in ALL}
    assert not [claim for claim in claims() if claim not in there]


def test_few_are_exempt_and_none_in_the_readme() -> None:
    exempt = [block for block in ALL if block.exempt]
    assert len(exempt) <= MOST_EXEMPT, "\n".join(f"{block}: {block.exempt}" for block in exempt)
    assert not [str(block) for block in exempt if block.page == "README.md"]
    claimed = claims()
    both = [str(block) for block in exempt if claimed[block.page, block.section, block.number]]
    assert not both, f"run after all: {both}"


PAGE = """# One

Text.

    nsoc run hello      # a comment
    nsoc run \\
        other

## Two

- a list

    that goes on

```python
print(1)
```

<!-- not run: it needs a board -->
```
1
```

    the last
"""


def test_blocks_are_fences_and_what_is_indented() -> None:
    assert parse("p.md", PAGE) == [
        Block("p.md", "One", 1, "indented", "nsoc run hello      # a comment\nnsoc run \\\n    other\n", 5),
        Block("p.md", "Two", 1, "python", "print(1)\n", 15),
        Block("p.md", "Two", 2, "", "1\n", 20, "it needs a board"),
        Block("p.md", "Two", 3, "indented", "the last\n", 24),
    ]
    assert parse("p.md", PAGE)[0].commands == ["nsoc run hello", "nsoc run      other"]


def test_a_block_that_is_not_there_is_a_failure() -> None:
    with pytest.raises(AssertionError, match="no block 7"):
        example("README.md", "Two commands", 7)


def test_output_is_compared_to_the_digit_but_for_what_is_said_to_be_loose() -> None:
    check_same("a 12\nb 1.5 s\n", "a 12\nb 99.25 s  \n\n", [r"[\d.]+ s$"])
    check_same("a\n...\nz\n", "a\nb\nc\nz\n")
    check_same("a\n...\nz\n", "a\nz\n")
    for shown, printed, loose in (
        ("a 12\n", "a 13\n", []), ("a\nb\n", "a\n", []), ("a\n...\nz\n", "a\nb\ny\n", []), ("a\n...\n", "b\n", []),
        ("a 1 s\n", "a\n", [r"[\d.]+ s$"]), ("a 1 s, 2\n", "a 1 s, 3\n", [r"[\d.]+ s"]),
    ):  # fmt: skip
        with pytest.raises(AssertionError, match="is not what was printed"):
            check_same(shown, printed, loose)
