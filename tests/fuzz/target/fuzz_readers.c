// Both readers under clang's libFuzzer. The first byte says what a file is read as: bit 0 the kind,
// bit 1 whether checksums are made right.

#include "feed.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static feed* all;
    if (size < 1)
        return 0;
    if (all == NULL)
        all = feed_open();
    uint8_t* bytes = malloc(size);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data + 1, size - 1);
    (void)feed_give(all, (data[0] & 1) != 0 ? FEED_JOURNAL : FEED_SNAPSHOT, bytes, size - 1,
                    (data[0] & 2) != 0);
    free(bytes);
    return 0;
}
