// The rules of the lint, and which names of the C library and its kin break which.

#define _GNU_SOURCE

#include "lint_model.h"

#include <fnmatch.h>
#include <string.h>

static const weft_lint_rule_text rule_texts[WEFT_LINT_RULE_COUNT] = {
    [WEFT_LINT_FLOAT] = {"float", "double and long double; float outside a float world (--float)",
                         "machines and compilers round, contract and flush differently",
                         "use weft_fixed, or weft_float types in a file that --float names"},
    [WEFT_LINT_LIBM] = {"libm", "functions of libm and the floating-point environment, but sqrtf",
                        "their results differ between C libraries and machines",
                        "use the functions of <weft/fixed.h> or <weft/pinned.h>"},
    [WEFT_LINT_VARARG_FLOAT] = {"vararg-float", "a floating value among variable arguments",
                                "it becomes a double on the way", "pass an integer"},
    [WEFT_LINT_DIVISION] = {"division",
                            "integer / and % by what is not a constant that makes them defined",
                            "x/0 and the smallest number / -1 trap on one machine and give 0 or -1 "
                            "on another",
                            "use weft_fixed_div(), divide by a constant, or check the divisor and "
                            "except the line"},
    [WEFT_LINT_SHIFT] = {"shift", "<< and >> by what is not a constant below the width",
                         "1u << 33 is 0 on one machine and 2 on another",
                         "mask the count: x << (n & 31)"},
    [WEFT_LINT_ADDRESS] = {"address", "addresses ordered, subtracted, made into numbers or printed",
                           "addresses differ from run to run",
                           "compare and store indices or entity handles"},
    [WEFT_LINT_STATIC] =
        {"static", "objects with static or thread storage that may be written",
         "what one task leaves there another finds, in an order that nobody fixes, "
         "and no rollback restores it",
         "make it const, or a component or a resource"},
    [WEFT_LINT_TIME] = {"time", "clocks, dates, sleeping, __DATE__ and __TIME__",
                        "it is another time in every run", "use weft_view_tick()"},
    [WEFT_LINT_RANDOM] = {"random", "random numbers from elsewhere",
                          "their order of draws, or their source, is another in every run",
                          "use weft_view_random() and the functions of <weft/random.h>"},
    [WEFT_LINT_ENVIRONMENT] = {"environment", "environment, process, machine, locale, errno",
                               "it is another on every machine and in every run",
                               "read it before the world is built and keep it in a resource"},
    [WEFT_LINT_THREAD] = {"thread", "threads, locks, processes",
                          "the order of threads is another in every run",
                          "leave it to the executor: split the work into systems"},
    [WEFT_LINT_ATOMIC] = {"atomic", "atomic types and operations, fences",
                          "the order in which tasks arrive is another in every run",
                          "emit messages, or use a reduction"},
    [WEFT_LINT_ALLOC] = {"alloc", "heap memory",
                         "it can fail on one machine alone, and no rollback gives it back",
                         "use components, resources, or an array of fixed size"},
    [WEFT_LINT_QSORT] = {"qsort", "qsort, bsearch and their kin",
                         "elements that compare equal end up in an order that the C library "
                         "chooses",
                         "make the comparator a total order and except the line where it begins"},
    [WEFT_LINT_HASH_ORDER] = {"hash-order", "iteration over a hash container",
                              "its order follows hashes, history or addresses",
                              "visit entities, or keep an array"},
    [WEFT_LINT_ASM] = {"asm", "inline assembler", "it is another program on every machine",
                       "write it in C"},
    [WEFT_LINT_EXTERNAL] = {"external",
                            "functions and objects from elsewhere of which nothing is known",
                            "what it does cannot be seen here",
                            "name its file too, or say --pure=NAME if it depends on its arguments "
                            "alone"},
    [WEFT_LINT_EXCEPTION] =
        {"exception", "exceptions that are malformed or cover nothing",
         "nobody can tell what it was to say",
         "write `// weft-lint: allow(RULE): REASON` on the line of the finding, "
         "or remove it"},
};

const weft_lint_rule_text* weft_lint_rule_get(weft_lint_rule rule) {
    WEFT_ASSERT(rule < WEFT_LINT_RULE_COUNT);
    return &rule_texts[rule];
}

weft_lint_rule weft_lint_rule_find(const char* name, size_t length) {
    for (size_t i = 0; i < WEFT_LINT_RULE_COUNT; i++) {
        if (strlen(rule_texts[i].name) == length && memcmp(rule_texts[i].name, name, length) == 0)
            return (weft_lint_rule)i;
    }
    return WEFT_LINT_RULE_COUNT;
}

// Names ------------------------------------------------------------------------------------------

/// Names and, where they end in a star, beginnings of names. The first row that has a name decides.
typedef struct name_row {
    weft_lint_rule rule; // WEFT_LINT_RULE_COUNT: allowed.
    const char* names;   // Separated by single spaces.
} name_row;

static const name_row name_rows[] = {
    {WEFT_LINT_RULE_COUNT,
     "memcpy memmove memset memcmp memchr memrchr memmem mempcpy bcmp bcopy bzero "
     "explicit_bzero strlen strnlen strcmp strncmp strchr strrchr strstr strspn strcspn strpbrk "
     "strcpy strncpy stpcpy strcat strncat abs labs llabs imaxabs ffs ffsl ffsll abort "
     "snprintf vsnprintf sprintf vsprintf __assert_fail __assert __stack_chk_fail sqrtf htonl "
     "htons ntohl ntohs weft_* __ubsan_* "
     "__asan_* __tsan_* __sanitizer_*"},
    {WEFT_LINT_TIME,
     "time clock clock_* gettimeofday settimeofday ftime timespec_get timespec_getres localtime* "
     "gmtime* mktime timegm timelocal strftime* strptime asctime* ctime* difftime nanosleep usleep "
     "sleep times getrusage alarm ualarm setitimer getitimer timer_* timerfd_* tzset thrd_sleep "
     "adjtime* rdtsc rdtscp __rdtsc __rdtscp _rdtsc ia32_rdtsc ia32_rdtscp readcyclecounter "
     "g_get_monotonic_time g_get_real_time SDL_GetTicks* SDL_GetPerformance*"},
    {WEFT_LINT_RANDOM,
     "rand rand_r srand random random_r srandom* initstate* setstate* drand48* erand48* lrand48* "
     "nrand48* mrand48* jrand48* srand48* seed48* lcong48* arc4random* getrandom getentropy "
     "RAND_bytes uuid_generate* ia32_rdrand* ia32_rdseed* _rdrand* _rdseed* mktemp mkstemp* "
     "tmpnam* "
     "tempnam tmpfile g_random_* g_rand_* sodium_randombytes* randombytes*"},
    {WEFT_LINT_ENVIRONMENT,
     "getenv secure_getenv setenv unsetenv putenv clearenv environ __environ getpid getppid getuid "
     "geteuid getgid getegid getlogin* getpgid getpgrp getsid gethostname gethostid uname sysconf "
     "pathconf fpathconf confstr getpagesize get_nprocs* getcwd getauxval isatty ttyname* "
     "setlocale "
     "localeconv nl_langinfo* newlocale uselocale duplocale strcoll* strxfrm* wcscoll* isalpha "
     "isalnum isdigit isxdigit "
     "isspace isupper islower ispunct isprint isgraph iscntrl isblank toupper tolower isw* tow* "
     "__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __errno_location errno __error "
     "program_invocation_* getopt* optarg optind opterr optopt sched_getcpu getcpu getrlimit* "
     "getpriority sysinfo syscall cpuid __cpuid* ia32_cpu* cpu_init cpu_is cpu_supports "
     "dl_iterate_phdr dlopen dlsym dladdr* backtrace* __libc_start_main"},
    {WEFT_LINT_THREAD,
     "pthread_* thrd_* mtx_* cnd_* tss_* call_once sem_* fork vfork _Fork clone clone3 gettid "
     "tgkill sched_* setaffinity* futex* posix_spawn* exec* waitpid wait wait3 wait4 waitid signal "
     "sigaction kill raise sigprocmask membarrier GOMP_* omp_* __kmpc_* __cilkrts_*"},
    {WEFT_LINT_ATOMIC, "__atomic_* __c11_atomic_* __sync_* atomic_* ck_pr_* __aarch64_cas* "
                       "__aarch64_ldadd* __aarch64_swp* __aarch64_ldset* __aarch64_ldclr*"},
    {WEFT_LINT_ALLOC,
     "malloc calloc realloc reallocarray free cfree aligned_alloc posix_memalign memalign valloc "
     "pvalloc strdup strndup wcsdup asprintf vasprintf open_memstream getline getdelim mmap* "
     "munmap "
     "mremap brk sbrk obstack_* malloc_* _mm_malloc _mm_free g_malloc* g_free g_new* g_slice_* "
     "je_malloc* mallocx rallocx dallocx _Znw* _Zna* _Zdl* _Zda*"},
    {WEFT_LINT_QSORT, "qsort qsort_r heapsort mergesort psort bsearch lsearch g_qsort_with_data "
                      "g_array_sort* g_ptr_array_sort*"},
    {WEFT_LINT_HASH_ORDER,
     "g_hash_table_iter_* g_hash_table_foreach* g_hash_table_find g_hash_table_get_keys* "
     "g_hash_table_get_values* hcreate* hsearch* hdestroy* json_object_iter* json_object_key* "
     "apr_hash_first apr_hash_next apr_hash_do ck_ht_next ck_hs_next ck_hs_iterator_* hashmap_iter "
     "hashmap_scan hashmap_iterate* xmlHashScan* cfuhash_each cfuhash_next cfuhash_foreach* "
     "lua_next zend_hash_apply* tdelete twalk*"},
    {WEFT_LINT_DIVISION, "div ldiv lldiv imaxdiv"},
    {WEFT_LINT_FLOAT,
     "__addsf3 __subsf3 __mulsf3 __divsf3 __negsf2 __adddf3 __subdf3 __muldf3 __divdf3 __negdf2 "
     "__addtf3 __subtf3 __multf3 __divtf3 __addxf3 __fix* __float* __extend* __trunc* __powi* "
     "__mulsc3 __muldc3 __divsc3 __divdc3 __eqsf2 __nesf2 __gtsf2 __gesf2 __ltsf2 __lesf2 "
     "__unordsf2 __eqdf2 __nedf2 __gtdf2 __gedf2 __ltdf2 __ledf2 __unorddf2"},
    {WEFT_LINT_LIBM, "_mm_rcp* _mm_rsqrt* _mm256_rcp* _mm256_rsqrt* _mm512_rcp* _mm512_rsqrt* "
                     "ia32_rcp* ia32_rsqrt* "
                     "_mm_getcsr _mm_setcsr ia32_ldmxcsr ia32_stmxcsr fe* fpclassify* "
                     "__fpclassify* __isnan* __isinf* __finite* __signbit* "
                     "signgam strtod* strtof* strtold* atof"},
    // Intrinsics and helpers of the compiler on integers, and what the linker adds to an object.
    {WEFT_LINT_RULE_COUNT,
     "_mm_* _mm256_* _mm512_* ia32_* neon_* __divti3 __modti3 __udivti3 __umodti3 __udivmodti4 "
     "__multi3 __divdi3 __moddi3 __udivdi3 __umoddi3 __udivmoddi4 __divmoddi4 __muldi3 __ashl* "
     "__ashr* __lshr* __clz* __ctz* __popcount* __parity* __ffs* __bswap* __cmpdi2 __ucmpdi2 "
     "__cpu_indicator_init __cpu_model __cxa_finalize __cxa_atexit _ITM_* __gmon_start__ "
     "_GLOBAL_OFFSET_TABLE_ __stack_chk_guard __dso_handle _init _fini __TMC_END__"},
    // Built into compilers too.
    {WEFT_LINT_EXTERNAL, "printf fprintf vprintf vfprintf puts "
                         "fputs putchar fputc putc fwrite scanf sscanf fscanf exit _exit"},
};

/// Roots of names in <math.h>: each also with f or l behind it.
static const char math_names[] =
    " acos acosh asin asinh atan atanh atan2 cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 "
    "expm1 fabs fdim floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma "
    "lgamma_r "
    "llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward "
    "pow pow10 remainder remquo rint round roundeven scalb scalbln scalbn significand sin sincos "
    "sinh sqrt tan tanh tgamma trunc y0 y1 yn drem finite isinf isnan ";

/// Roots of names in <complex.h>: after a c, with f or l behind it or without.
static const char complex_names[] =
    "abs acos acosh arg asin asinh atan atanh cos cosh exp imag log log10 pow proj real sin sinh "
    "sqrt tan tanh";

/// True if a list has the name, or a beginning of it that ends in a star.
static bool list_has(const char* list, const char* name, size_t length) {
    for (const char* at = list; *at != '\0';) {
        const char* end = strchrnul(at, ' ');
        size_t size = (size_t)(end - at);
        if (size > 0 && at[size - 1] == '*') {
            if (length >= size - 1 && memcmp(at, name, size - 1) == 0)
                return true;
        } else if (size == length && memcmp(at, name, length) == 0) {
            return true;
        }
        at = *end == ' ' ? end + 1 : end;
    }
    return false;
}

static bool is_math(const char* name, size_t length) {
    bool suffix = length > 1 && strchr("fl", name[length - 1]) != NULL;
    if (list_has(math_names, name, length) || (suffix && list_has(math_names, name, length - 1)))
        return true;
    return length > 2 && name[0] == 'c' &&
           (list_has(complex_names, name + 1, length - 1) ||
            (suffix && list_has(complex_names, name + 1, length - 2)));
}

/// The name that a compiler's or a C library's own name stands for: __builtin_memcpy, __memcpy_chk,
/// __isoc99_sscanf.
static void name_unwrap(const char** name, size_t* length) {
    static const char builtin[] = "__builtin_";
    static const char check[] = "_chk";
    if (strncmp(*name, builtin, sizeof builtin - 1) == 0) {
        *name += sizeof builtin - 1;
        *length -= sizeof builtin - 1;
        if (*length > 3 && strncmp(*name, "___", 3) == 0) { // __builtin___memcpy_chk
            *name += 1;
            *length -= 1;
        }
    }
    size_t tail = sizeof check - 1;
    if (*length > 2 + tail && strncmp(*name, "__", 2) == 0 &&
        memcmp(*name + *length - tail, check, tail) == 0) {
        *name += 2;
        *length -= 2 + tail;
    }
}

weft_lint_rule weft_lint_name_rule(const weft_lint_options* options, const char* name) {
    for (size_t i = 0; i < options->pure_count; i++) {
        if (fnmatch(options->pure[i], name, 0) == 0)
            return WEFT_LINT_RULE_COUNT;
    }
    static const char* const addresses =
        "__builtin_return_address __builtin_frame_address __builtin_extract_return_addr";
    if (list_has(addresses, name, strlen(name)))
        return WEFT_LINT_ADDRESS;
    const char* bare = name;
    size_t length = strlen(name);
    name_unwrap(&bare, &length);
    for (size_t i = 0; i < sizeof name_rows / sizeof name_rows[0]; i++) {
        if (list_has(name_rows[i].names, bare, length))
            return name_rows[i].rule;
    }
    if (is_math(bare, length))
        return WEFT_LINT_LIBM;
    // What else a compiler builds in is arithmetic, or becomes a call with the function's own name.
    return strncmp(name, "__builtin_", 10) == 0 ? WEFT_LINT_RULE_COUNT : WEFT_LINT_EXTERNAL;
}

weft_lint_rule weft_lint_macro_rule(const char* name) {
    static const name_row rows[] = {
        {WEFT_LINT_TIME, "__DATE__ __TIME__ __TIMESTAMP__"},
        {WEFT_LINT_HASH_ORDER,
         "HASH_ITER kh_foreach kh_foreach_value kh_begin kh_end HT_FOREACH HT_FOREACH_FN "
         "json_object_foreach json_object_foreach_safe json_object_object_foreach hash_for_each "
         "hash_for_each_safe ZEND_HASH_FOREACH* hashmap_foreach ht_foreach HASH_FOREACH"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (list_has(rows[i].names, name, strlen(name)))
            return rows[i].rule;
    }
    return WEFT_LINT_RULE_COUNT;
}
