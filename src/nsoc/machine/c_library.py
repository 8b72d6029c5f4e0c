# SPDX-License-Identifier: Apache-2.0
"""What any C interface of ours needs on Python's side.

The library is loaded with its declarations. Arguments are made to fit, or refused. A call of a handle that fails raises
a NsocError with the sentence of the C side.
"""

import ctypes
import operator
from collections.abc import Mapping
from ctypes import Structure, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint32, c_uint64, sizeof
from pathlib import Path
from typing import Any, TypeVar

from nsoc.errors import NsocError

Functions = Mapping[str, tuple[Any, dict[str, Any]]]
"""What each function of a header returns and takes."""


def load(path: Path, functions: Functions, abi_function: str, abi_version: int) -> ctypes.CDLL:
    """The library at `path`, its functions declared. Raises NsocError when it speaks another version."""
    library = ctypes.CDLL(str(path))
    of_version = getattr(library, abi_function)
    of_version.restype = c_uint32
    if of_version() != abi_version:
        raise NsocError(f"{path} is of another version of nsoc: delete the folder it is in")
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = list(arguments.values())
    return library


INTEGERS = {
    kind: (-(1 << 8 * sizeof(kind) - 1), (1 << 8 * sizeof(kind) - 1) - 1)
    if kind(-1).value < 0
    else (0, (1 << 8 * sizeof(kind)) - 1)
    for kind in (c_int, c_uint8, c_int32, c_int64, c_uint32, c_uint64)
}


def checked(name: str, kind: Any, value: Any) -> Any:
    """`value`, when a parameter or field `name` of that C type can hold it: ctypes cuts integers to their lowest bits.

    Raises NsocError otherwise.
    """
    if kind in INTEGERS:
        least, most = INTEGERS[kind]
        try:
            number = operator.index(value)
        except TypeError:
            raise NsocError(f"{name} must be a whole number, not {value!r}") from None
        if not least <= number <= most:
            raise NsocError(f"{name} must be {least} to {most}, not {number}")
        return number
    if kind is c_char_p and not isinstance(value, bytes | ctypes.Array | None):
        try:
            return bytes(memoryview(value))
        except TypeError:
            raise NsocError(f"{name} must be bytes, not {value!r}") from None
    return value


_Filled = TypeVar("_Filled", bound=Structure)


def filled(kind: type[_Filled], **values: Any) -> _Filled:
    """A structure of the C interface; fields not named are 0. Raises NsocError for what does not fit in its field."""
    kinds = dict(kind._fields_)  # type: ignore[arg-type]
    return kind(**{name: checked(name, kinds[name], value) for name, value in values.items()})


class Handle:
    """A handle of a C interface. Freed by close(), or with the object.

    Every call goes through _call(), which checks what goes in and what comes out: whatever fails is a NsocError.
    """

    def __init__(self, library: ctypes.CDLL, functions: Functions, prefix: str, what: str, *arguments: Any) -> None:
        """What `prefix`create gives for these arguments; `what` it is, in a sentence of the user."""
        self._lib, self._functions, self._prefix, self._what = library, functions, prefix, what
        self._handle: int | None = getattr(library, f"{prefix}create")(*arguments)
        if not self._handle:
            raise NsocError(f"the {what} cannot start: {self._error(None)}")

    def _error(self, handle: int | None) -> str:
        text: bytes = getattr(self._lib, f"{self._prefix}error")(handle)
        return text.decode(errors="replace")

    @property
    def handle(self) -> int:
        """For other C interfaces."""
        if self._handle is None:
            raise NsocError(f"this {self._what} is closed")
        return self._handle

    def _call(self, name: str, *arguments: Any) -> Any:
        """What a function gives that takes a handle and then these arguments."""
        handle = self.handle
        parameters = list(self._functions[name][1].items())[1:]
        given = [checked(*parameter, value) for parameter, value in zip(parameters, arguments, strict=True)]
        result = getattr(self._lib, name)(handle, *given)
        if result is None or (isinstance(result, int) and result < 0):
            raise NsocError(self._error(handle))
        return result

    @property
    def closed(self) -> bool:
        """close() was called."""
        return self._handle is None

    def close(self) -> None:
        """Frees what is behind the handle; every later call raises NsocError."""
        if self._handle:
            getattr(self._lib, f"{self._prefix}destroy")(self._handle)
            self._handle = None

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()
