// SPDX-License-Identifier: Apache-2.0
//
// The self-test of the NIC, at some rests.

#include "bench.h"

namespace nic_mac {

// While the NIC is at rest and the wire stands still: refused as long as anything is in use; then each test passes, or
// finds what is wrong on purpose. The buffers are in the processor's hands at the end, the NIC disabled.
void Bench::self_test() {
    note("self-test");
    empty_nic();
    must_refuse(5 + static_cast<uint32_t>(rng_.below(3)), "there is no such test");
    write(REG(selftest_bytes), static_cast<uint32_t>(rng_.below(8)));
    must_refuse(4, "there is no memory to test");
    const uint32_t any = 1 + static_cast<uint32_t>(rng_.below(4));
    if (read(LOCK) != 1) fail("a free lock is not granted");
    must_refuse(any, "the processor has the lock");
    if (write(LOCK, 1) != 0) fail("the release of the lock is refused");
    size_t index = held_[rng_.below(held_.size())].buffer;
    const uint32_t queue = RXQ + static_cast<uint32_t>(rng_.below(9)) * 2;
    if (!push(queue < FREEQ ? queue : FREEQ, index)) fail("a push into an empty queue is refused");
    must_refuse(any, "a queue holds a pointer");
    const size_t pushed = index;
    if (!pop(queue < FREEQ ? queue : FREEQ, index) || index != pushed) fail("the pointer in the way of a test is lost");
    write(REG(push_failed), 0x3FF);  // test 2 takes what it finds there for its own
    push_failed_ = 0;
    for (int i = 0; i < 5; ++i) {
        const uint32_t test = i < 4 ? 1 + static_cast<uint32_t>(i) : any;
        configure(REG(queue_depth), rng_.pick({1u, 64u, static_cast<uint32_t>(1 + rng_.below(64))}));
        if (test == 4) test_memory(rng_.chance(512));
        else if (test > 1 && rng_.chance(150)) find_pointer(test);
        else pass_test(test);
        constexpr uint32_t IDLE = NSOC_NIC_STATUS_RX_IDLE | NSOC_NIC_STATUS_TX_IDLE;
        if (read(REG(status)) != IDLE) fail("test %u leaves status 0x%x", test, read(REG(status)));
        if (read(REG(pointers_held)) != 0) fail("test %u gave pointers to the engines", test);
    }
    if (rng_.chance(512)) {
        write(REG(selftest_control), 0);
        if (read(REG(selftest_status)) || read(REG(selftest_cycles))) fail("the self-test's results are not cleared");
    }
    for (Held &h : held_) h = {h.buffer, 0, static_cast<int>(FREEQ)};
    configure(REG(queue_depth), 64);
    configure(REG(control), NIC_ENABLE | MAC_ENABLE | IRQ_ENABLE);
}

// Disable the NIC and take all its pointers, which are in the free queue after a drain.
void Bench::empty_nic() {
    configure(REG(control), static_cast<uint32_t>(rng_.next()) & (MAC_ENABLE | IRQ_ENABLE));
    for (int i = 0; read(REG(pointers_held)) != 0; ++i)
        if (i == 200) fail("a stopped NIC keeps pointers: 0x%x", read(REG(pointers_held)));
    size_t index;
    while (pop(FREEQ, index)) held_.push_back({index, 0, static_cast<int>(FREEQ)});
    if (held_.size() != buffers_.size()) fail("%zu pointers of %zu at rest", held_.size(), buffers_.size());
    while (!requests_.empty() || top_->acb_rsp_valid) step();
}

void Bench::must_refuse(uint32_t test, const char *why) {
    write(REG(selftest_control), test);
    const uint32_t status = read(REG(selftest_status));
    if (status != NSOC_NIC_SELFTEST_STATUS_REFUSED) fail("%s, and test %u has status 0x%x", why, test, status);
    ++tests_refused_;
}

// Wait for the end of a test, with accesses between its own: its status.
uint32_t Bench::end_test() {
    constexpr uint32_t BUSY = NSOC_NIC_SELFTEST_STATUS_BUSY;
    const int64_t begin = cycle_;
    uint32_t status;
    while ((status = read(REG(selftest_status))) & BUSY) {
        if (cycle_ - begin > 400000) fail("a self-test does not end: status 0x%x", status);
        const uint64_t what = rng_.below(8);
        if (what == 0) {
            const bool granted = read(LOCK) != 0, ended = !(read(REG(selftest_status)) & BUSY);
            if (granted && !ended) fail("the lock is granted under a test's feet");
            if (granted) release_lock();
        } else if (what == 1) {
            const bool written = !access(false, rng_.chance(512) ? REG(selftest_base) : REG(selftest_bytes), 0).error;
            if (written && read(REG(selftest_status)) & BUSY) fail("a self-test's register is written while it runs");
        } else if (what == 2) {
            configure(REG(control), value(REG(control)) ^ NIC_ENABLE);
        } else {
            idle(rng_.range(0, 300));
        }
    }
    if (value(REG(control)) & NIC_ENABLE) configure(REG(control), value(REG(control)) & ~NIC_ENABLE);
    testing_ = false;
    return status;
}

void Bench::pass_test(uint32_t test) {
    const bool alone = rng_.chance(512);
    write(REG(selftest_control), 0);
    write(REG(selftest_control), test);
    testing_ = true;
    if (alone) idle(250 * static_cast<int64_t>(value(REG(queue_depth))) + 2000);
    const uint32_t status = end_test();
    if (status != NSOC_NIC_SELFTEST_STATUS_DONE)
        fail("test %u has status 0x%x: 0x%x instead of 0x%x", test, status, read(REG(selftest_got)),
             read(REG(selftest_expected)));
    const uint32_t cycles = read(REG(selftest_cycles));
    if (alone && ((cycles & 0xFF) > 5 || (cycles >> 8 & 0xFF) > 5 || cycles >> 16 > 40))
        fail("test %u took 0x%x cycles", test, cycles);
    if (test == 2) {
        push_failed_ = 0;
        error_cleared_ = cycle_;
        if (read(REG(push_failed)) || read(REG(irq_status))) fail("test 2 leaves push_failed or irq_status");
    }
    ++tests_passed_;
}

// A pointer that the processor pushes, which it must not, is found and thrown out.
void Bench::find_pointer(uint32_t test) {
    write(REG(selftest_control), test);
    testing_ = true;
    write((rng_.chance(512) ? RXQ : TXQ) + 6, static_cast<uint32_t>(rng_.next()) & ~7u);
    const uint32_t status = end_test();
    if ((status & 15) != (NSOC_NIC_SELFTEST_STATUS_DONE | NSOC_NIC_SELFTEST_STATUS_FAILED))
        fail("test %u did not find a pointer: status 0x%x", test, status);
    if (read(REG(selftest_expected)) == read(REG(selftest_got))) fail("test %u failed with what it expected", test);
    push_failed_ = 0;
    error_cleared_ = cycle_;
    if (read(REG(push_failed)) || read(REG(irq_status))) fail("test %u leaves push_failed or irq_status", test);
    ++tests_failed_;
}

void Bench::test_memory(bool with_fault) {
    TestMemory &m = tested_;
    m = {};
    const uint32_t dwords = static_cast<uint32_t>(rng_.chance(200) ? 256 : 1 + rng_.below(40));
    write(REG(selftest_bytes), static_cast<uint32_t>(rng_.next()));
    m.base = static_cast<uint32_t>(rng_.next()) & ~7u;
    if (m.base > ~0u - 8 * dwords) m.base -= 8 * dwords;
    write(REG(selftest_base), m.base + static_cast<uint32_t>(rng_.below(8)));
    write(REG(selftest_bytes), 8 * dwords + static_cast<uint32_t>(rng_.below(8)));
    if (read(REG(selftest_base)) != m.base || read(REG(selftest_bytes)) != 8 * dwords)
        fail("the range to test is not what was written");
    m.bytes.resize(8 * dwords);
    rng_.fill(m.bytes.data(), m.bytes.size());
    m.on = true;
    if (with_fault) {
        m.pass = static_cast<uint32_t>(rng_.below(10));
        m.at = static_cast<uint32_t>(rng_.below(dwords));
        m.bit = static_cast<uint32_t>(rng_.below(64));
        m.fault = m.pass < 8 && m.pass % 2 && rng_.chance(700) ? TestMemory::FLIPS : TestMemory::REFUSES;
    }
    write(REG(selftest_control), 4);
    testing_ = true;
    const uint32_t status = end_test();
    m.on = false;
    uint32_t expected = NSOC_NIC_SELFTEST_STATUS_DONE;
    if (with_fault) {
        expected |= NSOC_NIC_SELFTEST_STATUS_FAILED | m.pass << NSOC_NIC_SELFTEST_STATUS_STEP_LSB;
        if (m.fault == TestMemory::REFUSES && m.pass < 8) expected |= NSOC_NIC_SELFTEST_STATUS_GOT_ERR;
        const uint32_t at = read(REG(selftest_address)),
                       differs = read(REG(selftest_expected)) ^ read(REG(selftest_got));
        if (m.pass < 8 && (at & ~7u) != m.base + 8 * m.at)
            fail("the memory test shows address %08x instead of %08x", at, m.base + 8 * m.at);
        if (m.fault == TestMemory::FLIPS && (differs != 1u << (m.bit & 31) || (at & 4) != (m.bit < 32 ? 4 : 0)))
            fail("bit %u of %08x is wrong, and the memory test shows 0x%x at %08x", m.bit, m.base + 8 * m.at, differs,
                 at);
    } else if (m.outside != 2) {
        fail("the memory test asks %u times for what does not exist", m.outside);
    } else {
        // What the last pass with masks left: the complement, under each mask the plain word.
        for (uint32_t i = 0; i < dwords; ++i) {
            const uint64_t walking = 1ull << (m.base / 8 + i) % 32, plain = ~walking << 32 | walking;
            for (uint32_t k = 0; k < 8; ++k) {
                const bool masked = (m.base / 8 + i) >> (7 - k) & 1;
                const uint64_t byte = (masked ? ~plain : plain) >> (56 - 8 * k) & 0xFF;
                if (m.bytes[8 * i + k] != byte)
                    fail("the memory test left %02x at %08x", m.bytes[8 * i + k], m.base + 8 * i + k);
            }
        }
    }
    if (status != expected) fail("the memory test has status 0x%x instead of 0x%x", status, expected);
    ++(with_fault ? tests_failed_ : tests_passed_);
}

uint64_t Bench::answer_test(const Request &q, bool &error) {
    TestMemory &m = tested_;
    if (q.address >> 32) {
        if (q.address >> 32 != 15) fail("the memory test addresses 0x%llx", static_cast<unsigned long long>(q.address));
        error = !(m.fault == TestMemory::REFUSES && m.pass == 8 + m.outside);
        ++m.outside;
        return memory_rng_.next();
    }
    const uint64_t offset = q.address - m.base;
    if (offset + 8 > m.bytes.size() || offset % 8)
        fail("the memory test addresses 0x%llx", static_cast<unsigned long long>(q.address));
    const bool here = offset == 8 * m.at && m.accesses++ == m.pass && m.fault != TestMemory::SOUND;
    error = here && m.fault == TestMemory::REFUSES;
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i) {
        if (!q.read && q.mask >> (7 - i) & 1) m.bytes[offset + i] = static_cast<uint8_t>(q.data >> (56 - 8 * i));
        word = word << 8 | m.bytes[offset + i];
    }
    return !q.read || error ? memory_rng_.next() : word ^ uint64_t{here} << m.bit;
}

}  // namespace nic_mac
