// SPDX-License-Identifier: Apache-2.0
//
// What channel_watch.sv notes, for src/nsoc/docs/watch.py. One simulation at a time in a process, with
// nsoc_watch_clear after each.
#include <cstdint>
#include <string>
#include <vector>

namespace {

struct Transfer {
    uint64_t time_ps;
    uint32_t channel, index;
};

std::string names;
int channels = 0;
std::vector<Transfer> transfers;

}  // namespace

extern "C" {

int nsoc_watch_open(const char *name) {
    names += name;
    names += '\n';
    return channels++;
}

void nsoc_watch_transfer(int channel, int index, long long time_ps) {
    transfers.push_back({static_cast<uint64_t>(time_ps), static_cast<uint32_t>(channel), static_cast<uint32_t>(index)});
}

// The channels in the order of their numbers, one a line.
__attribute__((visibility("default"))) const char *nsoc_watch_names(void) { return names.c_str(); }

// What was noted in this simulation.
__attribute__((visibility("default"))) const Transfer *nsoc_watch_transfers(uint64_t *count) {
    *count = transfers.size();
    return transfers.data();
}

__attribute__((visibility("default"))) void nsoc_watch_clear(void) {
    transfers.clear();
    names.clear();
    channels = 0;
}
}
