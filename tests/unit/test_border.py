# SPDX-License-Identifier: Apache-2.0
"""A public function that is called with another type says so in a sentence, and takes all that a type checker takes."""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, Protocol

import pytest

import nsoc
from nsoc.border import public, words
from nsoc.docs import api
from nsoc.errors import NsocError
from nsoc.machine.soc import Uart
from nsoc.network.inet import Settings
from nsoc.pnic.host import Cable


class Stranger:
    """Of no type that anything takes."""

    def __repr__(self) -> str:
        return "a stranger"


def callables() -> list[tuple[str, Callable[..., Any], object]]:
    """Every public function, and what makes a public class, with an object that nobody has initialized as `self`."""
    found: list[tuple[str, Callable[..., Any], object]] = []
    for path in api.public():
        one = api.find(path)
        if isinstance(one, ModuleType):
            for name in one.__all__:
                found += _of(f"{path}.{name}", getattr(one, name))
        else:
            found += _of(path, one)
    return found


MADE = (*api.MADE, "Faults", "Settings", "Packet")
"""Classes that scripts make, but for Preset."""


def blank(kind: type) -> Any:
    return object.__new__(kind)


def _of(path: str, one: Any) -> list[tuple[str, Callable[..., Any], object]]:
    if not isinstance(one, type):
        return [(path, one, None)]
    if issubclass(one, Enum | Exception | nsoc.Preset):  # a preset has checks of its own
        return []
    found = [(path, vars(one)["__init__"], blank(one))] if "__init__" in vars(one) and one.__name__ in MADE else []
    for name, each in vars(one).items():
        if inspect.isfunction(each) and not name.startswith("_"):
            found.append((f"{path}.{name}", each, blank(one)))
    return found


CASES = [
    pytest.param(function, blank, parameter, id=f"{path}({parameter.name})")
    for path, function, blank in callables()
    for parameter in list(inspect.signature(function).parameters.values())[blank is not None :]
    if parameter.kind is not parameter.VAR_KEYWORD and parameter.name != "self"
]


@pytest.mark.parametrize(("function", "blank", "parameter"), CASES)
def test_an_argument_of_another_type_is_one_sentence(
    function: Callable[..., Any], blank: object, parameter: inspect.Parameter
) -> None:
    before = () if blank is None else (blank,)
    with pytest.raises(NsocError) as problem:
        if parameter.kind is parameter.VAR_POSITIONAL:
            function(*before, Stranger())
        else:
            function(*before, **{parameter.name: Stranger()})
    assert f"(): {parameter.name} must be " in str(problem.value)
    assert str(problem.value).endswith(", not a stranger") and "\n" not in str(problem.value)


def test_most_of_what_is_public_is_tried() -> None:
    assert len(CASES) > 200
    tried = {case.id.partition("(")[0] for case in CASES}
    wanted = {"nsoc.Soc", "nsoc.Soc.run", "nsoc.Soc.boot", "nsoc.Wire.send", "nsoc.Wire.receive", "nsoc.Network.cable"}
    assert tried >= {*wanted, "nsoc.PnicHost.run", "nsoc.load_preset", "nsoc.Peer.connect", "nsoc.bench.modes.run"}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: nsoc.Soc(5), "Soc(): preset must be a text, a path or a Preset, not 5"),
        (lambda: nsoc.Soc(seed="1"), "Soc(): seed must be a whole number, not '1'"),
        (lambda: nsoc.Soc(seed=1.0), "Soc(): seed must be a whole number, not 1.0"),
        (lambda: nsoc.Soc(firmware=b"hello"), "Soc(): firmware must be a text, a path or None, not b'hello'"),
        (
            lambda: nsoc.Soc(defines={"DELAY": 0.5}),
            "Soc(): defines must be a dictionary (a text: a whole number or a text) or None, not {'DELAY': 0.5}",
        ),
        (lambda: nsoc.Soc("a\0b"), r"Soc(): preset must be a path without a zero byte, not 'a\x00b'"),
        (lambda: nsoc.Soc(secret="x" * 16), "Soc(): secret must be bytes or None, not 'xxxxxxxxxxxxxxxx'"),
        (lambda: blank(nsoc.Wire).send("text"), "Wire.send(): frame must be bytes, not 'text'"),
        (lambda: blank(nsoc.Wire).send(60), "Wire.send(): frame must be bytes, not 60"),
        (lambda: blank(nsoc.Wire).receive("1"), "Wire.receive(): timeout_us must be a number, not '1'"),
        (lambda: blank(nsoc.Soc).run(us="1"), "Soc.run(): us must be a number or None, not '1'"),
        (lambda: blank(nsoc.Soc).run(text=b"ready"), "Soc.run(): text must be a text or None, not b'ready'"),
        (lambda: blank(nsoc.Soc).boot(within_us=None), "Soc.boot(): within_us must be a number, not None"),
        (lambda: blank(Uart).write("\udcff"), r"Uart.write(): text must be a text without surrogates, not '\udcff'"),
        (lambda: nsoc.Network(seed=None), "Network(): seed must be a whole number, not None"),
        (lambda: nsoc.Network(log=3), "Network(): log must be a text, a path or None, not 3"),
        (lambda: blank(nsoc.Network).cable(1, 2), "Network.cable(): a must be a Soc or a Link, not 1"),
        (lambda: blank(nsoc.Network).run("1"), "Network.run(): us must be a number, not '1'"),
        (lambda: blank(nsoc.Network).run(until=True), "Network.run(): until must be a function or None, not True"),
        (lambda: blank(nsoc.NetworkHost).send([1]), "NetworkHost.send(): frame must be bytes, not [1]"),
        (lambda: nsoc.Faults(loss="0.1"), "Faults(): loss must be a number, not '0.1'"),
        (lambda: nsoc.Faults(downs=((1,),)), "Faults(): downs must be a list (each (a number, a number)), not ((1,),)"),
        (lambda: nsoc.PnicHost(7), "PnicHost(): preset must be a text, a path or a Preset, not 7"),
        (lambda: blank(nsoc.PnicHost).run(None), "PnicHost.run(): us must be a number, not None"),
        (lambda: blank(Cable).send(0), "Cable.send(): frame must be bytes, not 0"),
        (lambda: nsoc.load_preset(5), "load(): preset must be a text, a path or a Preset, not 5"),
        (lambda: nsoc.Peer(5), "Peer(): network must be a Network, not 5"),
        (lambda: Settings(mss="1"), "Settings(): mss must be a whole number, not '1'"),
        (lambda: nsoc.pcapng.read(5), "read(): path must be a text or a path, not 5"),
        (lambda: nsoc.pcapng.write("x", [5]), "write(): packets must be a list (each a Packet), not [5]"),
        (lambda: nsoc.Peer(9**99), f"Peer(): network must be a Network, not {str(9**99)[:60]}..."),
    ],
)  # fmt: skip
def test_the_sentence_names_function_parameter_and_what_it_takes(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(NsocError) as problem:
        call()
    assert str(problem.value) == sentence


def test_a_value_of_several_lines_is_shown_in_one() -> None:
    class Table:
        def __repr__(self) -> str:
            return "a  b\n1  2\n"

    with pytest.raises(NsocError, match=r"^Soc\(\): seed must be a whole number, not a b 1 2$"):
        nsoc.Soc(seed=Table())  # type: ignore[arg-type]


class Ticks(Protocol):
    @property
    def now(self) -> int: ...
    def wait(self, us: float) -> None: ...


class Clock:
    now = 3

    def wait(self, us: float) -> None: ...


class Frame:
    """Like a packet of Scapy."""

    def __bytes__(self) -> bytes:
        return b"frame"


class Index:
    """Like a whole number of NumPy."""

    def __index__(self) -> int:
        return 7


KINDS: list[tuple[Any, list[Any], list[Any]]] = [
    (int, [1, True, Index()], [1.0, "1", None, b"1"]),
    (float, [1, 1.5, True, Fraction(1, 2), Index(), float("nan")], ["1", None, 1j]),
    (bool, [True, False, 0, 1], ["no", None, 1.0, []]),
    (str, ["", "text"], [b"text", None, 1, "\ud800"]),
    (float | None, [None, 1], ["1"]),
    (str | os.PathLike[str], ["a", Path("a"), "\udcff"], [b"a", 1, "a\0"]),
    (Sequence[str], [(), ["a"], ("a", "b")], ["ab", ["a", 1], {"a"}, 5, None]),
    (list[int], [[1], []], [(1,), [1.5]]),
    (tuple[int, str], [(1, "a")], [(1,), (1, 2), 5]),
    (tuple[int, ...], [(), (1, 2), [1]], [("a",), 5]),
    (Mapping[str, int], [{}, {"a": 1}], [{1: 1}, {"a": "b"}, [("a", 1)]]),
    (dict[str, int], [{"a": 1}], [{1: 1}, []]),
    (Callable[[], int], [len, lambda: 1], [1, None]),
    (Literal["a", 1], ["a", 1], ["b", 2, None]),
    (Annotated[int, "some"], [1], ["1"]),
    (Ticks, [Clock()], [Stranger(), 5, None]),
    (Clock, [Clock()], [Stranger()]),
    (Any, [Stranger(), None], []),
    (object, [Stranger(), None], []),
]


@pytest.mark.parametrize(("kind", "right", "wrong"), KINDS, ids=lambda value: words(value) if value in KINDS else "")
def test_what_a_type_checker_takes_passes_and_nothing_else(kind: Any, right: list[Any], wrong: list[Any]) -> None:
    def function(value: Any, *more: Any, named: Any = None) -> Any:
        return value, more, named

    function.__annotations__ = {"value": kind, "more": kind, "named": kind}
    checked = public(function)
    for value in right:
        assert checked(value, value, value, named=value) == (value, (value, value), value) or value != value
    for value in wrong:
        good = right[0]
        for call in (lambda: checked(value), lambda: checked(good, value), lambda: checked(good, named=value)):  # noqa: B023
            with pytest.raises(NsocError, match=r"^function\(\): (value|more|named) must be "):
                call()


def test_bytes_and_paths_come_as_such() -> None:
    @public
    def function(data: bytes, path: Path = Path(), text: str | bytes = b"") -> tuple[bytes, Path, str | bytes]:
        return data, path, text

    for data in (b"frame", bytearray(b"frame"), memoryview(b"frame"), Frame()):
        assert [type(one) for one in function(data)[:1]] == [bytes] and function(data)[0] == b"frame"  # type: ignore[arg-type]
    assert function(b"", "a/b")[1] == Path("a/b")  # type: ignore[arg-type]
    assert function(b"", text=bytearray(b"x"))[2] == b"x" and function(b"", text="x")[2] == "x"  # type: ignore[arg-type]
    for wrong in ("text", 5, [1, 2], None):
        with pytest.raises(NsocError, match=r"^function\(\): data must be bytes, not "):
            function(wrong)  # type: ignore[arg-type]


def test_an_iterator_is_read_once_and_whole() -> None:
    @public
    def function(values: Iterable[int]) -> list[int]:
        return [*values, *values]

    assert function(iter([1, 2])) == [1, 2, 1, 2]
    with pytest.raises(NsocError, match="must be a list \\(each a whole number\\), not <generator"):
        function(value for value in (1, "2"))  # type: ignore[misc]


def test_a_checked_function_keeps_name_text_and_signature() -> None:
    assert nsoc.Soc.run.__name__ == "run" and (nsoc.Soc.run.__doc__ or "").startswith("Lets simulated time pass")
    assert list(inspect.signature(nsoc.Soc.run).parameters)[:3] == ["self", "us", "cycles"]


def test_arguments_that_are_missing_or_too_many_are_pythons_own_errors() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'network'"):
        nsoc.Peer()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'los'"):
        nsoc.Faults(los=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional argument"):
        nsoc.load_preset("toe", "toe")  # type: ignore[call-arg]
