// A module of a version that is not yet.
#include <weft/module.h>

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI + 1,
    .name = "wrong_abi",
};
