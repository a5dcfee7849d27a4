// A module whose table lacks its build function.
#include <weft/module.h>

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "no_build",
};
