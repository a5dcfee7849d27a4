#include "cli.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint64_t count_of(const char* text) {
    uint64_t value = 0;
    cr_assert(weft_cli_count_parse(text, &value), "%s", text);
    return value;
}

Test(options, counts) {
    cr_assert_eq(count_of("0"), 0u);
    cr_assert_eq(count_of("250000"), 250000u);
    cr_assert_eq(count_of("007"), 7u);
    cr_assert_eq(count_of("10k"), 10000u);
    cr_assert_eq(count_of("1M"), 1000000u);
    cr_assert_eq(count_of("3G"), 3000000000u);
    cr_assert_eq(count_of("1e6"), 1000000u);
    cr_assert_eq(count_of("2.5e6"), 2500000u);
    cr_assert_eq(count_of("1.25k"), 1250u);
    cr_assert_eq(count_of("1.0"), 1u);
    cr_assert_eq(count_of("1.50e1"), 15u);
    cr_assert_eq(count_of("18446744073709551615"), UINT64_MAX);
    cr_assert_eq(count_of("1e19"), 10000000000000000000u);
}

Test(options, counts_refused) {
    static const char* const bad[] = {"",
                                      " ",
                                      "-1",
                                      "+1",
                                      "k",
                                      "e6",
                                      "1e",
                                      "1e20",
                                      "1.5",
                                      "1.",
                                      ".5",
                                      "1.k",
                                      "1kk",
                                      "1K",
                                      "1e6k",
                                      "0x10",
                                      "1e-3",
                                      "1.2345k",
                                      "1 ",
                                      " 1",
                                      "1,000",
                                      "18446744073709551616",
                                      "20000000000G"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t value = 77;
        cr_expect_not(weft_cli_count_parse(bad[i], &value), "'%s' was taken as %llu", bad[i],
                      (unsigned long long)value);
        cr_expect_eq(value, 77u, "'%s' changed the number", bad[i]);
    }
}

Test(options, whole_64_bits) {
    uint64_t value = 0;
    cr_assert(weft_cli_u64_parse("18446744073709551615", &value));
    cr_assert_eq(value, UINT64_MAX);
    cr_assert(weft_cli_u64_parse("0xffffffffffffffff", &value));
    cr_assert_eq(value, UINT64_MAX);
    cr_assert(weft_cli_u64_parse("0X2A", &value));
    cr_assert_eq(value, 42u);
    static const char* const bad[] = {"",
                                      "0x",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1k",
                                      "0xg",
                                      "1x",
                                      "18446744073709551616",
                                      "0x10000000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(weft_cli_u64_parse(bad[i], &value), "'%s'", bad[i]);
}

static bool executor_of(const char* text, weft_cli_executor* out) {
    return weft_cli_executor_parse(text, strlen(text), out);
}

Test(options, executors) {
    weft_cli_executor executor;
    cr_assert(executor_of("serial", &executor));
    cr_assert_eq(executor.kind, WEFT_EXECUTOR_SERIAL);
    cr_assert(executor_of("virtual", &executor));
    cr_assert_eq(executor.kind, WEFT_EXECUTOR_VIRTUAL);
    cr_assert_eq(executor.worker_count, 0u);
    cr_assert(executor_of("threads:1024", &executor));
    cr_assert_eq(executor.kind, WEFT_EXECUTOR_THREADS);
    cr_assert_eq(executor.worker_count, 1024u);
    static const char* const bad[] = {
        "",         "Serial",     "thread",     "threads:",   "threads:0",  "threads:1025",
        "serial:2", "virtual:-1", "virtual:3:", "virtual: 3", "threads:2,3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(executor_of(bad[i], &executor), "'%s'", bad[i]);
}

// A schedule seed alone repeats a virtual run: everything drawn comes from it.
Test(options, placement_is_drawn_from_the_seed) {
    weft_cli_executor executor = {WEFT_EXECUTOR_VIRTUAL, 3};
    bool fused = false;
    bool alone = false;
    uint32_t orders = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        weft_executor_desc a = weft_cli_executor_desc(executor, seed, false);
        weft_executor_desc b = weft_cli_executor_desc(executor, seed, false);
        cr_assert_eq(a.schedule_seed, seed);
        cr_assert_eq(a.no_fusion, b.no_fusion);
        cr_assert_eq(a.grain, b.grain);
        cr_assert_eq(a.sweep, b.sweep);
        orders |= 1u << a.sweep;
        fused = fused || !a.no_fusion;
        alone = alone || a.no_fusion;
    }
    cr_assert(fused && alone);
    cr_assert_eq(orders, 1u << WEFT_SWEEP_CHUNK_MAJOR | 1u << WEFT_SWEEP_SYSTEM_MAJOR);
}

Test(options, threads_are_permuted_where_faults_are_looked_for) {
    weft_cli_executor executor = {WEFT_EXECUTOR_THREADS, 3};
    uint32_t everybody = 0, told = 0, asleep = 0;
    for (uint64_t draw = 0; draw < 42; draw++) {
        weft_executor_desc desc = weft_cli_executor_desc(executor, draw, false);
        cr_assert_not(desc.everybody);
        weft_cli_executor_permute(&desc, draw);
        cr_assert_eq(desc.worker_count, 3);
        everybody += desc.everybody;
        told += desc.tick_period_ns != 0;
        asleep += desc.spin_ns == 0;
    }
    cr_assert(everybody == 21 && told == 21 && asleep > 0 && asleep < 42);
    weft_executor_desc serial =
        weft_cli_executor_desc((weft_cli_executor){WEFT_EXECUTOR_SERIAL, 1}, 1, false);
    weft_cli_executor_permute(&serial, 1);
    cr_assert_not(serial.everybody);
}

Test(options, nearest_name) {
    static const char* const names[] = {"creatures", "motion", "churn", "churn_sparse", "boids"};
    cr_assert_str_eq(weft_cli_nearest("creature", names, 5), "creatures");
    cr_assert_str_eq(weft_cli_nearest("mtoion", names, 5), "motion");
    cr_assert_str_eq(weft_cli_nearest("churn_spars", names, 5), "churn_sparse");
    cr_assert_str_eq(weft_cli_nearest("sparse", names, 5), "churn_sparse");
    cr_assert_null(weft_cli_nearest("zzzzzzzz", names, 5));
    cr_assert_null(weft_cli_nearest("", names, 0));
}

Test(options, characters) {
    static const struct {
        const char* text;
        size_t length;
    } cases[] = {
        {"a", 1},
        {"\x7f", 1},
        {"\n", 1},
        {"\xc3\xa9", 2},
        {"\xe2\x82\xac", 3},
        {"\xef\xbf\xbd", 3},
        {"\xf0\x9f\x98\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\x80", 0}, // Begins with what follows,
        {"\xc3", 0}, // ends too early,
        {"\xe2\x82", 0},
        {"\xe2\x82"
         "a",
         0},
        {"\xc0\x80", 0}, // is longer than it need be,
        {"\xe0\x9f\xbf", 0},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xed\xa0\x80", 0},     // half a pair,
        {"\xf4\x90\x80\x80", 0}, // or beyond all.
        {"\xf8\x88\x80\x80", 0},
        {"\xff", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq(weft_cli_utf8_length(cases[i].text), cases[i].length, "case %zu", i);
}

Test(options, numbers_for_people) {
    char text[WEFT_CLI_NUMBER_SIZE];
    cr_assert_str_eq(weft_cli_number(0, text), "0");
    cr_assert_str_eq(weft_cli_number(999, text), "999");
    cr_assert_str_eq(weft_cli_number(1000, text), "1,000");
    cr_assert_str_eq(weft_cli_number(1234567, text), "1,234,567");
    cr_assert_str_eq(weft_cli_number(UINT64_MAX, text), "18,446,744,073,709,551,615");
    cr_assert_str_eq(weft_cli_seconds(0.0042, text), "4.2 ms");
    cr_assert_str_eq(weft_cli_seconds(12.34, text), "12.3 s");
    cr_assert_str_eq(weft_cli_seconds(200, text), "3 min 20 s");
}

Test(options, lists_of_cpus) {
    uint32_t* cpus = NULL;
    uint32_t count = 0;
    cr_assert(weft_cli_cpus_parse("3,0,8-11", &cpus, &count));
    cr_assert_eq(count, 6u);
    cr_assert(cpus[0] == 3 && cpus[1] == 0 && cpus[2] == 8 && cpus[5] == 11);
    char* text = weft_cli_cpus_text(cpus, count);
    cr_assert_str_eq(text, "3,0,8-11");
    free(text);
    free(cpus);
    static const uint32_t pair[] = {2, 4, 5, 7};
    text = weft_cli_cpus_text(pair, 4);
    cr_assert_str_eq(text, "2,4,5,7");
    free(text);
    text = weft_cli_cpus_text(pair, 0);
    cr_assert_str_eq(text, "");
    free(text);
    static const char* const bad[] = {"",
                                      ",",
                                      "0,",
                                      ",0",
                                      "a",
                                      "1-",
                                      "-1",
                                      "4-2",
                                      "0 ,1",
                                      "0-1-2",
                                      "0x2",
                                      "1,,2",
                                      "0-1024",
                                      "+1",
                                      "1.5",
                                      "4294967295",
                                      "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(weft_cli_cpus_parse(bad[i], &cpus, &count), "'%s'", bad[i]);
}

Test(options, quotas) {
    uint32_t milli = 0;
    cr_assert(weft_cli_quota_parse("1.5", &milli) && milli == 1500);
    cr_assert(weft_cli_quota_parse("3", &milli) && milli == 3000);
    cr_assert(weft_cli_quota_parse("0.0001", &milli) && milli == 1);
    static const char* const bad[] = {"", "0", "-1", "1.5x", "nan", "inf", " 1", "1e9", ".5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(weft_cli_quota_parse(bad[i], &milli), "'%s'", bad[i]);
}
