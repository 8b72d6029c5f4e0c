// SPDX-License-Identifier: Apache-2.0
//
// The architectural state of one core, read between two rising edges of cpu_clk out of the pipeline that holds it.
//
// Where the program is. An instruction is done when it has left MEM (retired or trapped). All instructions before
// `next_pc` are done; the one at `next_pc` and everything younger are not. A register is what the file holds or, for
// the instruction that left MEM last, what is still in WB. Younger instructions have changed no register, and a CSR
// instruction acts while it is alone in the pipeline. So right after an edge at which an instruction left MEM, the
// state is exactly that between two instructions.
//
// Where memory is. Stores that are done may still be in the store buffer or on the bus.
#ifndef CPU_VIEW_H
#define CPU_VIEW_H

#include <array>
#include <cstdint>
#include <functional>
#include <map>
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

    // The instruction in MEM leaves it at the next edge.
    bool leaving() const;
    // The last one that left MEM sent the program elsewhere (trap, mret, fence.i).
    bool diverted() const;
    // No instruction has come further than FETCH.
    bool empty() const;
    uint32_t next_pc() const;

    // Registers that the program sees. csr: of rv32 by their numbers, of sparc those below.
    enum { PSR, WIM, TBR, Y };
    uint32_t x(unsigned number) const;
    std::optional<uint32_t> csr(unsigned number) const;  // nothing: there is none of that number

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

    // It has stopped for good (cpu_slot's `error`): why, at which instruction, and the last ones that have left MEM
    // before, the newest last. Nothing: it goes on. Of a core that stops, watch() is to be called behind each edge of
    // cpu_clk: it remembers them, and says that the core has stopped.
#ifdef NSOC_IS_SPARC
    static constexpr bool STOPS = true;
#else
    static constexpr bool STOPS = false;
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
    // for more than a cycle and has access(). Drops the instruction cache; costs no instruction.
    void divert(uint32_t pc);
    // Only with an empty pipeline and nothing under way: puts an instruction into EX, which costs none either. What
    // leaves MEM next is a csrw, a load or a store of 1 << log2_bytes bytes; see_access() before that edge is what was
    // loaded, or nothing if the bus has answered with an error; accessed() behind it takes back what that has changed.
    void put_csr(unsigned number, uint32_t value);
    void put_load(uint32_t address, unsigned log2_bytes);
    void put_store(uint32_t address, unsigned log2_bytes, uint32_t data);
    std::optional<uint32_t> see_access();
    void accessed();
    // Only with an empty pipeline, as nothing looks at the registers then; the cache only with nothing under way too.
    void set_x(unsigned number, uint32_t value);
    void drop_data_cache();

private:
    struct Signals;
    static Signals signals_of(Vsim_top___024root &root, unsigned core);
    unsigned in_file(unsigned number) const;
    // As debug_port.sv has them.
    enum What { DIVERT, LOOK, LOOKED, WAKE, CSR, LOAD, STORE, SEE, ACCESSED };
    void pulse(What what, unsigned number = 0, uint32_t value = 0, uint32_t data = 0) const;

    Vsim_top &top_;
    const unsigned core_;
    const std::unique_ptr<Signals> signals_;
    Signals &at;  // the core's signals
    std::map<unsigned, std::function<uint32_t()>> csrs_;
    static constexpr unsigned LEFT = STOPS ? 8 : 1;
    std::array<uint32_t, LEFT> left_{};  // addresses of instructions, number i at i % LEFT
    uint64_t left_count_ = 0;
};

#endif
