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

uint64_t nsoc_network::tap_cable(uint64_t number) {
    const uint64_t octet_fs = cable(number).way(0).octet_fs();
    const uint64_t first = links_.size();
    for (unsigned i = 0; i < 4; ++i) {
        add(std::make_unique<ListeningLink>());
        links_.back()->take_rate(octet_fs);
        connected_.back() = true;
    }
    for (const unsigned way : {0u, 1u})
        cables_[number].way(way).tap(*links_[first + 2 * way], *links_[first + 2 * way + 1]);
    return first;
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

void nsoc_network::replay(const std::vector<nsoc_fate_t> &fates) {
    if (!cables_.empty()) throw std::logic_error("what cables are to repeat must be told before the first is made");
    std::map<WayNumber, std::vector<nsoc_fate_t>> scripts;
    for (const nsoc_fate_t &fate : fates) scripts[{fate.cable, fate.way}].push_back(fate);
    for (auto &[number, script] : scripts) {
        const auto earlier = [](const nsoc_fate_t &a, const nsoc_fate_t &b) { return a.frame < b.frame; };
        std::sort(script.begin(), script.end(), earlier);
        const auto same = [](const nsoc_fate_t &a, const nsoc_fate_t &b) { return a.frame == b.frame; };
        const auto twice = std::adjacent_find(script.begin(), script.end(), same);
        if (twice != script.end())
            throw std::invalid_argument("frame " + std::to_string(twice->frame) + " of cable " +
                                        std::to_string(twice->cable) + " has two fates");
    }
    replays_ = true;
    scripts_ = std::move(scripts);
}

std::deque<nsoc_fate_t> nsoc_network::take_log(size_t most) {
    std::deque<nsoc_fate_t> taken;
    while (!log_.empty() && taken.size() < most) {
        taken.push_back(log_.front());
        log_.pop_front();
    }
    return taken;
}

CableWay nsoc_network::way(WayNumber number, Link &from, Link &to, uint64_t delay_fs, const Faults &faults,
                           uint64_t seed) {
    Fates fates = replays_ ? Fates(number, scripts_[number]) : Fates(number, faults, seed);
    return {from, to, delay_fs, faults, std::move(fates), logs_ ? &log_ : nullptr};
}

uint64_t nsoc_network::connect(uint64_t a, uint64_t b, uint64_t delay_fs, const Faults &there, const Faults &back) {
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
    const auto number = static_cast<uint32_t>(cables_.size());
    const uint64_t seed = splitmix64(seed_ + SPLITMIX_STEP * number);
    cables_.emplace_back(way({number, 0}, one, other, delay_fs, there, seed),
                         way({number, 1}, other, one, delay_fs, back, ~seed));
    for (const unsigned way : {0u, 1u}) window_ = std::min(window_, cables_.back().way(way).window_fs());
    return cables_.size() - 1;
}

uint64_t nsoc_network::quiet_until() const {
    uint64_t quiet = Port::NEVER;
    for (uint64_t i = 0; i < links_.size(); ++i)
        if (connected_[i]) quiet = std::min(quiet, std::max(now_, links_[i]->quiet_until()));
    for (const Cable &cable : cables_)
        for (const unsigned way : {0u, 1u}) quiet = std::min(quiet, std::max(now_, cable.way(way).quiet_until()));
    return quiet;
}

void nsoc_network::check_end(uint64_t time_fs) const {
    if (time_fs > NSOC_LONGEST_FS) throw std::out_of_range("simulated time ends before that");
    if (time_fs < now_) throw std::out_of_range("simulated time does not run backwards");
}

void nsoc_network::look() {
    for (const auto &link : links_) link->look(now_);
}

void nsoc_network::advance(uint64_t time_fs) {
    const uint64_t sent = std::min(time_fs, quiet_until());  // nothing is, before
    const uint64_t until = std::min(time_fs, sent + window_);
    for (const auto &link : links_) link->advance(now_, until);
    for (const auto &one : switches_) one->advance(until);
    for (Cable &cable : cables_)
        for (const unsigned way : {0u, 1u}) cable.way(way).carry(until);
    for (uint64_t i = 0; i < links_.size(); ++i)
        if (!connected_[i]) links_[i]->sent.clear();  // into the air
    now_ = until;
}

void nsoc_network::run_to(uint64_t time_fs) {
    check_end(time_fs);
    for (unsigned i = 0; i < WINDOWS && now_ < time_fs; ++i) {
        look();
        advance(time_fs);
    }
}

bool nsoc_network::await(const std::vector<ListeningLink *> &links, uint64_t time_fs, uint64_t slice_fs) {
    check_end(time_fs);
    const auto waits = [](const ListeningLink *link) { return !link->arrived.empty(); };
    for (unsigned i = 0;; ++i) {
        const bool looks = now_ % slice_fs == 0 || now_ >= time_fs;
        if (looks && std::any_of(links.begin(), links.end(), waits)) return true;
        if (i == WINDOWS || now_ >= time_fs) return false;
        uint64_t over = Port::NEVER;
        for (const ListeningLink *link : links) over = std::min(over, link->arrived.empty() ? link->next_over() : now_);
        look();
        advance(over < time_fs ? std::min(time_fs, (std::max(over, now_) / slice_fs + 1) * slice_fs) : time_fs);
    }
}

void nsoc_network::work_to(uint64_t time_fs) {
    check_end(time_fs);
    for (look(); now_ < time_fs && quiet_until() <= now_; look()) advance(time_fs);
}

void nsoc_network::pass_to(uint64_t time_fs) {
    check_end(time_fs);
    while (now_ < time_fs) advance(time_fs);
}
