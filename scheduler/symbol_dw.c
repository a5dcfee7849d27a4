// Functions and lines by libdw of elfutils.

#include "symbol.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>

// clang writes no table of address ranges, which libdwfl goes by: so unit by unit.
static void find_line(Dwfl_Module* module, uintptr_t instruction, weft__symbol* out) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = NULL;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != NULL) {
        Dwarf_Addr address = instruction - bias;
        Dwarf_Line* place = dwarf_haspc(unit, address) > 0 ? dwarf_getsrc_die(unit, address) : NULL;
        const char* file = place == NULL ? NULL : dwarf_linesrc(place, NULL, NULL);
        int line = 0;
        if (file == NULL || dwarf_lineno(place, &line) != 0 || line <= 0)
            continue;
        // Where the compiler stood, for names that are relative to it.
        Dwarf_Attribute attribute;
        const char* folder =
            file[0] == '/' ? NULL : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
        (void)snprintf(out->file, sizeof(out->file), "%s%s%s", folder != NULL ? folder : "",
                       folder != NULL ? "/" : "", file);
        out->line = (uint32_t)line;
        return;
    }
}

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
        const char* function = dwfl_module_addrname(module, instruction);
        if (function != NULL)
            (void)snprintf(out->function, sizeof(out->function), "%s", function);
        find_line(module, instruction, out);
    }
    dwfl_end(session);
}
