// SPDX-License-Identifier: Apache-2.0
//
// SoCs, hosts, TAP devices and switches in one simulated time.
//
// Every cable delays. Within a window a few octets shorter than the shortest delay (Cable::window_fs), no link can feel
// what another one does. So links are simulated one after the other over such a window, in any order. Then the cables
// carry what was sent. A window is longer where no link is about to send: so SoCs that sleep leave time out. Where
// windows begin and end does not show in what happens.
#ifndef NETWORK_H
#define NETWORK_H

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cable.h"
#include "link.h"
#include "nsoc_network.h"
#include "switch.h"

struct nsoc_network {
public:
    explicit nsoc_network(uint64_t seed) : seed_(seed) {}

    // Each gives the number of the new link.
    uint64_t add(std::unique_ptr<Link> link);
    uint64_t add_switch(unsigned ports, uint64_t latency_fs, uint64_t queue_bytes);

    uint64_t connect(uint64_t a, uint64_t b, uint64_t delay_fs, const Faults &there, const Faults &back);
    // Gives the first of four new links, which get what goes in and comes out of the cable, of way 0, then of
    // way 1.
    uint64_t tap_cable(uint64_t cable);
    uint64_t least_delay(uint64_t a, uint64_t b) const;

    uint64_t time_fs() const { return now_; }
    // Before this time nothing is sent, unless something comes from outside. The present: not known.
    uint64_t quiet_until() const;
    // Returns after WINDOWS windows in any case.
    void run_to(uint64_t time_fs);
    // The same; stops at the first multiple of `slice_fs` at which a frame waits at one of these: whether one does.
    bool await(const std::vector<ListeningLink *> &links, uint64_t time_fs, uint64_t slice_fs);
    // Ends earlier, at the first window before which nothing is on its way and all links rest.
    void work_to(uint64_t time_fs);
    // Without a look at the TAP devices.
    void pass_to(uint64_t time_fs);

    // Throw std::out_of_range for a number that is not that of such a link.
    template <typename Kind>
    Kind &link(uint64_t number) const;
    const Cable &cable(uint64_t number) const;
    const Switch &switch_of(uint64_t link) const;

    // What cables do to frames is kept from here on; take it.
    void keep_log() { logs_ = true; }
    std::deque<nsoc_fate_t> take_log(size_t most);
    // Cables repeat these instead of drawing.
    void replay(const std::vector<nsoc_fate_t> &fates);

    mutable std::string error;

private:
    static constexpr unsigned WINDOWS = 2500;  // about a millisecond, when links send
    void check_end(uint64_t time_fs) const;
    void look();
    // One window, which ends at `time_fs` at the latest.
    void advance(uint64_t time_fs);
    Link &any_link(uint64_t number) const;
    CableWay way(WayNumber number, Link &from, Link &to, uint64_t delay_fs, const Faults &faults, uint64_t seed);

    uint64_t seed_;
    bool logs_ = false, replays_ = false;
    std::deque<nsoc_fate_t> log_;
    std::map<WayNumber, std::vector<nsoc_fate_t>> scripts_;
    uint64_t now_ = 0;
    uint64_t window_ = NSOC_LONGEST_FS;  // of the shortest cable
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<bool> connected_;  // by link
    std::vector<Cable> cables_;
    std::vector<std::unique_ptr<Switch>> switches_;
    std::map<uint64_t, Switch *> switch_by_link_;
};

template <typename Kind>
Kind &nsoc_network::link(uint64_t number) const {
    Kind *found = dynamic_cast<Kind *>(&any_link(number));
    if (found == nullptr) throw std::out_of_range("link " + std::to_string(number) + " is of another kind");
    return *found;
}

#endif
