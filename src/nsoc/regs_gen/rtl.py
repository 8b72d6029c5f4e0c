# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog packages: the memory map, each device's registers, CSR numbers, what becomes of frames."""

from systemrdl.node import AddrmapNode, RegfileNode, RegNode

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import Fate, Layout, Soc


def _package(name: str, what: list[str], body: list[str]) -> str:
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            "//",
            *(f"// {line}" for line in what),
            f"// {tree.NOTE}",
            f"package {name};",
            "",
            "  // Not every block uses every constant.",
            "  /* verilator lint_off UNUSEDPARAM */",
            "",
            *body,
            "  /* verilator lint_on UNUSEDPARAM */",
            "",
            "endpackage",
            "",
        ]
    )


# ---- The memory map --------------------------------------------------------------------------------------------------


def _address(value: int) -> str:
    digits = f"{value:09X}"
    return f"36'h{digits[0]}_{digits[1:5]}_{digits[5:]}"


def memory_map(soc: Soc) -> str:
    body = [
        "  // What a router compares (bus_router's BASE and MASK), and how many bytes there are: of a memory its size,",
        "  // of a device what it claims.",
    ]
    for region in soc.regions:
        name = region.name.upper()
        body += [
            "",
            f"  // {region.desc}",
            f"  localparam logic [35:0] {name}_BASE = {_address(region.base)};",
            f"  localparam logic [35:0] {name}_MASK = {_address(region.mask)};",
            f"  localparam longint unsigned {name}_BYTES = 64'h{region.size:X};",
        ]
    body += ["", "  // Lines at the interrupt controller."]
    body += [f"  localparam int unsigned IRQ_{line.name.upper()} = {line.value};" for line in soc.irq_lines]
    body += [f"  localparam int unsigned IRQ_LINES = {1 + max(line.value for line in soc.irq_lines)};", ""]
    return _package(
        "memory_map_pkg", ["Where the processor and the NIC find everything, on the buses' 36-bit addresses."], body
    )


def _aligned(first: int, behind: int) -> list[tuple[int, int]]:
    """A range of 32-bit addresses as (value, bits) of aligned blocks: the addresses whose upper `bits` are `value`."""
    blocks = []
    while first < behind:
        size = min(first & -first or 1 << 32, 1 << (behind - first).bit_length() - 1)
        bits = 32 - size.bit_length() + 1
        blocks.append((first >> 32 - bits, bits))
        first += size
    return blocks


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, behind in sorted(ranges):
        if joined and joined[-1][1] == first:
            joined[-1] = (joined[-1][0], behind)
        else:
            joined.append((first, behind))
    return joined


def _constant(value: int, bits: int) -> str:
    return f"{bits}'h{value:0{bits // 4}X}" if bits % 4 == 0 else f"{bits}'b{value:0{bits}b}"


def cpu_regions(soc: Soc) -> str:
    afb = (soc.afb.base, soc.afb.base + soc.afb.claims)
    views = [
        ("cached", soc.attribute("cached"), "Data that the data cache may hold."),
        (
            "executable",
            soc.attribute("executable"),
            "Memory that instructions may come from. Elsewhere a fetch faults without a bus access, so that no wrong "
            "path can ever read (pop) a device register.",
        ),
        ("device", [afb], "Device registers: value-preserving lanes, side effects, an atomic swap is a single write."),
        ("postable", [*soc.attribute("postable"), afb], "Where a store need not wait for its response."),
    ]
    body: list[str] = []
    for name, ranges, text in views:
        blocks = [block for one in _joined(ranges) for block in _aligned(*one)]
        lowest = 32 - max(bits for _, bits in blocks)
        shown = ", ".join(f"0x{first:08X}-0x{behind - 1:08X}" for first, behind in _joined(ranges))
        body += tree.wrap(f"{text} {shown}.", "  //", "  //")
        tests = [f"address[31:{32 - bits}] == {_constant(value, bits)}" for value, bits in blocks]
        body += [
            f"  function automatic logic is_{name}(input logic [31:{lowest}] address);",
            f"    return {' || '.join(tests)};",
            "  endfunction",
            "",
        ]
    return _package(
        "cpu_regions_pkg", ["How a processor treats an address: what it may do with a region of the memory map."], body
    )


# ---- Registers -------------------------------------------------------------------------------------------------------


def _struct(name: str, reg: RegNode) -> list[str]:
    width = reg.get_property("regwidth")
    lines, bit, reserved = ["  typedef struct packed {"], width, 0
    for field in [*reversed(tree.fields(reg)), None]:
        high = field.high if field else -1
        if bit - 1 > high:
            lines.append(f"    logic [{bit - 2 - high}:0] reserved{reserved};")
            reserved += 1
        if field:
            kind, bits = (
                ("logic", f"{field.low}")
                if field.width == 1
                else (f"logic [{field.width - 1}:0]", f"{field.high}:{field.low}")
            )
            lines.append(f"    {kind} {field.inst_name};  // [{bits}]")
            bit = field.low
    return [*lines, f"  }} {name}_t;", ""]


def _registers(soc: Soc, block: AddrmapNode) -> list[str]:
    """IDs, reset values, writable bits, and structs of the registers that have several fields."""
    count, stride = tree.array(block)
    width = ((stride or soc.claims(block)) // 4 - 1).bit_length()
    out = ["  // Register IDs, and how many bits of the address say them: [2 +: ID_W]."]
    if block.get_property("name") == "NIC":
        out = ["  // Register IDs; of an array the first element's, with the number of elements and their distance."]
    else:
        out.append(f"  localparam int unsigned ID_W = {width};")
    for child in tree.parts(block):
        regs = [child] if isinstance(child, RegNode) else tree.parts(child)
        prefix = "" if isinstance(child, RegNode) else f"{child.inst_name}_".upper()
        base = child.raw_address_offset if isinstance(child, RegfileNode) else 0
        for reg in regs:
            reg_id = (base + reg.raw_address_offset) // 4
            out.append(f"  localparam logic [{width - 1}:0] ID_{prefix}{reg.inst_name.upper()} = {width}'d{reg_id};")
        if child.array_dimensions and child.array_stride:
            out.append(f"  localparam int unsigned {prefix}COUNT = {child.array_dimensions[0]};")
            out.append(f"  localparam int unsigned {prefix}STRIDE = {child.array_stride // 4};")
    if stride:
        harts = (soc.claims(block) // stride - 1).bit_length()
        out += [
            "",
            "  // They are there once for each hart, HARTS at most: the bits of the address above the ID say whose,",
            "  // [2 + ID_W +: HART_W].",
            f"  localparam int unsigned HARTS = {count};",
            f"  localparam int unsigned HART_W = {harts};",
        ]
    out += ["", "  // Reset values, and the bits that a write changes."]
    for name, reg in tree.named_fields(block):
        fixed = isinstance(reg.parent, AddrmapNode) and not tree.by_build(reg)
        if fixed and (tree.writable(reg) or block.inst_name != "nic"):
            out.append(f"  localparam logic [31:0] {name.upper()}_RESET = 32'h{tree.reg_reset(reg):08x};")
            if tree.writable(reg):
                out.append(f"  localparam logic [31:0] {name.upper()}_WRITABLE = 32'h{tree.writable(reg):08x};")
    return out


def _structs(block: AddrmapNode, but: tuple[str, ...] = ()) -> list[str]:
    out: list[str] = []
    for name, reg in tree.named_fields(block):
        if len(reg.fields()) > 1 and name not in but:
            out += _struct(name, reg)
    return ["  // Registers of several fields.", *out] if out else []


def slave_regs(soc: Soc, name: str) -> str:
    """The package of a device's registers."""
    block = soc.block(name)
    what = f"The registers of {name}: IDs, which are byte offsets / 4, reset values, layouts."
    body = [*_registers(soc, block), "", *_structs(block), *_layouts(soc, name)]
    return _package(f"{name}_regs_pkg", [what], body)


_ANSWERS = ("queue_pointer", "lock")


def nic_regs(soc: Soc) -> str:
    """The package of the NIC's registers; and its counters, buffers and queues."""
    nic = soc.block("nic")
    out = _registers(soc, nic)
    out += ["", "  // Answers of the queue registers and of the lock."]
    for name, reg in tree.named_fields(nic):
        if name in _ANSWERS:
            for field in tree.fields(reg):
                if field.width == 1:
                    answer = f"{name.removesuffix('_pointer')}_{field.inst_name}".upper()
                    out.append(f"  localparam logic [31:0] {answer} = 32'h{1 << field.low:08x};")
    out += ["", *_structs(nic, _ANSWERS), *_counters(soc)]
    out += _layouts(soc, "nic")
    what = [
        "The NIC's registers (IDs, which are byte offsets / 4, reset values, layouts), and what it shares with the",
        "processor in memory: packet buffers and queues.",
    ]
    return _package("nic_regs_pkg", what, out)


def _layouts(soc: Soc, owner: str) -> list[str]:
    """What a device shares with the processor in memory."""
    return [line for layout in soc.layouts if layout.owner == owner for line in _layout(layout)]


def _layout(layout: Layout) -> list[str]:
    prefix, what = layout.name.upper(), layout.node.get_property("name")
    out = [f"  // {what}: byte offsets, and dwords of several fields as the bus carries them."]
    out.append(f"  localparam int unsigned {prefix}_{layout.rest.upper()}_OFFSET = {layout.rest_offset};")
    for reg in layout.registers:
        out.append(f"  localparam int unsigned {prefix}_{reg.inst_name.upper()}_OFFSET = {reg.raw_address_offset};")
    out += [f"  localparam logic [7:0] {name} = 8'h{number.value:02x};" for name, number in layout.bits]
    out.append("")
    for reg in layout.registers:
        if len(reg.fields()) > 1:
            out += _struct(f"{layout.name}_{reg.inst_name}", reg)
    return out


def _counters(soc: Soc) -> list[str]:
    """The NIC's counters, and what counts them."""
    counters = soc.counters
    out = ["  // One event for each counter, bit i for the i-th one in the order of the IDs."]
    out += [f"  localparam int unsigned COUNTERS = {len(counters)};", "", "  typedef struct packed {"]
    out += [f"    logic {reg.inst_name};" for reg, _ in reversed(counters)]
    out += ["  } counter_events_t;", ""]
    out += [
        "  // What counts: MAC and engines say what became of frames.",
        "  function automatic counter_events_t counter_events(",
        "    input mac_fates_pkg::mac_stat_t     mac,",
        "    input nic_fates_pkg::nic_rx_fates_t rx,",
        "    input nic_fates_pkg::nic_tx_fates_t tx",
        "  );",
    ]
    sources = {"mac": "mac", "nic_rx": "rx", "nic_tx": "tx"}
    for reg, fate in counters:
        source = sources["mac" if fate.block == "mac" else fate.group]
        out.append(f"    counter_events.{reg.inst_name} = {source}.{fate.name};")
    losses = "".join(str(int(fate.loss)) for _, fate in reversed(counters))
    out += [
        "  endfunction",
        "",
        "  // Those that mean that something was lost or refused (irq_status.error).",
        f"  localparam counter_events_t COUNTER_LOSSES = {len(counters)}'b{losses};",
        "",
    ]
    return out


# ---- CSRs ------------------------------------------------------------------------------------------------------------


def csrs(soc: Soc) -> str:
    body = []
    for csr in soc.csrs:
        line = f"  localparam logic [11:0] CSR_{csr.name.upper()} = 12'h{csr.value:03X};"
        body += [f"  // {csr.desc}", line] if len(f"{line}  // {csr.desc}") > 120 else [f"{line}  // {csr.desc}"]
    return _package("rv_csr_pkg", ["Numbers of the RISC-V core's control and status registers."], [*body, ""])


# ---- What becomes of frames ------------------------------------------------------------------------------------------


def _pulses(name: str, fates: list[Fate]) -> list[str]:
    """A struct of one bit for each fate, the first in bit 0."""
    out = ["  typedef struct packed {"]
    for fate in reversed(fates):
        out += tree.wrap(fate.desc, "    //", "    //")
        out.append(f"    logic {fate.name};")
    return [*out, f"  }} {name};", ""]


def mac_fates(soc: Soc) -> str:
    groups = soc.fate_groups()
    rx, line, admit = groups["mac_rx"], groups["mac_tx_line"], groups["mac_tx_admit"]
    body = [
        "  // What becomes of a carrier event on the line. By precedence: one that fits several counts as the first.",
        f"  localparam int unsigned RX_FATES = {len(rx)};",
        "",
        f"  typedef enum logic [{(len(rx) - 1).bit_length() - 1}:0] {{",
    ]
    for fate in rx:
        body += tree.wrap(fate.desc, "    //", "    //")
        body.append(f"    {fate.name.upper()}{'' if fate is rx[-1] else ','}")
    body += ["  } rx_disposition_t;", "", "  // Ends on the line, and on the way into the transmit FIFO."]
    body += _pulses("tx_line_fates_t", line) + _pulses("tx_admit_fates_t", admit)
    body += [
        "  // Pulses, one for each end. From the lowest bit: rx_disposition_t, tx_line_fates_t, tx_admit_fates_t.",
        "  typedef struct packed {",
        *(f"    logic {fate.name};" for fate in reversed([*rx, *line, *admit])),
        "  } mac_stat_t;",
        "",
        "  function automatic mac_stat_t mac_stat_pulses(",
        "    input logic rx_valid, input rx_disposition_t rx, input tx_line_fates_t line, input tx_admit_fates_t admit",
        "  );",
        "    return {admit, line, rx_valid ? RX_FATES'(1) << rx : '0};",
        "  endfunction",
        "",
    ]
    return _package("mac_fates_pkg", ["What becomes of frames in the MAC: the ends that are counted."], body)


def nic_fates(soc: Soc) -> str:
    groups = soc.fate_groups()
    body = ["  // Receive engine, pulses.", *_pulses("nic_rx_fates_t", groups["nic_rx"])]
    body += ["  // Transmit engine, pulses.", *_pulses("nic_tx_fates_t", groups["nic_tx"])]
    return _package("nic_fates_pkg", ["What becomes of frames in the NIC: the ends that are counted."], body)
