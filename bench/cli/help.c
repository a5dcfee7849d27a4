// What --help says of each command besides its options.

#include "cli.h"

static const weft_cli_help helps[] = {
    {WEFT_CLI_RUN, "WORKLOAD|MODULE.so",
     "Run a simulation and print its speed, its state and its digests.\v"
     "Without --executor: threads, as many as the machine suggests.\n\n"
     "Examples:\n"
     "  weft run creatures\n"
     "  weft run boids --entities 100k --ticks 200 --executor threads:4\n"
     "  weft run ./my_module.so --executor serial --hashes serial.hashes\n"
     "  weft run motion --seed 0x2a --json\n"
     "  weft run ./my_module.so --guard=trap\n"
     "  weft run creatures --journal run.journal --snapshot run.snapshot --snapshot-every 500\n"
     "  weft run creatures --ticks 5000 --journal run.journal --resume run.snapshot\n"
     "  weft run ./my_module.so --rollback=16\n"
     "  weft run creatures --plot population -o population.svg\n\n"
     "Exit status: 0 done, 1 the guard found something, 2 wrong usage, 3 failure."},
    {WEFT_CLI_VERIFY, "WORKLOAD|MODULE.so",
     "Run a simulation on every executor and compare each tick with the serial run.\v"
     "Without --configs: serial once more, virtual with 2, 3 and 8 workers and 20 schedules each, "
     "threads with 1, 2, 3, 8 and 64 workers. Without --entities and --ticks: at most 100000 "
     "entities, and as many ticks as take about half a minute in all. With --guard=hash, twin or "
     "trap: serial, and virtual with 2 and 3 workers and 3 schedules each.\n\n"
     "Examples:\n"
     "  weft verify creatures\n"
     "  weft verify ./my_module.so --configs virtual:2 --seeds 200\n"
     "  weft verify boids --workers 16 --ticks 1000\n"
     "  weft verify boids --time 10m --check=sync\n"
     "  weft verify boids --against other-machine.hashes\n"
     "  weft verify ./my_module.so --guard=trap\n\n"
     "Exit status: 0 all equal, 1 something differs or the guard found something, 2 wrong usage, 3 "
     "failure."},
    {WEFT_CLI_BISECT,
     "WORKLOAD|MODULE.so\nA.hashes B.hashes [WORKLOAD|MODULE.so]\n"
     "--builds PROGRAM_A PROGRAM_B WORKLOAD|MODULE.so [MODULE_B.so]\n"
     "FILE.weftbundle [WORKLOAD|MODULE.so]",
     "Go from a difference to its cause: tick, system, entity, field, and the write before.\v"
     "A simulation is verified until something differs, with the options of `weft verify`. Two "
     "hash "
     "files are searched by halves. Two builds are run as programs of their own. A bundle has all "
     "that one tick needs: it is run again, and compared with what the bundle says.\n\n"
     "Examples:\n"
     "  weft bisect ./my_module.so --configs virtual:2 -o found.weftbundle\n"
     "  weft bisect found.weftbundle\n"
     "  weft bisect here.hashes there.hashes ./my_module.so\n"
     "  weft bisect --builds ./weft-gcc ./weft-clang creatures --ticks 500\n\n"
     "Exit status: 0 no difference, 1 a difference, 2 wrong usage, 3 failure."},
    {WEFT_CLI_BENCH, "[NAME...]",
     "Measure Weft on this machine. Without a name: every measurement that `weft list` shows.\v"
     "`weft bench compare A B` says which rows of a kept run became faster or slower; `weft bench "
     "runs FILE` lists the runs of a file.\n\n"
     "Examples:\n"
     "  weft bench headline\n"
     "  weft bench motion churn --workers 8\n"
     "  weft bench --suite --save results.weft\n"
     "  weft bench headline --json > headline.json\n\n"
     "Exit status: 0 done, targets met or missed, 1 runs that must agree do not, 2 wrong usage, 3 "
     "failure: of a measurement, after which the others are still made, or of --save."},
    {WEFT_CLI_COMPARE, "A B",
     "Say for each row of two runs: faster, slower or no difference.\v"
     "A and B are files of `weft bench --save`, of which the latest run is taken, or FILE:NUMBER "
     "for another run, or files of `weft bench --json`. A is before, B after. The ratio is the "
     "Hodges-Lehmann estimate, with the 99% interval of the Mann-Whitney test.\n\n"
     "Examples:\n"
     "  weft bench compare results.weft:1 results.weft\n"
     "  weft bench compare old.json new.json --threshold 5%\n\n"
     "Exit status: 0 nothing is slower, 1 something is, 2 wrong usage, 3 failure."},
    {WEFT_CLI_RUNS, "FILE",
     "List the runs of a file of results.\v"
     "Examples:\n"
     "  weft bench runs results.weft\n\n"
     "Exit status: 0 done, 2 wrong usage, 3 failure."},
    {WEFT_CLI_REPORT, "[FILE...]",
     "Make one page of what other commands wrote: the verdict first, then hashes, speed-up, "
     "forecast, cost of systems, timeline, graph, logged series, measurements and machine.\v"
     "Each FILE is recognised by what is in it: a file of `weft bench --save` (or FILE:NUMBER), of "
     "`weft run --hashes`, --log or --trace, or what --json of run, verify, bench, graph, tune and "
     "forecast printed. Hash files are compared with the first one. The page needs no network, and "
     "no script but to zoom and to sort.\n\n"
     "Examples:\n"
     "  weft report results.weft -o report.html\n"
     "  weft report verify.json run.log trace.json --module creatures\n"
     "  weft report here.hashes there.hashes --title 'Two machines'\n\n"
     "Exit status: 0 the page is written, whatever it says, 2 wrong usage, 3 failure."},
    {WEFT_CLI_LINT, "FILE... [-- FLAG...]",
     "Find in sources, before anything runs, what breaks determinism in systems.\v"
     "Reads C sources as the compiler does, with the flags behind --, and looks at every function "
     "that a system reaches. A finding is taken back by a comment on its line:\n\n"
     "  n / d; // weft-lint: allow(division): d is never 0\n\n"
     "Examples:\n"
     "  weft lint game.c ai.c -- -Iinclude -DNDEBUG\n"
     "  weft lint --float='*/physics/*.c' src/*.c src/physics/*.c\n"
     "  weft lint --all math.c --sarif > lint.sarif\n"
     "  weft lint --object game.o\n\n"
     "Exit status: 0 clean, 1 findings, 2 wrong usage or a file that does not compile, 3 "
     "failure."},
    {WEFT_CLI_GRAPH, "WORKLOAD|MODULE.so [--why SYSTEM SYSTEM]",
     "Show how systems are ordered and why, and what looks wrong, without running them.\v"
     "Without --entities: at most 100000 entities; they matter for systems without rows alone.\n\n"
     "Examples:\n"
     "  weft graph creatures\n"
     "  weft graph ./my_module.so -o graph.svg\n"
     "  weft graph creatures --why motion hunger\n"
     "  weft graph ./my_module.so --deny ambiguous,dead\n\n"
     "Exit status: 0 done, 1 something that is denied was found, 2 wrong usage, 3 failure."},
    {WEFT_CLI_TOPO, "",
     "Show the machine inside what this process may use, and where each worker and its shards go, "
     "and why.\v"
     "Without --workers: as many as `weft run` takes. Without --entities: shards of a million. On "
     "this machine a thread is pinned to each of the CPUs, and the mask read back. Numbers of CPUs "
     "and nodes are the system's; those of cores, caches and packages are hwloc's logical ones.\n\n"
     "Examples:\n"
     "  weft topo\n"
     "  weft topo --workers 8 --placement compact --entities 10M\n"
     "  weft topo --machine server.xml --svg server.svg\n"
     "  weft topo --machine 'synthetic:package:2 [numa] l3:4 core:8 pu:2' --quota 1.5\n\n"
     "Exit status: 0 done, refused pins are shown, 2 wrong usage, 3 failure."},
    {WEFT_CLI_FORECAST, "WORKLOAD|MODULE.so",
     "Measure ticks of a simulation on one worker here, and say what a tick would take with more, "
     "on this machine or another.\v"
     "Columns: bound is the speed-up that no executor could pass; busy, memory, alone and waiting "
     "are where the workers' time goes: working, waiting for memory that others use, for what the "
     "caller does alone, for the last one. What is assumed is printed.\n\n"
     "Examples:\n"
     "  weft forecast creatures --entities 1M\n"
     "  weft forecast creatures --machine server.xml --workers 1..128\n"
     "  weft forecast ./my_module.so --machine 'synthetic:package:2 [numa] core:16 pu:2' "
     "--bandwidth 150\n\n"
     "Exit status: 0 done, 2 wrong usage, 3 failure."},
    {WEFT_CLI_TUNE, "WORKLOAD|MODULE.so",
     "Search for a faster layout of a simulation on this machine, or choose one for another "
     "machine "
     "by forecasts; write it to a file that `weft run --layout` takes, and say what holds the "
     "simulation back.\v"
     "A layout is what changes no result: executor, workers and their CPUs, grain, the order in "
     "each stage, waiting, memory. One factor after another is changed in the best layout so far, "
     "and both run the same ticks in turn until the gain is certain, or out of the question. The "
     "digests are compared after every round. At the end the best is compared with the default "
     "once "
     "more; if that gain is not certain the default is written. Worker processes are searched on "
     "their own.\n\n"
     "With --machine nothing is compared: ticks are measured here and played there, as by `weft "
     "forecast`, with each placement; the fewest workers within 2% of the best are written.\n\n"
     "Examples:\n"
     "  weft tune creatures\n"
     "  weft tune ./my_module.so --entities 1M --time 5m -o server.json\n"
     "  weft tune ./my_module.so --executor processes:4\n"
     "  weft tune ./my_module.so --machine server.xml --workers 1..128 -o server.json\n"
     "  weft run ./my_module.so --layout server.json\n"
     "  weft verify ./my_module.so --layout server.json\n\n"
     "Exit status: 0 a layout is written, 1 digests differ, 2 wrong usage, 3 failure."},
    {WEFT_CLI_SELFTEST, "[FAULT]",
     "Plant each kind of fault in a small simulation, run the instruments on it, and fail unless "
     "each "
     "names the exact place.\v"
     "Each instrument also runs without a fault, and may find none.\n\n"
     "Examples:\n"
     "  weft selftest\n"
     "  weft selftest clock\n"
     "  weft selftest bit --without verify\n\n"
     "Exit status: 0 every place is named, 1 one is not or a fault is seen where there is none, 2 "
     "wrong usage, 3 failure."},
    {WEFT_CLI_REPLAY, "JOURNAL [WORKLOAD|MODULE.so] | --diff JOURNAL JOURNAL",
     "Run a journal again and compare the digest of every tick.\v"
     "Simulation, size and seed are those of the journal; a shared object must be named. Without "
     "--executor: threads, as many as the machine suggests.\n\n"
     "Examples:\n"
     "  weft replay run.journal\n"
     "  weft replay run.journal --executor serial --to 1000\n"
     "  weft replay run.journal --snapshot a.snapshot --snapshot b.snapshot --from 500\n"
     "  weft replay --diff run.journal other.journal\n\n"
     "Exit status: 0 equal, 1 a tick differs, 2 wrong usage, 3 failure."},
    {WEFT_CLI_EXPORT, "LOG | SNAPSHOT WORKLOAD|MODULE.so",
     "Write the tables of a log or of a snapshot for other programs, or list them.\v"
     "A log is what `weft run --log` writes; of a snapshot each component and resource is a table. "
     "In csv each row is a line, its tick first; without -o it goes to standard output. In sqlite "
     "each table is one. In npz each column is an array, TABLE.COLUMN. Fixed-point numbers are "
     "written as numbers, and as integers in columns that end in .raw.\n\n"
     "Examples:\n"
     "  weft export run.log --list\n"
     "  weft export run.log --table Population > population.csv\n"
     "  weft export run.log -o run.sqlite\n"
     "  weft export run.log --format npz -o run.npz\n"
     "  weft export run.snapshot creatures --entities 10k --table Energy\n\n"
     "Exit status: 0 done, 2 wrong usage, 3 failure."},
    {WEFT_CLI_LIST, "",
     "List the simulations and measurements in this program.\v"
     "Examples:\n"
     "  weft list\n"
     "  weft list --json\n\n"
     "Exit status: 0."},
    {WEFT_CLI_COMPLETION, "bash|fish|zsh",
     "Print what makes a shell complete this program's commands, options and simulations.\v"
     "An installed program needs no call of it: the shells find theirs. The lists are those of the "
     "program that prints them, with the simulations of its own.\n\n"
     "Examples:\n"
     "  eval \"$(weft completion bash)\"\n"
     "  weft completion fish | source\n\n"
     "Exit status: 0 done, 2 wrong usage."},
};

const weft_cli_help* weft_cli_help_of(weft_cli_command command) {
    const weft_cli_help* help = helps;
    while (help->command != command)
        help++;
    return help;
}
