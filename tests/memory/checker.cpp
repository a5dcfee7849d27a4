// The checker's body: Relacy, and the command line.
//
// Relacy runs the threads as fibers and switches at atomic operations. A load may return an old
// value, as far as happens-before allows: of the last three by chance, of the last two where all
// executions are tried. It does not let a load see a store that
// comes later in the program, and a failed compare-and-swap sees the newest value.

#include <relacy/relacy.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <streambuf>

#include "checker.h"

#undef malloc
#undef free
#undef new
#undef delete
#undef assert

namespace {

struct known_word {
    const void* address;
    const char* name;
    bool spoilt; // The fault is for this word.
};

struct memory {
    rl::atomic<uint64_t> words[CHECK_WORDS_MAX];
    rl::var<uint64_t> cells[CHECK_CELLS_MAX];
};

constexpr unsigned long long EXECUTIONS_MAX = 8000000;

const char* const fault_names[] = {"none",       "relaxed loads",    "relaxed stores",
                                   "relaxed changes", "adding nothing", "no wakes",
                                   "no fences",  "no second look"};

const check_scene* scene;
check_fault fault;
const char* fault_word;
memory* now; // Of the running execution.
known_word known[CHECK_WORDS_MAX];
uint32_t known_count;
bool in_run[CHECK_THREADS_MAX];
bool draws; // There are draws of our own: an execution is one of many by chance, not the next of all.
bool alone; // One thread sets things up, or looks at what is left.

uint32_t burst; // What is left of it.

// The scheduler's draws alone would hardly ever hold a thread back for a while. So now and then the
// running one goes on for some operations without a switch.
void step() {
    rl::context& c = rl::ctx();
    if (burst > 0) {
        if (--burst == 0)
            c.enable_preemption();
    } else if (draws && !alone && rl::rand(24) == 0) {
        burst = 1u << (1 + rl::rand(7));
        c.disable_preemption();
    }
}

void end_burst() {
    if (burst > 0)
        rl::ctx().enable_preemption();
    burst = 0;
}

uint32_t find(const void* address) {
    for (uint32_t i = 0; i < known_count; i++)
        if (known[i].address == address)
            return i;
    std::fprintf(stderr, "%s: a word that is not known\n", scene->name);
    std::abort();
}

bool is_faulty(uint32_t word, check_fault kind) {
    return known[word].spoilt && fault == kind;
}

template <rl::thread_id_t count> struct suite : rl::test_suite<suite<count>, count> {
    memory mine;

    void before() {
        now = &mine;
        known_count = burst = 0;
        alone = true;
        std::memset(in_run, 0, sizeof(in_run));
        for (uint32_t i = 0; i < CHECK_CELLS_MAX; i++)
            mine.cells[i]($) = 0;
        scene->before();
        alone = false;
    }

    void thread(unsigned index) {
        scene->thread(index);
        end_burst();
    }

    void after() {
        alone = true;
        scene->after();
    }
};

} // namespace

extern "C" {

void check_word(const void* word, const char* name) {
    if (known_count == CHECK_WORDS_MAX)
        std::abort();
    known[known_count] = {word, name, fault_word != nullptr && std::strcmp(name, fault_word) == 0};
    now->words[known_count++].store(0, rl::mo_relaxed, $);
}

uint64_t check_load(const void* word, check_order order) {
    uint32_t at = find(word);
    step();
    if (fault == FAULT_NO_SECOND_LOOK && known[at].spoilt && in_run[rl::thread_index()])
        return 0;
    if (order == CHECK_RELAXED || is_faulty(at, FAULT_RELAXED_LOAD))
        return now->words[at].load(rl::mo_relaxed, $);
    return now->words[at].load(rl::mo_acquire, $);
}

void check_store(void* word, uint64_t value, check_order order) {
    uint32_t at = find(word);
    step();
    if (order == CHECK_RELAXED || is_faulty(at, FAULT_RELAXED_STORE))
        now->words[at].store(value, rl::mo_relaxed, $);
    else
        now->words[at].store(value, rl::mo_release, $);
}

uint64_t check_add(void* word, uint64_t value) {
    uint32_t at = find(word);
    step();
    if (is_faulty(at, FAULT_STUCK))
        value = 0;
    bool relaxed = is_faulty(at, FAULT_RELAXED_RMW);
    return now->words[at].fetch_add(value, relaxed ? rl::mo_relaxed : rl::mo_acq_rel, $);
}

bool check_compare_exchange(void* word, uint64_t* expected, uint64_t desired) {
    uint32_t at = find(word);
    step();
    bool relaxed = is_faulty(at, FAULT_RELAXED_RMW);
    return now->words[at].compare_exchange(
        rl::bool_t<false>(), *expected, desired, relaxed ? rl::mo_relaxed : rl::mo_acq_rel,
        relaxed ? rl::mo_relaxed : rl::mo_acquire, $);
}

void check_fence(void) {
    if (fault == FAULT_NO_FENCE &&
        (rl::thread_index() == 0) == (std::strcmp(fault_word, "first") == 0))
        return;
    rl::atomic_thread_fence(rl::mo_seq_cst, $);
}

void check_relax(void) {
    end_burst();
    rl::yield(1, $);
}

bool check_futex_wait(const void* word, uint32_t expected, bool timed) {
    rl::context& c = rl::ctx();
    uint32_t at = find(word);
    end_burst();
    if (draws && rl::rand(8) == 0)
        return true; // For no reason. Relacy's own would hide a lost wake while anybody runs.
    c.sched();
    c.atomic_thread_fence_seq_cst();
    {
        rl::preemption_disabler still(c);
        if (now->words[at].load(rl::mo_acquire, $) != expected)
            return true;
    }
    return now->words[at].wait(c, timed, false, $) != rl::unpark_reason_timeout;
}

void check_futex_wake(const void* word) {
    rl::context& c = rl::ctx();
    uint32_t at = find(word);
    if (is_faulty(at, FAULT_NO_WAKE))
        return;
    c.sched();
    c.atomic_thread_fence_seq_cst();
    now->words[at].wake(c, CHECK_THREADS_MAX, $);
}

uint64_t check_cell_read(uint32_t cell) {
    return now->cells[cell]($).load();
}

void check_cell_write(uint32_t cell, uint64_t value) {
    now->cells[cell]($).store(value);
}

void check_run_begin(void) {
    in_run[rl::thread_index()] = true;
}

void check_run_end(void) {
    in_run[rl::thread_index()] = false;
}

void check_that(bool holds, const char* what) {
    if (!holds)
        rl::ctx().fail_test(what, rl::test_result_user_assert_failed, $);
}

// An assertion of the code under the checker.
void weft_assert_failed(const char* expression, const char* file, int line) {
    (void)file;
    (void)line;
    check_that(false, expression);
    std::abort();
}

} // extern "C"

namespace {

// Takes what Relacy prints, or drops it. It allocates nothing: Relacy has operators of its own for
// that, which the streams of the library do not know.
struct sink : std::streambuf {
    bool quiet;

    int overflow(int character) override {
        if (!quiet && character != EOF)
            std::fputc(character, stdout);
        return 0;
    }
};

struct options {
    unsigned long long from = 1;
    unsigned long long count = 20000;
    unsigned more = 0; // Forced switches.
    const char* only = nullptr;
};

// Runs a scene; true if no execution failed. Prints Relacy's words unless it is quiet.
bool run(rl::test_params& params, bool quiet) {
    sink buffer;
    buffer.quiet = quiet;
    std::ostream stream(&buffer);
    params.output_stream = &stream;
    params.progress_stream = &stream;
    params.execution_depth_limit = 20000;
    draws = params.search_type == rl::sched_random;
    switch (scene->threads) {
    case 2:
        return rl::simulate<suite<2>>(params);
    case 3:
        return rl::simulate<suite<3>>(params);
    default:
        std::abort();
    }
}

// Executions by chance. Returns the number of the one that fails, or 0.
unsigned long long run_drawn(const options& o, bool quiet) {
    char from[32];
    (void)std::snprintf(from, sizeof(from), "%llu", o.from);
    rl::test_params params;
    params.search_type = rl::sched_random;
    params.iteration_count = o.from + o.count - 1;
    params.initial_state = from;
    return run(params, quiet) ? 0 : params.stop_iteration;
}

bool run_scene(const options& o) {
    fault = FAULT_NONE;
    fault_word = nullptr;
    unsigned long long failed = run_drawn(o, true);
    if (failed == 0) {
        std::printf("%-16s %u threads, executions %llu to %llu: nothing found\n", scene->name,
                    scene->threads, o.from, o.from + o.count - 1);
        return true;
    }
    options again;
    again.from = failed;
    again.count = 1;
    (void)run_drawn(again, false);
    std::printf("%s: execution %llu fails; repeat it by --from %llu --count 1 %s\n", scene->name,
                failed, failed, scene->name);
    return false;
}

// All executions of a kind, in an order that is always the same.
bool run_all(const options& o) {
    rl::test_params params;
    bool all = scene->switches == CHECK_ALL;
    params.search_type = all ? rl::sched_full : rl::sched_bound;
    params.context_bound = all ? 0 : scene->switches + o.more;
    params.iteration_count = EXECUTIONS_MAX;
    rl::test_params again = params;
    bool passed = run(params, true);
    unsigned long long count = params.stop_iteration;
    if (!passed)
        (void)run(again, false);
    if (all)
        std::printf("%-16s all %llu executions", scene->name, count);
    else
        std::printf("%-16s %s %llu executions of up to %u forced switches", scene->name,
                    count == EXECUTIONS_MAX ? "the first" : "all", count, params.context_bound);
    std::printf(passed ? ": nothing found\n" : ": the last one fails\n");
    return passed;
}

bool run_canary(const options& o, const check_canary& canary) {
    fault = canary.fault;
    fault_word = canary.word;
    unsigned long long found = run_drawn(o, true);
    std::printf("%-16s %s, %s: ", scene->name, fault_names[canary.fault], canary.word);
    if (found != 0)
        std::printf("found in execution %llu\n", found);
    else
        std::printf("NOT FOUND in %llu executions\n", o.count);
    return found != 0;
}

} // namespace

int main(int argc, char** argv) {
    options o;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--from") == 0 && i + 1 < argc)
            o.from = std::strtoull(argv[++i], nullptr, 10);
        else if (std::strcmp(argv[i], "--count") == 0 && i + 1 < argc)
            o.count = std::strtoull(argv[++i], nullptr, 10);
        else if (std::strcmp(argv[i], "--more") == 0 && i + 1 < argc)
            o.more = (unsigned)std::strtoul(argv[++i], nullptr, 10);
        else
            o.only = argv[i];
    }
    unsigned failures = 0;
    unsigned runs = 0;
    for (uint32_t i = 0; i < check_scene_count; i++) {
        scene = &check_scenes[i];
        if (o.only != nullptr && std::strcmp(o.only, scene->name) != 0)
            continue;
        runs++;
        failures += !run_scene(o);
        if (o.count == 1)
            continue; // One execution is repeated.
        failures += scene->switches != 0 && !run_all(o);
        for (uint32_t j = 0; j < check_canary_count; j++)
            if (std::strcmp(check_canaries[j].scene, scene->name) == 0)
                failures += !run_canary(o, check_canaries[j]);
    }
    std::printf("%u scenes, %u failures\n", runs, failures);
    return failures == 0 && runs > 0 ? 0 : 1;
}
