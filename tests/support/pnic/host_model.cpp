// SPDX-License-Identifier: Apache-2.0
//
// HostModel for the unit tests in Python.
#include "../../../sim/pnic/host_model.h"

#include <cstring>

extern "C" {

HostModel *host_new(uint64_t base, uint64_t bytes, uint64_t latency, uint64_t jitter, int any_order,
                    uint64_t bits_per_s, uint64_t seed) {
    HostOptions options;
    options.base = base;
    options.bytes = bytes;
    options.latency = latency;
    options.jitter = jitter;
    options.any_order = any_order != 0;
    options.bits_per_s = bits_per_s;
    options.seed = seed;
    return new HostModel(options);
}

void host_delete(HostModel *host) { delete host; }

void host_reset(HostModel *host) { host->reset(); }

int host_write_memory(HostModel *host, uint64_t address, const uint8_t *bytes, uint64_t count) {
    uint8_t *place = host->at(address, count);
    if (place != nullptr) std::memcpy(place, bytes, count);
    return place != nullptr;
}

int host_read_memory(HostModel *host, uint64_t address, uint8_t *bytes, uint64_t count) {
    const uint8_t *place = host->at(address, count);
    if (place != nullptr) std::memcpy(bytes, place, count);
    return place != nullptr;
}

void host_read(HostModel *host, uint64_t now, unsigned tag, uint64_t address, unsigned bytes) {
    host->read(now, tag, address, bytes);
}

void host_write(HostModel *host, uint64_t now, int first, uint64_t address, unsigned bytes, const uint32_t *data) {
    host->write(now, first != 0, address, bytes, {data[0], data[1], data[2], data[3]});
}

// The answer's data, and its valid [0], last [1], error [2], tag from [8]; write_ready in [31].
uint32_t host_edge(HostModel *host, uint64_t now, uint32_t *data) {
    const HostModel::Answer answer = host->edge(now);
    std::copy(answer.data.begin(), answer.data.end(), data);
    return uint32_t{answer.valid} | uint32_t{answer.last} << 1 | uint32_t{answer.error} << 2 | answer.tag << 8 |
           uint32_t{host->write_ready()} << 31;
}

void host_counts(HostModel *host, uint64_t *counts) {
    const HostModel::Counts &from = host->counts;
    const uint64_t all[] = {from.reads,       from.read_bytes,     from.refused_reads, from.writes,
                            from.write_bytes, from.refused_writes, from.most_reads};
    std::copy(std::begin(all), std::end(all), counts);
}
}
