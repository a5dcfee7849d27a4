// Pictures of graphs by graphviz, in a process of its own (child.c).

#include <string.h>

#include "graph_report.h"

weft_status graph_svg_make(const char* dot, char** svg_out, size_t* size_out, char* line,
                           size_t capacity) {
    char program[] = "dot";
    char format[] = "-Tsvg";
    char* const arguments[] = {program, format, NULL};
    const weft_cli_child child = {
        .name = "graphviz", .package = "graphviz", .arguments = arguments, .input = dot};
    weft_status status = weft_cli_child_run(&child, svg_out, size_out, line, capacity);
    size_t length = status != WEFT_STATUS_OK ? strlen(line) : capacity;
    if (length < capacity)
        (void)snprintf(line + length, capacity - length,
                       "; --format dot prints the graph without it");
    return status;
}
