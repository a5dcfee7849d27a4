// Access lists bound to a world's types, and which archetypes they match.

#include <stdio.h>
#include <string.h>

#include "weft_view.h"

#define ACCESS_MAX 64u

// As it is written in a list.
static const char* mode_name(weft_access_mode mode) {
    static const char* const names[] = {
        "?",    "READ",    "WRITE",    "READ_OPTIONAL", "WRITE_OPTIONAL",
        "WITH", "WITHOUT", "READ_ANY", "RESOURCE_READ", "RESOURCE_WRITE",
        "EMIT", "CONSUME", "REDUCE",   "REDUCED",       "COMMANDS"};
    return (size_t)mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "?";
}

const char* weft_access_mode_name(weft_access_mode mode) {
    static const char* const names[] = {
        [WEFT_ACCESS_READ] = "reads",
        [WEFT_ACCESS_WRITE] = "writes",
        [WEFT_ACCESS_READ_OPTIONAL] = "reads optional",
        [WEFT_ACCESS_WRITE_OPTIONAL] = "writes optional",
        [WEFT_ACCESS_WITH] = "with",
        [WEFT_ACCESS_WITHOUT] = "without",
        [WEFT_ACCESS_READ_ANY] = "reads any",
        [WEFT_ACCESS_RESOURCE_READ] = "reads resource",
        [WEFT_ACCESS_RESOURCE_WRITE] = "writes resource",
        [WEFT_ACCESS_EMIT] = "emits",
        [WEFT_ACCESS_CONSUME] = "consumes",
        [WEFT_ACCESS_REDUCE] = "reduces",
        [WEFT_ACCESS_REDUCED] = "reads reduced",
        [WEFT_ACCESS_COMMANDS] = "commands",
    };
    return mode > 0 && (size_t)mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "?";
}

static bool role_fits(weft_access_mode mode, weft__role role) {
    switch (mode) {
    case WEFT_ACCESS_READ:
    case WEFT_ACCESS_WRITE:
    case WEFT_ACCESS_READ_OPTIONAL:
    case WEFT_ACCESS_WRITE_OPTIONAL:
    case WEFT_ACCESS_WITH:
    case WEFT_ACCESS_WITHOUT:
    case WEFT_ACCESS_READ_ANY:
        return role == WEFT__ROLE_COMPONENT || role == WEFT__ROLE_SPARSE;
    case WEFT_ACCESS_RESOURCE_READ:
    case WEFT_ACCESS_RESOURCE_WRITE:
        return role == WEFT__ROLE_RESOURCE;
    case WEFT_ACCESS_EMIT:
    case WEFT_ACCESS_CONSUME:
        return role == WEFT__ROLE_CHANNEL;
    case WEFT_ACCESS_REDUCE:
    case WEFT_ACCESS_REDUCED:
        return role == WEFT__ROLE_REDUCTION;
    case WEFT_ACCESS_COMMANDS:
        break;
    }
    return false;
}

// A component may be read on the own row and on any. A buffered one may be written on the own row
// and read on any: the reader sees world(t). Next-tick channels may be read and fed by one system.
static bool may_repeat(const weft_world* world, const weft__term* a, const weft__term* b) {
    WEFT_ASSERT(a->type_id == b->type_id);
    weft_access_mode low = a->mode < b->mode ? a->mode : b->mode;
    weft_access_mode high = a->mode < b->mode ? b->mode : a->mode;
    if (high == WEFT_ACCESS_READ_ANY) {
        bool reads =
            low == WEFT_ACCESS_READ || low == WEFT_ACCESS_READ_OPTIONAL || low == WEFT_ACCESS_WITH;
        return reads ||
               (a->buffered && (low == WEFT_ACCESS_WRITE || low == WEFT_ACCESS_WRITE_OPTIONAL));
    }
    return low == WEFT_ACCESS_EMIT && high == WEFT_ACCESS_CONSUME &&
           world->channels.items[a->index].delivery == WEFT_DELIVERY_NEXT;
}

static bool mode_writes(weft_access_mode mode) {
    return mode == WEFT_ACCESS_WRITE || mode == WEFT_ACCESS_WRITE_OPTIONAL ||
           mode == WEFT_ACCESS_RESOURCE_WRITE || mode == WEFT_ACCESS_REDUCE;
}

static weft_status term_compile(weft_world* world, const weft_access* entry, weft__access* out,
                                char* text, size_t capacity) {
    if (entry->mode == WEFT_ACCESS_COMMANDS) {
        out->commands = true;
        return WEFT_STATUS_OK;
    }
    if (entry->type == NULL) {
        (void)snprintf(text, capacity, "an entry %s has no type", mode_name(entry->mode));
        return WEFT_STATUS_BAD_ACCESS;
    }
    uint32_t id = weft__type_id(world, entry->type);
    if (id == 0) {
        (void)snprintf(text, capacity, "%s(%s): the type is not registered in this world",
                       mode_name(entry->mode), entry->type->name);
        return WEFT_STATUS_UNKNOWN_TYPE;
    }
    const weft__type* type = weft__type_at(world, id);
    if (!role_fits(entry->mode, type->role)) {
        (void)snprintf(text, capacity, "%s(%s): the type is registered in another role",
                       mode_name(entry->mode), entry->type->name);
        return WEFT_STATUS_BAD_ACCESS;
    }
    if (entry->mode == WEFT_ACCESS_CONSUME &&
        world->channels.items[type->index].delivery == WEFT_DELIVERY_LOG) {
        (void)snprintf(text, capacity, "CONSUME(%s): the rows of a table are read by no system",
                       entry->type->name);
        return WEFT_STATUS_BAD_ACCESS;
    }
    weft__term term = {.mode = entry->mode,
                       .type = entry->type,
                       .type_id = id,
                       .index = type->index,
                       .sparse = type->role == WEFT__ROLE_SPARSE,
                       .buffered = type->buffered};
    for (uint32_t i = 0; i < out->terms.count; i++) {
        if (out->terms.items[i].type_id != id || may_repeat(world, &out->terms.items[i], &term))
            continue;
        (void)snprintf(text, capacity,
                       "%s is declared as %s and as %s; each type stands in a "
                       "list once",
                       entry->type->name, mode_name(out->terms.items[i].mode),
                       mode_name(entry->mode));
        return WEFT_STATUS_BAD_ACCESS;
    }
    term.checked = mode_writes(term.mode) && (type->has_float || type->has_bool);
    out->checked |= term.checked;
    out->any_rows |= term.mode == WEFT_ACCESS_READ_ANY;
    out->selects |=
        term.sparse && (term.mode == WEFT_ACCESS_READ || term.mode == WEFT_ACCESS_WRITE ||
                        term.mode == WEFT_ACCESS_WITH || term.mode == WEFT_ACCESS_WITHOUT);
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, out->terms, 1));
    out->terms.items[out->terms.count++] = term;
    return WEFT_STATUS_OK;
}

weft_status weft__access_compile(weft_world* world, const weft_access* list, size_t count,
                                 weft__access* out, char* text, size_t capacity) {
    WEFT_ASSERT(out != NULL && text != NULL && capacity > 0);
    memset(out, 0, sizeof(*out));
    if (count > ACCESS_MAX || (count > 0 && list == NULL)) {
        (void)snprintf(text, capacity, "the access list has %zu entries; at most %u", count,
                       ACCESS_MAX);
        return WEFT_STATUS_BAD_ACCESS;
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i].mode < WEFT_ACCESS_READ || list[i].mode > WEFT_ACCESS_COMMANDS) {
            (void)snprintf(text, capacity, "entry %zu has mode %d, which does not exist", i,
                           (int)list[i].mode);
            return WEFT_STATUS_BAD_ACCESS;
        }
        WEFT_TRY(term_compile(world, &list[i], out, text, capacity));
    }
    WEFT_ASSERT(out->terms.count <= count);
    return WEFT_STATUS_OK;
}

bool weft__access_matches(const weft__access* access, const weft__archetype* archetype) {
    for (uint32_t i = 0; i < access->terms.count; i++) {
        const weft__term* term = &access->terms.items[i];
        if (term->sparse)
            continue; // Filters rows, not archetypes.
        bool required = term->mode == WEFT_ACCESS_READ || term->mode == WEFT_ACCESS_WRITE ||
                        term->mode == WEFT_ACCESS_WITH;
        if (!required && term->mode != WEFT_ACCESS_WITHOUT)
            continue;
        if (weft__archetype_has(archetype, term->type_id) != required)
            return false;
    }
    return true;
}

void weft__access_columns(const weft__access* access, const weft__archetype* archetype,
                          uint32_t* columns) {
    for (uint32_t i = 0; i < access->terms.count; i++) {
        const weft__term* term = &access->terms.items[i];
        bool own = term->mode == WEFT_ACCESS_READ || term->mode == WEFT_ACCESS_WRITE ||
                   term->mode == WEFT_ACCESS_READ_OPTIONAL ||
                   term->mode == WEFT_ACCESS_WRITE_OPTIONAL;
        columns[i] =
            own && !term->sparse ? weft__archetype_column(archetype, term->type_id) : WEFT__NONE;
    }
}
