// A module that is linked with -ffast-math: loading it switches denormal numbers off.
#include <weft/module.h>

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    (void)options;
    (void)world;
    (void)schedule;
    return WEFT_STATUS_OK;
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "fast_math",
    .entity_count_default = 1,
    .tick_count_default = 1,
    .build = build,
};
