// SPDX-License-Identifier: Apache-2.0
#include "gmii_wire.h"

#include <algorithm>
#include <array>

namespace {

constexpr size_t FCS_BYTES = 4;
constexpr size_t MIN_FRAME_BYTES = 60;  // before the FCS
constexpr uint8_t PREAMBLE = 0x55;
constexpr uint8_t SFD = 0xD5;

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

uint64_t GmiiSender::send(const uint8_t *frame, size_t bytes, const SendOptions &options) {
    std::vector<uint8_t> body(frame, frame + bytes);
    if (options.pad && body.size() < MIN_FRAME_BYTES) body.resize(MIN_FRAME_BYTES, 0);
    if (!options.raw) {
        uint32_t fcs = ethernet_fcs(body.data(), body.size());
        if (options.bad_fcs) fcs ^= 1;
        for (size_t i = 0; i < FCS_BYTES; ++i) body.push_back(static_cast<uint8_t>(fcs >> (8 * i)));
    }
    if (options.cut_at >= 0) body.resize(std::min<size_t>(body.size(), options.cut_at));

    Job job;
    job.not_before_tick = options.not_before_tick;
    job.ifg = options.ifg;
    job.head = options.preamble + 1;
    job.symbols.assign(options.preamble, PREAMBLE);
    job.symbols.push_back(options.sfd);
    job.symbols.insert(job.symbols.end(), body.begin(), body.end());
    if (options.error_at >= 0 && static_cast<size_t>(options.error_at) < body.size())
        job.symbols[job.head + options.error_at] |= ERROR;

    queue_.push_back(std::move(job));
    if (queue_.size() == 1) schedule();
    return count_++;
}

void GmiiSender::schedule() {
    next_start_ = NEVER;
    if (queue_.empty()) return;
    const Job &job = queue_.front();
    const uint64_t head = uint64_t{job.head} * ticks_a_byte_, ifg = uint64_t{job.ifg} * ticks_a_byte_;
    const uint64_t wanted = job.not_before_tick > head ? job.not_before_tick - head : 0;
    next_start_ = std::max(line_free_ + ifg, wanted);
}

bool GmiiSender::play(uint64_t tick) {
    if (cursor_ == nullptr) {
        const std::vector<uint16_t> &symbols = queue_.front().symbols;
        cursor_ = symbols.data();
        end_ = cursor_ + symbols.size();
        first_tick_ = tick;
    }
    if (upper_) {
        data = byte_ >> 4;
        upper_ = false;
        return true;
    }
    if (cursor_ == end_) {
        sent_.push_back({first_tick_ + uint64_t{queue_.front().head} * ticks_a_byte_, tick - 1});
        last_active_ = tick - 1;
        line_free_ = tick;
        cursor_ = nullptr;
        data = 0;
        valid = false;
        error = false;
        queue_.pop_front();
        schedule();
        return true;
    }
    const uint16_t symbol = *cursor_++;
    byte_ = static_cast<uint8_t>(symbol);
    upper_ = ticks_a_byte_ == 2;
    data = upper_ ? byte_ & 0xF : byte_;
    valid = true;
    error = (symbol & ERROR) != 0;
    return true;
}

void GmiiReceiver::take(uint64_t tick, bool enable, bool error, uint8_t data) {
    if (!enable) {
        finish();
        return;
    }
    if (state_ == State::IDLE) {
        bytes_.clear();
        error_ = false;
        gap_ = (tick - last_active_ - 1) / ticks_a_byte_;
        start_tick_ = tick;
        state_ = State::PREAMBLE;
    }
    last_active_ = tick;
    error_ |= error;
    if (ticks_a_byte_ == 2) {
        upper_ = !upper_;
        if (upper_) {
            lower_ = data & 0xF;
            return;
        }
        data = static_cast<uint8_t>(lower_ | data << 4);
    }
    if (state_ == State::FRAME) {
        bytes_.push_back(data);
    } else if (data == SFD) {
        state_ = State::FRAME;
        start_tick_ = tick + 1;
    } else if (data != PREAMBLE) {
        error_ = true;
    }
}

void GmiiReceiver::finish() {
    error_ |= upper_;  // half a byte
    upper_ = false;
    ReceivedFrame frame;
    frame.stamps = {start_tick_, last_active_};
    frame.gap = static_cast<uint32_t>(std::min<uint64_t>(gap_, std::numeric_limits<uint32_t>::max()));
    frame.error = error_ || state_ != State::FRAME || bytes_.size() <= FCS_BYTES;
    frame.fcs_ok = false;
    if (bytes_.size() > FCS_BYTES) {
        const size_t body = bytes_.size() - FCS_BYTES;
        uint32_t fcs = 0;
        for (size_t i = 0; i < FCS_BYTES; ++i) fcs |= static_cast<uint32_t>(bytes_[body + i]) << (8 * i);
        frame.fcs_ok = fcs == ethernet_fcs(bytes_.data(), body);
        bytes_.resize(body);
    }
    frame.bytes = bytes_;
    frames.push_back(std::move(frame));
    state_ = State::IDLE;
}
