# SPDX-License-Identifier: Apache-2.0
"""docs/network.md: its examples print what stands below them, its tables and figures are those of the code."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docs_pages import ROOT, Block, check_same, example, needs, run, run_python, says, table

from nsoc.errors import NsocError
from nsoc.network import faults, network
from nsoc.network.ethernet import LINE_MBPS
from nsoc.network.faults import Faults
from nsoc.network.inet import Peer

PAGE = "docs/network.md"
TAP_EXAMPLE = example(PAGE, "TAP devices", 1)
NAMESPACE = ["unshare", "--net", "--map-root-user"]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (example(PAGE, "A network of SoCs", 1), example(PAGE, "A network of SoCs", 2)),
        (example(PAGE, "What can be joined", 1), example(PAGE, "What can be joined", 2)),
        (example(PAGE, "Faults", 1), example(PAGE, "Faults", 2)),
        (example(PAGE, "A host with a protocol stack", 1), example(PAGE, "A host with a protocol stack", 2)),
        (example(PAGE, "Captures", 1), example(PAGE, "Captures", 2)),
    ],
    ids=["socs", "switch", "faults", "peer", "captures"],
)
def test_an_example_prints_what_stands_below_it(code: Block, shown: Block, tmp_path: Path) -> None:
    check_same(shown, run_python(code.text, tmp_path))


def test_what_the_text_says_of_the_counts_is_in_them() -> None:
    answers, to_switch, from_switch, switch = example(PAGE, "What can be joined", 2).text.splitlines()
    came, good, flooded = map(int, answers.split())
    counts = [dict(re.findall(r"'(\w+)': (\d+)", line)) for line in (to_switch, from_switch, switch)]
    words = {3: "three", 5: "five"}
    says(
        PAGE,
        f"`near` gets {came} answers, {words[came - good]} of them with a wrong FCS.",
        f"`far` gets the {words[flooded]} frames that the switch floods",
        f"The switch drops the {words[int(counts[0]['corrupted'])]} that were corrupted",
    )
    assert counts[2]["flooded"] == str(flooded) and counts[2]["bad"] == counts[0]["corrupted"]


def test_a_tap_device_meets_a_soc_and_its_record_is_repeated(tmp_path: Path) -> None:
    """How often Linux speaks to a new interface is its own affair; the page shows what it mostly does."""
    says(PAGE, f"`{' '.join(NAMESPACE)} python example.py`")
    needs("unshare", "ip")
    if not Path("/dev/net/tun").exists():
        pytest.skip("/dev/net/tun is missing")
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no network namespace")
    (tmp_path / "example.py").write_text(TAP_EXAMPLE.text, encoding="utf-8")
    said = run(f"{' '.join(NAMESPACE)} {sys.executable} example.py", tmp_path)
    check_same(example(PAGE, "TAP devices", 2), said, [r"\b\d\d?\b"])
    recorded, received, again = map(int, said.split())
    assert recorded >= received == again > 0


# ---- Tables and figures ----------------------------------------------------------------------------------------------


def test_each_call_of_the_table_has_the_parameters_and_defaults_that_it_says() -> None:
    for call, _, told in table(PAGE, "What can be joined"):
        method = re.search(r"network\.(\w+)", call)
        assert method
        parameters = dict(inspect.signature(getattr(network.Network, method[1])).parameters)
        if method[1] == "soc":
            assert parameters["seed"].default is None, "the network's, plus the number"
            continue
        for name, default in re.findall(r"`(\w+)`: ([\w%`]+)", told):
            found = parameters[name].default
            shown = {"none": "None", "`nsoc%d`": "nsoc%d", "as": "None"}.get(default, default)
            assert str(found).removesuffix(".0") == shown, (call, name, found)
    assert inspect.signature(network.Network.cable).parameters["faults"].default is None


def test_the_table_of_faults_has_each_field_with_its_option_and_count() -> None:
    rows = table(PAGE, "Faults")
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
    described = named + [name for row in rows for name in re.findall(r"`(behind_frames|hold_us)`", row[2])]
    assert set(described) == set(Faults.__dataclass_fields__)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row[3])} | {"passed", "held"} == set(faults.COUNTS)
    told = run("nsoc run --help", variables={"COLUMNS": "200"})
    options = {option for row in rows for option in re.findall(r"`(--[\w-]+)", row[1])}
    assert all(re.search(rf"{option}\s", told) for option in options) and len(options) == len(rows)
    fates = [row[3].strip("`") for row in rows if row[0].strip("`") in ("loss", "corrupt", "wrong_bytes", "reorder")]
    assert fates == sorted(fates, key=faults.COUNTS.index), "where several are drawn, the first"


def test_figures_of_faults_are_those_of_the_code() -> None:
    fields = Faults.__dataclass_fields__
    says(
        PAGE,
        f"the second time behind up to `behind_frames` ({fields['behind_frames'].default}) later ones",
        f"after `hold_us` ({fields['hold_us'].default:g}) in any case",
    )
    header = (ROOT / "sim/network/nsoc_network.h").read_text(encoding="utf-8")
    words = {3: "three", 8: "eight", 60: "60"}
    changes, bits, bytes_ = (
        int(re.search(pattern, header)[1])  # type: ignore[index]
        for pattern in (r"NSOC_MOST_CHANGES (\d+)u", r"1 to (\d+) bits", r"first (\d+) bytes")
    )
    says(
        PAGE,
        f"one to {words[bits]} bits in the first {bytes_} bytes flip",
        f"one to {words[changes]} bytes behind the Ethertype are others",
    )


def test_limits_are_those_of_the_code() -> None:
    octet_ns = {mbps: 8000 / mbps for mbps in (LINE_MBPS, 100, 10)}
    least = 16
    says(
        PAGE,
        f"`delay_ns` is at least {least} octet times: "
        + ", ".join(f"{least * ns:g} ns at {mbps:g} Mb/s" for mbps, ns in octet_ns.items()),
        f"it is asked every {network.SLICE_US:g} us of network time",
    )
    header = (ROOT / "sim/network/nsoc_network.h").read_text(encoding="utf-8")
    (most,) = re.findall(r"#define NSOC_MOST_LINKS (\d+)u", header)
    says(PAGE, f"A network has at most {most} ends.", f"or {LINE_MBPS:g} Mb/s")
    with network.Network() as made:
        ends = made.host(), made.host()
        with pytest.raises(NsocError, match="delay"):
            made.cable(*ends, delay_ns=least * octet_ns[LINE_MBPS] - 1)
        made.cable(*ends, delay_ns=least * octet_ns[LINE_MBPS])


def test_what_a_peer_can_do_is_there() -> None:
    for row in table(PAGE, "A host with a protocol stack"):
        for name in re.findall(r"`(\w+)", row[0]):
            assert hasattr(Peer, name) or name in inspect.getsource(Peer), name
