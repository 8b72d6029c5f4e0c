// SPDX-License-Identifier: Apache-2.0
//
// What happened, in the order of time, as lines of hex numbers. Times are in fs:
//
//   i TIME CORE PC INSTRUCTION          retired
//   a TIME MASTER WORD WRITE DATA       an access of the scratchpad was granted; masters are the cores, DMA read, DMA
//                                       write, MAC send, MAC receive, the host; DATA of one that writes
//   p TIME ADDRESS DATA                 the host's driver begins to write a word of the NIC
//   q TIME TAG ADDRESS BYTES            the NIC reads the host's memory
//   r TIME TAG                          the last of what it has read is there
//   w TIME ADDRESS BYTES WORD           it has written the host's memory; the first word of that, from 4 bytes on
//   t TIME NUMBER BYTES                 a frame has left the NIC, with FCS
//   o TIME NUMBER BYTES                 one begins to come, with FCS
//   d TIME COUNT NUMBER                 the driver has found a received frame: how many came before, which it is
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <cstdint>
#include <fstream>
#include <string>

#include "Vpnic_top.h"

class TraceFile {
public:
    void open(const std::string &file, uint64_t end) {
        out_.open(file);
        out_ << std::hex;
        end_ = end;
    }
    bool on(uint64_t now) const { return now < end_; }
    void end() { end_ = 0; }

    void core_cycle(uint64_t now, const Vpnic_top &top, unsigned cores) {
        for (unsigned core = 0; core < cores; ++core)
            if (top.retired >> core & 1) line('i', now, core, top.retired_pc[core], top.retired_instr[core]);
        for (uint64_t bits = top.granted; bits; bits &= bits - 1) {
            const unsigned master = __builtin_ctzll(bits);
            const unsigned write = top.wanted_write >> master & 1;
            line('a', now, master, top.wanted[master], write, write ? top.wanted_data[master] : 0);
        }
    }
    void posted(uint64_t now, uint32_t address, uint32_t data) { line('p', now, address, data); }
    void read(uint64_t now, unsigned tag, uint64_t address, unsigned bytes) { line('q', now, tag, address, bytes); }
    void answered(uint64_t now, unsigned tag) { line('r', now, tag); }
    void written(uint64_t now, uint64_t address, unsigned bytes, uint32_t word) {
        line('w', now, address, bytes, word);
    }
    void sent(uint64_t now, uint64_t number, size_t bytes) { line('t', now, number, bytes); }
    void offered(uint64_t now, uint64_t number, size_t bytes) { line('o', now, number, bytes); }
    void delivered(uint64_t now, uint64_t count, uint64_t number) { line('d', now, count, number); }

private:
    template <typename... Numbers>
    void line(char kind, Numbers... numbers) {
        out_ << kind;
        ((out_ << ' ' << static_cast<uint64_t>(numbers)), ...);
        out_ << '\n';
    }

    std::ofstream out_;
    uint64_t end_ = 0;  // nothing is written from then on
};

#endif
