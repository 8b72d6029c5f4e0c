// SPDX-License-Identifier: Apache-2.0
//
// Ethernet as the random test of NIC and MAC sees it (bench.h): carrier events made at random, what a MAC
// has to say of each, and the frames that leave on GMII or MII. Written from the standard and regs/nic.rdl, without a
// look at the RTL.
#ifndef NIC_MAC_WIRE_H
#define NIC_MAC_WIRE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

using Bytes = std::vector<uint8_t>;

constexpr size_t MIN_FRAME = 60, MAX_FRAME = 2030;  // without FCS: of any frame that buffers hold
constexpr uint16_t DV = 0x100, ER = 0x200;

// The same numbers on every machine, unlike the distributions of <random>.
struct Rng {
    uint64_t state;
    uint64_t next() {  // splitmix64
        uint64_t z = state += 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return z ^ z >> 31;
    }
    uint64_t below(uint64_t n) { return (next() >> 32) * n >> 32; }
    int64_t range(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
    }
    bool chance(uint32_t of_1024) { return (next() >> 40 & 1023) < of_1024; }
    template <class T, size_t N>
    T pick(const T (&from)[N]) {
        return from[below(N)];
    }
    void fill(uint8_t *to, size_t n) {
        for (size_t i = 0; i < n; i += 8) {
            const uint64_t word = next();
            std::memcpy(to + i, &word, n - i < 8 ? n - i : 8);
        }
    }
};

inline uint32_t fcs(const uint8_t *data, size_t n) {
    static const auto table = [] {
        std::array<uint32_t, 256> t{};
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t c = i;
            for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
            t[i] = c;
        }
        return t;
    }();
    uint32_t c = ~0u;
    for (size_t i = 0; i < n; ++i) c = c >> 8 ^ table[(c ^ data[i]) & 0xFF];
    return ~c;
}

inline uint64_t digest(const uint8_t *data, size_t n) {
    uint64_t h = n * 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        std::memcpy(&word, data + i, n - i < 8 ? n - i : 8);
        h = (h ^ word) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
    }
    return h;
}

inline uint32_t be16(const uint8_t *p) { return static_cast<uint32_t>(p[0] << 8 | p[1]); }

constexpr uint8_t PAUSE_ADDRESS[6] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};

inline bool is_pause(const Bytes &f) {
    return std::memcmp(f.data(), PAUSE_ADDRESS, 6) == 0 && be16(&f[12]) == 0x8808 && be16(&f[14]) == 1;
}

// Which flow a frame belongs to (register `steering`), the same for both directions; 0 where the description leaves it
// open (fragments, a header that is cut off).
inline uint64_t flow_of(const Bytes &f) {
    uint8_t a[6] = {}, b[6] = {};
    uint8_t kind = 0;
    if (be16(&f[12]) == 0x0800 && f[14] >> 4 == 4) {
        const size_t ports = 14 + 4u * (f[14] & 15);
        if ((f[14] & 15) < 5 || (be16(&f[20]) & 0x3FFF) != 0 || ports + 4 > f.size()) return 0;
        kind = f[23];
        std::memcpy(a, &f[26], 4);
        std::memcpy(b, &f[30], 4);
        if (kind == 6 || kind == 17) {
            std::memcpy(a + 4, &f[ports], 2);
            std::memcpy(b + 4, &f[ports + 2], 2);
        }
    } else {
        std::memcpy(a, &f[0], 6);
        std::memcpy(b, &f[6], 6);
        kind = 255;
    }
    uint8_t key[13];
    const bool swap = std::memcmp(a, b, 6) > 0;
    std::memcpy(key, swap ? b : a, 6);
    std::memcpy(key + 6, swap ? a : b, 6);
    key[12] = kind;
    return digest(key, sizeof key) | 1;
}

// Linux's ether_crc(6, address) >> 26.
inline uint32_t multicast_hash(const uint8_t *address) {
    uint32_t crc = ~0u;
    for (int i = 0; i < 6; ++i)
        for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (((crc >> 31) ^ (address[i] >> bit & 1)) ? 0x04C11DB7u : 0);
    return crc >> 26;
}

// By precedence.
enum Cause { DISABLED, ERROR, OVERSIZE, RUNT, FCS, PAUSE, FILTERED, OVERFLOW, GOOD, CAUSES };
constexpr const char *CAUSE_NAMES[CAUSES] = {"rx_drop_disabled", "rx_drop_error",    "rx_drop_oversize",
                                             "rx_drop_runt",     "rx_drop_fcs",      "rx_pause",
                                             "rx_drop_filtered", "rx_drop_overflow", "rx_good"};

// What is wrong with a carrier event, of which the SFD may be one of the first `places` symbols, or GOOD; the frame
// without FCS is left in `frame`.
inline Cause judge(const std::vector<uint16_t> &event, size_t places, Bytes &frame, size_t &sfd) {
    size_t head = 0;
    bool error = false;
    for (uint16_t symbol : event) error |= (symbol & ER) != 0;
    while (head < event.size() && (event[head] & 0xFF) != 0xD5) ++head;
    sfd = head;
    if (error || head >= places || head == event.size()) return ERROR;
    frame.resize(event.size() - head - 1);
    for (size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<uint8_t>(event[head + 1 + i]);
    if (frame.size() > MAX_FRAME + 4) return OVERSIZE;
    if (frame.size() < MIN_FRAME + 4) return RUNT;
    const uint32_t crc = fcs(frame.data(), frame.size() - 4);
    uint32_t there;
    std::memcpy(&there, &frame[frame.size() - 4], 4);
    frame.resize(frame.size() - 4);
    return crc == there ? GOOD : FCS;
}

// What a receiver makes of an event that comes in nibbles: the first D behind a 5 is the SFD's and says where bytes
// begin; each nibble up to it counts as a byte, with the one before it. An odd nibble at the end vanishes.
inline std::vector<uint16_t> aligned(const std::vector<uint16_t> &event) {
    std::vector<uint16_t> nibbles, out;
    for (uint16_t symbol : event) {
        nibbles.push_back(static_cast<uint16_t>((symbol & ~0xFF) | (symbol & 15)));
        nibbles.push_back(static_cast<uint16_t>((symbol & ~0xFF) | (symbol >> 4 & 15)));
    }
    size_t i = 0;
    for (bool found = false; i < nibbles.size() && !found; ++i) {
        const uint16_t before = i > 0 ? nibbles[i - 1] & 15 : 0;
        const auto byte = static_cast<uint16_t>((nibbles[i] & 15) << 4 | before);
        found = byte == 0xD5;
        out.push_back(static_cast<uint16_t>((nibbles[i] & ~0xFF) | byte));
    }
    for (; i + 1 < nibbles.size(); i += 2)
        out.push_back(static_cast<uint16_t>(nibbles[i] | (nibbles[i + 1] & ~0xFF) | (nibbles[i + 1] & 15) << 4));
    if (i < nibbles.size() && !out.empty()) out.back() |= nibbles[i] & ER;
    return out;
}

// How the far end behaves for a while. Chances are of 1024.
struct WirePlan {
    uint32_t fault = 0, pause = 0, flow = 0, foreign = 0;
    int gap = 0;      // 0: always 12, 1: 1 to 24, 2: 12 to 400, 3: 12 to 6000 bytes
    int lengths = 0;  // 0: 60, 1: to 128, 2: any, 3: 60 or the longest, 4: one after the other, 5: mostly long
};

class WireSource {
public:
    WirePlan plan;
    uint8_t own[6] = {};  // the address that most frames are for
    size_t most = 1518;  // bytes without FCS of the longest frame that is none too long

    explicit WireSource(uint64_t seed) : rng_{seed} {
        for (auto &a : groups_) rng_.fill(a.data(), 6), a[0] |= 1;
        for (auto &a : others_) rng_.fill(a.data(), 6), a[0] = static_cast<uint8_t>((a[0] & 0xFC) | 2);
        for (auto &f : flows_) rng_.fill(f.data(), f.size());
    }

    // Group addresses that frames are sent to, for the multicast filter.
    const std::array<uint8_t, 6> &group(size_t i) const { return groups_[i % groups_.size()]; }

    // A carrier event as bytes with DV and ER; `gap` gets the idle bytes behind it.
    std::vector<uint16_t> event(size_t &gap) {
        switch (plan.gap) {
            case 0:
                gap = 12;
                break;
            case 1:
                gap = 1 + rng_.below(24);
                break;
            case 2:
                gap = 12 + rng_.below(389);
                break;
            default:
                gap = 12 + rng_.below(5989);
        }
        const bool faulty = rng_.chance(plan.fault);
        const uint64_t fault = faulty ? rng_.below(10) : 99;
        Bytes f = rng_.chance(plan.pause) ? pause_frame() : frame(length());
        size_t preamble = 7;
        if (rng_.chance(30)) preamble = rng_.below(12);
        if (fault == 0) f.resize(rng_.below(MIN_FRAME));                                     // runt
        if (fault == 1)
            f = frame(rng_.chance(512) ? most + 1 + rng_.below(8)           // oversize
                                       : most + 1 + rng_.below(2000));
        uint32_t crc = fcs(f.data(), f.size());
        if (fault == 2) crc ^= 1u << rng_.below(32);                                         // bad FCS
        if (fault == 3) f[rng_.below(f.size())] ^= static_cast<uint8_t>(1 << rng_.below(8));  // a bit fell over
        std::vector<uint16_t> out;
        out.reserve(preamble + 5 + f.size());
        const bool garbled = rng_.chance(10);
        for (size_t i = 0; i < preamble; ++i)
            out.push_back(DV | (garbled ? static_cast<uint16_t>(rng_.below(256)) : uint16_t{0x55}));
        if (fault != 4) out.push_back(DV | 0xD5);  // 4: no SFD
        for (uint8_t byte : f) out.push_back(DV | byte);
        for (int i = 0; i < 4; ++i) out.push_back(static_cast<uint16_t>(DV | (crc >> 8 * i & 0xFF)));
        if (fault == 5) out[rng_.below(out.size())] |= ER;
        if (fault == 6) out[rng_.below(preamble + 1)] ^= static_cast<uint16_t>(1 << rng_.below(8));  // preamble or SFD
        if (fault == 7) out.resize(1 + rng_.below(out.size() - 1));  // carrier lost
        if (fault == 8) out.resize(1 + rng_.below(12));  // hardly a frame
        if (fault == 9) out.insert(out.begin(), DV | static_cast<uint16_t>(rng_.below(256)));  // a slip before it
        return out;
    }

    // Between events rx_er means other things (carrier extension, false carrier), which a MAC may ignore.
    uint16_t idle() { return rng_.chance(plan.fault / 64) ? static_cast<uint16_t>(ER | rng_.below(256)) : uint16_t{0}; }

private:
    size_t length() {
        const auto last = static_cast<int64_t>(most);
        switch (plan.lengths) {
            case 0:
                return MIN_FRAME;
            case 1:
                return static_cast<size_t>(rng_.range(60, last < 128 ? last : 128));
            case 2:
                return static_cast<size_t>(rng_.range(60, last));
            case 3:
                return rng_.chance(700) ? MIN_FRAME : most;
            case 4:
                return MIN_FRAME + count_++ % (most - MIN_FRAME + 1);
            default:
                return static_cast<size_t>(rng_.range(last > 178 ? last - 118 : 60, last));
        }
    }

    Bytes frame(size_t n) {
        Bytes f(n);
        rng_.fill(f.data(), n);
        std::memcpy(f.data(), own, 6);
        if (rng_.chance(plan.foreign)) {
            const uint64_t kind = rng_.below(4);
            if (kind == 0) std::memset(f.data(), 0xFF, 6);
            else std::memcpy(f.data(), kind == 1 ? groups_[rng_.below(8)].data() : others_[rng_.below(8)].data(), 6);
            if (kind == 3) f[rng_.below(6)] ^= 4;  // nearly somebody's
        }
        f[6] = static_cast<uint8_t>((f[6] & 0xFC) | 2);
        if (rng_.chance(plan.flow)) {
            const auto &flow = flows_[rng_.below(flows_.size())];
            const bool back = rng_.chance(512);
            const uint8_t kind = flow[0] & 3;  // 0: TCP, 1: UDP, 2: another protocol, 3: not IPv4
            if (kind == 3) {
                std::memcpy(&f[0], &flow[back ? 1 : 7], 6);
                std::memcpy(&f[6], &flow[back ? 7 : 1], 6);
                f[0] &= 0xFE;
                f[6] &= 0xFE;
                f[12] = 0x86, f[13] = 0xDD;
            } else {
                const size_t words = n > 110 ? 5 + rng_.below(11) : 5;
                f[12] = 0x08, f[13] = 0x00, f[14] = static_cast<uint8_t>(0x40 | words);
                f[20] = rng_.chance(512) ? 0x40 : 0, f[21] = 0;
                f[23] = kind == 0 ? 6 : kind == 1 ? 17 : static_cast<uint8_t>(1 + (flow[13] & 3));
                std::memcpy(&f[26], &flow[back ? 5 : 1], 4);
                std::memcpy(&f[30], &flow[back ? 1 : 5], 4);
                const size_t ports = 14 + 4 * words;
                if (kind < 2) {
                    std::memcpy(&f[ports], &flow[back ? 11 : 9], 2);
                    std::memcpy(&f[ports + 2], &flow[back ? 9 : 11], 2);
                }
            }
        }
        return f;
    }

    Bytes pause_frame() {
        Bytes f(MIN_FRAME);
        rng_.fill(f.data(), MIN_FRAME);
        std::memcpy(f.data(), PAUSE_ADDRESS, 6);
        f[12] = 0x88, f[13] = 0x08, f[14] = 0;
        f[15] = rng_.chance(900) ? 1 : 2;  // 2 is no pause frame
        f[16] = 0, f[17] = static_cast<uint8_t>(rng_.below(48));  // quanta of 64 byte times
        return f;
    }

    Rng rng_;
    size_t count_ = 0;
    std::array<std::array<uint8_t, 6>, 8> groups_, others_;
    std::array<std::array<uint8_t, 14>, 16> flows_;
};

struct LineFrame {
    Bytes bytes;  // with FCS, without preamble
    int64_t start, sfd, end;
    bool error, fcs_ok;
    size_t gap;
    const char *broken;  // what is wrong with its shape
};

// What leaves on GMII, or on MII (nibbles, the low one first).
class LineMonitor {
public:
    bool mii = false;
    int64_t last_busy = 0;

    // One clock edge; true when it ends a frame, which is then in `frame`.
    bool sample(int64_t now, bool en, bool er, uint8_t data) {
        if (en) {
            if (!busy_) {
                busy_ = true;
                frame = {{}, now, 0, 0, false, false, idle_ < 1u << 30 ? (mii ? idle_ / 2 : idle_) : 1u << 30, nullptr};
                nibbles_ = head_ = 0;
            }
            frame.error |= er;
            last_busy = now;
            if (!mii) byte(data, now);
            else if (nibbles_++ & 1) byte(static_cast<uint8_t>(low_ | data << 4), now);
            else low_ = data & 15;
            return false;
        }
        if (!busy_) {
            if (idle_ < 1u << 30) ++idle_;
            return false;
        }
        busy_ = false;
        idle_ = 1;
        frame.end = now;
        Bytes &b = frame.bytes;
        if (head_ < 8 && !frame.broken) frame.broken = "no start of frame delimiter";
        if (mii && nibbles_ & 1) frame.broken = "half a byte";
        if (b.size() >= 4) {
            uint32_t there;
            std::memcpy(&there, &b[b.size() - 4], 4);
            frame.fcs_ok = fcs(b.data(), b.size() - 4) == there;
        }
        return true;
    }
    bool busy() const { return busy_; }
    LineFrame frame;

private:
    void byte(uint8_t value, int64_t now) {
        if (head_ >= 8) {
            frame.bytes.push_back(value);
        } else {
            if (value != (head_ == 7 ? 0xD5 : 0x55)) frame.broken = "wrong preamble";
            if (head_++ == 7) frame.sfd = now;
        }
    }
    bool busy_ = false;
    size_t idle_ = 1u << 30, nibbles_ = 0, head_ = 0;
    uint8_t low_ = 0;
};

#endif
