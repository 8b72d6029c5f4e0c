# SPDX-License-Identifier: Apache-2.0
"""An end of a cable that has a rate of its own, as a SoC's, and neither sends nor answers."""

import ctypes
from ctypes import CFUNCTYPE, c_char_p, c_int, c_int64, c_uint64, c_void_p

from nsoc.machine.sim import SocCalls
from nsoc.network.network import Network, NetworkHost

SLOW_NS = 20_000
"""Delay of a cable that suits each rate."""
_FOREVER = 2**62
_CALLS = (
    CFUNCTYPE(c_char_p, c_void_p), CFUNCTYPE(c_int64, c_void_p), CFUNCTYPE(c_int64, c_void_p),
    CFUNCTYPE(c_int64, c_void_p), CFUNCTYPE(c_int, c_void_p, c_uint64),
    CFUNCTYPE(c_int64, c_void_p, c_void_p), CFUNCTYPE(c_int, c_void_p, c_void_p, c_uint64),
)  # fmt: skip
"""Of nsoc_soc_calls_t: error, plug, time_fs, quiet_until_fs, run_to, octets, carry."""
_kept: list[object] = []
"""What the library has pointers to."""


def plain_soc(network: Network, mbps: int) -> NetworkHost:
    """The end, whose line runs at `mbps`."""
    octet_fs = 8 * 10**9 // mbps
    answers = (
        lambda _: b"", lambda _: octet_fs, lambda _: 0, lambda _: _FOREVER, lambda *_: 0, lambda *_: 0, lambda *_: 0,
    )  # fmt: skip
    functions = [kind(answer) for kind, answer in zip(_CALLS, answers, strict=True)]
    calls = (c_void_p * len(functions))(*(ctypes.cast(one, c_void_p).value for one in functions))
    _kept.extend((*functions, calls))
    return NetworkHost(network, network._call("nsoc_network_soc", c_void_p(1), SocCalls(ctypes.addressof(calls))))
