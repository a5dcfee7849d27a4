// Object files: the reader against objects that are made here, of both classes and byte orders,
// whole, cut short and damaged.

#define _GNU_SOURCE

#include "lint_model.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct maker {
    unsigned char bytes[8192];
    size_t size;
    bool is_wide, is_big;
} maker;

typedef struct made_symbol {
    const char* name;
    unsigned type;
    unsigned section;
} made_symbol;

// Sections of every object here.
enum {
    TEXT = 1,
    DATA,
    RELRO,
    RODATA,
    TBSS,
    SYMTAB,
    STRTAB,
    NAMES,
    SECTION_COUNT
};

static void put(maker* out, uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++) {
        unsigned shift = 8 * (out->is_big ? width - 1 - i : i);
        out->bytes[out->size++] = (unsigned char)(value >> shift);
    }
}

/// A field as wide as an address of the class.
static void put_word(maker* out, uint64_t value) {
    put(out, value, out->is_wide ? 8 : 4);
}

static void put_section(maker* out, unsigned name, unsigned type, uint64_t flags, uint64_t offset,
                        uint64_t size, unsigned link, uint64_t step) {
    put(out, name, 4);
    put(out, type, 4);
    put_word(out, flags);
    put_word(out, 0);
    put_word(out, offset);
    put_word(out, size);
    put(out, link, 4);
    put(out, 0, 4);
    put_word(out, 1);
    put_word(out, step);
}

static void put_symbol(maker* out, unsigned name, const made_symbol* symbol) {
    put(out, name, 4);
    if (!out->is_wide) {
        put(out, 0, 4);
        put(out, 4, 4);
    }
    put(out, (STB_GLOBAL << 4) | symbol->type, 1);
    put(out, 0, 1);
    put(out, symbol->section, 2);
    if (out->is_wide) {
        put(out, 0, 8);
        put(out, 4, 8);
    }
}

static unsigned put_text(maker* out, size_t table, const char* text) {
    unsigned at = (unsigned)(out->size - table);
    memcpy(out->bytes + out->size, text, strlen(text) + 1);
    out->size += strlen(text) + 1;
    return at;
}

static void put_header(maker* out, uint64_t sections) {
    static const unsigned char magic[] = {0x7f, 'E', 'L', 'F'};
    memcpy(out->bytes, magic, 4);
    out->bytes[EI_CLASS] = out->is_wide ? ELFCLASS64 : ELFCLASS32;
    out->bytes[EI_DATA] = out->is_big ? ELFDATA2MSB : ELFDATA2LSB;
    out->bytes[EI_VERSION] = EV_CURRENT;
    out->size = EI_NIDENT;
    put(out, ET_REL, 2);
    put(out, EM_X86_64, 2);
    put(out, EV_CURRENT, 4);
    put_word(out, 0);
    put_word(out, 0);
    put_word(out, sections);
    put(out, 0, 4);
    put(out, out->is_wide ? 64 : 52, 2);
    put(out, 0, 2);
    put(out, 0, 2);
    put(out, out->is_wide ? 64 : 40, 2);
    put(out, SECTION_COUNT, 2);
    put(out, NAMES, 2);
}

static maker object_make(bool is_wide, bool is_big, const made_symbol* symbols, size_t count) {
    maker out = {.is_wide = is_wide, .is_big = is_big, .size = 64};
    unsigned offsets[16] = {0};
    size_t strings = out.size++;
    for (size_t i = 0; i < count; i++)
        offsets[i] = put_text(&out, strings, symbols[i].name);
    size_t names = out.size++;
    unsigned name[SECTION_COUNT] = {0};
    static const char* const words[] = {"",         ".text", ".data",   ".data.rel.ro.local",
                                        ".rodata",  ".tbss", ".symtab", ".strtab",
                                        ".shstrtab"};
    for (size_t i = 1; i < SECTION_COUNT; i++)
        name[i] = put_text(&out, names, words[i]);
    size_t table = out.size;
    put_symbol(&out, 0, &(made_symbol){"", 0, 0});
    for (size_t i = 0; i < count; i++)
        put_symbol(&out, offsets[i], &symbols[i]);
    size_t end = out.size;
    put_section(&out, 0, SHT_NULL, 0, 0, 0, 0, 0);
    put_section(&out, name[TEXT], SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 64, 0, 0, 0);
    put_section(&out, name[DATA], SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 64, 0, 0, 0);
    put_section(&out, name[RELRO], SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 64, 0, 0, 0);
    put_section(&out, name[RODATA], SHT_PROGBITS, SHF_ALLOC, 64, 0, 0, 0);
    put_section(&out, name[TBSS], SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 64, 0, 0, 0);
    put_section(&out, name[SYMTAB], SHT_SYMTAB, 0, table, end - table, STRTAB, is_wide ? 24 : 16);
    put_section(&out, name[STRTAB], SHT_STRTAB, 0, strings, names - strings, 0, 0);
    put_section(&out, name[NAMES], SHT_STRTAB, 0, names, table - names, 0, 0);
    size_t size = out.size;
    put_header(&out, end);
    out.size = size;
    return out;
}

/// Lints bytes as a file. The lint is the caller's; null if they were refused.
static weft_lint* bytes_lint(const maker* object, size_t size, char* line, size_t capacity) {
    static const weft_lint_options options = {.all = false};
    char path[] = "/tmp/weft-object-XXXXXX";
    int handle = mkstemp(path);
    cr_assert_geq(handle, 0);
    cr_assert_eq(write(handle, object->bytes, size), (ssize_t)size);
    (void)close(handle);
    weft_lint* lint = weft_lint_create(&options);
    bool read = weft_lint_object_add(lint, path, line, capacity);
    (void)remove(path);
    if (read) {
        weft_lint_finish(lint);
        return lint;
    }
    weft_lint_destroy(lint);
    return NULL;
}

static const made_symbol mixed[] = {
    {"run", STT_FUNC, TEXT},
    {"memcpy", STT_NOTYPE, SHN_UNDEF},
    {"weft_view_read", STT_NOTYPE, SHN_UNDEF},
    {"__printf_chk", STT_NOTYPE, SHN_UNDEF},
    {"rand@GLIBC_2.2.5", STT_FUNC, SHN_UNDEF},
    {"clock_gettime", STT_NOTYPE, SHN_UNDEF},
    {"counter.0", STT_OBJECT, DATA},
    {"weft_type_Position", STT_OBJECT, RELRO},
    {"table", STT_OBJECT, RODATA},
    {"mine", STT_TLS, TBSS},
    {"tentative", STT_OBJECT, SHN_COMMON},
    {"__dso_handle", STT_OBJECT, DATA},
};

#define MIXED_COUNT (sizeof mixed / sizeof mixed[0])

static const weft_lint_finding* symbol_find(const weft_lint* lint, const char* name) {
    for (size_t i = 0; i < lint->finding_count; i++) {
        if (strcmp(lint->findings[i].symbol, name) == 0)
            return &lint->findings[i];
    }
    return NULL;
}

Test(objects, symbols) {
    static const struct {
        const char* name;
        weft_lint_rule rule;
    } wanted[] = {
        {"rand", WEFT_LINT_RANDOM},      {"clock_gettime", WEFT_LINT_TIME},
        {"counter.0", WEFT_LINT_STATIC}, {"mine", WEFT_LINT_STATIC},
        {"tentative", WEFT_LINT_STATIC}, {"__printf_chk", WEFT_LINT_EXTERNAL},
    };
    for (unsigned kind = 0; kind < 4; kind++) {
        char line[640] = "";
        maker object = object_make(kind & 1, kind >> 1, mixed, MIXED_COUNT);
        weft_lint* lint = bytes_lint(&object, object.size, line, sizeof line);
        cr_assert_not_null(lint, "kind %u: %s", kind, line);
        cr_expect_eq(lint->finding_count, sizeof wanted / sizeof wanted[0], "kind %u: %zu", kind,
                     lint->finding_count);
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
            const weft_lint_finding* found = symbol_find(lint, wanted[i].name);
            cr_assert_not_null(found, "kind %u: %s", kind, wanted[i].name);
            cr_expect_eq(found->rule, wanted[i].rule, "kind %u: %s", kind, wanted[i].name);
        }
        weft_lint_destroy(lint);
    }
}

Test(objects, clean) {
    static const made_symbol clean[] = {
        {"run", STT_FUNC, TEXT},          {"memcpy", STT_NOTYPE, SHN_UNDEF},
        {"sqrtf", STT_NOTYPE, SHN_UNDEF}, {"__udivti3", STT_NOTYPE, SHN_UNDEF},
        {"table", STT_OBJECT, RODATA},    {"weft_type_Position", STT_OBJECT, RELRO},
    };
    char line[640] = "";
    maker object = object_make(true, false, clean, sizeof clean / sizeof clean[0]);
    weft_lint* lint = bytes_lint(&object, object.size, line, sizeof line);
    cr_assert_not_null(lint, "%s", line);
    cr_expect_eq(lint->finding_count, 0u);
    cr_expect_eq(lint->object_count, 1u);
    weft_lint_destroy(lint);
}

Test(objects, refused) {
    static const made_symbol slim[] = {{"__gnu_lto_slim", STT_OBJECT, SHN_COMMON}};
    char line[640] = "";
    maker object = object_make(true, false, slim, 1);
    cr_expect_null(bytes_lint(&object, object.size, line, sizeof line));
    cr_expect_not_null(strstr(line, "link-time optimisation"), "%s", line);
    static const made_symbol far[] = {{"x", STT_OBJECT, SHN_XINDEX}};
    object = object_make(false, true, far, 1);
    cr_expect_null(bytes_lint(&object, object.size, line, sizeof line));
    cr_expect_not_null(strstr(line, "a symbol's section"), "%s", line);
    maker text = {.bytes = "int main(void) { return 0; }", .size = 28};
    cr_expect_null(bytes_lint(&text, text.size, line, sizeof line));
    cr_expect_not_null(strstr(line, "no ELF object"), "%s", line);
    cr_expect_null(bytes_lint(&text, 0, line, sizeof line));
}

// The table of sections is at the end, so no part of the file is a file.
Test(objects, cut_short) {
    for (unsigned kind = 0; kind < 4; kind++) {
        maker object = object_make(kind & 1, kind >> 1, mixed, MIXED_COUNT);
        for (size_t size = 0; size < object.size; size++) {
            char line[640] = "";
            cr_expect_null(bytes_lint(&object, size, line, sizeof line), "%zu bytes", size);
            cr_expect_neq(line[0], '\0');
        }
    }
}

// Damaged bytes give another answer or a refusal; the sanitizers see to the rest.
Test(objects, damaged) {
    unsigned refused = 0;
    unsigned taken = 0;
    for (unsigned kind = 0; kind < 4; kind++) {
        maker object = object_make(kind & 1, kind >> 1, mixed, MIXED_COUNT);
        for (size_t at = 0; at < object.size; at++) {
            static const unsigned char masks[] = {0x01, 0x80, 0xff};
            for (size_t i = 0; i < sizeof masks; i++) {
                char line[640] = "";
                maker bad = object;
                bad.bytes[at] ^= masks[i];
                weft_lint* lint = bytes_lint(&bad, bad.size, line, sizeof line);
                refused += lint == NULL;
                taken += lint != NULL;
                cr_expect(lint != NULL || line[0] != '\0', "byte %zu", at);
                weft_lint_destroy(lint);
            }
        }
    }
    cr_expect_gt(refused, 100u);
    cr_expect_gt(taken, 100u);
}
