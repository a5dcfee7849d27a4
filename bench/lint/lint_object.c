// Object files: what the sources may hide. Undefined symbols are what the code uses from elsewhere,
// through whatever macro, pointer or inline function; writable data are its mutable statics.
//
// A file is bytes that somebody gave: every offset and size in it is checked before it is used.

#define _GNU_SOURCE

#include "lint_model.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define SECTIONS_MAX 1000000u

typedef struct section {
    const char* name;
    uint32_t type;
    uint64_t flags, offset, size;
    uint32_t link;
    uint64_t entry_size;
    bool is_named; // Some symbol is in it.
} section;

typedef struct symbol {
    const char* name;
    uint8_t type;
    uint32_t section;
} symbol;

typedef struct object {
    weft_lint* lint;
    const char* path; // As shown.
    const unsigned char* bytes;
    uint64_t size;
    bool is_wide, is_big; // 64 bits; big-endian.
    section* sections;
    uint32_t section_count;
    const char* fault; // What is damaged; null while nothing is.
} object;

// Reading ----------------------------------------------------------------------------------------

/// An unsigned number of 1 to 8 bytes; 0 and a fault if it is not in the file.
static uint64_t number(object* file, uint64_t offset, unsigned width) {
    if (offset > file->size || file->size - offset < width) {
        file->fault = "it ends too early";
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        unsigned at = file->is_big ? i : width - 1 - i;
        value = value << 8 | file->bytes[offset + at];
    }
    return value;
}

/// One of two fields: by the file's class, at an offset and of a width.
static uint64_t field(object* file, uint64_t base, unsigned wide_at, unsigned narrow_at,
                      unsigned wide_width, unsigned narrow_width) {
    return file->is_wide ? number(file, base + wide_at, wide_width)
                         : number(file, base + narrow_at, narrow_width);
}

/// A string of a string table; empty and a fault if it does not end in there.
static const char* string(object* file, const section* table, uint64_t offset) {
    if (table->type != SHT_STRTAB || table->offset > file->size ||
        file->size - table->offset < table->size || offset >= table->size) {
        file->fault = "a name lies outside its table";
        return "";
    }
    const char* text = (const char*)file->bytes + table->offset + offset;
    if (memchr(text, '\0', (size_t)(table->size - offset)) == NULL) {
        file->fault = "a name does not end";
        return "";
    }
    return text;
}

static section section_read(object* file, uint64_t at) {
    return (section){
        .type = (uint32_t)number(file, at + 4, 4),
        .flags = field(file, at, 8, 8, 8, 4),
        .offset = field(file, at, 24, 16, 8, 4),
        .size = field(file, at, 32, 20, 8, 4),
        .link = (uint32_t)field(file, at, 40, 24, 4, 4),
        .entry_size = field(file, at, 56, 36, 8, 4),
    };
}

static void sections_read(object* file) {
    uint64_t table = field(file, 0, 40, 32, 8, 4);
    uint64_t step = field(file, 0, 58, 46, 2, 2);
    uint64_t count = field(file, 0, 60, 48, 2, 2);
    uint64_t names = field(file, 0, 62, 50, 2, 2);
    if (file->fault != NULL)
        return;
    if (table == 0 || table >= file->size || step < (file->is_wide ? 64u : 40u)) {
        file->fault = "it has no table of sections";
        return;
    }
    section first = section_read(file, table);
    // Numbers that do not fit the header are in the first section.
    count = count == 0 ? first.size : count;
    names = names == SHN_XINDEX ? first.link : names;
    if (file->fault != NULL || count > SECTIONS_MAX || count > (file->size - table) / step ||
        names >= count) {
        file->fault = "its table of sections is damaged";
        return;
    }
    file->section_count = (uint32_t)count;
    file->sections = weft_lint_allocate(file->lint, (size_t)count * sizeof(*file->sections));
    for (uint32_t i = 0; i < count; i++)
        file->sections[i] = section_read(file, table + i * step);
    for (uint32_t i = 0; i < count; i++)
        file->sections[i].name =
            string(file, &file->sections[names], number(file, table + i * step, 4));
}

/// The table with all symbols; null if there is none. That of the dynamic linker does not do: it
/// lacks what is static.
static const section* symbols_find(const object* file) {
    for (uint32_t i = 0; i < file->section_count; i++) {
        if (file->sections[i].type == SHT_SYMTAB)
            return &file->sections[i];
    }
    return NULL;
}

/// The section of a symbol whose number does not fit 16 bits.
static uint32_t section_extended(object* file, const section* symbols, uint64_t index) {
    for (uint32_t i = 0; i < file->section_count; i++) {
        const section* each = &file->sections[i];
        if (each->type == SHT_SYMTAB_SHNDX && each->link < file->section_count &&
            &file->sections[each->link] == symbols && index < each->size / 4)
            return (uint32_t)number(file, each->offset + index * 4, 4);
    }
    file->fault = "a symbol's section is not in the file";
    return 0;
}

static symbol symbol_read(object* file, const section* symbols, uint64_t index) {
    uint64_t at = symbols->offset + index * symbols->entry_size;
    uint32_t name = (uint32_t)number(file, at, 4);
    symbol read = {
        .name = string(file, &file->sections[symbols->link], name),
        .type = (uint8_t)(field(file, at, 4, 12, 1, 1) & 15u),
        .section = (uint32_t)field(file, at, 6, 14, 2, 2),
    };
    if (read.section == SHN_XINDEX)
        read.section = section_extended(file, symbols, index);
    // Linkers write the version behind the name.
    const char* version = strchr(read.name, '@');
    if (version != NULL)
        read.name = weft_lint_format(file->lint, "%.*s", (int)(version - read.name), read.name);
    return read;
}

// Judging ----------------------------------------------------------------------------------------

static void say(object* file, weft_lint_rule rule, const char* name, const char* what) {
    weft_lint_finding_add(file->lint, (weft_lint_finding){
                                          .rule = rule,
                                          .place = {.path = file->path},
                                          .what = what,
                                          .symbol = name,
                                      });
}

/// True for data that the code may write. What only the loader writes is constant afterwards.
static bool is_writable(const section* where) {
    static const char* const constant[] = {
        ".data.rel.ro", ".init_array", ".fini_array",     ".preinit_array", ".ctors",    ".dtors",
        ".got",         ".dynamic",    ".tm_clone_table", ".jcr",           ".eh_frame", ".opd",
        ".plt",         NULL};
    if ((where->flags & SHF_WRITE) == 0 || (where->flags & SHF_ALLOC) == 0)
        return false;
    for (const char* const* each = constant; *each != NULL; each++) {
        if (strncmp(where->name, *each, strlen(*each)) == 0)
            return false;
    }
    return true;
}

/// True for what compilers and linkers put into every object by themselves.
static bool is_own(const char* name) {
    static const char* const own[] = {
        "__dso_handle", "__TMC_END__", "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_",
        "__bss_start",  "_edata",      "_end",     "__data_start",
        "data_start",   NULL};
    for (const char* const* each = own; *each != NULL; each++) {
        if (strcmp(name, *each) == 0)
            return true;
    }
    return strncmp(name, "completed.", 10) == 0;
}

static void symbol_judge(object* file, const symbol* each) {
    weft_lint* lint = file->lint;
    if (strcmp(each->name, "__gnu_lto_slim") == 0)
        file->fault = "it is for link-time optimisation and holds no code; compile without -flto";
    if (each->name[0] == '\0' || each->type == STT_FILE || each->type == STT_SECTION)
        return;
    if (each->section == SHN_UNDEF) {
        weft_lint_rule rule = weft_lint_name_rule(&lint->options, each->name);
        if (rule != WEFT_LINT_RULE_COUNT && !is_own(each->name))
            say(file, rule, each->name, weft_lint_format(lint, "%s is used", each->name));
        return;
    }
    bool is_common = each->section == SHN_COMMON || each->type == STT_COMMON;
    bool is_data = each->type == STT_OBJECT || each->type == STT_TLS;
    if (!is_common && each->section < file->section_count && is_data)
        file->sections[each->section].is_named = true;
    if (is_common || (is_data && each->section < file->section_count &&
                      is_writable(&file->sections[each->section]) && !is_own(each->name)))
        say(file, WEFT_LINT_STATIC, each->name,
            weft_lint_format(lint, "%s has %s storage and may be written", each->name,
                             each->type == STT_TLS ? "thread" : "static"));
}

static void symbols_judge(object* file) {
    const section* symbols = symbols_find(file);
    if (symbols == NULL) {
        file->fault = "it has no symbols, or was stripped of them; name what it was made of";
        return;
    }
    uint64_t step = file->is_wide ? 24u : 16u;
    if (symbols->entry_size != step || symbols->link >= file->section_count ||
        symbols->offset > file->size || file->size - symbols->offset < symbols->size) {
        file->fault = "its table of symbols is damaged";
        return;
    }
    for (uint64_t i = 1; i < symbols->size / step && file->fault == NULL; i++) {
        symbol each = symbol_read(file, symbols, i);
        if (file->fault == NULL)
            symbol_judge(file, &each);
    }
    for (uint32_t i = 0; i < file->section_count && file->fault == NULL; i++) {
        const section* each = &file->sections[i];
        if (is_writable(each) && !each->is_named && each->size > 0)
            say(file, WEFT_LINT_STATIC, each->name,
                weft_lint_format(file->lint, "%" PRIu64 " bytes without a name may be written",
                                 each->size));
    }
}

static void object_read(object* file) {
    const unsigned char* head = file->bytes;
    if (file->size < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG) != 0 ||
        (head[EI_CLASS] != ELFCLASS64 && head[EI_CLASS] != ELFCLASS32) ||
        (head[EI_DATA] != ELFDATA2LSB && head[EI_DATA] != ELFDATA2MSB)) {
        file->fault = "it is no ELF object; name an .o or .so file";
        return;
    }
    file->is_wide = head[EI_CLASS] == ELFCLASS64;
    file->is_big = head[EI_DATA] == ELFDATA2MSB;
    sections_read(file);
    if (file->fault == NULL)
        symbols_judge(file);
}

bool weft_lint_object_add(weft_lint* lint, const char* path, char* line, size_t capacity) {
    size_t size = 0;
    const char* bytes = weft_lint_read(lint, path, &size);
    if (bytes == NULL) {
        (void)snprintf(line, capacity, "%s: cannot be read: %s", path, strerror(errno));
        return false;
    }
    object file = {.lint = lint,
                   .path = weft_lint_path(lint, path),
                   .bytes = (const unsigned char*)bytes,
                   .size = size};
    object_read(&file);
    if (file.fault != NULL) {
        (void)snprintf(line, capacity, "%s: %s", path, file.fault);
        return false;
    }
    lint->object_count++;
    return true;
}
