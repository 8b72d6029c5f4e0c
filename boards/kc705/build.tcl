# SPDX-License-Identifier: Apache-2.0
# Vivado, without a project: synthesis to bitstream. Nobody has run this yet.
#
#   vivado -mode batch -source boards/kc705/build.tcl -tclargs ROM_HEX OUT_FOLDER [NAME=VALUE ...]
#
# `nsoc pnr PRESET --board kc705` writes ROM_HEX and prints the whole command. NAME=VALUE: parameters of nsoc_kc705.
set here [file normalize [file dirname [info script]]]
set rtl [file normalize "$here/../../rtl"]
set rom [file normalize [lindex $argv 0]]
set out [file normalize [lindex $argv 1]]
file mkdir $out

set packages {}
set modules {}
foreach folder {bus common cpu cpu/core cpu/dca cpu/rv cpu/sparc mac mem net nic periph soc soc/map
                tcp tcp/common tcp/core tcp/events tcp/processor tcp/receive tcp/rings tcp/send toe toe/regs vendor/xc7} {
  foreach file [glob -nocomplain $rtl/$folder/*.sv] {
    if {[string match *_pkg.sv $file]} { lappend packages $file } else { lappend modules $file }
  }
}
# Tops of other boards, and what only they use.
set modules [lsearch -all -inline -not -regexp $modules {/(nsoc_ecp5|rgmii)\.sv$}]
read_verilog -sv [concat $packages $modules]
read_xdc $here/pins.xdc

set generics [list "BOOT_ROM_INIT=\"$rom\""]
foreach pair [lrange $argv 2 end] { lappend generics $pair }
synth_design -top nsoc_kc705 -part xc7k325tffg900-2 -generic $generics
opt_design
place_design
phys_opt_design
route_design
report_utilization -hierarchical -file $out/utilization.rpt
report_timing_summary -file $out/timing.rpt
report_cdc -details -file $out/cdc.rpt
write_bitstream -force $out/nsoc.bit
