// SPDX-License-Identifier: Apache-2.0
//
// A block that rests: its clock has a pin of its own at sim_top and rises with another one, unless that would change
// nothing.
//
// What the block is, and what of it is compared, Of says, which nsoc.machine.rest makes of the generated code: all
// variables that the functions name which run when only this clock rises. When an edge has changed none of them, and
// the next one has not either (the first may have written to a memory what the second has read), each further edge
// would do the same again, until somebody else writes one of them. Only these are looked at while the block rests.
//
// That nothing is forgotten is not taken on trust: now and then a block at rest gets its edge all the same. Should that
// change anything, the block does not rest any more, and failures() says so.
#ifndef REST_H
#define REST_H

#include <cstdint>

template <typename Root, typename Of>
class RestingBlock {
public:
    // Its clock is due: whether it rises. `risen` is to be called behind the evaluation then.
    bool rises(const Root &root) {
        if (rests_) {
            if (kept_.same_outside(root)) {
                if (++since_proof_ < PROOF_EDGES) {
                    ++left_out_;
                    return false;
                }
            } else {
                wake();
            }
        }
        if (rests_ || --wait_ == 0) {
            kept_.take(root);
            looks_ = true;
        }
        return true;
    }

    void risen(const Root &root) {
        if (!looks_) return;
        looks_ = false;
        if (kept_.same(root)) {
            since_proof_ = 0;
            wait_ = 1;
            if (++same_ < 2) return;
            rests_ = may_rest_;
            every_ = LOOK_EDGES;
            return;
        }
        // A change that comes from outside is none of a block that was at rest, but a sleeper would have missed it.
        if (rests_ && kept_.same_outside(root)) {
            ++failures_;
            may_rest_ = false;
        }
        rests_ = false;
        same_ = 0;
        every_ = every_ < LOOK_EDGES_MOST ? 2 * every_ : every_;
        wait_ = every_;
    }

    // Somebody changes the model's state.
    void wake() {
        rests_ = false;
        same_ = 0;
        every_ = wait_ = LOOK_EDGES;
    }
    void never() {
        wake();
        may_rest_ = false;
    }

    uint64_t trigger = 0;  // Verilator's mask for the block's clock

    uint64_t left_out() const { return left_out_; }
    uint64_t failures() const { return failures_; }

private:
    static constexpr unsigned LOOK_EDGES = 2, LOOK_EDGES_MOST = 32, PROOF_EDGES = 4096;

    Of kept_{};
    bool rests_ = false, may_rest_ = true, looks_ = false;
    unsigned wait_ = LOOK_EDGES,
             every_ = LOOK_EDGES;  // edges until the block is looked at, and from one look to the next
    unsigned same_ = 0;  // looks in a row, one an edge, that found no change
    unsigned since_proof_ = 0;
    uint64_t left_out_ = 0, failures_ = 0;
};

#endif
