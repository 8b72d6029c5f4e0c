# SPDX-License-Identifier: Apache-2.0
"""The transfer protocol, free of any transport: messages, and state machines that never wait.

`message` has the numbered messages, `sender` and `receiver` their two ends. `published` is the format of the thesis,
`scheme` its four ways of pacing. `layer` and `nsoc.lua` show both formats in Scapy and Wireshark. docs/protocol.md says
what is on the wire and why.
"""
