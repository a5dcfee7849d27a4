// The parser of a program that was built without libclang.

#include "lint_model.h"

weft_lint_parser* weft_lint_parser_create(char* line, size_t capacity) {
    (void)snprintf(line, capacity,
                   "this program was built without libclang, which reads the sources: install it "
                   "(Debian: libclang-14-dev) and build again; --object works without it");
    return NULL;
}

void weft_lint_parser_destroy(weft_lint_parser* parser) {
    (void)parser;
}

bool weft_lint_source_add(weft_lint* lint, weft_lint_parser* parser, const char* path,
                          FILE* errors) {
    (void)lint;
    (void)parser;
    (void)path;
    (void)errors;
    return false;
}
