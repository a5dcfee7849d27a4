// Runs a command where the system refuses to bind threads and memory, and with "ask" as the first
// word also to tell to which CPUs a thread is bound. Exits with 77 where it cannot be made to.

#include "refusal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int first = argc > 1 && strcmp(argv[1], "ask") == 0 ? 2 : 1;
    if (argc <= first)
        return 2;
// What it would run asks for each thread, and ends if it is not told.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (first == 2)
        return 77;
#endif
    if (!refusal_begin(EPERM, first == 2))
        return 77;
    execv(argv[first], argv + first);
    perror(argv[first]);
    return 3;
}
