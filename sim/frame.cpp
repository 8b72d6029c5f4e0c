// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include <algorithm>
#include <array>
#include <limits>

namespace {

constexpr size_t FCS_BYTES = 4;
constexpr size_t MIN_FRAME_BYTES = 60;  // before the FCS
constexpr uint8_t PREAMBLE = 0x55;
constexpr uint8_t SFD = 0xD5;
constexpr unsigned SFD_PLACES = 9;  // octets that may be the delimiter; what is before it means nothing

constexpr std::array<uint32_t, 256> make_crc_table() {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0xEDB88320u : 0u);
        table[i] = value;
    }
    return table;
}

constexpr std::array<uint32_t, 256> CRC_TABLE = make_crc_table();

}  // namespace

uint32_t ethernet_fcs(const uint8_t *data, size_t bytes) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < bytes; ++i) crc = (crc >> 8) ^ CRC_TABLE[(crc ^ data[i]) & 0xFF];
    return ~crc;
}

std::vector<Octet> frame_octets(const uint8_t *frame, size_t bytes, const FrameShape &shape) {
    std::vector<uint8_t> body(frame, frame + bytes);
    if (shape.pad && body.size() < MIN_FRAME_BYTES) body.resize(MIN_FRAME_BYTES, 0);
    if (!shape.raw) {
        uint32_t fcs = ethernet_fcs(body.data(), body.size());
        if (shape.bad_fcs) fcs ^= 1;
        for (size_t i = 0; i < FCS_BYTES; ++i) body.push_back(static_cast<uint8_t>(fcs >> (8 * i)));
    }
    if (shape.cut_at >= 0) body.resize(std::min<size_t>(body.size(), shape.cut_at));

    std::vector<Octet> octets(shape.preamble, PREAMBLE);
    octets.push_back(shape.sfd);
    octets.insert(octets.end(), body.begin(), body.end());
    if (shape.error_at >= 0 && static_cast<size_t>(shape.error_at) < body.size())
        octets[shape.preamble + 1 + shape.error_at] |= OCTET_ERROR;
    return octets;
}

void FrameReader::begin(uint64_t time) {
    bytes_.clear();
    error_ = false;
    before_ = 0;
    gap_ = (time - last_active_ - 1) / octet_time_;
    start_ = time;
    state_ = State::PREAMBLE;
}

void FrameReader::take(uint64_t time, Octet octet) {
    error_ |= (octet & OCTET_ERROR) != 0;
    const auto data = static_cast<uint8_t>(octet);
    if (state_ == State::FRAME) {
        if (bytes_.empty()) start_ = time;
        bytes_.push_back(data);
    } else if (data == SFD && before_ < SFD_PLACES) {
        state_ = State::FRAME;
        start_ = last_active_ + 1;  // the next octet's, when there is one
    } else {
        ++before_;
    }
}

void FrameReader::finish(bool error) {
    ReceivedFrame frame;
    frame.stamps = {start_, last_active_};
    frame.gap = static_cast<uint32_t>(std::min<uint64_t>(gap_, std::numeric_limits<uint32_t>::max()));
    frame.error = error || error_ || state_ != State::FRAME || bytes_.size() <= FCS_BYTES;
    frame.fcs_ok = false;
    if (bytes_.size() > FCS_BYTES) {
        const size_t body = bytes_.size() - FCS_BYTES;
        uint32_t fcs = 0;
        for (size_t i = 0; i < FCS_BYTES; ++i) fcs |= static_cast<uint32_t>(bytes_[body + i]) << (8 * i);
        frame.fcs_ok = fcs == ethernet_fcs(bytes_.data(), body);
        bytes_.resize(body);
    }
    frame.bytes = std::move(bytes_);
    bytes_ = {};
    frames.push_back(std::move(frame));
    state_ = State::IDLE;
}
