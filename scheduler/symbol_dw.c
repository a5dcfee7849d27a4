// Functions and lines by libdw of elfutils.

#include "symbol.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>

void weft__symbol_find(const char* path, uintptr_t base, uintptr_t instruction, weft__symbol* out) {
    static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
    WEFT_ASSERT(path != NULL);
    *out = (weft__symbol){.line = 0};
    Dwfl* session = dwfl_begin(&callbacks);
    if (session == NULL)
        return;
    dwfl_report_begin(session);
    Dwfl_Module* module = dwfl_report_elf(session, path, path, -1, base, false);
    if (module != NULL && dwfl_report_end(session, NULL, NULL) == 0) {
        int line = 0;
        const char* function = dwfl_module_addrname(module, instruction);
        Dwfl_Line* place = dwfl_module_getsrc(module, instruction);
        const char* file =
            place == NULL ? NULL : dwfl_lineinfo(place, NULL, &line, NULL, NULL, NULL);
        if (function != NULL)
            (void)snprintf(out->function, sizeof(out->function), "%s", function);
        // Where the compiler stood, for names that are relative to it.
        const char* folder = file == NULL || file[0] == '/' ? NULL : dwfl_line_comp_dir(place);
        if (file != NULL)
            (void)snprintf(out->file, sizeof(out->file), "%s%s%s", folder != NULL ? folder : "",
                           folder != NULL ? "/" : "", file);
        out->line = line > 0 ? (uint32_t)line : 0;
    }
    dwfl_end(session);
}
