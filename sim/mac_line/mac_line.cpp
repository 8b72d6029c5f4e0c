// SPDX-License-Identifier: Apache-2.0
//
// A wide MAC at a full line, both ways at once: frames come back to back with a mean gap of 12 bytes, and its user has
// the next beat to send whenever it is taken. All bytes are compared.
//
//   mac_line COLUMNS START_LANES BEAT_BYTES PACKED LINE_FS CORE_FS FRAMES SEED LEAST MOST ...    (periods in fs)
//
// prints a line for each pair of lengths without FCS, of which each frame has one drawn between them:
//
//   came good counted overflow wrong | sent starts gap_sum gap_least gap_most short | door dropped absorbed
//
// `came` frames on the line, `good` ones at the user, what the MAC has `counted` as good and as lost, `wrong` ones of
// either way; of those `sent`, whose starts are on the line, the gaps between them: their sum, the least, the most, and
// of all that gaps were too short by the most at a time, where what one is too long does not count against it. With
// PACKED 1 the MAC has packed beats: `door` frames came out of the frame_unpack behind it, `dropped` it has counted,
// `absorbed` had come to it when it dropped the first one. Without, these are 0.
#include <verilated.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#define NSOC_TOP Vmac_line_top
#define NSOC_CLOCKS(CLOCK) CLOCK(line_clk) CLOCK(core_clk)
#include "evaluate.h"

#include "clocks.h"
#include "draw.h"
#include "xgmii_line.h"

namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint64_t RESET_EDGES = 32, SETTLE_EDGES = 64, QUIET_EDGES = 2'000;
constexpr size_t INDEX_BYTES = 8, CHECK_BYTES = 4;
constexpr int64_t MEAN_GAP = 12;
constexpr uint8_t START = 0xFB, TERMINATE = 0xFD;

struct Setting {
    unsigned lanes, starts, beat;
    bool packed;
    uint64_t line_fs, core_fs, frames, seed;
};

// A frame of so many bytes, its number first.
class Frames {
public:
    Frames(uint64_t seed, size_t least, size_t most) : draw_(seed), least_(least), most_(most) {}

    Bytes next() {
        Bytes made(least_ + draw_.below(most_ - least_ + 1));
        for (size_t at = INDEX_BYTES; at < made.size(); at += 8) {
            const uint64_t word = splitmix64(state_ += SPLITMIX_STEP);
            for (size_t n = at; n < std::min(at + 8, made.size()); ++n) made[n] = uint8_t(word >> 8 * (n - at));
        }
        for (size_t n = 0; n < INDEX_BYTES; ++n) made[n] = uint8_t(count_ >> 8 * n);
        ++count_;
        return made;
    }
    uint64_t count() const { return count_; }

private:
    Draw draw_;
    size_t least_, most_;
    uint64_t count_ = 0, state_ = 0;
};

// Frames on their way, some of which may be lost.
class Way {
public:
    void begin(const Bytes &frame) { under_way_.push_back(frame); }
    void end(const Bytes &frame) {
        size_t at = 0;
        while (at < under_way_.size() && under_way_[at] != frame) ++at;
        if (at == under_way_.size()) {
            ++wrong_;
            return;
        }
        under_way_.erase(under_way_.begin(), under_way_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        ++good_;
    }
    uint64_t good() const { return good_; }
    uint64_t wrong() const { return wrong_; }

private:
    std::deque<Bytes> under_way_;
    uint64_t good_ = 0, wrong_ = 0;
};

// Gaps on a line that nobody else has.
struct Gaps {
    int64_t starts = 0, sum = 0, least = 1'000'000, most = 0, missing = 0, short_most = 0, terminate = -1, at = 0;

    void word(uint64_t control, const uint32_t *data, unsigned lanes) {
        for (unsigned lane = 0; control >> lane && lane < lanes; ++lane) {
            const uint8_t code = static_cast<uint8_t>(data[lane / 4] >> 8 * (lane % 4));
            if (control >> lane & 1 && code == TERMINATE) terminate = at + lane;
            if (control >> lane & 1 && code == START) start(at + lane);
            if (lane == 63) break;
        }
        at += lanes;
    }

private:
    void start(int64_t lane) {
        ++starts;
        if (terminate < 0) return;
        const int64_t gap = lane - terminate;
        sum += gap;
        least = std::min(least, gap);
        most = std::max(most, gap);
        missing = std::max<int64_t>(missing + MEAN_GAP - gap, 0);
        short_most = std::max(short_most, missing);
    }
};

// Beats are wide signals of 32 bits, the first byte on top.
uint8_t byte_of(const uint32_t *data, unsigned beat, unsigned n) {
    const unsigned at = beat - 1 - n;
    return uint8_t(data[at / 4] >> 8 * (at % 4));
}

// Frames out of beats; packed ones have starts and ends by unit.
class Reader {
public:
    explicit Reader(unsigned beat) : beat_(beat) {}

    // Of a beat that has one frame.
    template <typename End>
    void take(const uint32_t *data, uint64_t keep, bool last, bool bad, End end) {
        for (unsigned n = 0; n < beat_ && kept(keep, n); ++n) frame_.push_back(byte_of(data, beat_, n));
        if (last) done(bad, end);
    }

    template <typename End>
    void take_packed(const uint32_t *data, uint64_t keep, unsigned starts, unsigned ends, bool bad, End end) {
        const unsigned units = beat_ / UNIT;
        for (unsigned unit = 0; unit < units; ++unit) {
            const unsigned bit = units - 1 - unit;
            if ((starts >> bit & 1) && std::exchange(inside_, true)) end(Bytes{}), frame_.clear();
            const size_t before = frame_.size();
            for (unsigned n = UNIT * unit; n < UNIT * (unit + 1) && kept(keep, n); ++n)
                frame_.push_back(byte_of(data, beat_, n));
            const bool last = ends >> bit & 1, some = frame_.size() != before;
            if ((last || some) && (!inside_ || !some)) end(Bytes{});  // bytes of no frame, or an end without
            if (last) inside_ = false, done(bad, end);
        }
    }

private:
    static constexpr unsigned UNIT = 8;
    unsigned beat_;
    bool inside_ = false;
    Bytes frame_;

    bool kept(uint64_t keep, unsigned n) const { return keep >> (beat_ - 1 - n) & 1; }
    template <typename End>
    void done(bool bad, End end) {
        if (!bad) end(std::exchange(frame_, {}));
        frame_.clear();
    }
};

struct Beat {
    uint32_t data[16];
    uint64_t keep;
    unsigned starts, ends;  // the first unit on top
};

// Frames into beats, of which each has one frame, or the end of one and the next one's first bytes.
class Sender {
public:
    Sender(const Setting &setting, Frames &frames, Way &way) : setting_(setting), frames_(frames), way_(way) {}

    // False when all frames are in beats.
    bool next(Beat &beat) {
        const unsigned units = setting_.beat / UNIT;
        beat = {};
        for (unsigned unit = 0; unit < units && !(beat.starts && beat.ends) && more();) {
            if (unit != 0 && !setting_.packed) break;
            if (offset_ == 0) beat.starts |= 1u << (units - 1 - unit);
            const size_t bytes = std::min<size_t>(setting_.beat - UNIT * unit, frame_.size() - offset_);
            for (unsigned n = 0; n < bytes; ++n) {
                const unsigned at = setting_.beat - 1 - UNIT * unit - n;
                beat.data[at / 4] |= uint32_t(frame_[offset_ + n]) << 8 * (at % 4);
                beat.keep |= uint64_t{1} << at;
            }
            offset_ += bytes;
            unit += static_cast<unsigned>((bytes + UNIT - 1) / UNIT);
            if (offset_ < frame_.size()) break;
            beat.ends |= 1u << (units - unit);
            frame_.clear();
        }
        return beat.keep != 0;
    }

private:
    static constexpr unsigned UNIT = 8;
    const Setting &setting_;
    Frames &frames_;
    Way &way_;
    Bytes frame_;
    size_t offset_ = 0;

    // Whether there is a frame, or a part of one.
    bool more() {
        if (frame_.empty() && frames_.count() < setting_.frames) {
            way_.begin(frame_ = frames_.next());
            offset_ = 0;
        }
        return !frame_.empty();
    }
};

void measure(const Setting &setting, size_t least, size_t most) {
    auto context = std::make_unique<VerilatedContext>();
    auto top = std::make_unique<Vmac_line_top>(context.get());
    Frames coming(setting.seed, least, most), going(setting.seed + 1, least, most);
    Way in, out, door;
    Gaps gaps;
    Reader reader(setting.beat), door_reader(setting.beat);
    Line line(setting.lanes, setting.seed), cable(setting.lanes, setting.seed);
    Sender sender(setting, going, out);
    Beat beat;
    bool offers = sender.next(beat);
    uint64_t counted = 0, overflow = 0, quiet = 0, sent = 0, dropped = 0, absorbed = 0;

    line.source = [&](LineFrame &frame) {
        if (coming.count() == setting.frames) return false;
        const Bytes bytes = coming.next();
        in.begin(bytes);
        if (setting.packed) door.begin(bytes);
        frame.bytes.assign(PREAMBLE, 0x55);
        frame.bytes.back() = 0xD5;
        frame.bytes.insert(frame.bytes.end(), bytes.begin(), bytes.end());
        end_with_check(frame);
        return true;
    };
    cable.instead = [&](LineFrame &&frame) {
        const Bytes all = std::move(frame.bytes);
        if (frame.error_at >= 0 || all.size() < PREAMBLE + CHECK_BYTES) return out.end({});
        LineFrame again{Bytes(all.begin(), all.end() - CHECK_BYTES)};
        end_with_check(again);
        out.end(again.bytes == all ? Bytes(all.begin() + PREAMBLE, all.end() - CHECK_BYTES) : Bytes{});
    };

    top->rst = 1;
    uint64_t idle = 0;
    uint32_t idle_words[16];
    Line(setting.lanes, 1).out(idle, idle_words);
    std::copy(idle_words, idle_words + setting.lanes / 4, &top->xgmii_rxd[0]);
    top->xgmii_rxc = idle;
    top->eval();
    Evaluation evaluation(*top);
    enum : unsigned { LINE, CORE, CLOCKS };
    Clocks<CLOCKS> clocks;
    clocks[LINE] = {setting.line_fs, 0};
    clocks[CORE] = {setting.core_fs, setting.core_fs / 3};
    while (quiet < QUIET_EDGES) {
        const unsigned due = clocks.due(clocks.next());
        const bool runs = clocks[LINE].edges > RESET_EDGES + SETTLE_EDGES;
        const bool took = runs && due >> CORE & 1 && top->steady_valid && top->steady_ready;
        evaluation.rise(due);
        if (due >> LINE & 1) {
            clocks[LINE].rise();
            ++quiet;
            if (clocks[LINE].edges == RESET_EDGES) top->rst = 0;
            if (runs) {
                gaps.word(top->xgmii_txc, &top->xgmii_txd[0], setting.lanes);
                cable.in(top->xgmii_txc, &top->xgmii_txd[0]);
                uint64_t control = 0;
                if (line.out(control, &top->xgmii_rxd[0])) quiet = 0;
                top->xgmii_rxc = control;
            }
        }
        if (due >> CORE & 1) {
            clocks[CORE].rise();
            counted += top->rx_good;
            overflow += top->rx_overflow;
            const auto comes = [&](const Bytes &frame) { in.end(frame), quiet = 0; };
            const auto leaves = [&](const Bytes &frame) { door.end(frame), quiet = 0; };
            if (top->rx_valid && setting.packed)
                reader.take_packed(&top->rx_tdata[0], top->rx_tkeep, top->rx_starts, top->rx_ends, top->rx_bad, comes);
            else if (top->rx_valid) reader.take(&top->rx_tdata[0], top->rx_tkeep, top->rx_tlast, top->rx_bad, comes);
            if (top->door_valid)
                door_reader.take(&top->door_tdata[0], top->door_tkeep, top->door_tlast, top->door_bad, leaves);
            if (top->door_dropped && ++dropped == 1) absorbed = in.good();
            if (took) {
                sent += beat.ends != 0;
                offers = sender.next(beat);
                quiet = 0;
            }
            top->steady_valid = runs && offers;
            for (unsigned word = 0; word < setting.beat / 4; ++word) top->steady_tdata[word] = beat.data[word];
            top->steady_tkeep = beat.keep;
            top->steady_starts = beat.starts;
            top->steady_ends = beat.ends;
            top->steady_tlast = beat.ends != 0;
        }
        evaluation.settle();
    }
    top->final();
    const uint64_t wrong = in.wrong() + out.wrong() + door.wrong();
    std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, coming.count(), in.good(), counted,
                overflow, wrong);
    std::printf(" %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, out.good(), gaps.starts,
                gaps.sum, gaps.least, gaps.most, gaps.short_most);
    std::printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", door.good(), dropped, dropped ? absorbed : door.good());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 11 || argc % 2 != 1) {
        std::fprintf(stderr, "COLUMNS START_LANES BEAT_BYTES PACKED LINE_FS CORE_FS FRAMES SEED LEAST MOST ...\n");
        return 2;
    }
    const auto number = [argv](int at) { return std::strtoull(argv[at], nullptr, 10); };
    const Setting setting{static_cast<unsigned>(8 * number(1)),
                          static_cast<unsigned>(number(2)),
                          static_cast<unsigned>(number(3)),
                          number(4) != 0,
                          number(5),
                          number(6),
                          number(7),
                          number(8)};
    for (int at = 9; at < argc; at += 2) measure(setting, number(at), number(at + 1));
}
