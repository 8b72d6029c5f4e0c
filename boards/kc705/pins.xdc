# SPDX-License-Identifier: Apache-2.0
# KC705. Pins as in litex-boards. Nobody has run this on a board.

set_property -dict {PACKAGE_PIN AD12 IOSTANDARD LVDS} [get_ports clk_in_p]
set_property -dict {PACKAGE_PIN AD11 IOSTANDARD LVDS} [get_ports clk_in_n]
create_clock -name clk_in -period 5.000 [get_ports clk_in_p]

set_property -dict {PACKAGE_PIN AB7 IOSTANDARD LVCMOS15} [get_ports reset]
set_property -dict {PACKAGE_PIN AB8 IOSTANDARD LVCMOS15} [get_ports led]
set_property -dict {PACKAGE_PIN K24 IOSTANDARD LVCMOS25} [get_ports uart_txd]
set_property -dict {PACKAGE_PIN M19 IOSTANDARD LVCMOS25} [get_ports uart_rxd]

# PHY 88E1111, GMII (jumpers J29 and J30 on pins 1-2)
set_property -dict {PACKAGE_PIN L20 IOSTANDARD LVCMOS25} [get_ports phy_reset_n]
set_property -dict {PACKAGE_PIN U27 IOSTANDARD LVCMOS25} [get_ports phy_rx_clk]
set_property -dict {PACKAGE_PIN R28 IOSTANDARD LVCMOS25} [get_ports phy_rx_dv]
set_property -dict {PACKAGE_PIN V26 IOSTANDARD LVCMOS25} [get_ports phy_rx_er]
set_property -dict {PACKAGE_PIN U30 IOSTANDARD LVCMOS25} [get_ports {phy_rxd[0]}]
set_property -dict {PACKAGE_PIN U25 IOSTANDARD LVCMOS25} [get_ports {phy_rxd[1]}]
set_property -dict {PACKAGE_PIN T25 IOSTANDARD LVCMOS25} [get_ports {phy_rxd[2]}]
set_property -dict {PACKAGE_PIN U28 IOSTANDARD LVCMOS25} [get_ports {phy_rxd[3]}]
set_property -dict {PACKAGE_PIN R19 IOSTANDARD LVCMOS25} [get_ports {phy_rxd[4]}]
set_property -dict {PACKAGE_PIN T27 IOSTANDARD LVCMOS25} [get_ports {phy_rxd[5]}]
set_property -dict {PACKAGE_PIN T26 IOSTANDARD LVCMOS25} [get_ports {phy_rxd[6]}]
set_property -dict {PACKAGE_PIN T28 IOSTANDARD LVCMOS25} [get_ports {phy_rxd[7]}]
set_property -dict {PACKAGE_PIN K30 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports phy_gtx_clk]
set_property -dict {PACKAGE_PIN M27 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports phy_tx_en]
set_property -dict {PACKAGE_PIN N29 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports phy_tx_er]
set_property -dict {PACKAGE_PIN N27 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {phy_txd[0]}]
set_property -dict {PACKAGE_PIN N25 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {phy_txd[1]}]
set_property -dict {PACKAGE_PIN M29 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {phy_txd[2]}]
set_property -dict {PACKAGE_PIN L28 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {phy_txd[3]}]
set_property -dict {PACKAGE_PIN J26 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {phy_txd[4]}]
set_property -dict {PACKAGE_PIN K26 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {phy_txd[5]}]
set_property -dict {PACKAGE_PIN L30 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {phy_txd[6]}]
set_property -dict {PACKAGE_PIN J28 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {phy_txd[7]}]
create_clock -name phy_rx_clk -period 8.000 [get_ports phy_rx_clk]

# The PHY's data are valid from 2.5 ns before to 0.5 ns behind its clock's edge.
set_input_delay -clock phy_rx_clk -max 5.5 [get_ports {phy_rxd[*] phy_rx_dv phy_rx_er}]
set_input_delay -clock phy_rx_clk -min 0.5 [get_ports {phy_rxd[*] phy_rx_dv phy_rx_er}]

# The clocks have nothing to do with each other: every crossing is one of rtl/common, bounded below.
set_clock_groups -asynchronous -group [get_clocks phy_rx_clk] \
  -group [get_clocks -of_objects [get_pins u_clocks/u_nic_clk/O]] \
  -group [get_clocks -of_objects [get_pins u_clocks/u_cpu_clk/O]]
set_false_path -from [get_ports {reset uart_rxd}]
set_false_path -to [get_ports {led uart_txd phy_reset_n}]

set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 2.5 [current_design]
