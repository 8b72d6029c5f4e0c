// SPDX-License-Identifier: Apache-2.0
//
// The terminal on the SoC's UART, 8N1: collects what the SoC prints and types what it is told to. Called once each
// cpu_clk rising edge; `divisor` clocks make a bit.
#ifndef UART_TERMINAL_H
#define UART_TERMINAL_H

#include <cstdint>
#include <deque>
#include <string>

class UartTerminal {
public:
    std::string printed;           // all that the SoC sent
    std::deque<uint8_t> to_type;   // what remains to be sent to it
    uint64_t framing_errors = 0;

    explicit UartTerminal(uint32_t divisor) : divisor_(divisor) {}

    bool quiet() const { return rx_wait_ == 0 && tx_bits_ == 0 && to_type.empty(); }

    // Level the SoC's receive pin shows.
    bool rxd() const { return rxd_; }

    // Takes the SoC's transmit pin. True when a byte is complete.
    bool sample(bool txd) {
        if (rx_wait_ == 0) {
            if (txd) return false;
            rx_wait_ = divisor_ + divisor_ / 2;  // from the start bit's edge to the middle of bit 0
            rx_bit_ = 0;
            rx_byte_ = 0;
            return false;
        }
        if (--rx_wait_ != 0) return false;
        if (rx_bit_ < 8) {
            rx_byte_ |= static_cast<uint8_t>(txd << rx_bit_++);
            rx_wait_ = divisor_;
            return false;
        }
        if (!txd) ++framing_errors;
        printed.push_back(static_cast<char>(rx_byte_));
        return true;
    }

    // Moves the receive pin on. True when it may have changed.
    bool drive() {
        if (tx_bits_ == 0 && to_type.empty()) return false;
        if (tx_wait_ != 0 && --tx_wait_ != 0) return false;
        if (tx_bits_ == 0) {
            tx_shift_ = 0x200u | (static_cast<uint32_t>(to_type.front()) << 1);  // stop bit, byte, start bit
            tx_bits_ = 10;
            to_type.pop_front();
        }
        rxd_ = tx_shift_ & 1;
        tx_shift_ >>= 1;
        --tx_bits_;
        tx_wait_ = divisor_;
        return true;
    }

private:
    uint32_t divisor_;
    uint32_t rx_wait_ = 0, tx_wait_ = 0, tx_bits_ = 0, tx_shift_ = 0;
    uint32_t rx_bit_ = 0;
    uint8_t rx_byte_ = 0;
    bool rxd_ = true;
};

#endif
