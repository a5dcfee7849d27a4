// Commands folded to what becomes of each entity (C6): it dies, or it gets one final set. Only
// final sets will be stored. So far nothing of the world has changed.
//
// Shards fold in parallel, and so do creates, as far as all sets on the way are in the memo of sets
// and the final one has its archetype. What needs a new one is left for a short serial pass, in the
// order in which archetype ids are given: survivors by slot, then newborns by key.

#include <string.h>

#include "weft_bits.h"
#include "weft_world.h"

// Marks a set that this commit will store; never survives the commit.
#define SET_WANTED (WEFT__NONE - 1)
#define CREATES_PER_ITEM 512u
#define STEP_BITS 6u
#define BUNDLE_BITS 5u
#define TARGETS 16u

// A step from set to set that was taken before: a memo.
typedef struct fold_step {
    uint64_t key;
    uint32_t set;
} fold_step;

// The set that a create with these types in this order makes: a memo. No types: the empty set.
typedef struct fold_bundle_set {
    uint64_t ids[WEFT__BUNDLE_IDS / 4]; // 16 bits each.
    uint32_t set;
    bool sparse; // Some of them is sparse.
} fold_bundle_set;

// One lane's scratch.
typedef struct weft__fold {
    uint32_t first[WEFT_SHARD_SLOTS]; // Chains of the shard at hand; WEFT__NONE between.
    uint32_t last[WEFT_SHARD_SLOTS];
    uint64_t working[WEFT__LIVE_WORDS];
    uint64_t dying[WEFT__LIVE_WORDS];
    uint64_t shuffled[WEFT__LIVE_WORDS]; // Whose chains are not in key order yet.
    fold_step steps[1u << STEP_BITS];
    fold_bundle_set bundles[1u << BUNDLE_BITS];
    weft__chunk* targets[TARGETS]; // By set: the shard's chunk that rows of it went to last.
} weft__fold;

weft_status weft__fold_reserve(weft_world* world, weft__lane* lane) {
    if (lane->fold != NULL)
        return WEFT_STATUS_OK;
    lane->fold = weft__arena_alloc_zero(&world->arena, sizeof(weft__fold));
    if (lane->fold == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < WEFT_SHARD_SLOTS; i++)
        lane->fold->first[i] = WEFT__NONE;
    return WEFT_STATUS_OK;
}

static weft_status want_set(weft_world* world, uint32_t set) {
    WEFT_ASSERT(set < world->sets.count);
    if (world->sets.items[set].archetype != WEFT__NONE)
        return WEFT_STATUS_OK;
    WEFT_TRY(WEFT__VEC_PUSH(&world->arena, world->wanted_sets, set));
    world->sets.items[set].archetype = SET_WANTED;
    return WEFT_STATUS_OK;
}

static bool is_stored(const weft_world* world, uint32_t set) {
    WEFT_CHECK(set < world->sets.count);
    return world->sets.items[set].archetype < world->archetypes.count;
}

// One step, from what is known if there is a `fold`; else it is made. WEFT__NONE: it is not known,
// or memory is out.
static uint32_t take_step(weft_world* world, weft__fold* fold, uint32_t set, uint32_t type,
                          bool add) {
    WEFT_CHECK(set < world->sets.count && type > 0);
    if (fold == NULL)
        return weft__set_step(world, set, type, add);
    uint64_t key = ((uint64_t)set << 17 | (uint64_t)type << 1 | add) + 1;
    fold_step* memo = &fold->steps[key * 0x9E3779B97F4A7C15u >> (64 - STEP_BITS)];
    if (memo->key == key)
        return memo->set;
    uint32_t found = weft__set_known_step(world, set, type, add);
    if (found != WEFT__NONE)
        *memo = (fold_step){key, found};
    return found;
}

// What a chain does to a set. False where a step is not known.
static bool fold_chain(weft_world* world, weft__fold* fold, uint32_t chain, uint32_t* set,
                       bool* sparse, uint64_t* dropped) {
    const weft__reference* references = world->references.items;
    for (uint32_t at = chain; at != WEFT__NONE; at = references[at].then) {
        uint32_t type = references[at].type;
        WEFT_CHECK(references[at].op == WEFT__OP_ADD || references[at].op == WEFT__OP_REMOVE ||
                   references[at].op == WEFT__OP_SET);
        if (weft__type_at(world, type)->role == WEFT__ROLE_SPARSE) {
            *sparse = true;
            continue;
        }
        if (references[at].op == WEFT__OP_SET) {
            *dropped += !weft__set_has(world, *set, type);
            continue;
        }
        *set = take_step(world, fold, *set, type, references[at].op == WEFT__OP_ADD);
        if (*set == WEFT__NONE)
            return false;
    }
    return true;
}

static uint32_t chain_length(const weft_world* world, uint32_t chain) {
    uint32_t length = 0;
    for (; chain != WEFT__NONE; chain = world->references.items[chain].then)
        length++;
    return length;
}

// Two chains in key order become one.
static uint32_t join_chains(weft__reference* references, uint32_t a, uint32_t b) {
    WEFT_ASSERT(a != WEFT__NONE && a != b);
    uint32_t first = WEFT__NONE;
    uint32_t* tail = &first;
    while (a != WEFT__NONE && b != WEFT__NONE) {
        uint32_t* next = references[b].segment < references[a].segment ? &b : &a;
        *tail = *next;
        tail = &references[*next].then;
        *next = *tail;
    }
    *tail = a != WEFT__NONE ? a : b;
    return first;
}

// Puts a chain into key order. Commands of one segment are in order and come from one block, so
// whole runs are taken, and joined with others of about their number.
static uint32_t sort_chain(weft__reference* references, uint32_t chain) {
    uint32_t sorted[32]; // Of 2^i runs each, or none.
    memset(sorted, 0xFF, sizeof(sorted));
    WEFT_ASSERT(chain != WEFT__NONE);
    while (chain != WEFT__NONE) {
        uint32_t run = chain;
        uint32_t end = chain;
        while (references[end].then != WEFT__NONE &&
               references[references[end].then].segment >= references[end].segment)
            end = references[end].then;
        chain = references[end].then;
        references[end].then = WEFT__NONE;
        uint32_t i = 0;
        for (; sorted[i] != WEFT__NONE; i++) {
            WEFT_ASSERT(i + 1 < 32); // There are less than 2^32 commands.
            run = join_chains(references, sorted[i], run);
            sorted[i] = WEFT__NONE;
        }
        sorted[i] = run;
    }
    uint32_t all = WEFT__NONE;
    for (uint32_t i = 0; i < 32; i++)
        if (sorted[i] != WEFT__NONE)
            all = join_chains(references, sorted[i], all);
    return all;
}

// Sorts a shard's commands by entity into the scratch chains, and finds out who dies.
static WEFT__INLINE void chain_shard(weft_world* world, weft__lane* lane,
                                     const weft__shard* shard) {
    weft__fold* fold = lane->fold;
    weft__reference* references = world->references.items;
    WEFT_ASSERT(shard->edit_begin <= shard->reference_end &&
                shard->reference_end <= world->references.count);
    for (uint32_t at = shard->edit_begin; at < shard->reference_end; at++) {
        if (at + 16 < shard->reference_end) // Slots are looked up anywhere: fetch early.
            __builtin_prefetch(&shard->slots[references[at + 16].entity.slot % WEFT_SHARD_SLOTS]);
        uint32_t local = references[at].entity.slot % WEFT_SHARD_SLOTS;
        weft__slot slot = shard->slots[local];
        if (slot.chunk == 0 || slot.generation != references[at].entity.generation) {
            lane->dropped++;
            continue;
        }
        uint64_t bit = (uint64_t)1 << (local % 64);
        if (references[at].op == WEFT__OP_DESTROY) {
            fold->dying[local / 64] |= bit;
            continue;
        }
        fold->working[local / 64] |= bit;
        if (fold->first[local] == WEFT__NONE) {
            fold->first[local] = at;
        } else {
            weft__reference* last = &references[fold->last[local]];
            last->then = at;
            fold->shuffled[local / 64] |= references[at].segment < last->segment ? bit : 0;
        }
        fold->last[local] = at;
    }
}

// Deaths come first in the shard's run of edits.
static WEFT__INLINE void fold_deaths(weft_world* world, weft__lane* lane, weft__shard* shard) {
    weft__fold* fold = lane->fold;
    weft__edit* edit = world->edits.items + shard->edit_begin;
    shard->freed = 0;
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++) {
        for (uint64_t bits = fold->dying[word]; bits != 0; bits &= bits - 1) {
            uint32_t local = word * 64 + weft__ctz64(bits);
            uint32_t generation = shard->slots[local].generation;
            lane->dropped += chain_length(world, fold->first[local]);
            fold->first[local] = WEFT__NONE;
            shard->freed += generation != UINT32_MAX;
            *edit++ = (weft__edit){.slot = (uint16_t)local,
                                   .kind = WEFT__EDIT_DEATH,
                                   .chain = WEFT__NONE,
                                   .generation = generation};
        }
        fold->working[word] &= ~fold->dying[word];
        fold->shuffled[word] &= ~fold->dying[word];
        fold->dying[word] = 0;
    }
    shard->edit_deaths = (uint32_t)(edit - world->edits.items);
    WEFT_ASSERT(shard->edit_deaths <= shard->reference_end);
    WEFT_ASSERT(shard->freed <= shard->edit_deaths - shard->edit_begin);
}

// The chunk that rows of a set go to, if it is there.
static weft__chunk* known_target(const weft_world* world, weft__fold* fold,
                                 const weft__shard* shard, uint32_t set) {
    weft__chunk** memo = &fold->targets[set % TARGETS];
    uint32_t archetype = world->sets.items[set].archetype;
    if (*memo != NULL && (*memo)->archetype == archetype)
        return *memo;
    uint32_t at = weft__shard_lower(shard, archetype);
    if (at == shard->archetypes.count || shard->archetypes.items[at] != archetype)
        return NULL;
    return *memo = shard->chunks.items[at];
}

static WEFT__INLINE void fold_survivor(weft_world* world, weft__lane* lane, weft__shard* shard,
                                       weft__edit* edit) {
    uint32_t before = world->archetypes.items[edit->from->archetype].set;
    uint64_t dropped = 0;
    edit->set = before;
    WEFT_CHECK(edit->kind == WEFT__EDIT_UPDATE && edit->chain != WEFT__NONE);
    bool known = fold_chain(world, lane->fold, edit->chain, &edit->set, &shard->sparse, &dropped) &&
                 is_stored(world, edit->set);
    if (!known) {
        edit->set = WEFT__NONE;
        shard->unknown = true;
        return;
    }
    lane->dropped += dropped;
    if (edit->set == before)
        return;
    edit->kind = WEFT__EDIT_MOVE;
    edit->target = known_target(world, lane->fold, shard, edit->set);
    WEFT_CHECK(edit->target != edit->from);
    if (edit->target == NULL)
        shard->missing = true;
    else
        shard->carry += world->archetypes.items[edit->target->archetype].pack_size;
}

static WEFT__INLINE void fold_survivors(weft_world* world, weft__lane* lane, weft__shard* shard) {
    weft__fold* fold = lane->fold;
    weft__edit* edit = world->edits.items + shard->edit_deaths;
    memset(fold->targets, 0, sizeof(fold->targets));
    for (uint32_t word = 0; word < WEFT__LIVE_WORDS; word++) {
        for (uint64_t bits = fold->working[word]; bits != 0; bits &= bits - 1) {
            uint32_t local = word * 64 + weft__ctz64(bits);
            weft__slot slot = shard->slots[local];
            weft__chunk* from = weft__slot_chunk(shard, slot);
            WEFT_CHECK(from != NULL && slot.generation != 0);
            if (__builtin_expect((fold->shuffled[word] & bits & (0 - bits)) != 0, 0))
                fold->first[local] = sort_chain(world->references.items, fold->first[local]);
            *edit = (weft__edit){.slot = (uint16_t)local,
                                 .row = (uint16_t)weft__chunk_row_of(from, local),
                                 .kind = WEFT__EDIT_UPDATE,
                                 .chain = fold->first[local],
                                 .generation = slot.generation,
                                 .from = from};
            fold->first[local] = WEFT__NONE;
            fold_survivor(world, lane, shard, edit++);
        }
        fold->working[word] = fold->shuffled[word] = 0;
    }
    shard->edit_end = (uint32_t)(edit - world->edits.items);
    WEFT_ASSERT(shard->edit_end <= shard->reference_end);
}

WEFT__WIDE
static void fold_shard(weft_world* world, weft__lane* lane, weft__shard* shard) {
    chain_shard(world, lane, shard);
    fold_deaths(world, lane, shard);
    fold_survivors(world, lane, shard);
    shard->sparse |= world->sparse.count > 0 && shard->edit_end > shard->edit_begin;
}

static fold_bundle_set bundle_key(const weft__bundle* bundle) {
    fold_bundle_set key = {.set = 0};
    WEFT_CHECK(bundle->count <= WEFT__BUNDLE_IDS);
    const weft__part* part = weft__bundle_first(bundle);
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part))
        key.ids[i / 4] |= (uint64_t)part->type << (i % 4 * 16);
    return key;
}

static bool fold_parts(weft_world* world, weft__fold* fold, const weft__bundle* bundle,
                       uint32_t* set, bool* sparse) {
    const weft__part* part = weft__bundle_first(bundle);
    for (uint32_t i = 0; i < bundle->count; i++, part = weft__bundle_next(part)) {
        if (weft__type_at(world, part->type)->role == WEFT__ROLE_SPARSE) {
            *sparse = true;
            continue;
        }
        *set = take_step(world, fold, *set, part->type, true);
        if (*set == WEFT__NONE)
            return false;
    }
    return true;
}

// The set that a create's own components make. Creates come in few kinds, so the set of a list of
// types is remembered.
static bool fold_bundle(weft_world* world, weft__fold* fold, const weft__record* record,
                        uint32_t* set, bool* sparse) {
    const weft__bundle* bundle = weft__record_bundle(record);
    if (bundle == NULL)
        return true;
    if (fold == NULL || bundle->count > WEFT__BUNDLE_IDS)
        return fold_parts(world, fold, bundle, set, sparse);
    fold_bundle_set key = bundle_key(bundle);
    fold_bundle_set* memo = &fold->bundles[((key.ids[0] ^ key.ids[1] << 1) * 0x9E3779B97F4A7C15u) >>
                                           (64 - BUNDLE_BITS)];
    if (memo->ids[0] != key.ids[0] || memo->ids[1] != key.ids[1]) {
        if (!fold_parts(world, fold, bundle, &key.set, &key.sparse))
            return false;
        *memo = key;
    }
    *set = memo->set;
    *sparse |= memo->sparse;
    return true;
}

// With a scratch: as far as it is known. Without one, what is not known is made; false: no memory.
static bool fold_create(weft_world* world, weft__fold* fold, weft__create* create,
                        uint64_t* dropped) {
    WEFT_CHECK(!create->cancelled && weft__op_creates(create->record->op));
    create->set = 0;
    return fold_bundle(world, fold, create->record, &create->set, &create->sparse) &&
           fold_chain(world, fold, create->chain, &create->set, &create->sparse, dropped);
}

static void fold_creates(weft_world* world, weft__lane* lane, uint32_t begin, uint32_t end) {
    WEFT_ASSERT(begin < end && end <= world->creates.count);
    for (uint32_t i = begin; i < end; i++) {
        weft__create* create = &world->creates.items[i];
        if (i + 8 < end)
            __builtin_prefetch(world->creates.items[i + 8].record);
        if (create->cancelled) {
            const weft__bundle* bundle = weft__record_bundle(create->record);
            lane->dropped += chain_length(world, create->chain);
            lane->dropped += bundle == NULL ? 0 : bundle->count;
            continue;
        }
        if (create->shuffled)
            create->chain = sort_chain(world->references.items, create->chain);
        uint64_t dropped = 0;
        if (fold_create(world, lane->fold, create, &dropped) && is_stored(world, create->set)) {
            lane->dropped += dropped;
            continue;
        }
        create->set = WEFT__NONE;
        lane->unknown = true;
    }
}

static uint32_t create_items(const weft_world* world) {
    return (world->creates.count + CREATES_PER_ITEM - 1) / CREATES_PER_ITEM;
}

static void fold_item(void* context, uint32_t worker, uint32_t item) {
    weft_world* world = context;
    weft__lane* lane = &world->lanes[worker];
    uint32_t creates = create_items(world);
    WEFT_ASSERT(worker < world->lane_count && item < creates + world->touched.count);
    if (item >= creates) {
        fold_shard(world, lane, world->shards.items[world->touched.items[item - creates]]);
        return;
    }
    uint32_t begin = item * CREATES_PER_ITEM;
    uint32_t left = world->creates.count - begin;
    fold_creates(world, lane, begin, begin + (left < CREATES_PER_ITEM ? left : CREATES_PER_ITEM));
}

static uint32_t fold_shard_of(const void* context, uint32_t item) {
    const weft_world* world = context;
    uint32_t creates = create_items(world); // Which come first, and are of no shard.
    WEFT_ASSERT(item >= creates && item - creates < world->touched.count);
    return world->touched.items[item - creates];
}

// Survivors whose final set is not stored yet.
static weft_status settle_shard(weft_world* world, weft__shard* shard) {
    WEFT_ASSERT(shard->unknown && shard->edit_deaths <= shard->edit_end);
    for (uint32_t i = shard->edit_deaths; i < shard->edit_end; i++) {
        weft__edit* edit = &world->edits.items[i];
        if (edit->set != WEFT__NONE)
            continue;
        uint32_t before = world->archetypes.items[edit->from->archetype].set;
        edit->set = before;
        if (!fold_chain(world, NULL, edit->chain, &edit->set, &shard->sparse,
                        &world->stats.commands_dropped))
            return WEFT_STATUS_OUT_OF_MEMORY;
        WEFT_TRY(want_set(world, edit->set));
        if (edit->set == before)
            continue;
        edit->kind = WEFT__EDIT_MOVE;
        shard->missing = true;
    }
    shard->unknown = false;
    return WEFT_STATUS_OK;
}

static weft_status settle_creates(weft_world* world) {
    bool unknown = false;
    for (uint32_t i = 0; i < world->lane_count; i++) {
        unknown |= world->lanes[i].unknown;
        world->lanes[i].unknown = false;
    }
    for (uint32_t i = 0; i < world->creates.count && unknown; i++) {
        weft__create* create = &world->creates.items[i];
        if (create->cancelled || create->set != WEFT__NONE)
            continue;
        if (!fold_create(world, NULL, create, &world->stats.commands_dropped))
            return WEFT_STATUS_OUT_OF_MEMORY;
        WEFT_TRY(want_set(world, create->set));
    }
    return WEFT_STATUS_OK;
}

weft_status weft__fold_all(weft_world* world, weft__runner* runner) {
    WEFT_ASSERT(world->wanted_sets.count == 0 && world->freed == 0);
    WEFT_TRY(WEFT__VEC_RESERVE(&world->arena, world->edits, world->references.count));
    weft__batch batch = {.count = create_items(world) + world->touched.count,
                         .unsharded = create_items(world),
                         .cost_ns = world->references.count * (uint64_t)20,
                         .fn = fold_item,
                         .context = world,
                         .shard_of = fold_shard_of};
    batch.cost_ns += world->creates.count * (uint64_t)10;
    WEFT_TRY(weft__commit_batch(world, runner, &batch));
    for (uint32_t i = 0; i < world->touched.count; i++) {
        weft__shard* shard = world->shards.items[world->touched.items[i]];
        world->freed += shard->freed;
        if (shard->unknown)
            WEFT_TRY(settle_shard(world, shard));
    }
    return settle_creates(world);
}
