// SPDX-License-Identifier: Apache-2.0
// FreeRTOS includes it, and wants nothing of it.
