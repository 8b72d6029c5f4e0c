// SPDX-License-Identifier: Apache-2.0
#include "crc32.h"

// The register is linear: the entry of a byte is the exclusive or of those of its bits, `e0` to `e7`.
#define ENTRY(n, e0, e1, e2, e3, e4, e5, e6, e7) \
    (((n) >> 0 & 1u) * (e0) ^ ((n) >> 1 & 1u) * (e1) ^ ((n) >> 2 & 1u) * (e2) ^ ((n) >> 3 & 1u) * (e3) ^ \
     ((n) >> 4 & 1u) * (e4) ^ ((n) >> 5 & 1u) * (e5) ^ ((n) >> 6 & 1u) * (e6) ^ ((n) >> 7 & 1u) * (e7))
#define ENTRIES_4(n, ...) \
    ENTRY((n), __VA_ARGS__), ENTRY((n) + 1u, __VA_ARGS__), ENTRY((n) + 2u, __VA_ARGS__), ENTRY((n) + 3u, __VA_ARGS__)
#define ENTRIES_16(n, ...) \
    ENTRIES_4(n, __VA_ARGS__), ENTRIES_4((n) + 4u, __VA_ARGS__), ENTRIES_4((n) + 8u, __VA_ARGS__), \
        ENTRIES_4((n) + 12u, __VA_ARGS__)
#define ENTRIES_64(n, ...) \
    ENTRIES_16(n, __VA_ARGS__), ENTRIES_16((n) + 16u, __VA_ARGS__), ENTRIES_16((n) + 32u, __VA_ARGS__), \
        ENTRIES_16((n) + 48u, __VA_ARGS__)
#define ENTRIES(...) \
    ENTRIES_64(0u, __VA_ARGS__), ENTRIES_64(64u, __VA_ARGS__), ENTRIES_64(128u, __VA_ARGS__), \
        ENTRIES_64(192u, __VA_ARGS__)

// Where the lower half of a direct-mapped cache of 8 KB is, so that who has a lot of packets to sum can keep clear of
// it.
_Alignas(8192) const uint32_t crc32_table[4][256] = {
    {ENTRIES(0x77073096u, 0xEE0E612Cu, 0x076DC419u, 0x0EDB8832u, 0x1DB71064u, 0x3B6E20C8u,
             0x76DC4190u, 0xEDB88320u)},
    {ENTRIES(0x191B3141u, 0x32366282u, 0x646CC504u, 0xC8D98A08u, 0x4AC21251u, 0x958424A2u,
             0xF0794F05u, 0x3B83984Bu)},
    {ENTRIES(0x01C26A37u, 0x0384D46Eu, 0x0709A8DCu, 0x0E1351B8u, 0x1C26A370u, 0x384D46E0u,
             0x709A8DC0u, 0xE1351B80u)},
    {ENTRIES(0xB8BC6765u, 0xAA09C88Bu, 0x8F629757u, 0xC5B428EFu, 0x5019579Fu, 0xA032AF3Eu,
             0x9B14583Du, 0xED59B63Bu)},
};

uint32_t crc32_add(uint32_t crc, const void *data, uint32_t bytes) {
    const uint8_t *byte = data, *end = byte + bytes;
    uint32_t state = ~crc;
    for (; byte != end && (uintptr_t)byte % 4u; byte++) state = crc32_byte(state, *byte);
    for (; end - byte >= 4; byte += 4) state = crc32_word(state, *(const uint32_t *)(const void *)byte);
    for (; byte != end; byte++) state = crc32_byte(state, *byte);
    return ~state;
}
