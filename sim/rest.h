// SPDX-License-Identifier: Apache-2.0
//
// A block that rests: it has a clock of its own (models/fast/clock_pass.sv) that rises with another one, unless that
// would change nothing.
//
// What the block is, and what of it is compared, Of says, which nsoc.machine.rest makes of the generated code: all
// variables that the functions name which run when this clock rises, and only then. When an edge has changed none of
// them, each further edge would do the same again (where the block has a large memory, when the next one has not
// either: it may have read what the first has written), until somebody else writes one of them. Only these are looked
// at while the block rests.
//
// A busy block is hardly looked at: only the few variables among which the last look found a change, until they stand.
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
        if (!may_rest_) return true;
        if (rests_) {
            if (!kept_.same_outside(root)) {
                end();
            } else if (++rested_ % PROOF_EDGES != 0) {
                ++left_out_;
                return false;
            }
        }
        if (rests_ || --wait_ == 0) look(root);
        return true;
    }

    void risen(const Root &root) {
        if (looks_ != NOT) compare(root);
    }

    // Somebody changes the model's state.
    void wake() {
        rests_ = moves_ = false;
        looks_ = NOT;
        same_ = 0;
        every_ = wait_ = 1;
    }
    void never() { may_rest_ = false; }

    uint64_t trigger = 0;  // Verilator's mask for the block's clock

    uint64_t left_out() const { return left_out_; }
    uint64_t failures() const { return failures_; }

private:
    // A rest of fewer edges than PAYS costs more than it saves.
    static constexpr unsigned PAYS = 8, SOME_EDGES = 3, LOOK_EDGES_MOST = 256, PROOF_EDGES = 4096;
    enum Look : uint8_t { NOT, AT_SOME, AT_ALL };

    // Somebody else has written what the block sees.
    void end() {
        rests_ = moves_ = false;
        same_ = 0;
        wait_ = every_ = rested_ >= PAYS ? 1 : longer();
    }

    void look(const Root &root) {
        looks_ = moves_ ? AT_SOME : AT_ALL;
        if (moves_) kept_.take(root, moving_);
        else kept_.take(root);
    }

    void compare(const Root &root) {
        const Look look = looks_;
        looks_ = NOT;
        if (look == AT_SOME) {
            moves_ = !kept_.same(root, moving_);
            wait_ = moves_ ? SOME_EDGES : 1;
            return;
        }
        const unsigned moved = kept_.moved(root);
        if (moved == Of::GROUPS) {
            wait_ = 1;
            if (rests_ || ++same_ < (Of::REMEMBERS ? 2 : 1)) return;
            rests_ = true;
            rested_ = 0;
            return;
        }
        // A change that comes from outside is none of a block that was at rest, but a sleeper would have missed it.
        if (rests_ && kept_.same_outside(root)) {
            ++failures_;
            never();
        }
        rests_ = false;
        same_ = 0;
        moves_ = every_ > 1;
        moving_ = moved;
        wait_ = every_ = longer();
    }

    unsigned longer() const { return every_ < LOOK_EDGES_MOST ? 2 * every_ : every_; }

    bool rests_ = false, may_rest_ = true;
    Look looks_ = NOT;
    unsigned wait_ = 1, every_ = 1;  // edges until the block is looked at, and from one look at all of it to the next
    bool moves_ = false;  // only one group of variables is looked at:
    unsigned moving_ = 0;  // where the last look found a change
    unsigned same_ = 0;  // looks in a row, one an edge, that found no change
    unsigned rested_ = 0;  // edges of this rest
    uint64_t left_out_ = 0, failures_ = 0;
    Of kept_{};
};

#endif
