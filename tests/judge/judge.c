// judge FUNCTION... [--from RAW] [--to RAW] [--stride N]   every N-th raw value of a range
// judge FUNCTION... --random COUNT [--seed SEED]           random values, directed where it matters
// judge FUNCTION... --edges                                edges and the hardest known inputs
// judge [FUNCTION...] --all                                every input of one-argument Q16.16
//                                                          functions; edges, strides and random
//                                                          values of the others
// judge [FUNCTION...] --short                              a sample of each
// judge --list
//
// Also --jobs N (processes) and --show N (wrong results printed of each run). Exits with 0 when
// nothing is wrong, 1 when something is, 2 when it was called wrongly.

#include "judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    BLOCK = 1 << 16,
    JOBS_MAX = 256,
    SHOWN_MAX = 16
};

typedef struct finding {
    int64_t a, b, result;
    double error;
} finding;

/// What one worker has found; in memory shared with the parent.
typedef struct tally {
    uint64_t done, wrong, by_mpfr;
    finding worst;   // the largest error
    finding hardest; // `error` is the distance to a tie
    finding shown[SHOWN_MAX];
} tally;

static int jobs;
static int show = 5;

// Verdicts ---------------------------------------------------------------------------------------

typedef struct verdict {
    bool right, by_mpfr;
    double error; // ulp
    double tie;   // Distance of the exact value to a tie; 1 where there is none.
} verdict;

/// The exact result in ulp, cut to the range, and the verdict by it.
static verdict judge_exactly(const judge_function* function, int64_t a, int64_t b, int64_t result) {
    static mpfr_t x, y, exact, nearest;
    static bool ready;
    if (!ready) {
        mpfr_inits2(JUDGE_PRECISION, x, y, exact, nearest, (mpfr_ptr)0);
        ready = true;
    }
    mpfr_set_si_2exp(x, a, -function->bits, MPFR_RNDN);
    mpfr_set_si_2exp(y, b, -function->bits, MPFR_RNDN);
    function->exact(exact, x, y, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, function->bits, MPFR_RNDN);
    if (mpfr_cmp_si(exact, judge_max(function)) > 0)
        mpfr_set_si(exact, judge_max(function), MPFR_RNDN);
    if (mpfr_cmp_si(exact, judge_min(function)) < 0)
        mpfr_set_si(exact, judge_min(function), MPFR_RNDN);
    mpfr_rint(nearest, exact, MPFR_RNDN);
    bool rounded = mpfr_cmp_si(nearest, result) == 0;
    mpfr_sub(nearest, exact, nearest, MPFR_RNDN);
    double tie = 0.5 - fabs(mpfr_get_d(nearest, MPFR_RNDN));
    mpfr_sub_si(exact, exact, result, MPFR_RNDN);
    double error = fabs(mpfr_get_d(exact, MPFR_RNDU));
    bool right = function->bound <= 0.5 ? rounded : error <= function->bound;
    return (verdict){right, true, error, tie};
}

/// By a double: whether it can tell. A result out of range is told by it too.
static bool judge_roughly(const judge_function* function, int64_t a, int64_t b, int64_t result,
                          verdict* out) {
    double value = function->rough((double)a * 0x1p-16, (double)b * 0x1p-16) * 65536;
    double sure = value * (1 - 0x1p-50);
    if (sure > 2147483647.5 || sure < -2147483648.5) {
        int64_t limit = sure > 0 ? INT32_MAX : INT32_MIN;
        *out = (verdict){result == limit, false, fabs((double)result - (double)limit), 1};
        return true;
    }
    double nearest = rint(value);
    double tie = 0.5 - fabs(value - nearest);
    bool right = (double)result == nearest;
    // Near a tie or a limit, and where half an ulp is not the bound, MPFR decides.
    if (!(tie > fabs(value) * 0x1p-50) || fabs(value) > 2147483647.0 || !right)
        return false;
    *out = (verdict){true, false, fabs((double)result - value), tie};
    return true;
}

static verdict judge_one(const judge_function* function, int64_t a, int64_t b, int64_t result) {
    int64_t expected;
    if (function->edge(function, a, b, &expected))
        return (verdict){result == expected, false, result == expected ? 0 : INFINITY, 1};
    verdict rough;
    if (function->bits == 16 && judge_roughly(function, a, b, result, &rough))
        return rough;
    return judge_exactly(function, a, b, result);
}

// Workers ----------------------------------------------------------------------------------------

static void judge_block(const judge_function* function, const judge_inputs* inputs, uint64_t first,
                        uint64_t end, tally* found) {
    for (uint64_t index = first; index < end; ++index) {
        int64_t a, b;
        judge_input_at(function, inputs, index, &a, &b);
        int64_t result = function->call(a, b);
        verdict one = judge_one(function, a, b, result);
        found->by_mpfr += one.by_mpfr;
        if (one.error > found->worst.error)
            found->worst = (finding){a, b, result, one.error};
        if (one.tie < found->hardest.error && one.tie > 0)
            found->hardest = (finding){a, b, result, one.tie};
        if (one.right)
            continue;
        if (found->wrong < SHOWN_MAX)
            found->shown[found->wrong] = (finding){a, b, result, one.error};
        ++found->wrong;
    }
    found->done += end - first;
}

/// Every `jobs`-th block of the inputs.
static void work(const judge_function* function, const judge_inputs* inputs, int worker,
                 tally* found) {
    found->hardest.error = 1;
    uint64_t blocks = (inputs->count + BLOCK - 1) / BLOCK;
    for (uint64_t block = (uint64_t)worker; block < blocks; block += (uint64_t)jobs) {
        uint64_t first = block * BLOCK;
        uint64_t end = first + BLOCK < inputs->count ? first + BLOCK : inputs->count;
        judge_block(function, inputs, first, end, found);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/// Waits for the workers, with a line of progress on a terminal. False when one failed.
static bool wait_for(const pid_t* workers, const tally* tallies, const char* name, uint64_t count) {
    bool terminal = isatty(STDERR_FILENO) != 0;
    bool well = true;
    for (int left = jobs; left > 0;) {
        int status;
        pid_t ended = waitpid(-1, &status, terminal ? WNOHANG : 0);
        if (ended < 0)
            return false;
        for (int i = 0; i < jobs && ended > 0; ++i) {
            if (workers[i] != ended)
                continue;
            --left;
            well = well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        }
        if (ended > 0)
            continue;
        uint64_t done = 0;
        for (int i = 0; i < jobs; ++i)
            done += *(const volatile uint64_t*)&tallies[i].done;
        fprintf(stderr, "\r%-16s %5.1f%%", name, 100 * (double)done / (double)count);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    if (terminal)
        fprintf(stderr, "\r%-40s\r", "");
    return well;
}

static void print_wrong(const judge_function* function, const tally* found) {
    for (int i = 0; i < show && i < SHOWN_MAX && (uint64_t)i < found->wrong; ++i) {
        const finding* one = &found->shown[i];
        printf("  wrong: %s(%" PRId64, function->name, one->a);
        if (function->arity == 2)
            printf(", %" PRId64, one->b);
        printf(") = %" PRId64 ", off by %.4f ulp\n", one->result, one->error);
    }
}

static void print_row(const judge_function* function, const char* what, const tally* all,
                      double elapsed) {
    printf("%-15s %-8s %11" PRIu64 " %7" PRIu64 "  %.6f  %8.1f %9" PRIu64 " %8.2f  %" PRId64,
           function->name, what, all->done, all->wrong, all->worst.error, log2(all->hardest.error),
           all->by_mpfr, elapsed, all->hardest.a);
    if (function->arity == 2)
        printf(",%" PRId64, all->hardest.b);
    printf("\n");
    fflush(stdout);
}

/// One run over some inputs. False when a result is wrong.
static bool run(const judge_function* function, const char* what, judge_inputs inputs) {
    double start = seconds();
    size_t size = sizeof(tally) * JOBS_MAX;
    tally* tallies = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tallies == MAP_FAILED)
        return false;
    pid_t workers[JOBS_MAX];
    fflush(stdout);
    for (int i = 0; i < jobs; ++i) {
        workers[i] = fork();
        if (workers[i] == 0) {
            work(function, &inputs, i, &tallies[i]);
            _exit(0);
        }
    }
    bool well = wait_for(workers, tallies, function->name, inputs.count);
    tally all = {.hardest.error = 1};
    for (int i = 0; i < jobs; ++i) {
        const tally* one = &tallies[i];
        print_wrong(function, one);
        all.done += one->done;
        all.wrong += one->wrong;
        all.by_mpfr += one->by_mpfr;
        if (one->worst.error > all.worst.error)
            all.worst = one->worst;
        if (one->hardest.error < all.hardest.error)
            all.hardest = one->hardest;
    }
    print_row(function, what, &all, seconds() - start);
    if (!well || all.done != inputs.count)
        printf("  a worker failed: %" PRIu64 " of %" PRIu64 " inputs\n", all.done, inputs.count);
    well = well && all.done == inputs.count && all.wrong == 0;
    judge_inputs_free(&inputs);
    munmap(tallies, size);
    return well;
}

// Commands ---------------------------------------------------------------------------------------

typedef struct request {
    int64_t from, to;
    uint64_t stride, random, seed;
    bool edges, whole, sample, named;
    bool chosen[64];
} request;

static bool run_request(const judge_function* function, const request* asked) {
    if (asked->edges)
        return run(function, "edges", judge_edges(function));
    if (asked->random > 0)
        return run(function, "random", judge_random(asked->random, asked->seed));
    return run(function, asked->stride == 1 ? "all" : "stride",
               judge_stride(function, asked->from, asked->to, asked->stride));
}

/// Everything once: `scale` times the inputs of a short run.
static bool run_everything(const judge_function* function, bool whole, uint64_t seed) {
    bool exhaustive = whole && function->bits == 16 && function->arity == 1;
    bool cheap = function->bits == 16;
    uint64_t count = (cheap ? 1 << 18 : 1 << 13) * (whole ? 256u : 1u);
    uint64_t range = (uint64_t)judge_max(function) - (uint64_t)judge_min(function);
    uint64_t stride = exhaustive ? 1 : range / count | 1;
    bool well = run(function, "edges", judge_edges(function));
    well &= run(function, exhaustive ? "all" : "stride",
                judge_stride(function, judge_min(function), judge_max(function), stride));
    if (!exhaustive)
        well &= run(function, "random", judge_random(count, seed));
    return well;
}

static int usage(void) {
    fprintf(stderr, "usage: judge FUNCTION...|--all|--short|--list [--edges] [--from RAW]\n"
                    "             [--to RAW] [--stride N] [--random COUNT] [--seed SEED]\n"
                    "             [--jobs N] [--show N]\n");
    return 2;
}

static void list(void) {
    for (int i = 0; i < judge_function_count; ++i)
        printf("%s\n", judge_functions[i].name);
}

/// An option with a value; false where there is none of that name.
static bool take_value(request* asked, const char* option, const char* value) {
    if (strcmp(option, "--from") == 0)
        asked->from = strtoll(value, NULL, 0);
    else if (strcmp(option, "--to") == 0)
        asked->to = strtoll(value, NULL, 0);
    else if (strcmp(option, "--stride") == 0)
        asked->stride = strtoull(value, NULL, 0);
    else if (strcmp(option, "--random") == 0)
        asked->random = strtoull(value, NULL, 0);
    else if (strcmp(option, "--seed") == 0)
        asked->seed = strtoull(value, NULL, 0);
    else if (strcmp(option, "--jobs") == 0)
        jobs = atoi(value);
    else if (strcmp(option, "--show") == 0)
        show = atoi(value);
    else
        return false;
    return true;
}

static bool take_word(request* asked, const char* word) {
    if (strcmp(word, "--all") == 0)
        return asked->whole = true;
    if (strcmp(word, "--short") == 0)
        return asked->sample = true;
    if (strcmp(word, "--edges") == 0)
        return asked->edges = true;
    for (int k = 0; k < judge_function_count; ++k) {
        if (strcmp(judge_functions[k].name, word) == 0)
            return asked->named = asked->chosen[k] = true;
    }
    return false;
}

static int run_all(const request* asked) {
    bool well = true, any = false;
    printf("%-15s %-8s %11s %7s  %-8s  %8s %9s %8s  %s\n", "function", "inputs", "count", "wrong",
           "worst", "hardest", "by MPFR", "seconds", "hardest input");
    for (int k = 0; k < judge_function_count; ++k) {
        const judge_function* function = &judge_functions[k];
        bool several = asked->whole || asked->sample;
        if (asked->named ? !asked->chosen[k] : !several || !function->listed)
            continue;
        any = true;
        well &= several ? run_everything(function, asked->whole, asked->seed)
                        : run_request(function, asked);
    }
    if (!any)
        return usage();
    printf("%s\n", well ? "nothing is wrong" : "something is wrong");
    return well ? 0 : 1;
}

int main(int argc, char** argv) {
    request asked = {.from = INT64_MIN, .to = INT64_MAX, .stride = 1, .seed = 0x1F055EED};
    jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list(), 0;
    for (int i = 1; i < argc; ++i) {
        if (take_word(&asked, argv[i]))
            continue;
        if (i + 1 == argc || !take_value(&asked, argv[i], argv[i + 1]))
            return usage();
        ++i;
    }
    return jobs < 1 || jobs > JOBS_MAX || asked.stride == 0 ? usage() : run_all(&asked);
}
