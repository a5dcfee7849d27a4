#include <stdio.h>
#include <string.h>

#include <weft/base.h>

int main(void) {
    printf("weft %s\n", weft_version());
    return strcmp(weft_version(), WEFT_VERSION) == 0 ? 0 : 1;
}
