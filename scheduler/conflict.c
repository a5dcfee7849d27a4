// Conflicts between the access lists of two systems (C5).

#include "conflict.h"

static bool is_own(weft_access_mode mode) {
    return mode >= WEFT_ACCESS_READ && mode <= WEFT_ACCESS_WRITE_OPTIONAL;
}

static bool is_own_write(weft_access_mode mode) {
    return mode == WEFT_ACCESS_WRITE || mode == WEFT_ACCESS_WRITE_OPTIONAL;
}

const weft_type* weft__conflict_excludes(const weft__access* a, const weft__access* b) {
    for (uint32_t i = 0; i < a->terms.count; i++) {
        const weft__term* need = &a->terms.items[i];
        bool required = need->mode == WEFT_ACCESS_READ || need->mode == WEFT_ACCESS_WRITE ||
                        need->mode == WEFT_ACCESS_WITH;
        if (!required || need->sparse)
            continue;
        for (uint32_t j = 0; j < b->terms.count; j++)
            if (b->terms.items[j].mode == WEFT_ACCESS_WITHOUT &&
                b->terms.items[j].type_id == need->type_id)
                return need->type;
    }
    return NULL;
}

weft__conflict weft__conflict_of_terms(const weft_world* world, const weft__term* a,
                                       const weft__term* b) {
    weft__conflict none = {NULL, NULL, false};
    const weft_type* type = a->type;
    WEFT_CHECK(a->type_id == b->type_id);
    weft_access_mode x = a->mode < b->mode ? a->mode : b->mode;
    weft_access_mode y = a->mode < b->mode ? b->mode : a->mode;
    if (is_own(x) && is_own(y)) {
        bool both = is_own_write(x) && is_own_write(y);
        if (!is_own_write(x) && !is_own_write(y))
            return none;
        if (a->buffered && !both)
            return none; // The reader sees world(t).
        return (weft__conflict){both ? "write-write on the same row" : "read-write on the same row",
                                type, false};
    }
    if (y == WEFT_ACCESS_READ_ANY && is_own_write(x) && !a->buffered)
        return (weft__conflict){"any-row read of what the other writes", type, true};
    if (x == WEFT_ACCESS_RESOURCE_READ && y == WEFT_ACCESS_RESOURCE_WRITE)
        return (weft__conflict){"read-write of a resource", type, true};
    if (x == WEFT_ACCESS_RESOURCE_WRITE && y == WEFT_ACCESS_RESOURCE_WRITE)
        return (weft__conflict){"write-write of a resource", type, true};
    if (x == WEFT_ACCESS_EMIT && y == WEFT_ACCESS_CONSUME &&
        world->channels.items[a->index].delivery == WEFT_DELIVERY_TICK)
        return (weft__conflict){"messages are consumed after all are sent", type, true};
    if (x == WEFT_ACCESS_REDUCE && y == WEFT_ACCESS_REDUCED)
        return (weft__conflict){"a reduction is read after it is finished", type, true};
    return none;
}

weft__conflict weft__conflict_of(const weft_world* world, const weft__system* a,
                                 const weft__system* b) {
    weft__conflict found = {NULL, NULL, false};
    bool disjoint = false;
    bool disjoint_known = false;
    for (uint32_t i = 0; i < a->access.terms.count; i++) {
        for (uint32_t j = 0; j < b->access.terms.count; j++) {
            const weft__term* x = &a->access.terms.items[i];
            const weft__term* y = &b->access.terms.items[j];
            if (x->type_id != y->type_id)
                continue;
            weft__conflict here = weft__conflict_of_terms(world, x, y);
            if (here.reason == NULL || (found.reason != NULL && !here.barrier))
                continue;
            if (!here.barrier) {
                if (!disjoint_known)
                    disjoint = weft__conflict_excludes(&a->access, &b->access) != NULL ||
                               weft__conflict_excludes(&b->access, &a->access) != NULL;
                disjoint_known = true;
                if (disjoint)
                    continue;
            }
            found = here;
            if (found.barrier)
                return found;
        }
    }
    return found;
}

const char* weft__conflict_none_reason(const weft_world* world, const weft__term* a,
                                       const weft__term* b) {
    WEFT_CHECK(weft__conflict_of_terms(world, a, b).reason == NULL);
    weft_access_mode x = a->mode < b->mode ? a->mode : b->mode;
    weft_access_mode y = a->mode < b->mode ? b->mode : a->mode;
    if (x == WEFT_ACCESS_WITH || y == WEFT_ACCESS_WITH || x == WEFT_ACCESS_WITHOUT ||
        y == WEFT_ACCESS_WITHOUT)
        return "who has it does not change within a tick";
    if (a->buffered && is_own_write(x))
        return "the reader sees the value of the tick before";
    if (x == WEFT_ACCESS_EMIT && y == WEFT_ACCESS_EMIT)
        return "messages are put in order after all are sent";
    if (x == WEFT_ACCESS_EMIT)
        return "what is sent arrives in the next tick";
    if (x == WEFT_ACCESS_REDUCE)
        return "each chunk has a partial of its own";
    return "both only read it";
}
