// SPDX-License-Identifier: Apache-2.0
//
// Which instructions of the cores took how long, and why; rounds of the firmware's loop that found no work told apart.
#ifndef PROFILE_H
#define PROFILE_H

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "Vpnic_top.h"

class Profile {
public:
    // A round of the loop begins at `round`; where it comes by at `idle` it has found nothing. 0: there is no loop.
    void start(uint32_t round, uint32_t idle) {
        round_ = round;
        idle_ = idle;
        spent_.resize(2 * IMEM_WORDS);
    }
    bool on() const { return !spent_.empty(); }

    // Before each edge of the cores' clock.
    void cycle(const Vpnic_top &top, unsigned core) {
        Doing &doing = doing_[core];
        Spent &next = doing.next;
        ++next.cycles;
        if (top.refused >> core & 1) {
            ++doing.refused;
            doing.since = 0;
        } else if (++doing.since > 8) {
            doing.refused = 0;
        }
        if (!(top.retired >> core & 1)) {
            ++next.lost[cause(doing, top.why[core])];
            return;
        }
        const uint32_t pc = top.retired_pc[core];
        if (pc == round_) end_round(doing);
        doing.idle |= pc == idle_;
        ++next.instructions;
        if (round_) doing.round.emplace_back(pc / 4 % IMEM_WORDS, next);
        else spent_[pc / 4 % IMEM_WORDS].add(next);
        next = Spent();
    }

    // Lines `PC IDLE INSTRUCTIONS CYCLES FETCH LOAD CONFLICT PIPELINE`, the latter cycles lost by cause.
    void write(const std::string &file) {
        std::ofstream out(file);
        for (Doing &doing : doing_) end_round(doing);
        for (unsigned idle = 0; idle < 2; ++idle)
            for (unsigned word = 0; word < IMEM_WORDS; ++word) {
                const Spent &spent = spent_[idle * IMEM_WORDS + word];
                if (!spent.instructions) continue;
                out << 4 * word << ' ' << idle << ' ' << spent.instructions << ' ' << spent.cycles;
                for (const uint64_t lost : spent.lost) out << ' ' << lost;
                out << '\n';
            }
        spent_.clear();
    }

private:
    static constexpr unsigned IMEM_WORDS = 32768, MOST_CORES = 8;

    // Cycles in which nothing retired: no instruction, a load's answer, a bank that had another, everything else
    enum : unsigned { FETCH, LOAD, CONFLICT, PIPELINE, CAUSES };

    struct Spent {
        uint64_t instructions = 0, cycles = 0, lost[CAUSES] = {};
        void add(const Spent &more) {
            instructions += more.instructions;
            cycles += more.cycles;
            for (unsigned i = 0; i < CAUSES; ++i) lost[i] += more.lost[i];
        }
    };

    // What a core is doing: the instruction that will retire next, and what of this round has retired.
    struct Doing {
        Spent next;
        unsigned refused = 0, since = 0;  // cycles that a load has waited for a bank, and since the last of these
        bool idle = false;
        std::vector<std::pair<uint32_t, Spent>> round;
    };

    void end_round(Doing &doing) {
        for (const auto &[word, spent] : doing.round) spent_[doing.idle * IMEM_WORDS + word].add(spent);
        doing.round.clear();
        doing.idle = false;
    }

    // Numbers of why_t. A load's wait is the bank's as long as the bank has made it wait.
    static unsigned cause(Doing &doing, unsigned why) {
        constexpr unsigned LOAD_USE = 3, NO_INSTRUCTION = 6, MISS = 7, ROUND_TRIP = 8, STORES = 9;
        if (why == NO_INSTRUCTION) return FETCH;
        if (why == STORES) return CONFLICT;
        if (why != LOAD_USE && why != MISS && why != ROUND_TRIP) return PIPELINE;
        if (!doing.refused) return LOAD;
        --doing.refused;
        return CONFLICT;
    }

    uint32_t round_ = 0, idle_ = 0;
    std::vector<Spent> spent_;  // by word of the instruction memory, rounds with work and idle ones; empty: nobody asks
    Doing doing_[MOST_CORES];
};

#endif
