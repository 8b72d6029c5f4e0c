-- SPDX-License-Identifier: Apache-2.0
-- Wireshark's dissector for the transfer protocol of N-SoC, Ethertype 0x88B5, both formats and the monitor (docs/protocol.md).
-- `nsoc wireshark` installs it. It runs in Lua 5.2 to 5.4.

local nsoc = Proto("nsoc", "N-SoC transfer protocol")

local TYPES = {
  [0x01] = "Published data", [0x02] = "Published summary", [0x03] = "Published ack",
  [0x10] = "Open", [0x11] = "Accept", [0x12] = "Refuse", [0x13] = "Data",
  [0x14] = "Progress", [0x15] = "Finish", [0x16] = "Result", [0x17] = "Cancel",
  [0x20] = "Hello", [0x21] = "Peek", [0x22] = "Poke", [0x23] = "Begin", [0x24] = "Block", [0x25] = "Run",
  [0x26] = "Counters",
  [0x28] = "Hello answer", [0x29] = "Peek answer", [0x2A] = "Poke answer", [0x2B] = "Begin answer",
  [0x2C] = "Block answer", [0x2D] = "Run answer", [0x2E] = "Counters answer",
}
local STATUSES = {
  [0] = "done", [1] = "unknown session", [2] = "malformed", [3] = "bus error", [4] = "the monitor's own",
  [5] = "programs do not lie there", [6] = "the entry is not in the program", [7] = "no program", [8] = "blocks miss",
  [9] = "wrong CRC-32 of the program",
}
local REFUSALS = {
  [1] = "busy", [2] = "too large", [3] = "not found", [4] = "number in use", [5] = "no such station",
  [6] = "nothing to serve", [7] = "cannot be stored",
}
local OUTCOMES = { [0] = "delivered", [1] = "digest differs", [2] = "not stored" }
local CANCELLATIONS = { [1] = "unknown transfer", [2] = "given up", [3] = "stopped", [4] = "contradiction" }
local HEADER_BYTES = 20

local f = {
  type = ProtoField.uint8("nsoc.type", "Type", base.HEX, TYPES),
  flags = ProtoField.uint8("nsoc.flags", "Flags", base.HEX),
  get = ProtoField.bool("nsoc.get", "Get", 8, nil, 0x01),
  answer = ProtoField.bool("nsoc.answer", "Answer at once", 8, nil, 0x01),
  refusal = ProtoField.uint8("nsoc.refusal", "Reason", base.DEC, REFUSALS),
  outcome = ProtoField.uint8("nsoc.outcome", "Outcome", base.DEC, OUTCOMES),
  cancellation = ProtoField.uint8("nsoc.cancellation", "Reason", base.DEC, CANCELLATIONS),
  length = ProtoField.uint16("nsoc.length", "Bytes of the body"),
  transfer = ProtoField.uint32("nsoc.transfer", "Transfer", base.HEX),
  serial = ProtoField.uint32("nsoc.serial", "Serial"),
  number = ProtoField.uint32("nsoc.number", "Number"),
  crc = ProtoField.uint32("nsoc.crc", "CRC-32", base.HEX),
  crc_good = ProtoField.bool("nsoc.crc.good", "CRC-32 is right"),
  station = ProtoField.ether("nsoc.station", "Station behind a relay"),
  credit = ProtoField.uint16("nsoc.credit", "Credit"),
  name = ProtoField.string("nsoc.name", "Name", base.UNICODE),
  total = ProtoField.uint32("nsoc.total", "Bytes of the transfer"),
  boot = ProtoField.uint32("nsoc.boot", "Boot", base.HEX),
  text = ProtoField.string("nsoc.text", "Text", base.UNICODE),
  packet = ProtoField.uint32("nsoc.packet", "Packet"),
  data = ProtoField.bytes("nsoc.data", "Data"),
  next = ProtoField.uint32("nsoc.next", "All packets have arrived below"),
  seen = ProtoField.uint32("nsoc.seen", "Highest Data serial seen"),
  words = ProtoField.uint16("nsoc.words", "Words of the bitmap"),
  bitmap = ProtoField.uint32("nsoc.bitmap", "Bitmap", base.HEX),
  arrived = ProtoField.uint32("nsoc.arrived", "Packets that have arrived"),
  packets = ProtoField.uint32("nsoc.packets", "Packets"),
  digest = ProtoField.uint32("nsoc.digest", "CRC-32 of the transfer", base.HEX),
  verdict = ProtoField.string("nsoc.verdict", "Verdict"),
  count = ProtoField.uint32("nsoc.count", "Packets missing in this frame"),
  missing = ProtoField.uint32("nsoc.missing", "Missing packet"),
  session = ProtoField.uint32("nsoc.session", "Session", base.HEX),
  status = ProtoField.uint8("nsoc.status", "Status", base.DEC, STATUSES),
  confirm = ProtoField.bool("nsoc.confirm", "The answer has come", 8, nil, 0x01),
  version = ProtoField.uint32("nsoc.version", "Version"),
  base = ProtoField.uint32("nsoc.base", "Base of a program", base.HEX),
  room = ProtoField.uint32("nsoc.room", "Bytes for programs"),
  most = ProtoField.uint32("nsoc.most", "Most bytes of a program"),
  block = ProtoField.uint32("nsoc.block", "Bytes of a block"),
  address = ProtoField.uint32("nsoc.address", "Address", base.HEX),
  width = ProtoField.uint16("nsoc.width", "Bytes of an access"),
  accesses = ProtoField.uint16("nsoc.accesses", "Accesses"),
  entry = ProtoField.uint32("nsoc.entry", "Entry", base.HEX),
  offset = ProtoField.uint32("nsoc.offset", "Offset in the program"),
  blocks = ProtoField.uint32("nsoc.blocks", "Blocks that miss"),
  counters = ProtoField.uint32("nsoc.counters", "Counters of the NIC"),
  counter = ProtoField.uint32("nsoc.counter", "Counter"),
}
nsoc.fields = f

local e = {
  crc = ProtoExpert.new("nsoc.crc.wrong", "Wrong CRC-32: receivers drop this message",
    expert.group.CHECKSUM, expert.severity.ERROR),
  malformed = ProtoExpert.new("nsoc.malformed.length", "Wrong length: receivers drop this message",
    expert.group.MALFORMED, expert.severity.ERROR),
  unknown = ProtoExpert.new("nsoc.type.unknown", "Unknown type: receivers drop this message",
    expert.group.PROTOCOL, expert.severity.WARN),
  failed = ProtoExpert.new("nsoc.failed", "The transfer has failed", expert.group.SEQUENCE, expert.severity.WARN),
  refused = ProtoExpert.new("nsoc.refused", "The monitor refuses", expert.group.SEQUENCE, expert.severity.WARN),
}
nsoc.experts = e

-- Lua's versions differ in how they know bit operations: a library, or operators that the older ones cannot read.
local operations = rawget(_G, "bit") or rawget(_G, "bit32") or load([[
  return {
    bxor = function(a, b) return a ~ b end,
    band = function(a, b) return a & b end,
    rshift = function(a, n) return a >> n end,
  }
]])()
local bxor, band, rshift = operations.bxor, operations.band, operations.rshift

-- CRC-32 (IEEE 802.3), reflected. The library's numbers are signed; only equality matters.
local CRC_TABLE = {}
for byte = 0, 255 do
  local crc = byte
  for _ = 1, 8 do
    crc = band(crc, 1) == 1 and bxor(rshift(crc, 1), 0xEDB88320) or rshift(crc, 1)
  end
  CRC_TABLE[byte] = crc
end

local function crc_of(crc, bytes)
  for i = 1, #bytes do
    crc = bxor(rshift(crc, 8), CRC_TABLE[band(bxor(crc, bytes:byte(i)), 0xFF)])
  end
  return crc
end

local function ones(word)
  local count = 0
  for i = 0, 31 do
    count = count + band(rshift(word, i), 1)
  end
  return count
end

-- The types: each adds its fields from the body (and the header's flags and number), and returns what Info says,
-- or nil when the body has not the length that it must have.

local function reason_of(field, reasons, flags, number, body, tree)
  tree:add(field, flags)
  local text = body:len() > 0 and body():string(ENC_UTF_8) or ""
  if body:len() > 0 then tree:add(f.text, body(), text) end
  local reason = reasons[flags:uint()] or ("reason " .. flags:uint())
  return reason .. (text ~= "" and (": " .. text) or "")
end

local BODIES = {
  [0x10] = function(flags, number, body, tree)
    if body:len() < 8 then return nil end
    tree:add(f.get, flags)
    local get = band(flags:uint(), 1) == 1
    if not get then tree:add(f.total, number) end
    tree:add(f.station, body(0, 6))
    tree:add(f.credit, body(6, 2))
    local name = body:len() > 8 and body(8):string(ENC_UTF_8) or ""
    if body:len() > 8 then tree:add(f.name, body(8), name) end
    return (get and "get " or "put ") .. '"' .. name .. '"' .. (get and "" or (", " .. number:uint() .. " bytes"))
  end,
  [0x11] = function(flags, number, body, tree)
    if body:len() ~= 8 then return nil end
    tree:add(f.total, number)
    tree:add(f.boot, body(0, 4))
    tree:add(f.credit, body(4, 2))
    return number:uint() .. " bytes, credit " .. body(4, 2):uint()
  end,
  [0x12] = function(flags, number, body, tree) return reason_of(f.refusal, REFUSALS, flags, number, body, tree) end,
  [0x13] = function(flags, number, body, tree)
    if body:len() == 0 then return nil end
    tree:add(f.answer, flags)
    tree:add(f.packet, number)
    tree:add(f.data, body())
    return "packet " .. number:uint() .. (band(flags:uint(), 1) == 1 and ", answer" or "")
  end,
  [0x14] = function(flags, number, body, tree)
    if body:len() < 12 or body:len() ~= 12 + 4 * body(10, 2):uint() then return nil end
    tree:add(f.next, number)
    tree:add(f.boot, body(0, 4))
    tree:add(f.seen, body(4, 4))
    tree:add(f.credit, body(8, 2))
    tree:add(f.words, body(10, 2))
    local next = number:uint()
    local arrived = next
    if body:len() > 12 then
      arrived = next - next % 32
      local bitmap = tree:add(nsoc, body(12), "Bitmap from packet " .. arrived)
      for at = 12, body:len() - 4, 4 do
        bitmap:add(f.bitmap, body(at, 4))
        arrived = arrived + ones(body(at, 4):uint())
      end
    end
    tree:add(f.arrived, arrived):set_generated()
    local beyond = arrived > next and (" and " .. (arrived - next) .. " beyond") or ""
    return "next " .. next .. beyond .. ", seen " .. body(4, 4):uint() .. ", credit " .. body(8, 2):uint()
  end,
  [0x15] = function(flags, number, body, tree)
    if body:len() ~= 8 then return nil end
    tree:add(f.packets, number)
    tree:add(f.total, body(0, 4))
    tree:add(f.digest, body(4, 4))
    return body(0, 4):uint() .. " bytes in " .. number:uint() .. " packets"
  end,
  [0x16] = function(flags, number, body, tree)
    if body:len() ~= 12 then return nil end
    tree:add(f.outcome, flags)
    tree:add(f.packets, number)
    tree:add(f.boot, body(0, 4))
    tree:add(f.total, body(4, 4))
    tree:add(f.digest, body(8, 4))
    return (OUTCOMES[flags:uint()] or ("outcome " .. flags:uint())) .. ", " .. body(4, 4):uint() .. " bytes"
  end,
  [0x17] = function(flags, number, body, tree)
    return reason_of(f.cancellation, CANCELLATIONS, flags, number, body, tree)
  end,
}

-- The monitor's.

local function hex(range) return string.format("0x%08x", range:uint()) end

local function of_no_bytes(flags, number, body, tree) return body:len() == 0 and "" or nil end

-- The body of an answer may be missing when it is a refusal.
local function blocks_that_miss(body, tree)
  if body:len() == 0 then return "" end
  if body:len() ~= 4 then return nil end
  tree:add(f.blocks, body())
  return ", " .. body():uint() .. " blocks miss"
end

BODIES[0x20] = of_no_bytes
BODIES[0x21] = function(flags, number, body, tree)
  if body:len() ~= 4 then return nil end
  tree:add(f.address, number)
  tree:add(f.width, body(0, 2))
  tree:add(f.accesses, body(2, 2))
  return body(2, 2):uint() .. " of " .. body(0, 2):uint() .. " bytes at " .. hex(number)
end
BODIES[0x22] = function(flags, number, body, tree)
  if body:len() < 4 then return nil end
  tree:add(f.address, number)
  tree:add(f.width, body(0, 2))
  if body:len() > 4 then tree:add(f.data, body(4)) end
  return (body:len() - 4) .. " bytes, " .. body(0, 2):uint() .. " at once, at " .. hex(number)
end
BODIES[0x23] = function(flags, number, body, tree)
  if body:len() ~= 12 then return nil end
  tree:add(f.base, number)
  tree:add(f.total, body(0, 4))
  tree:add(f.digest, body(4, 4))
  tree:add(f.entry, body(8, 4))
  return body(0, 4):uint() .. " bytes at " .. hex(number) .. ", entry " .. hex(body(8, 4))
end
BODIES[0x24] = function(flags, number, body, tree)
  if body:len() == 0 then return nil end
  tree:add(f.offset, number)
  tree:add(f.data, body())
  return body:len() .. " bytes at offset " .. number:uint()
end
BODIES[0x25] = function(flags, number, body, tree)
  if body:len() ~= 0 then return nil end
  tree:add(f.confirm, flags)
  return band(flags:uint(), 1) == 1 and "confirmed" or ""
end
BODIES[0x26] = of_no_bytes
BODIES[0x28] = function(flags, number, body, tree)
  if body:len() == 0 then return "" end
  if body:len() ~= 20 then return nil end
  tree:add(f.version, body(0, 4))
  tree:add(f.base, body(4, 4))
  tree:add(f.room, body(8, 4))
  tree:add(f.most, body(12, 4))
  tree:add(f.block, body(16, 4))
  return ", version " .. body(0, 4):uint() .. ", " .. body(8, 4):uint() .. " bytes from " .. hex(body(4, 4))
end
BODIES[0x29] = function(flags, number, body, tree)
  tree:add(f.address, number)
  if body:len() > 0 then tree:add(f.data, body()) end
  return ", " .. body:len() .. " bytes to " .. hex(number)
end
BODIES[0x2A] = function(flags, number, body, tree)
  if body:len() ~= 0 then return nil end
  tree:add(f.address, number)
  return ", to " .. hex(number)
end
BODIES[0x2B] = of_no_bytes
BODIES[0x2C] = function(flags, number, body, tree)
  tree:add(f.offset, number)
  return blocks_that_miss(body, tree)
end
BODIES[0x2D] = function(flags, number, body, tree)
  tree:add(f.entry, number)
  return blocks_that_miss(body, tree)
end
BODIES[0x2E] = function(flags, number, body, tree)
  if body:len() % 4 ~= 0 then return nil end
  tree:add(f.counters, number)
  for at = 0, body:len() - 4, 4 do tree:add(f.counter, body(at, 4)) end
  return ", " .. body:len() / 4 .. " counters"
end

local function numbered(tvb, pinfo, tree)
  local kind = tvb(0, 1):uint()
  if tvb:len() < HEADER_BYTES then
    tree:add_proto_expert_info(e.malformed)
    return TYPES[kind] .. " (cut off)", tvb:len()
  end
  local flags, number = tvb(1, 1), tvb(12, 4)
  local length = tvb(2, 2):uint()
  tree:add(f.flags, flags)
  tree:add(f.length, tvb(2, 2))
  local monitors = kind >= 0x20
  tree:add(monitors and f.session or f.transfer, tvb(4, 4))
  tree:add(f.serial, tvb(8, 4))
  tree:add(f.number, number)
  local crc_item = tree:add(f.crc, tvb(16, 4))
  local of = monitors and "session" or "transfer"
  local info = string.format("%s #%d of %s 0x%08x", TYPES[kind], tvb(8, 4):uint(), of, tvb(4, 4):uint())
  if HEADER_BYTES + length > tvb:len() then
    tree:add_proto_expert_info(e.malformed)
    return info .. " (cut off)", tvb:len()
  end
  local crc = crc_of(0xFFFFFFFF, tvb:raw(HEADER_BYTES, length))
  crc = bxor(crc_of(crc, tvb:raw(0, 16)), 0xFFFFFFFF)
  local good = bxor(crc, tvb(16, 4):uint()) == 0
  tree:add(f.crc_good, tvb(16, 4), good):set_generated()
  if not good then
    crc_item:add_proto_expert_info(e.crc)
    info = info .. " (wrong CRC-32)"
  end
  local body = length > 0 and tvb(HEADER_BYTES, length):tvb() or ByteArray.new():tvb("empty")
  local what = BODIES[kind](flags, number, body, tree)
  if what == nil then
    tree:add_proto_expert_info(e.malformed)
    return info .. " (wrong length)", HEADER_BYTES + length
  end
  if kind == 0x12 or kind == 0x17 or (kind == 0x16 and flags:uint() ~= 0) then
    tree:add_proto_expert_info(e.failed)
  end
  if kind >= 0x28 then
    tree:add(f.status, flags)
    if flags:uint() ~= 0 then tree:add_proto_expert_info(e.refused) end
    what = (STATUSES[flags:uint()] or ("status " .. flags:uint())) .. what
  end
  if what == "" then return info, HEADER_BYTES + length end
  return info .. ": " .. what, HEADER_BYTES + length
end

local function published(tvb, pinfo, tree)
  local kind = tvb(0, 1):uint()
  if kind == 0x01 and tvb:len() > 5 then
    tree:add(f.packet, tvb(1, 4))
    tree:add(f.data, tvb(5))
    return "Published data: packet " .. tvb(1, 4):uint(), tvb:len()
  elseif kind == 0x02 and tvb:len() >= 9 then
    tree:add(f.packets, tvb(1, 4))
    tree:add(f.total, tvb(5, 4))
    return "Published summary: " .. tvb(5, 4):uint() .. " bytes in " .. tvb(1, 4):uint() .. " packets", 9
  elseif kind == 0x03 and tvb:len() >= 3 then
    local verdict = tvb(1, 2):string()
    tree:add(f.verdict, tvb(1, 2))
    if verdict == "OK" then return "Published ack: OK", 3 end
    if verdict == "MI" and tvb:len() >= 7 and 7 + 4 * tvb(3, 4):uint() <= tvb:len() then
      local count = tvb(3, 4):uint()
      tree:add(f.count, tvb(3, 4))
      for i = 0, count - 1 do tree:add(f.missing, tvb(7 + 4 * i, 4)) end
      return "Published ack: " .. count .. " packets missing", 7 + 4 * count
    end
  end
  tree:add_proto_expert_info(e.malformed)
  return TYPES[kind] .. " (wrong length)", tvb:len()
end

function nsoc.dissector(tvb, pinfo, tree)
  if tvb:len() == 0 then return 0 end
  pinfo.cols.protocol = "N-SoC"
  local subtree = tree:add(nsoc, tvb())
  local kind = tvb(0, 1):uint()
  subtree:add(f.type, tvb(0, 1))
  local info, used
  if BODIES[kind] then
    info, used = numbered(tvb, pinfo, subtree)
  elseif TYPES[kind] then
    info, used = published(tvb, pinfo, subtree)
  else
    subtree:add_proto_expert_info(e.unknown)
    info, used = string.format("Unknown type 0x%02x", kind), tvb:len()
  end
  pinfo.cols.info = info
  subtree:append_text(", " .. info)
  subtree:set_len(used)
  return used
end

DissectorTable.get("ethertype"):add(0x88B5, nsoc)
