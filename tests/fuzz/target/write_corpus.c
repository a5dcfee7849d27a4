// Writes the first inputs of fuzz_readers into a folder: a whole file of each kind.

#include "feed.h"

#include <stdio.h>

static int write_one(const feed* all, const char* folder, const char* name, feed_kind kind,
                     int first) {
    char path[512];
    size_t size;
    const uint8_t* bytes = feed_sample(all, kind, &size);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE* file = fopen(path, "wbe");
    if (file == NULL)
        return 1;
    int failed = fputc(first, file) == EOF || fwrite(bytes, 1, size, file) != size;
    return fclose(file) != 0 || failed;
}

int main(int argc, char** argv) {
    if (argc != 2)
        return 2;
    feed* all = feed_open();
    int failed = write_one(all, argv[1], "snapshot", FEED_SNAPSHOT, 2) ||
                 write_one(all, argv[1], "journal", FEED_JOURNAL, 3);
    feed_close(all);
    return failed;
}
