// SPDX-License-Identifier: Apache-2.0
//
// The architectural state of one core, read between two rising edges of cpu_clk out of the pipeline that holds it.
//
// Where the program is. An instruction is done when it has left MEM (retired or trapped). All instructions before
// `next().pc` are done; the one there and everything younger are not. A register is what the file holds or, for
// the instruction that left MEM last, what is still in WB. Younger instructions have changed no register, and a CSR
// instruction acts while it is alone in the pipeline. So right after an edge at which an instruction left MEM, the
// state is exactly that between two instructions.
//
// Of SPARC V8, an instruction is done when the last of its micro-operations has left MEM. A slot that is annulled is
// part of the branch before it: it is no instruction. State registers are written as an instruction enters MEM: what
// they held before is kept (remember), and shown. l1 and l2 of a trap come a little later (links_under_way).
//
// Where memory is. Stores that are done may still be in the store buffer or on the bus.
#ifndef CPU_VIEW_H
#define CPU_VIEW_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class Vsim_top;
class Vsim_top___024root;

class CpuView {
public:
    // Of the core in slot number `core`; std::out_of_range when there is none.
    CpuView(Vsim_top &top, unsigned core);
    ~CpuView();

    // An instruction is done at the next edge. moving(): what is in MEM leaves it, which may be a part of one.
    bool leaving() const;
    bool moving() const;
    // Where the next instruction would be is an annulled slot, which goes by first.
    bool slot_goes_by() const;
    // The last one that left MEM sent the program elsewhere (trap, mret, fence.i).
    bool diverted() const;
    // No instruction has come further than FETCH.
    bool empty() const;
    // The next instruction, and the one behind it, which need not follow it where there are slots.
    struct Place {
        uint32_t pc, npc;
    };
    Place next() const;
    // To be called before each edge of cpu_clk, of which state registers are looked at behind it.
    void remember();
    // PC and nPC of a trap are on their way to l1 and l2.
    bool links_under_way() const;

    // Registers that the program sees. csr: of rv32 by their numbers, of sparc state registers as v8_pkg numbers them.
    uint32_t x(unsigned number) const;
    std::optional<uint32_t> csr(unsigned number) const;  // nothing: there is none of that number
    // One of the windows' registers, by its place in the file: window * 16, and the number less 16 of a local, the
    // number of an out. Of rv32 there is none.
#ifdef NSOC_IS_SPARC
    static constexpr unsigned REGISTERS = 128;
#else
    static constexpr unsigned REGISTERS = 0;
#endif
    uint32_t filed(unsigned place) const;

    // What the instruction in MEM does to memory; nothing if it does not.
    struct Access {
        uint32_t address, bytes;
        bool reads, writes;
    };
    std::optional<Access> access() const;

#ifdef NSOC_IS_SPARC
    static constexpr unsigned STORE_BYTES = 8;
#else
    static constexpr unsigned STORE_BYTES = 4;
#endif
    // Stores that have left MEM but may not be in memory, and the newest of all: `store_number` tells it from others.
    struct Store {
        uint32_t address;  // of as many bytes as the core stores at once
        uint8_t bytes[STORE_BYTES];
        bool written[STORE_BYTES];  // which of them
    };
    unsigned stores_under_way() const;
    unsigned store_number() const;
    Store newest_store() const;
    // Overlapped loads have left MEM, and their registers are not written yet.
    bool loads_under_way() const;
    // No store, no overlapped load, no fill of a data cache line and no write of a register is under way.
    bool drained() const;

    // HAS_SLOTS: nPC may be anything.
    // It has stopped for good (cpu_slot's `error`): why, at which instruction, and the last ones that have left MEM
    // before, the newest last. Nothing: it goes on. Of a core that stops, watch() is to be called behind each edge of
    // cpu_clk: it remembers them, and says that the core has stopped.
#ifdef NSOC_IS_SPARC
    static constexpr bool STOPS = true, HAS_SLOTS = true;
#else
    static constexpr bool STOPS = false, HAS_SLOTS = false;
#endif
    struct Stopped {
        uint32_t cause, pc;
        std::vector<uint32_t> last;
    };
    bool watch();
    std::optional<Stopped> stopped() const;

    // A WFI waits, and nothing else is in the pipeline behind it. sleep(): it has waited for so many cycles more.
    bool sleeps() const;
    void sleep(uint64_t cycles);
    // That WFI is done with the next edge.
    void wake();

    bool in_reset() const;

    // Makes the next edge empty the pipeline and FETCH go on at `pc`. Not while the instruction in MEM has been there
    // for more than a cycle and has access(). Drops the instruction cache; costs no instruction. go_on() behind that
    // edge says what follows `pc`.
    void divert(uint32_t pc);
    void go_on(Place place);
    // std::invalid_argument, in a sentence, when that cannot be written there.
    void check_csr(unsigned number, uint32_t value) const;
    // Only with an empty pipeline and nothing under way: puts an instruction into EX, which costs none either. What
    // leaves MEM next is a csrw, a load or a store of 1 << log2_bytes bytes; see_access() before that edge is what was
    // loaded, or nothing if the bus has answered with an error; accessed() behind it takes back what that has changed.
    // put_csr: false when there is no instruction, and all is done.
    bool put_csr(unsigned number, uint32_t value);
    void put_load(uint32_t address, unsigned log2_bytes);
    void put_store(uint32_t address, unsigned log2_bytes, uint32_t data);
    std::optional<uint32_t> see_access();
    void accessed();
    // Only with an empty pipeline, as nothing looks at the registers then; the cache only with nothing under way too.
    void set_x(unsigned number, uint32_t value);
    void set_filed(unsigned place, uint32_t value);
    void drop_data_cache();

private:
    struct Signals;
    static Signals signals_of(Vsim_top___024root &root, unsigned core);
    unsigned in_file(unsigned number) const;
    unsigned window() const;
    bool early() const;
    // As debug_port.sv and v8_debug_port.sv have them.
    enum What { DIVERT, LOOK, LOOKED, WAKE, CSR, LOAD, STORE, SEE, ACCESSED, BEHIND };
    void pulse(What what, unsigned number = 0, uint32_t value = 0, uint32_t data = 0) const;

    Vsim_top &top_;
    const unsigned core_;
    const std::unique_ptr<Signals> signals_;
    Signals &at;  // the core's signals
#ifdef NSOC_IS_SPARC
    // State registers of v8_pkg that are shown, and those that instructions write ahead of their end.
    enum { Y = 0, BUS_CONTROL = 16, IRQ_MASK = 20, COUNTER_CONTROL = 24, PSR = 32, WIM = 33, TBR = 34 };
    struct Early {
        uint32_t psr, wim, tbr, y;
    };
    Early now() const;
    Early before_{};  // the last edge
    bool early_ = false;  // EX had then an instruction that writes some
#endif
    static constexpr unsigned LEFT = STOPS ? 8 : 1;
    std::array<uint32_t, LEFT> left_{};  // addresses of instructions, number i at i % LEFT
    uint64_t left_count_ = 0;
};

#endif
