// Channels: order, targets, delivery, and input events.

#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, heard));
WEFT_TAG(Left);
WEFT_MESSAGE(Shout, (uint32_t, from), (uint32_t, word));      // To the world, same tick.
WEFT_MESSAGE(Letter, (uint32_t, from), (uint32_t, word));     // To entities, same tick.
WEFT_MESSAGE(Echo, (uint32_t, from), (uint32_t, word));       // To the world, next tick.
WEFT_MESSAGE(Parcel, (weft_entity, about), (uint32_t, word)); // To entities, next tick.

enum {
    ENTITIES = 2 * WEFT_SHARD_SLOTS + 10
};

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Shout), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Letter), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Echo), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Parcel), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_NEXT));
}

static void populate(weft_world* world) {
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Body, {0});
        if (i % 4 == 0) // Archetype 1: the first that is needed.
            WEFT_ADD_TAG(commands, 0, made, Left);
    }
    world_commit(world);
}

// Order ------------------------------------------------------------------------------------------

// Rows descending, so the order of sending is not the order of keys.
static weft_status shout(weft_view* view, const void* context) {
    const weft_entity* entities = weft_view_entities(view);
    const uint32_t* word = context;
    for (uint32_t row = weft_view_row_count(view); row-- > 0;) {
        if (entities[row].slot % 100 != 0)
            continue;
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Shout, {entities[row].slot, *word});
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Shout, {entities[row].slot, *word + 1});
    }
    return WEFT_STATUS_OK;
}

static weft_status announce(weft_view* view, const void* context) {
    (void)context;
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Shout, {UINT32_MAX, 50});
    return WEFT_STATUS_OK;
}

// By rank, then archetype, then slot, then the order of one row's own.
static weft_status hear_in_order(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Shout* shouts = weft_view_messages(view, WEFT_TYPE(Shout), &count);
    uint32_t at = 0;
    for (uint32_t rank = 0; rank < 3; rank++) {
        if (rank == 1) {
            if (at == count || shouts[at].from != UINT32_MAX || shouts[at].word != 50)
                return weft_view_fail(view, "message %u is not the announcement", at);
            at++;
            continue;
        }
        for (uint32_t left = 2; left-- > 0;)
            for (uint32_t slot = 0; slot < ENTITIES; slot += 100)
                for (uint32_t twice = 0; twice < 2 && (slot % 4 == 0) == (left == 1); twice++, at++)
                    if (at >= count || shouts[at].from != slot ||
                        shouts[at].word != 10 * rank + twice)
                        return weft_view_fail(view, "message %u is %u from %u, not %u from %u", at,
                                              at < count ? shouts[at].word : 0,
                                              at < count ? shouts[at].from : 0, 10 * rank + twice,
                                              slot);
    }
    return at == count ? WEFT_STATUS_OK : weft_view_fail(view, "%u messages, not %u", count, at);
}

static void build_order(weft_world* world, weft_schedule* schedule) {
    static const uint32_t words[] = {0, 20};
    populate(world);
    run_add(schedule, WEFT_SYSTEM("first", shout, .context = &words[0],
                                  WEFT_ACCESS(WEFT_WITH(Body), WEFT_EMITS(Shout))));
    run_add(schedule, WEFT_SYSTEM("between", announce, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_EMITS(Shout))));
    run_add(schedule, WEFT_SYSTEM("second", shout, .context = &words[1],
                                  WEFT_ACCESS(WEFT_WITH(Body), WEFT_EMITS(Shout))));
    run_add(schedule, WEFT_SYSTEM("hear", hear_in_order, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Shout))));
}

Test(channel, messages_to_the_world_come_in_key_order) {
    sim_same_everywhere(build_order, 3, NULL);
}

// What orders them is the sorting alone: left out, as `weft bench price` does, the same systems are
// heard chunk by chunk, and the world no longer claims to be deterministic.
Test(channel, an_unordered_commit_loses_the_order) {
    weft_world_desc desc = weft_world_desc_default();
    cr_assert(!desc.unordered_commit, "it is never the default");
    desc.unordered_commit = true;
    sim s = {0};
    cr_assert_eq(weft_world_create(&desc, NULL, &s.world), WEFT_STATUS_OK);
    cr_assert(!weft_world_is_deterministic(s.world));
    s.schedule = run_schedule(s.world);
    build_order(s.world, s.schedule);
    s.executor = run_executor(s.schedule, &run_configs[0]);
    cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_SYSTEM_FAILED);
    TEXT_HAS(weft_world_error(s.world), "message 0 is 50 from");
    sim_close(&s);
}

// A sender of smaller rank in a later stage than one of larger rank: both are heard, by rank.
static weft_status weigh(weft_view* view, const void* context) {
    (void)context;
    WEFT_WRITE(view, Body)[0].heard++;
    return WEFT_STATUS_OK;
}

static weft_status say(weft_view* view, const void* context) {
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Shout, {0, *(const uint32_t*)context});
    return WEFT_STATUS_OK;
}

static weft_status hear_both(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Shout* shouts = weft_view_messages(view, WEFT_TYPE(Shout), &count);
    if (count != 2 || shouts[0].word != 1 || shouts[1].word != 2)
        return weft_view_fail(view, "%u messages", count);
    return WEFT_STATUS_OK;
}

static void build_stages(weft_world* world, weft_schedule* schedule) {
    static const uint32_t words[] = {1, 2};
    populate(world);
    run_add(schedule, WEFT_SYSTEM("weigh", weigh, WEFT_ACCESS(WEFT_WRITES(Body))));
    run_add(schedule, WEFT_SYSTEM("late", say, .scope = WEFT_SCOPE_WORLD, .context = &words[0],
                                  WEFT_ACCESS(WEFT_READS_ANY(Body), WEFT_EMITS(Shout))));
    run_add(schedule, WEFT_SYSTEM("early", say, .scope = WEFT_SCOPE_WORLD, .context = &words[1],
                                  WEFT_ACCESS(WEFT_EMITS(Shout))));
    run_add(schedule, WEFT_SYSTEM("hear", hear_both, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Shout))));
}

static void check_stages(const sim* s, uint64_t tick) {
    (void)tick;
    cr_assert_eq(weft_schedule_system_stage(s->schedule, 1), 1);
    cr_assert_eq(weft_schedule_system_stage(s->schedule, 2), 0);
    cr_assert_eq(weft_schedule_system_stage(s->schedule, 3), 2);
}

Test(channel, senders_in_several_stages_are_all_heard) {
    sim_same_everywhere(build_stages, 3, check_stages);
}

// Targets ----------------------------------------------------------------------------------------

static weft_entity target_of(uint32_t slot) {
    return (weft_entity){(slot * 7919u + 13u) % ENTITIES, 1};
}

static weft_status write_letters(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t row = weft_view_row_count(view); row-- > 0;) {
        uint32_t slot = entities[row].slot;
        if (slot % 3 == 0)
            WEFT_EMIT(view, row, target_of(slot), Letter, {slot, 1});
        if (slot % 9 == 0)
            WEFT_EMIT(view, row, target_of(slot), Letter, {slot, 2});
        if (slot % 1000 == 1) // Nobody is there.
            WEFT_EMIT(view, row, ((weft_entity){slot, 9}), Letter, {slot, 3});
    }
    return WEFT_STATUS_OK;
}

static weft_status read_letters(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    Body* bodies = WEFT_WRITE(view, Body);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Letter));
    uint32_t last_row = 0;
    while (weft_inbox_next(&inbox)) {
        const Letter* letter = inbox.message;
        if (inbox.row < last_row)
            return weft_view_fail(view, "row %u after row %u", inbox.row, last_row);
        if (!weft_entity_equal(target_of(letter->from), entities[inbox.row]))
            return weft_view_fail(view, "a letter from %u went astray", letter->from);
        bodies[inbox.row].heard = bodies[inbox.row].heard * 31 + letter->from * 4 + letter->word;
        last_row = inbox.row;
    }
    return WEFT_STATUS_OK;
}

// By slot of the target, then by key of the sender.
static weft_status check_letters(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Letter* letters = weft_view_messages(view, WEFT_TYPE(Letter), &count);
    uint32_t expected = 0;
    for (uint32_t slot = 0; slot < ENTITIES; slot++)
        expected += (slot % 3 == 0) + (slot % 9 == 0);
    if (count != expected)
        return weft_view_fail(view, "%u letters, not %u", count, expected);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t before = target_of(letters[i - 1].from).slot;
        uint32_t now = target_of(letters[i].from).slot;
        // One sender a target here: ENTITIES and 7919 have no common factor.
        if (before > now || (before == now && letters[i - 1].word > letters[i].word))
            return weft_view_fail(view, "letter %u is out of order", i);
    }
    return WEFT_STATUS_OK;
}

static void build_letters(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule,
            WEFT_SYSTEM("write", write_letters, WEFT_ACCESS(WEFT_WITH(Body), WEFT_EMITS(Letter))));
    run_add(schedule, WEFT_SYSTEM("read", read_letters,
                                  WEFT_ACCESS(WEFT_WRITES(Body), WEFT_CONSUMES(Letter))));
    run_add(schedule, WEFT_SYSTEM("check", check_letters, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Letter))));
}

static void check_dropped(const sim* s, uint64_t tick) {
    cr_assert_eq(weft_world_stats_read(s->world).messages_dropped, 9 * tick);
}

Test(channel, letters_reach_their_rows_and_the_dead_get_none) {
    sim_same_everywhere(build_letters, 3, check_dropped);
}

// Many senders, one target: the order is the senders' key order.
static weft_status write_to_one(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t row = weft_view_row_count(view); row-- > 0;)
        if (entities[row].slot % 500 == 0)
            WEFT_EMIT(view, row, ((weft_entity){5000, 1}), Letter, {entities[row].slot, 0});
    return WEFT_STATUS_OK;
}

static weft_status read_one(weft_view* view, const void* context) {
    (void)context;
    static const uint32_t expected[] = {0,    500,  1000, 1500, 2000, 2500, 3000, 3500, 4000,
                                        4500, 5000, 5500, 6000, 6500, 7000, 7500, 8000};
    uint32_t at = 0;
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Letter));
    while (weft_inbox_next(&inbox))
        if (at == 17 || ((const Letter*)inbox.message)->from != expected[at++])
            return weft_view_fail(view, "letter %u is out of order", at);
    bool here = weft_view_shard(view) == 1 && at == 17;
    return here || at == 0 ? WEFT_STATUS_OK : weft_view_fail(view, "%u letters", at);
}

static void build_one_target(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule,
            WEFT_SYSTEM("write", write_to_one, WEFT_ACCESS(WEFT_WITH(Body), WEFT_EMITS(Letter))));
    run_add(schedule,
            WEFT_SYSTEM("read", read_one, WEFT_ACCESS(WEFT_READS(Body), WEFT_CONSUMES(Letter))));
}

Test(channel, letters_to_one_target_come_in_key_order) {
    sim_same_everywhere(build_one_target, 2, NULL);
}

// Next tick --------------------------------------------------------------------------------------

static weft_status send_echo(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    uint32_t tick = (uint32_t)weft_view_tick(view);
    const Echo* echoes = weft_view_messages(view, WEFT_TYPE(Echo), &count);
    // What was sent in the tick before, and what was posted between.
    uint32_t expected = (tick == 0 ? 0 : 2) + (tick == 2 || tick == 0 ? 1 : 0);
    if (count != expected)
        return weft_view_fail(view, "%u echoes, not %u", count, expected);
    for (uint32_t i = 0; i < count && tick > 0; i++)
        if (i < 2 ? echoes[i].from != tick - 1 || echoes[i].word != i : echoes[i].from != 1000)
            return weft_view_fail(view, "echo %u is %u from %u", i, echoes[i].word, echoes[i].from);
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Echo, {tick, 0});
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Echo, {tick, 1});
    return WEFT_STATUS_OK;
}

static void build_echo(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule, WEFT_SYSTEM("echo", send_echo, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Echo), WEFT_EMITS(Echo))));
    WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Echo), WEFT_ENTITY_NULL, &(Echo){1000, 1}));
}

static void post_before_tick_two(const sim* s, uint64_t tick) {
    if (tick == 2)
        WORLD_OK(s->world,
                 weft_world_post(s->world, WEFT_TYPE(Echo), WEFT_ENTITY_NULL, &(Echo){1000, 1}));
}

Test(channel, next_tick_messages_come_once_and_inputs_after_them) {
    sim_same_everywhere(build_echo, 5, post_before_tick_two);
}

// A parcel is for whoever lives when it arrives.
static weft_status send_parcel(weft_view* view, const void* context) {
    (void)context;
    weft_commands* commands = weft_view_commands(view);
    if (weft_view_tick(view) != 0)
        return WEFT_STATUS_OK;
    weft_entity made = weft_commands_create(commands, 0);
    WEFT_EMIT(view, 0, ((weft_entity){1, 1}), Parcel, {made, 1});
    WEFT_EMIT(view, 0, ((weft_entity){2, 1}), Parcel, {made, 2});
    weft_commands_destroy(commands, 0, (weft_entity){2, 1});
    return WEFT_STATUS_OK;
}

static weft_status open_parcel(weft_view* view, const void* context) {
    (void)context;
    Body* bodies = WEFT_WRITE(view, Body);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Parcel));
    while (weft_inbox_next(&inbox)) {
        const Parcel* parcel = inbox.message;
        // The slot of the destroyed one, one generation on.
        if (!weft_entity_equal(parcel->about, (weft_entity){2, 2}))
            return weft_view_fail(view, "about %u:%u", parcel->about.slot,
                                  parcel->about.generation);
        bodies[inbox.row].heard += parcel->word;
    }
    return WEFT_STATUS_OK;
}

static void build_parcels(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule, WEFT_SYSTEM("send", send_parcel, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_COMMANDS, WEFT_EMITS(Parcel))));
    run_add(schedule, WEFT_SYSTEM("open", open_parcel,
                                  WEFT_ACCESS(WEFT_WRITES(Body), WEFT_CONSUMES(Parcel))));
}

static void check_parcels(const sim* s, uint64_t tick) {
    const Body* body = weft_world_read(s->world, (weft_entity){1, 1}, WEFT_TYPE(Body));
    cr_assert_eq(body->heard, tick >= 2 ? 1 : 0);
    cr_assert_eq(weft_world_stats_read(s->world).messages_dropped, tick >= 2 ? 1 : 0);
}

Test(channel, next_tick_messages_name_newborns_and_miss_the_dead) {
    sim_same_everywhere(build_parcels, 4, check_parcels);
}

// Posting ----------------------------------------------------------------------------------------

Test(channel, pending_messages_are_future_but_not_view) {
    weft_world* world = world_make();
    populate(world);
    weft_digest view = weft_world_digest_view(world);
    weft_digest full = weft_world_digest_full(world);
    WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Echo), WEFT_ENTITY_NULL, &(Echo){1, 1}));
    DIGEST_EQ(weft_world_digest_view(world), view);
    weft_digest one = weft_world_digest_full(world);
    DIGEST_NE(one, full);
    WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Parcel), (weft_entity){3, 1},
                                    &(Parcel){WEFT_ENTITY_NULL, 1}));
    weft_digest two = weft_world_digest_full(world);
    DIGEST_NE(two, one);
    cr_assert_eq(weft_world_input_count(world), 2);
    weft_world_checkpoint(world);
    cr_assert_eq(weft_world_input_count(world), 0);
    DIGEST_EQ(weft_world_digest_full(world), two);
    weft_world_destroy(world);
}

// Content, target and order of what is pending decide the future.
Test(channel, pending_order_target_and_content_enter_the_full_digest) {
    static const struct {
        weft_entity target;
        Parcel parcel;
    } posts[5][2] = {
        {{{3, 1}, {{0, 0}, 1}}, {{4, 1}, {{0, 0}, 2}}},
        {{{4, 1}, {{0, 0}, 2}}, {{3, 1}, {{0, 0}, 1}}},
        {{{3, 1}, {{0, 0}, 2}}, {{4, 1}, {{0, 0}, 1}}},
        {{{3, 1}, {{0, 0}, 1}}, {{3, 1}, {{0, 0}, 2}}},
        {{{3, 1}, {{7, 1}, 1}}, {{4, 1}, {{0, 0}, 2}}},
    };
    weft_digest digests[5];
    for (uint32_t i = 0; i < 5; i++) {
        weft_world* world = world_make();
        populate(world);
        for (uint32_t j = 0; j < 2; j++)
            WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Parcel), posts[i][j].target,
                                            &posts[i][j].parcel));
        digests[i] = weft_world_digest_full(world);
        weft_world_destroy(world);
        for (uint32_t j = 0; j < i; j++)
            DIGEST_NE(digests[i], digests[j]);
    }
}

static void refuse_post(weft_world* world, const weft_type* type, weft_entity target,
                        const void* message, weft_status status, const char* part) {
    weft_digest full = weft_world_digest_full(world);
    cr_assert_eq(weft_world_post(world, type, target, message), status);
    TEXT_HAS(weft_world_error(world), part);
    TEXT_HAS(weft_world_error(world), type->name);
    DIGEST_EQ(weft_world_digest_full(world), full);
    cr_assert_eq(weft_world_input_count(world), 0);
}

Test(channel, posts_that_make_no_sense_are_refused) {
    weft_world* world = world_make();
    populate(world);
    weft_entity provisional = weft_commands_create(weft_world_commands(world), 0);
    refuse_post(world, WEFT_TYPE(Body), WEFT_ENTITY_NULL, &(Body){1}, WEFT_STATUS_UNKNOWN_TYPE,
                "not a channel");
    refuse_post(world, WEFT_TYPE(Shout), WEFT_ENTITY_NULL, &(Shout){1, 1}, WEFT_STATUS_BAD_ARGUMENT,
                "WEFT_DELIVERY_NEXT");
    refuse_post(world, WEFT_TYPE(Echo), (weft_entity){1, 1}, &(Echo){1, 1},
                WEFT_STATUS_BAD_ARGUMENT, "null");
    refuse_post(world, WEFT_TYPE(Parcel), provisional, &(Parcel){WEFT_ENTITY_NULL, 1},
                WEFT_STATUS_BAD_ARGUMENT, "handle");
    weft_world_destroy(world);
}

// Whatever becomes of it, no consumer may ever read a handle that means nothing any more.
Test(channel, a_provisional_handle_in_a_post_is_refused_or_made_real) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    populate(world);
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    weft_entity made = weft_commands_create(weft_world_commands(world), 0);
    weft_status status =
        weft_world_post(world, WEFT_TYPE(Parcel), (weft_entity){1, 1}, &(Parcel){made, 1});
    world_commit(world);
    weft_entity real = weft_world_resolve(world, made);
    WORLD_OK(world, weft_executor_tick(executor));
    uint32_t count;
    const Parcel* parcels = weft_world_messages(world, WEFT_TYPE(Parcel), &count);
    cr_assert_eq(count, status == WEFT_STATUS_OK ? 1 : 0);
    if (count == 1)
        ENTITY_EQ(parcels[0].about, real);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(channel, messages_can_be_read_between_ticks) {
    sim s = sim_open(&run_configs[0], build_letters);
    uint32_t count = 7;
    cr_assert_null(weft_world_messages(s.world, WEFT_TYPE(Letter), &count));
    cr_assert_eq(count, 0);
    sim_tick(&s);
    cr_assert_not_null(weft_world_messages(s.world, WEFT_TYPE(Letter), &count));
    cr_assert_gt(count, 1000);
    cr_assert_null(weft_world_messages(s.world, WEFT_TYPE(Body), &count));
    cr_assert_eq(count, 0);
    sim_close(&s);
}

// A consumer that would run before its senders is an error of the graph, not a lost message.
Test(channel, a_consumer_before_its_sender_is_refused) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    register_all(world);
    run_add(schedule, WEFT_SYSTEM("hear", hear_in_order, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Shout))));
    run_add(schedule, WEFT_SYSTEM("late", announce, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_EMITS(Shout))));
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_BAD_ACCESS);
    TEXT_HAS(weft_schedule_error(schedule), "\"hear\"");
    TEXT_HAS(weft_schedule_error(schedule), "\"late\"");
    TEXT_HAS(weft_schedule_error(schedule), "Shout");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}
