// SPDX-License-Identifier: Apache-2.0
#include "lwip_socket.h"
