# SPDX-License-Identifier: Apache-2.0
"""The CMSIS-SVD file, for debuggers and other generators."""

import xml.etree.ElementTree as ET

from systemrdl.node import AddressableNode, RegNode

from nsoc.regs_gen import tree
from nsoc.regs_gen.tree import Soc

_SVD_ACCESS = {"ro": "read-only", "rw": "read-write", "wo": "write-only", "w1c": "read-write"}


def _svd_registers(parent: ET.Element, node: AddressableNode) -> None:
    """Registers and clusters right below `node`."""

    def add(to: ET.Element, **texts: str) -> None:
        for tag, text in texts.items():
            ET.SubElement(to, tag).text = text

    for child in tree.parts(node):
        element = ET.SubElement(parent, "register" if isinstance(child, RegNode) else "cluster")
        name = child.inst_name
        if child.array_dimensions and child.array_stride:
            name += "[%s]"
            add(element, dim=str(child.array_dimensions[0]), dimIncrement=f"0x{child.array_stride:X}")
        add(element, name=name, description=tree.desc(child) or f"{child.inst_name}.")
        add(element, addressOffset=f"0x{child.raw_address_offset:X}")
        if not isinstance(child, RegNode):
            _svd_registers(element, child)
            continue
        add(element, access=_SVD_ACCESS[tree.reg_access(child)])
        if not tree.by_build(child):
            add(element, resetValue=f"0x{tree.reg_reset(child):08X}")
        if child.get_property("read_acts"):
            add(element, readAction="modify")
        elif child.get_property("read_keeps"):
            add(element, readAction="modifyExternal")
        fields = ET.SubElement(element, "fields")
        for field in tree.fields(child):
            access = tree.field_access(field)
            item = ET.SubElement(fields, "field")
            add(item, name=field.inst_name, description=tree.desc(field) or f"{field.inst_name}.")
            add(item, bitOffset=str(field.low), bitWidth=str(field.width), access=_SVD_ACCESS[access])
            if access == "w1c":
                add(item, modifiedWriteValues="oneToClear")


def device(soc: Soc) -> str:
    """The devices and their registers, CMSIS-SVD 1.3. (The processor and its CSRs are not described.)"""
    root = ET.Element(
        "device",
        {
            "schemaVersion": "1.3",
            "xmlns:xs": "http://www.w3.org/2001/XMLSchema-instance",
            "xs:noNamespaceSchemaLocation": "CMSIS-SVD.xsd",
        },
    )
    for tag, text in {
        "vendor": "N-SoC",
        "name": "nsoc",
        "version": "1.0",
        "description": f"N-SoC. {tree.NOTE}",
        "addressUnitBits": "8",
        "width": "32",
        "size": "32",
        "access": "read-write",
        "resetValue": "0x00000000",
        "resetMask": "0xFFFFFFFF",
    }.items():
        ET.SubElement(root, tag).text = text
    peripherals = ET.SubElement(root, "peripherals")
    for block in soc.blocks:
        count, stride = tree.array(block)
        size = stride or block.size
        peripheral = ET.SubElement(peripherals, "peripheral")
        if stride:
            ET.SubElement(peripheral, "dim").text = str(count)
            ET.SubElement(peripheral, "dimIncrement").text = f"0x{stride:X}"
        ET.SubElement(peripheral, "name").text = block.inst_name + ("[%s]" if stride else "")
        ET.SubElement(peripheral, "description").text = tree.desc(block)
        ET.SubElement(peripheral, "baseAddress").text = f"0x{tree.base(block):08X}"
        place = ET.SubElement(peripheral, "addressBlock")
        for tag, text in {"offset": "0x0", "size": f"0x{size:X}", "usage": "registers"}.items():
            ET.SubElement(place, tag).text = text
        _svd_registers(ET.SubElement(peripheral, "registers"), block)
    ET.indent(root)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<!-- SPDX-License-Identifier: Apache-2.0 -->\n'
    return head + ET.tostring(root, encoding="unicode") + "\n"
