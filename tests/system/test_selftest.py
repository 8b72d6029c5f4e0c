# SPDX-License-Identifier: Apache-2.0
"""The self-test of the whole SoC, and that its checks see what is wrong."""

import json

import pytest

from nsoc import cli
from nsoc.bench import measure, modes, nic, thesis
from nsoc.errors import NsocError
from nsoc.machine import selftest
from nsoc.machine.selftest import Session, patterned

pytestmark = pytest.mark.slow


def test_every_self_test_passes_with_the_assertions_of_the_rtl_alive() -> None:
    with Session(checks=True) as session:
        for name in (name for name in selftest.TESTS if name != selftest.CHECK_NIC):
            answer = session.ask(name)
            assert answer.startswith(f"{name} PASS cycles 0x"), answer
        assert selftest.access_cycles(session) == {"register_access": 3, "queue_op": 3, "traversal": 23}
        outcome = selftest._check_nic(session, 1)
        assert outcome.ok, outcome.where
        # Errors trap where they happen again, though loads overlapped while frames were forwarded.
        assert session.ask("check_memory_access").startswith("check_memory_access PASS ")


def test_the_processor_finds_a_wrong_byte_and_says_where() -> None:
    with Session(checks=True) as session:
        session.enter("check")
        good = patterned(300, 7, 9)
        bad = bytearray(good)
        bad[123] ^= 0x40
        for frame in (good, bytes(bad), good):
            session.soc.wire.send(frame)
        session.soc.run(us=2000, idle_us=selftest.QUIET_US)
        answer = session.ask("report")
        assert answer.startswith(f"check FAIL byte of a frame 0x{300 << 16 | 123:08x} expected 0x"), answer
        expected, got = (int(word, 16) for word in answer.split("expected ")[1].split(" 3 frames")[0].split(" got "))
        assert expected ^ got == 0x40
        session.soc.wire.send(good)
        session.soc.run(us=2000, idle_us=selftest.QUIET_US)
        assert session.ask("report") == "check PASS 1 frames"


def test_what_the_firmware_does_not_know_it_says() -> None:
    with Session(checks=True) as session:
        assert session.ask("nonsense") == "there is no such command: nonsense"
        with pytest.raises(NsocError, match="does not know the mode"):
            session.enter("nonsense")


def test_lost_tells_of_buffers_and_drops() -> None:
    with Session(checks=True) as session:
        session.enter("normal")
        assert session.lost() == ""
        session.soc.wire.send(patterned(100, 1, 1), bad_fcs=True)
        session.soc.run(us=100)
        assert session.lost() == "rx_drop_fcs 1"
    with Session(checks=True) as session:
        assert "0 buffers in sight" in session.lost(), "before the NIC is set up it has none"


def test_what_was_dropped_before_the_self_test_is_not_its_fault() -> None:
    with Session(checks=True) as session:
        session.enter("normal")
        session.soc.wire.send(patterned(100, 1, 1), bad_fcs=True)
        session.soc.wire.send(patterned(100, 1, 1))
        session.soc.run(us=100)
        assert session.soc.counters["rx_drop_fcs"] == 1 and session.soc.wire.pending == 1
        outcome = selftest._check_nic(session, 1)
        assert outcome.ok, outcome.where


def test_names_are_case_insensitive_and_a_near_miss_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert selftest.find(["DEBUG_QUEUE", "check_queues"]) == ["check_queues", "debug_queue"]
    with pytest.raises(NsocError, match="did you mean debug_memory_access"):
        selftest.find(["debug_memory"])
    assert cli.call(["selftest", "nonsense_nobody_has"]) == 1
    assert cli.call(["selftest", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in selftest.TESTS)


def test_the_command_shows_results_and_fails_when_a_test_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.call(["selftest", "debug_queue", "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["mode"], row["metric"]) for row in rows] == [
        ("debug_queue", "passed"),
        ("debug_queue", "sim_cycles"),
    ]
    assert rows[0]["value"] is True
    monkeypatch.setattr(selftest, "run", lambda *_: [selftest.Outcome("debug_queue", False, 1, "step 7")])
    assert cli.call(["selftest", "debug_queue"]) == 1
    shown = capsys.readouterr()
    assert "FAIL: step 7" in shown.out and "self-tests failed: debug_queue" in shown.err


def test_modes_break_down_as_published() -> None:
    result = modes.run((64, 1024))
    assert modes.parts(nic.published_cycles, 1024) == {"processor": 36.0, "nic": 2159.0, "mac": 2067.4}
    for payload in (64, 1024):
        shares = modes.parts(result.cycles, payload)
        assert sum(shares.values()) == pytest.approx(result.cycles("normal", payload), abs=0.2)
        assert all(cycles > 0 for cycles in shares.values())
    assert {(r.mode, r.payload) for r in modes.records(result)} >= {("normal", 64), ("processor", 1024)}


def test_a_missed_limit_is_named() -> None:
    result = nic.NicResult(
        selftest.presets.load(),
        {"register_access": 6, "queue_op": 3, "traversal": 40},
        [nic.RoundTrip("mac_loopback", 1024, 2000, 2001.0, int(2.02 * 1038 + 60))],
        [nic.Share("nic_loopback", 60, 0.9998, 1600, 1, False), nic.Share("mac_loopback", 61, 0.99999, 1600, 0, False)],
    )
    assert result.failure == (
        "limits missed: register_access_cycles, loss nic_loopback 46, least_line_share nic_loopback"
    )
    for text in ("59", "1515", "60-", "x", "70-60", ""):
        with pytest.raises(NsocError, match="--lengths"):
            nic.parse_lengths(text)
    assert nic.parse_lengths("64, 60-62,61") == [60, 61, 62, 64]


def test_the_share_of_the_line_is_that_of_what_comes_back() -> None:
    with Session() as session:
        session.enter("nic_loopback")
        share = nic.measure_share(session, 128, nic.SHORT_RUN)
        assert share.lost == 0 and share.frames == nic.SHORT_RUN - nic.SHORT_WARM_UP
        assert 0.99 < share.measured <= 1.0
    with Session(selftest.presets.load().with_(cpu_mhz=20)) as session:
        session.enter("normal")  # this processor cannot keep up with frames as short as these
        share = nic.measure_share(session, 60, 400)
        assert share.measured < 0.95 and not share.exact


def test_a_share_of_the_line_is_of_2000_frames_and_compared_as_it_was_measured() -> None:
    shares = [
        nic.Share("nic_loopback", 60, 0.99989999, 2000, 0, False),  # 0.9999 when rounded
        nic.Share("nic_loopback", 61, 1.0, 32, 0, True),
        nic.Share("nic_loopback", 64, 1.0, 2000, 0, True),
    ]
    result = nic.NicResult(selftest.presets.load(), {}, [], shares)
    assert result.failure == "limits missed: least_line_share nic_loopback"
    found = {(record.metric, record.payload): record.value for record in nic.records(result)}
    assert found["line_share", 46] == 0.99989999 and found["line_share", 50] == 1.0
    assert ("line_share", 47) not in found and found["late_frames", 47] == 0, "32 frames are no throughput"
    limits = {(r.metric, r.payload): r.limit for r in nic.records(result) if "share" in r.metric}
    assert limits == {("line_share", 46): None, ("line_share", 50): None, ("least_line_share", None): 0.9999}
    column = [str(cell) for cell in nic.table(result).columns[-1].cells]
    assert column == ["missed", ""], "the least one alone has a limit"
    assert nic.LONG_RUN - nic.LONG_WARM_UP >= 2000 <= measure.FRAMES and thesis.QUICK_FRAMES >= 2000


def test_a_register_access_is_compared_as_the_processor_sees_it() -> None:
    preset = selftest.presets.load()
    accesses = nic.processor_accesses(preset, 1)
    load = next(access for access in accesses if access.name == "register_load")
    assert load.least > 3 and load.ns == load.most * 12.5, "more than the NIC's own part of it"
    result = nic.NicResult(preset, {"register_access": 3, "queue_op": 3, "traversal": 23}, [], [], accesses)
    found = {record.metric: record for record in nic.records(result)}
    assert found["register_access_cycles"].published is None, "that is inside the NIC"
    assert (found["register_load_ns"].value, found["register_load_ns"].published) == (load.ns, 150.0)
    assert f"at worst {load.ns:.1f} ns" in " ".join(nic.lines(result))
    slow = nic.NicResult(preset, result.access, [], [], [nic.Access("register_load", 15, 16, 200.0)])
    assert "slower than the published 15 cycles, 150 ns" in " ".join(nic.lines(slow))
    assert slow.failure == "limits missed: register_load_ns"


@pytest.mark.long
def test_a_nic_1_1_passes_all_tests_but_those_of_queues_it_does_not_have() -> None:
    with Session("nic11-fast", checks=True) as session:
        for name in (name for name in selftest.TESTS if name != selftest.CHECK_NIC):
            answer = session.ask(name)
            refused = name in selftest.OF_OWN_QUEUES
            assert answer.startswith(f"{name} {'FAIL status' if refused else 'PASS cycles'} 0x"), answer
        outcome = selftest._check_nic(session, 1)
        assert outcome.ok, outcome.where
