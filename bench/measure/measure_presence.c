/// A state that few entities are in: a presence table, a column of flags, or a flag in an array of
/// structs by hand.
///
/// A million creatures of which a tenth are hungry are classified, counted and driven; then those
/// move that are alive, for several shares. A table costs by its members, a flag by the population,
/// so each has a share from which on the other is better. The table and the flag are Weft's, ticks
/// of one worker with their commits. All three must come to the same values.

#include "harness.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <weft/executor.h>
#include <weft/memory.h>

WEFT_COMPONENT(PresencePosition, (weft_vec2, at));
WEFT_COMPONENT(PresenceVelocity, (weft_vec2, per_tick));
WEFT_COMPONENT(PresenceEnergy, (weft_fixed, value));
WEFT_COMPONENT(PresenceFlag, (uint8_t, set));
WEFT_TAG(PresenceMember);
WEFT_PARTIAL(PresenceCount, (uint64_t, members));

#define THRESHOLD (10 * 65536)

typedef enum job {
    CLASSIFY,     // Nothing changes: all are what they were.
    CLASSIFY_NEW, // A table that is empty is filled. Every other tick empties it, untimed.
    COUNT,
    DRIVE,
    MOVE,
    JOBS
} job;

typedef enum form {
    TABLE,
    FLAG,
    STRUCTS,
    FORMS
} form;

typedef struct creature {
    weft_vec2 at;
    weft_vec2 per_tick;
    weft_fixed energy;
    uint32_t set;
} creature;

// One form, set up for one job.
typedef struct stand {
    form form;
    job job;
    uint32_t count;
    uint32_t percent; // Of the creatures that are in the state.
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    creature* creatures;
    uint64_t counted; // Of the structs.
} stand;

// The three forms of each job --------------------------------------------------------------------

static inline weft_vec2 driven(weft_vec2 per_tick) {
    return (weft_vec2){weft_fixed_add(per_tick.x, weft_fixed_from_raw(1)),
                       weft_fixed_sub(per_tick.y, weft_fixed_from_raw(1))};
}

static void classify_structs(creature* creatures, size_t count) {
    for (size_t i = 0; i < count; ++i)
        creatures[i].set = creatures[i].energy.raw < THRESHOLD;
}

static uint64_t count_structs(const creature* creatures, size_t count) {
    uint64_t members = 0;
    for (size_t i = 0; i < count; ++i)
        members += creatures[i].set;
    return members;
}

static void drive_structs(creature* creatures, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (creatures[i].set)
            creatures[i].per_tick = driven(creatures[i].per_tick);
    }
}

static void move_structs(creature* creatures, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (creatures[i].set)
            creatures[i].at = weft_vec2_add(creatures[i].at, creatures[i].per_tick);
    }
}

WEFT_KERNEL static void classify_flags(PresenceFlag* restrict flag,
                                       const PresenceEnergy* restrict energy, size_t count) {
    for (size_t i = 0; i < count; ++i)
        flag[i].set = energy[i].value.raw < THRESHOLD;
}

WEFT_KERNEL static uint64_t count_flags(const PresenceFlag* flag, size_t count) {
    uint32_t members = 0; // Of one chunk.
    for (size_t i = 0; i < count; ++i)
        members += flag[i].set;
    return members;
}

// The whole column is computed and what has the flag is kept, by masks: the flags are random, and
// a branch would guess them wrong.
static inline weft_fixed kept(weft_fixed before, weft_fixed after, int32_t mask) {
    return weft_fixed_from_raw((after.raw & mask) | (before.raw & ~mask));
}

static inline weft_vec2 kept2(weft_vec2 before, weft_vec2 after, PresenceFlag flag) {
    int32_t mask = -(int32_t)flag.set;
    return (weft_vec2){kept(before.x, after.x, mask), kept(before.y, after.y, mask)};
}

WEFT_KERNEL static void drive_flags(PresenceVelocity* restrict velocity,
                                    const PresenceFlag* restrict flag, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        weft_vec2 after = driven(velocity[i].per_tick);
        velocity[i].per_tick = kept2(velocity[i].per_tick, after, flag[i]);
    }
}

WEFT_KERNEL static void move_flags(PresencePosition* restrict position,
                                   const PresenceVelocity* restrict velocity,
                                   const PresenceFlag* restrict flag, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        weft_vec2 after = weft_vec2_add(position[i].at, velocity[i].per_tick);
        position[i].at = kept2(position[i].at, after, flag[i]);
    }
}

WEFT_KERNEL static void drive_all(PresenceVelocity* velocity, size_t count) {
    for (size_t i = 0; i < count; ++i)
        velocity[i].per_tick = driven(velocity[i].per_tick);
}

static void drive_rows(PresenceVelocity* velocity, const uint16_t* rows, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        velocity[rows[i]].per_tick = driven(velocity[rows[i]].per_tick);
}

WEFT_KERNEL static void move_all(PresencePosition* restrict position,
                                 const PresenceVelocity* restrict velocity, size_t count) {
    for (size_t i = 0; i < count; ++i)
        position[i].at = weft_vec2_add(position[i].at, velocity[i].per_tick);
}

static void move_rows(PresencePosition* restrict position,
                      const PresenceVelocity* restrict velocity, const uint16_t* rows,
                      uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        position[rows[i]].at = weft_vec2_add(position[rows[i]].at, velocity[rows[i]].per_tick);
}

// Systems ----------------------------------------------------------------------------------------

static weft_status enter_table(weft_view* view, const void* context) {
    const stand* all = context;
    const weft_entity* entities = weft_view_entities(view);
    const PresenceEnergy* energy = WEFT_READ(view, PresenceEnergy);
    weft_commands* commands = weft_view_commands(view);
    const uint16_t* rows;
    if (all->job == CLASSIFY_NEW && weft_view_tick(view) % 2 != 0)
        return WEFT_STATUS_OK;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = rows ? rows[i] : i;
        if (energy[row].value.raw < THRESHOLD)
            WEFT_ADD_TAG(commands, row, entities[row], PresenceMember);
    }
    return WEFT_STATUS_OK;
}

static weft_status leave_table(weft_view* view, const void* context) {
    const stand* all = context;
    const weft_entity* entities = weft_view_entities(view);
    const PresenceEnergy* energy = WEFT_READ(view, PresenceEnergy);
    weft_commands* commands = weft_view_commands(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = rows ? rows[i] : i;
        if (all->job == CLASSIFY_NEW || energy[row].value.raw >= THRESHOLD)
            WEFT_REMOVE(commands, row, entities[row], PresenceMember);
    }
    return WEFT_STATUS_OK;
}

static weft_status count_table(weft_view* view, const void* context) {
    (void)context;
    const uint16_t* rows;
    WEFT_PARTIAL_OF(view, PresenceCount)->members += weft_view_selected(view, &rows);
    return WEFT_STATUS_OK;
}

static weft_status drive_table(weft_view* view, const void* context) {
    (void)context;
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    if (count == 0)
        return WEFT_STATUS_OK;
    PresenceVelocity* velocity = WEFT_WRITE(view, PresenceVelocity);
    if (rows)
        drive_rows(velocity, rows, count);
    else
        drive_all(velocity, count);
    return WEFT_STATUS_OK;
}

static weft_status move_table(weft_view* view, const void* context) {
    (void)context;
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    if (count == 0)
        return WEFT_STATUS_OK;
    PresencePosition* position = WEFT_WRITE(view, PresencePosition);
    const PresenceVelocity* velocity = WEFT_READ(view, PresenceVelocity);
    if (rows)
        move_rows(position, velocity, rows, count);
    else
        move_all(position, velocity, count);
    return WEFT_STATUS_OK;
}

static weft_status classify_flag(weft_view* view, const void* context) {
    (void)context;
    classify_flags(WEFT_WRITE(view, PresenceFlag), WEFT_READ(view, PresenceEnergy),
                   weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status count_flag(weft_view* view, const void* context) {
    (void)context;
    WEFT_PARTIAL_OF(view, PresenceCount)->members +=
        count_flags(WEFT_READ(view, PresenceFlag), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status drive_flag(weft_view* view, const void* context) {
    (void)context;
    drive_flags(WEFT_WRITE(view, PresenceVelocity), WEFT_READ(view, PresenceFlag),
                weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status move_flag(weft_view* view, const void* context) {
    (void)context;
    move_flags(WEFT_WRITE(view, PresencePosition), WEFT_READ(view, PresenceVelocity),
               WEFT_READ(view, PresenceFlag), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static void combine_counts(void* left, const void* right) {
    ((PresenceCount*)left)->members += ((const PresenceCount*)right)->members;
}

static weft_status add_table_systems(weft_schedule* schedule, const stand* all) {
    if (all->job == COUNT)
        return weft_schedule_add_system(
            schedule, WEFT_SYSTEM("count", count_table,
                                  WEFT_ACCESS(WEFT_WITH(PresenceMember), WEFT_WITH(PresenceEnergy),
                                              WEFT_REDUCES(PresenceCount))));
    if (all->job == DRIVE)
        return weft_schedule_add_system(
            schedule,
            WEFT_SYSTEM("drive", drive_table,
                        WEFT_ACCESS(WEFT_WITH(PresenceMember), WEFT_WRITES(PresenceVelocity))));
    if (all->job == MOVE)
        return weft_schedule_add_system(
            schedule,
            WEFT_SYSTEM("move", move_table,
                        WEFT_ACCESS(WEFT_WITH(PresenceMember), WEFT_WRITES(PresencePosition),
                                    WEFT_READS(PresenceVelocity))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("enter", enter_table, .context = all,
                              WEFT_ACCESS(WEFT_WITHOUT(PresenceMember), WEFT_READS(PresenceEnergy),
                                          WEFT_COMMANDS))));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("leave", leave_table, .context = all,
                              WEFT_ACCESS(WEFT_WITH(PresenceMember), WEFT_READS(PresenceEnergy),
                                          WEFT_COMMANDS)));
}

static weft_status add_flag_systems(weft_schedule* schedule, const stand* all) {
    const weft_system_desc* const systems[JOBS] = {
        [CLASSIFY] =
            WEFT_SYSTEM("classify", classify_flag,
                        WEFT_ACCESS(WEFT_WRITES(PresenceFlag), WEFT_READS(PresenceEnergy))),
        [COUNT] = WEFT_SYSTEM("count", count_flag,
                              WEFT_ACCESS(WEFT_READS(PresenceFlag), WEFT_REDUCES(PresenceCount))),
        [DRIVE] = WEFT_SYSTEM("drive", drive_flag,
                              WEFT_ACCESS(WEFT_WRITES(PresenceVelocity), WEFT_READS(PresenceFlag))),
        [MOVE] = WEFT_SYSTEM("move", move_flag,
                             WEFT_ACCESS(WEFT_WRITES(PresencePosition),
                                         WEFT_READS(PresenceVelocity), WEFT_READS(PresenceFlag))),
    };
    return weft_schedule_add_system(schedule,
                                    systems[all->job == CLASSIFY_NEW ? CLASSIFY : all->job]);
}

// Setting up -------------------------------------------------------------------------------------

static creature creature_of(uint32_t index, uint32_t percent) {
    weft_random_key key = {.seed = 1, .system = weft_hash64_of_name("presence_start")};
    weft_random_block draw = weft_random_block_at(key, index, 0);
    bool in = (uint64_t)draw.word[0] * 100 >> 32 < percent;
    // Below the threshold, or from it up to ten times as much.
    uint32_t energy = in ? draw.word[1] % THRESHOLD : THRESHOLD + draw.word[1] % (9 * THRESHOLD);
    return (creature){
        .at = {weft_fixed_from_raw((int32_t)draw.word[2] >> 5),
               weft_fixed_from_raw((int32_t)draw.word[3] >> 5)},
        .per_tick = {weft_fixed_from_raw((int32_t)draw.word[2] % 4096),
                     weft_fixed_from_raw((int32_t)draw.word[3] % 4096)},
        .energy = weft_fixed_from_raw((int32_t)energy),
        .set = in,
    };
}

static void create(stand* all, uint32_t index) {
    creature one = creature_of(index, all->percent);
    PresencePosition position = {one.at};
    PresenceVelocity velocity = {one.per_tick};
    PresenceEnergy energy = {one.energy};
    PresenceFlag flag = {(uint8_t)one.set};
    bool member = all->form == TABLE && one.set && all->job != CLASSIFY_NEW;
    const weft_value values[] = {
        {WEFT_TYPE(PresencePosition), &position},
        {WEFT_TYPE(PresenceVelocity), &velocity},
        {WEFT_TYPE(PresenceEnergy), &energy},
        {all->form == FLAG ? WEFT_TYPE(PresenceFlag) : WEFT_TYPE(PresenceMember),
         all->form == FLAG ? &flag : NULL}};
    (void)weft_commands_create_with(weft_world_commands(all->world), 0, values,
                                    all->form == FLAG || member ? 4 : 3);
}

static weft_status open_world(stand* all) {
    weft_world_desc desc = weft_world_desc_default();
    weft_memory memory = weft_memory_system();
    WEFT_TRY(weft_world_create(&desc, &memory, &all->world));
    weft_world* world = all->world;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(PresencePosition), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(PresenceVelocity), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(PresenceEnergy), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(PresenceFlag), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(PresenceMember), WEFT_STORAGE_SPARSE));
    WEFT_TRY(weft_world_register_reduction(world, WEFT_TYPE(PresenceCount), NULL, combine_counts));
    WEFT_TRY(weft_schedule_create(world, &all->schedule));
    WEFT_TRY(all->form == TABLE ? add_table_systems(all->schedule, all)
                                : add_flag_systems(all->schedule, all));
    for (uint32_t i = 0; i < all->count; ++i)
        create(all, i);
    WEFT_TRY(weft_world_commit(world));
    weft_executor_desc executor = weft_executor_desc_default();
    return weft_executor_create(&executor, all->schedule, &all->executor);
}

static weft_status open_stand(stand* all) {
    if (all->form != STRUCTS)
        return open_world(all);
    all->creatures = malloc(all->count * sizeof(creature));
    if (!all->creatures)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < all->count; ++i)
        all->creatures[i] = creature_of(i, all->percent);
    return WEFT_STATUS_OK;
}

static void close_stand(stand* all) {
    weft_executor_destroy(all->executor);
    weft_schedule_destroy(all->schedule);
    weft_world_destroy(all->world);
    free(all->creatures);
    *all = (stand){.form = all->form};
}

// Running ----------------------------------------------------------------------------------------

static weft_status run_structs(stand* all) {
    if (all->job == CLASSIFY || all->job == CLASSIFY_NEW)
        classify_structs(all->creatures, all->count);
    else if (all->job == COUNT)
        all->counted = count_structs(all->creatures, all->count);
    else if (all->job == DRIVE)
        drive_structs(all->creatures, all->count);
    else
        move_structs(all->creatures, all->count);
    __asm__ volatile("" : : "r"(all->creatures) : "memory"); // All of it is wanted.
    return WEFT_STATUS_OK;
}

// Once through the job; filling a table anew has a second tick, which empties it.
static weft_status stand_once(void* context, uint64_t* elapsed) {
    stand* all = context;
    uint64_t start = weft_measure_now_ns();
    WEFT_TRY(all->form == STRUCTS ? run_structs(all) : weft_executor_tick(all->executor));
    *elapsed += weft_measure_now_ns() - start;
    if (all->form == TABLE && all->job == CLASSIFY_NEW)
        return weft_executor_tick(all->executor);
    return WEFT_STATUS_OK;
}

static uint64_t mix(uint64_t sum, const creature* one, uint32_t set) {
    const int32_t words[] = {one->at.x.raw, one->at.y.raw, one->per_tick.x.raw, one->per_tick.y.raw,
                             one->energy.raw};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i)
        sum = (sum ^ (uint32_t)words[i]) * 0x9e3779b97f4a7c15u;
    return (sum ^ set) * 0x9e3779b97f4a7c15u;
}

// A number that all of the state and the count enter.
static uint64_t state_of(const stand* all) {
    static const weft_access terms[] = {WEFT_READS(PresencePosition), WEFT_READS(PresenceVelocity),
                                        WEFT_READS(PresenceEnergy),
                                        WEFT_READS_OPTIONAL(PresenceFlag)};
    uint64_t sum = all->counted;
    for (uint32_t i = 0; all->form == STRUCTS && i < all->count; ++i)
        sum = mix(sum, &all->creatures[i], all->creatures[i].set);
    if (all->form == STRUCTS)
        return sum;
    if (all->job == COUNT)
        sum = ((const PresenceCount*)weft_world_resource(all->world, WEFT_TYPE(PresenceCount)))
                  ->members;
    weft_cursor cursor = weft_world_visit(all->world, terms, 4);
    while (weft_cursor_next(&cursor)) {
        const PresenceFlag* flag = WEFT_CURSOR_COLUMN(&cursor, PresenceFlag);
        for (uint32_t i = 0; i < cursor.row_count; ++i) {
            creature one = {
                .at = WEFT_CURSOR_COLUMN(&cursor, PresencePosition)[i].at,
                .per_tick = WEFT_CURSOR_COLUMN(&cursor, PresenceVelocity)[i].per_tick,
                .energy = WEFT_CURSOR_COLUMN(&cursor, PresenceEnergy)[i].value,
            };
            uint32_t set = flag ? flag[i].set
                                : weft_world_read(all->world, cursor.entities[i],
                                                  WEFT_TYPE(PresenceMember)) != NULL;
            sum = mix(sum, &one, set);
        }
    }
    return sum;
}

// Each form does the job once, and twice where that leaves the table as it was.
static weft_status compare(stand* stands) {
    uint64_t state[FORMS];
    for (uint32_t i = 0; i < FORMS; ++i) {
        bool filled = stands[i].form == TABLE && stands[i].job == CLASSIFY_NEW;
        uint64_t untimed = 0;
        if (stands[i].form == STRUCTS)
            WEFT_TRY(run_structs(&stands[i]));
        else
            WEFT_TRY(weft_executor_tick(stands[i].executor));
        state[i] = state_of(&stands[i]);
        if (filled)
            WEFT_TRY(weft_executor_tick(stands[i].executor));
        else
            WEFT_TRY(stand_once(&stands[i], &untimed));
    }
    return state[TABLE] == state[FLAG] && state[TABLE] == state[STRUCTS] ? WEFT_STATUS_OK
                                                                         : WEFT_STATUS_DIVERGED;
}

static weft_status measure_job(const weft_measure_options* options, weft_measure_table* table,
                               uint32_t count, job what, uint32_t percent) {
    static const char* const jobs[JOBS] = {"classify, none changes", "classify into an empty table",
                                           "count", "drive", "move"};
    static const char* const forms[FORMS] = {"presence table", "flag column", "array of structs"};
    stand stands[FORMS] = {{0}};
    weft_case cases[FORMS];
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t i = 0; i < FORMS; ++i) {
        stands[i] = (stand){.form = (form)i, .job = what, .count = count, .percent = percent};
        cases[i] =
            (weft_case){.name = forms[i], .once = stand_once, .context = &stands[i], .units = 1000};
        if (status == WEFT_STATUS_OK)
            status = open_stand(&stands[i]);
    }
    if (status == WEFT_STATUS_OK)
        status = compare(stands);
    if (status == WEFT_STATUS_DIVERGED)
        snprintf(table->error, sizeof(table->error), "%s, %u%%: the forms come to other values",
                 jobs[what], percent);
    weft_sampling sampling = {.sample_ns = options->quick ? 20000 : 4000000,
                              .samples = options->quick ? 3 : 11};
    if (status == WEFT_STATUS_OK)
        status = weft_measure_cases(options, jobs[what], sampling, cases, FORMS);
    for (uint32_t i = 0; i < FORMS; ++i) {
        if (status == WEFT_STATUS_OK)
            weft_measure_add(table, "us", &cases[i].series, 1, "%s, %u%%: %s", jobs[what], percent,
                             forms[i]);
    }
    for (uint32_t i = 1; i < FORMS && status == WEFT_STATUS_OK; ++i) {
        weft_series ratio = weft_series_ratio(&cases[i].series, &cases[TABLE].series);
        weft_measure_add(table, "ratio", &ratio, 1, "%s, %u%%: %s against the table", jobs[what],
                         percent, forms[i]);
    }
    for (uint32_t i = 0; i < FORMS; ++i)
        close_stand(&stands[i]);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    static const uint32_t shares[] = {1, 10, 50, 90, 100};
    uint64_t count = options->entity_count > 0 ? options->entity_count
                     : options->quick          ? 5000
                                               : 1000000;
    snprintf(table->title, sizeof(table->title),
             "a state of some of %llu creatures, in three forms", (unsigned long long)count);
    weft_status status = count <= UINT32_MAX / 2 ? WEFT_STATUS_OK : WEFT_STATUS_BAD_ARGUMENT;
    for (job what = CLASSIFY; what < MOVE && status == WEFT_STATUS_OK; ++what)
        status = measure_job(options, table, (uint32_t)count, what, 10);
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]) && status == WEFT_STATUS_OK; ++i)
        status = measure_job(options, table, (uint32_t)count, MOVE, shares[i]);
    return status;
}

const weft_measure weft_measure_presence = {
    .name = "presence",
    .summary = "a state of a tenth of the entities: table, flag column or array of structs",
    .run = run,
};
