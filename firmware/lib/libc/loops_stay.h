// SPDX-License-Identifier: Apache-2.0
// Included behind all other headers of a file: a loop that fills, copies or looks for a zero stays a loop. gcc would
// make a call of it: memset would call itself. clang does not do so in a freestanding program.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
