// SPDX-License-Identifier: Apache-2.0
//
// A NIC that does what lines of the standard input say: for a driver of the host, or a debugger, in another program.
// Numbers are in hex, bytes two digits each. Each line is answered by one: `ok` and what is asked for, or `error` and a
// sentence.
//
//   places                       addresses of rings, completions and buffers, as traffic.h has allocated them: TX ring,
//                                TX done, RX done, TX buffers, RX buffers, RX ring
//   peek ADDRESS BYTES           the host's memory
//   poke ADDRESS DATA
//   get ADDRESS                  a word of the NIC by the host's access (pnic_host_port)
//   put ADDRESS WORD
//   line FRAME                   a frame without FCS comes on the line, behind those before
//   spoilt FRAME                 likewise, with a wrong FCS
//   run FS [i][f]                lets time pass; less when an interrupt rises (i), a frame has left the NIC (f).
//                                -> time, interrupts and frames that have left so far, cycles of the cores
//   frame                        the next one that has left the NIC -> its time, whether its FCS was right, without FCS
//   counts                       -> ends of frames at the MAC, as in `mac` of traffic.h
//   traps                        -> CORE PC MCAUSE of each that has trapped
//   traffic SEND RECEIVE         numbered frames from now on (traffic.h), percent of the line each way
//
//   halt                         all cores come to a stop; the debugger is there from then on
//   resume WISHES CYCLES         a letter for each core (debugger.h), for so many cycles of the cores at most
//                                -> why, core, kind, address; all cores have stopped then. Why 0: they have not
//   insert KIND ADDRESS BYTES    breakpoints and watchpoints; BYTES 0 for a breakpoint
//   remove KIND ADDRESS BYTES
//   pc CORE [VALUE]
//   x CORE NUMBER [VALUE]
//   csr CORE NUMBER [VALUE]
//   load ADDRESS BYTES           memory by the cores' addresses
//   store ADDRESS DATA
#ifndef COMMANDS_H
#define COMMANDS_H

#include <deque>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "debugger.h"
#include "traffic.h"

class Commands : public Traffic {
public:
    explicit Commands(const Options &options) : Traffic(options) {}

    void serve() {
        for (std::string line; std::getline(std::cin, line);) {
            std::istringstream said(line);
            said >> std::hex;
            answer_.str("");
            answer_ << std::hex;
            try {
                answer(said);
                std::cout << "ok" << answer_.str() << std::endl;
            } catch (const std::exception &problem) {
                std::cout << "error " << problem.what() << std::endl;
            }
        }
    }

protected:
    bool offer(LineFrame &frame) override {
        if (running_) return Traffic::offer(frame);
        if (coming_.empty()) return false;
        frame = std::move(coming_.front());
        coming_.pop_front();
        return true;
    }

    void sent(LineFrame &&frame) override {
        if (running_) return Traffic::sent(std::move(frame));
        left_.push_back({now_, std::move(frame)});
        ++all_left_;
    }

    void behind_core() override {
        if (debugger_) debugger_->behind_edge();
    }

    void trapped(unsigned, uint32_t, uint32_t) override {}

private:
    using Said = std::istringstream;

    static uint64_t number(Said &said) {
        uint64_t value;
        if (!(said >> value)) fail("a number is missing");
        return value;
    }

    unsigned core(Said &said) const {
        const uint64_t value = number(said);
        if (value >= cores_) fail("there is no such core");
        return static_cast<unsigned>(value);
    }

    static unsigned nibble(char digit) {
        const std::string digits = "0123456789abcdef";
        const size_t value = digits.find(digit);
        if (value == std::string::npos) fail("bytes are two hex digits each");
        return static_cast<unsigned>(value);
    }

    static std::vector<uint8_t> bytes(Said &said) {
        std::string digits;
        said >> digits;
        if (digits.size() % 2) fail("bytes are two hex digits each");
        std::vector<uint8_t> found;
        for (size_t i = 0; i < digits.size(); i += 2)
            found.push_back(static_cast<uint8_t>(nibble(digits[i]) << 4 | nibble(digits[i + 1])));
        return found;
    }

    template <typename... Numbers>
    void say(Numbers... numbers) {
        ((answer_ << ' ' << static_cast<uint64_t>(numbers)), ...);
    }

    void say_bytes(const uint8_t *data, size_t count) {
        answer_ << ' ' << std::setfill('0');
        for (size_t i = 0; i < count; ++i) answer_ << std::setw(2) << unsigned{data[i]};
    }

    uint8_t *at_host(uint64_t address, size_t count) {
        uint8_t *place = host_.at(address, count);
        if (!place) fail("the host has no memory there");
        return place;
    }

    Debugger &debugger() {
        if (!debugger_) debugger_ = std::make_unique<Debugger>(top_, cores_, [this] { step(); });
        return *debugger_;
    }

    void answer(Said &said) {
        std::string verb;
        said >> verb;
        if (verb == "places") {
            say(tx_ring_, tx_done_, rx_done_, tx_buffers_, rx_buffers_, rx_ring_);
        } else if (verb == "peek") {
            const uint64_t address = number(said), count = number(said);
            say_bytes(at_host(address, count), count);
        } else if (verb == "poke") {
            const uint64_t address = number(said);
            const std::vector<uint8_t> data = bytes(said);
            std::copy(data.begin(), data.end(), at_host(address, data.size()));
        } else if (verb == "get") {
            say(access(static_cast<uint32_t>(number(said))));
        } else if (verb == "put") {
            const uint64_t address = number(said);
            access(static_cast<uint32_t>(address), static_cast<uint32_t>(number(said)));
        } else if (verb == "line" || verb == "spoilt") {
            comes(bytes(said), verb == "spoilt");
        } else if (verb == "run") {
            run_for(said);
        } else if (verb == "frame") {
            next_frame();
        } else if (verb == "counts") {
            for (const uint64_t count : counts_.mac) say(count);
        } else if (verb == "traps") {
            for (unsigned i = 0; i < cores_; ++i)
                if (traps_[i].size() == 3) say(i, traps_[i][1], traps_[i][2]);
        } else if (verb == "traffic") {
            const uint64_t send = number(said), receive = number(said);
            start(static_cast<unsigned>(send), static_cast<unsigned>(receive));
        } else {
            debug(verb, said);
        }
    }

    void debug(const std::string &verb, Said &said) {
        if (verb == "halt") {
            debugger().halt();
        } else if (verb == "resume") {
            std::string wishes;
            said >> wishes;
            const uint64_t end = counts_.core_cycles + number(said);
            debugger().resume(wishes);
            while (debugger_->stopped().why == Debugger::NONE && counts_.core_cycles < end) step();
            const Debugger::Stopped stopped = debugger_->stopped();
            if (stopped.why != Debugger::NONE) debugger_->halt();
            say(stopped.why, stopped.core, stopped.kind, stopped.address);
        } else if (verb == "insert" || verb == "remove") {
            const uint64_t kind = number(said), address = number(said), count = number(said);
            if (kind >= Debugger::KINDS) fail("there is no such kind");
            const auto change = verb == "insert" ? &Debugger::insert : &Debugger::remove;
            (debugger().*change)(static_cast<Debugger::Kind>(kind), static_cast<uint32_t>(address),
                                 static_cast<uint32_t>(count));
        } else if (verb == "pc") {
            const unsigned which = core(said);
            uint32_t value;
            if (said >> value) debugger().set_pc(which, value);
            else say(debugger().pc(which));
        } else if (verb == "x") {
            const unsigned which = core(said), register_number = static_cast<unsigned>(number(said));
            if (register_number > 31) fail("there is no such register");
            uint32_t value;
            if (said >> value) debugger().set_x(which, register_number, value);
            else say(debugger().x(which, register_number));
        } else if (verb == "csr") {
            const unsigned which = core(said), csr_number = static_cast<unsigned>(number(said));
            uint32_t value;
            if (said >> value) debugger().set_csr(which, csr_number, value);
            else say(debugger().csr(which, csr_number));
        } else if (verb == "load") {
            const uint32_t address = static_cast<uint32_t>(number(said)), count = static_cast<uint32_t>(number(said));
            check(address, count);
            std::vector<uint8_t> data(count);
            for (uint32_t i = 0; i < count; ++i) data[i] = debugger().byte(address + i);
            say_bytes(data.data(), count);
        } else if (verb == "store") {
            const uint32_t address = static_cast<uint32_t>(number(said));
            const std::vector<uint8_t> data = bytes(said);
            check(address, data.size());
            for (size_t i = 0; i < data.size(); ++i) debugger().set_byte(address + static_cast<uint32_t>(i), data[i]);
            if (Debugger::is_code(address)) debugger().drop_code();
        } else {
            fail("no such command: " + verb);
        }
    }

    // All of it is memory, or nothing happens.
    static void check(uint32_t address, size_t count) {
        for (size_t i = 0; i < count; ++i)
            if (!Debugger::is_memory(address + static_cast<uint32_t>(i))) fail("there is no memory");
    }

    void comes(const std::vector<uint8_t> &data, bool spoilt) {
        if (data.empty() || data.size() > 65535) fail("a frame has 1 to 65535 bytes");
        LineFrame frame;
        frame.bytes.assign(PREAMBLE, 0x55);
        frame.bytes.back() = 0xD5;
        frame.bytes.insert(frame.bytes.end(), data.begin(), data.end());
        end_with_check(frame);
        if (spoilt) frame.bytes.back() ^= 1;
        coming_.push_back(std::move(frame));
    }

    void run_for(Said &said) {
        const uint64_t end = now_ + number(said);
        std::string until;
        said >> until;
        const bool at_irq = until.find('i') != std::string::npos, at_frame = until.find('f') != std::string::npos;
        const uint64_t frames = all_left_;
        const uint64_t interrupts = counts_.interrupts;
        while (now_ < end) {
            step();
            if ((at_irq && counts_.interrupts != interrupts) || (at_frame && all_left_ != frames)) break;
        }
        say(now_, counts_.interrupts, all_left_, counts_.core_cycles);
    }

    void next_frame() {
        if (left_.empty()) fail("no frame has left the NIC");
        const auto [time, frame] = std::move(left_.front());
        left_.pop_front();
        const size_t size = frame.bytes.size() - std::min<size_t>(frame.bytes.size(), PREAMBLE + CHECK_BYTES);
        const uint32_t check = frame_check(&frame.bytes[PREAMBLE], size);
        bool good = frame.error_at < 0 && size != 0;
        for (unsigned i = 0; good && i < CHECK_BYTES; ++i)
            good = frame.bytes[PREAMBLE + size + i] == static_cast<uint8_t>(check >> 8 * i);
        say(time, good);
        say_bytes(&frame.bytes[PREAMBLE], size);
    }

    std::unique_ptr<Debugger> debugger_;
    std::deque<LineFrame> coming_;
    std::deque<std::pair<uint64_t, LineFrame>> left_;  // that nobody has taken
    uint64_t all_left_ = 0;
    std::ostringstream answer_;
};

#endif
