// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include <algorithm>
#include <stdexcept>

#include "splitmix.h"

namespace {

std::string rate(const Link &link) { return std::to_string(8 * 1'000'000'000ull / link.octet_fs()) + " Mb/s"; }

}  // namespace

uint64_t nsoc_network::add(std::unique_ptr<Link> link) {
    if (links_.size() >= NSOC_MOST_LINKS) throw std::length_error("a network has no more than 4096 links");
    links_.push_back(std::move(link));
    connected_.push_back(false);
    return links_.size() - 1;
}

uint64_t nsoc_network::add_switch(unsigned ports, uint64_t latency_fs, uint64_t queue_bytes) {
    const uint64_t first = links_.size();
    if (first + ports > NSOC_MOST_LINKS) throw std::length_error("a network has no more than 4096 links");
    std::vector<SwitchPort *> made;
    for (unsigned i = 0; i < ports; ++i) {
        auto port = std::make_unique<SwitchPort>();
        made.push_back(port.get());
        add(std::move(port));
    }
    switches_.push_back(std::make_unique<Switch>(std::move(made), latency_fs, queue_bytes));
    for (unsigned i = 0; i < ports; ++i) switch_by_link_[first + i] = switches_.back().get();
    return first;
}

Link &nsoc_network::any_link(uint64_t number) const {
    if (number >= links_.size()) throw std::out_of_range("there is no link " + std::to_string(number));
    return *links_[number];
}

const Cable &nsoc_network::cable(uint64_t number) const {
    if (number >= cables_.size()) throw std::out_of_range("there is no cable " + std::to_string(number));
    return cables_[number];
}

const Switch &nsoc_network::switch_of(uint64_t link) const {
    const auto found = switch_by_link_.find(link);
    if (found == switch_by_link_.end()) throw std::out_of_range("link " + std::to_string(link) + " is not of a switch");
    return *found->second;
}

uint64_t nsoc_network::least_delay(uint64_t a, uint64_t b) const {
    const Link &one = any_link(a), &other = any_link(b);
    const uint64_t octet_fs = one.has_rate() ? one.octet_fs() : other.octet_fs();
    return 2 * SLACK_OCTETS * octet_fs;
}

uint64_t nsoc_network::connect(uint64_t a, uint64_t b, uint64_t delay_fs, const Faults &faults) {
    Link &one = any_link(a), &other = any_link(b);
    if (a == b) throw std::invalid_argument("a cable has two ends");
    for (const uint64_t end : {a, b})
        if (connected_[end]) throw std::invalid_argument("link " + std::to_string(end) + " has a cable already");
    const bool agreed = one.has_rate() ? other.take_rate(one.octet_fs()) : one.take_rate(other.octet_fs());
    if (!agreed)
        throw std::invalid_argument("a cable has one rate, not " + rate(one) + " here and " + rate(other) +
                                    " there: put a switch between");
    if (delay_fs < least_delay(a, b))
        throw std::out_of_range("the delay of this cable must be at least " +
                                std::to_string(least_delay(a, b) / 1'000'000) + " ns");
    connected_[a] = connected_[b] = true;
    cables_.emplace_back(one, other, delay_fs, faults, splitmix64(seed_ + SPLITMIX_STEP * cables_.size()));
    return cables_.size() - 1;
}

void nsoc_network::run_to(uint64_t time_fs) {
    if (time_fs > NSOC_LONGEST_FS) throw std::out_of_range("simulated time ends before that");
    if (time_fs < now_) throw std::out_of_range("simulated time does not run backwards");
    uint64_t window = NSOC_LONGEST_FS;
    for (const Cable &cable : cables_) window = std::min(window, cable.window_fs());
    while (now_ < time_fs) {
        uint64_t sent = time_fs;  // nothing is, before
        for (uint64_t i = 0; i < links_.size(); ++i) {
            links_[i]->look(now_);
            if (connected_[i]) sent = std::min(sent, std::max(now_, links_[i]->quiet_until()));
        }
        const uint64_t until = std::min(time_fs, sent + window);
        for (const auto &link : links_) link->advance(now_, until);
        for (const auto &one : switches_) one->advance(until);
        for (Cable &cable : cables_) cable.carry();
        for (uint64_t i = 0; i < links_.size(); ++i)
            if (!connected_[i]) links_[i]->sent.clear();  // into the air
        now_ = until;
    }
}
