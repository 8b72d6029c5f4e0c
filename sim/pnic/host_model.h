// SPDX-License-Identifier: Apache-2.0
//
// The host of the programmable NIC as its DMA assists see it: a memory, and what lies on the way to it. Once for each
// rising edge of the host's clock, with what the ports had in the cycle before it:
//
//   if (host_read.valid && ready) host.read(now, tag, address, bytes);
//   if (host_write.valid && host.write_ready()) host.write(now, first, address, bytes, data);
//   const HostModel::Answer answer = host.edge(now);     // the cycle that begins: host_answer, and write_ready()
//
// Reads are taken in any cycle. Times are in fs. Beats are as a simulator has 128 bits: four words, the last one with
// the first byte in its top bits.
#ifndef HOST_MODEL_H
#define HOST_MODEL_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../splitmix.h"

struct HostOptions {
    uint64_t base = 0;                    // address of the memory's first byte
    size_t bytes = size_t{1} << 24;       // what is outside is refused
    uint64_t latency = 1'000'000'000;     // from a read to the first beat of its answer; 0: the next cycle
    uint64_t jitter = 0;                  // more than that, up to so much, by read
    bool any_order = false;               // answers overtake each other; else they come as they were asked for
    uint64_t bits_per_s = 0;              // each way; 0: a beat a cycle
    uint64_t seed = 1;
};

class HostModel {
public:
    using Beat = std::array<uint32_t, 4>;

    struct Answer {
        bool valid = false, last = false, error = false;
        unsigned tag = 0;
        Beat data{};
    };

    struct Counts {
        uint64_t reads = 0, read_bytes = 0, refused_reads = 0;
        uint64_t writes = 0, write_bytes = 0, refused_writes = 0;
        size_t most_reads = 0;            // under way at once
    };

    Counts counts;

    explicit HostModel(const HostOptions &options)
        : options_(options), memory_(options.bytes), random_(splitmix64(options.seed)) {}

    // The memory, for a driver; nullptr: not all of it is there.
    uint8_t *at(uint64_t address, size_t bytes) {
        const uint64_t offset = address - options_.base;
        const bool inside = address >= options_.base && offset <= memory_.size() && bytes <= memory_.size() - offset;
        return inside ? memory_.data() + offset : nullptr;
    }

    // Forgets what is under way; the memory stays.
    void reset() {
        reads_.clear();
        under_way_ = {};
        read_free_ = write_free_ = due_ = 0;
        write_at_ = 0;
        write_ready_ = true;
    }

    void read(uint64_t now, unsigned tag, uint64_t address, unsigned bytes) {
        uint64_t due = now + options_.latency + (options_.jitter ? draw() % (options_.jitter + 1) : 0);
        if (!options_.any_order) due = std::max(due, due_);
        due_ = due;
        reads_.push_back({due, tag, address, bytes});
        ++counts.reads;
        counts.most_reads = std::max(counts.most_reads, reads_.size() + (under_way_.bytes != 0));
    }

    bool write_ready() const { return write_ready_; }

    void write(uint64_t now, bool first, uint64_t address, unsigned bytes, const Beat &data) {
        if (first) write_at_ = 0;
        const unsigned count = std::min(16u, bytes - write_at_);
        if (uint8_t *place = at(address, bytes)) {
            for (unsigned i = 0; i < count; ++i) place[write_at_ + i] = byte_of(data, i);
            counts.write_bytes += count;
        } else if (first) {
            ++counts.refused_writes;
        }
        counts.writes += first;
        write_at_ += count;
        move(now, count, write_free_);
    }

    Answer edge(uint64_t now) {
        write_ready_ = now >= write_free_;
        if (under_way_.bytes == 0) begin(now);
        Answer answer;
        if (under_way_.bytes == 0 || now < read_free_) return answer;
        answer.valid = true;
        answer.tag = under_way_.tag;
        const unsigned count = std::min(16u, under_way_.bytes);
        if (const uint8_t *place = at(under_way_.address, under_way_.bytes)) {
            for (unsigned i = 0; i < count; ++i) answer.data[3 - i / 4] |= uint32_t{place[i]} << 8 * (3 - i % 4);
            under_way_.address += count;
            under_way_.bytes -= count;
            counts.read_bytes += count;
        } else {
            answer.error = true;
            under_way_.bytes = 0;
            ++counts.refused_reads;
        }
        answer.last = under_way_.bytes == 0;
        move(now, count, read_free_);
        return answer;
    }

    static uint8_t byte_of(const Beat &data, unsigned i) {
        return static_cast<uint8_t>(data[3 - i / 4] >> 8 * (3 - i % 4));
    }

private:
    struct Read {
        uint64_t due = 0;
        unsigned tag = 0;
        uint64_t address = 0;
        unsigned bytes = 0;
    };

    // The one to be answered next, if one is due.
    void begin(uint64_t now) {
        size_t due = 0;
        for (const Read &read : reads_) due += read.due <= now;
        if (due == 0) return;
        size_t chosen = options_.any_order ? draw() % due : 0;
        auto read = reads_.begin();
        while (read->due > now || chosen-- != 0) ++read;
        under_way_ = *read;
        reads_.erase(read);
    }

    // So many bytes take their time; what a cycle is longer than that is not lost.
    void move(uint64_t now, unsigned bytes, uint64_t &free) const {
        if (options_.bits_per_s == 0) return;
        const uint64_t takes = uint64_t{bytes} * 8 * 1'000'000'000'000'000 / options_.bits_per_s;
        free = std::max(free, now > takes ? now - takes : 0) + takes;
    }

    uint64_t draw() { return random_ = splitmix64(random_); }

    HostOptions options_;
    std::vector<uint8_t> memory_;
    uint64_t random_;
    std::vector<Read> reads_;  // in the order in which they came
    Read under_way_;           // bytes 0: none
    uint64_t due_ = 0;         // of the last read
    uint64_t read_free_ = 0, write_free_ = 0;
    unsigned write_at_ = 0;    // bytes of the write that are there
    bool write_ready_ = true;
};

#endif
