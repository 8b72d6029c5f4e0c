// SPDX-License-Identifier: Apache-2.0
#include "counted.h"

#include "register_table.h"
#include "say.h"

#include "in_dram.h"

typedef struct {
    const char *name;
    const char *const *names;
    const volatile uint32_t *values;
    uint32_t count;
} group_t;
static group_t groups[COUNTED_GROUPS];
static uint32_t group_count;

void counted_add(const char *group, const char *const *names, const volatile uint32_t *values, uint32_t count) {
    if (group_count < COUNTED_GROUPS) groups[group_count++] = (group_t){group, names, values, count};
}

bool counted_next(counted_place_t *place, const char **group, const char **name, uint32_t *value) {
    const register_block_t *nic = register_blocks;
    while (place->group == 0 && place->next < nic->count) {
        const register_entry_t *entry = &nic->registers[place->next++];
        if (!(entry->flags & REGISTER_COUNTER) || !register_readable(entry, NSOC_NIC->capability)) continue;
        *group = nic->name, *name = register_name(entry), *value = register_read(nic, entry);
        return true;
    }
    if (place->group == 0) *place = (counted_place_t){1, 0};
    while (place->group <= group_count && place->next == groups[place->group - 1u].count)
        *place = (counted_place_t){place->group + 1u, 0};
    if (place->group > group_count) return false;
    const group_t *found = &groups[place->group - 1u];
    *group = found->name, *name = found->names[place->next], *value = found->values[place->next];
    place->next++;
    return true;
}

void counted_say(void) {
    counted_place_t place = {0, 0};
    const char *group, *name;
    uint32_t value;
    while (counted_next(&place, &group, &name, &value)) {
        if (!value) continue;
        say("  ");
        say_dec(value);
        say(" ");
        say(group);
        say(".");
        say(name);
        say("\n");
    }
}
