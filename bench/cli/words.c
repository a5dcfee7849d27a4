// Numbers, times and names as they are written on command lines.

#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Numbers ----------------------------------------------------------------------------------------

/// Digits of `base` from `*text` on, which is moved behind them. False if there are none, or too
/// many for 64 bits.
static bool digits_parse(const char** text, unsigned base, uint64_t* out) {
    uint64_t value = 0;
    const char* at = *text;
    for (; isxdigit((unsigned char)*at); at++) {
        unsigned char c = (unsigned char)tolower((unsigned char)*at);
        unsigned digit = isdigit(c) ? c - (unsigned)'0' : c - (unsigned)'a' + 10u;
        if (digit >= base)
            break;
        if (value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    bool some = at != *text;
    *text = at;
    *out = value;
    return some;
}

bool weft_cli_u64_parse(const char* text, uint64_t* out) {
    unsigned base = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    uint64_t value;
    if (!digits_parse(&text, base, &value) || *text != '\0')
        return false;
    *out = value;
    return true;
}

/// Reads ".25" into the number before it; returns how many digits that were, -1 for an error.
static int fraction_parse(const char** text, uint64_t* number) {
    if (**text != '.')
        return 0;
    const char* first = ++*text;
    for (; isdigit((unsigned char)**text); ++*text) {
        uint64_t digit = (uint64_t)(**text - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return -1;
        *number = *number * 10 + digit;
    }
    return *text == first ? -1 : (int)(*text - first);
}

/// Reads "k", "M", "G" or "e6" as a power of ten. False if something else is there.
static bool exponent_parse(const char* text, int* power) {
    static const char suffixes[] = "kMG";
    *power = 0;
    if (text[0] == '\0')
        return true;
    if (text[0] == 'e' || text[0] == 'E') {
        uint64_t value;
        text++;
        if (!digits_parse(&text, 10, &value) || *text != '\0' || value > 19)
            return false;
        *power = (int)value;
        return true;
    }
    const char* suffix = strchr(suffixes, text[0]);
    if (suffix == NULL || text[1] != '\0')
        return false;
    *power = 3 * (int)(suffix - suffixes + 1);
    return true;
}

bool weft_cli_count_parse(const char* text, uint64_t* out) {
    uint64_t number;
    int power;
    if (!digits_parse(&text, 10, &number))
        return false;
    int fraction = fraction_parse(&text, &number);
    if (fraction < 0 || !exponent_parse(text, &power))
        return false;
    for (; power > fraction; power--) {
        if (number > UINT64_MAX / 10)
            return false;
        number *= 10;
    }
    for (; power < fraction; power++) {
        if (number % 10 != 0)
            return false;
        number /= 10;
    }
    *out = number;
    return true;
}

bool weft_cli_time_parse(const char* text, double* seconds_out) {
    uint64_t number;
    double unit = 1;
    if (!digits_parse(&text, 10, &number) || number == 0 || number > 1000000000)
        return false;
    if (text[0] != '\0' && text[1] != '\0')
        return false;
    if (text[0] == 'm')
        unit = 60;
    else if (text[0] == 'h')
        unit = 3600;
    else if (text[0] != 's' && text[0] != '\0')
        return false;
    *seconds_out = (double)number * unit;
    return true;
}

// Names ------------------------------------------------------------------------------------------

#define NAME_LENGTH_MAX 63u

/// Letters to change, add or drop to make one name the other.
static size_t name_distance(const char* a, const char* b) {
    size_t row[NAME_LENGTH_MAX + 1];
    size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            if (best > row[j] + 1)
                best = row[j] + 1;
            if (best > diagonal + 1)
                best = diagonal + 1;
            row[j + 1] = best;
        }
    }
    return row[length];
}

const char* weft_cli_nearest(const char* name, const char* const* names, size_t count) {
    size_t length = strlen(name);
    size_t best = length / 3 + 2;
    const char* nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(names[i]);
        if (length > NAME_LENGTH_MAX || other > NAME_LENGTH_MAX)
            continue;
        size_t distance = name_distance(name, names[i]);
        // A part of a longer name counts as one slip.
        if (length >= 3 && distance > 1 && strstr(names[i], name) != NULL)
            distance = 1;
        if (distance < best) {
            nearest = names[i];
            best = distance;
        }
    }
    return nearest;
}

// CPUs -------------------------------------------------------------------------------------------

/// "7" or "4-7". False if it is not that.
static bool range_parse(const char** text, uint64_t* first, uint64_t* last) {
    if (!digits_parse(text, 10, first))
        return false;
    *last = *first;
    if (**text == '-') {
        ++*text;
        if (!digits_parse(text, 10, last))
            return false;
    }
    return *first <= *last && *last < UINT32_MAX;
}

bool weft_cli_quota_parse(const char* text, uint32_t* milli_cpus_out) {
    char* end;
    double cpus = strtod(text, &end);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || !(cpus > 0 && cpus <= 100000))
        return false;
    uint32_t milli = (uint32_t)(cpus * 1000);
    *milli_cpus_out = milli + (milli < cpus * 1000);
    return true;
}

bool weft_cli_cpus_parse(const char* text, uint32_t** cpus_out, uint32_t* count_out) {
    uint32_t* cpus = malloc(WEFT_CLI_WORKERS_MAX * sizeof(*cpus));
    uint32_t count = 0;
    WEFT_ASSERT(cpus != NULL);
    for (const char* at = text;; at++) {
        uint64_t first = 0;
        uint64_t last = 0;
        if (!range_parse(&at, &first, &last) || last - first >= WEFT_CLI_WORKERS_MAX - count ||
            (*at != ',' && *at != '\0')) {
            free(cpus);
            return false;
        }
        for (uint64_t cpu = first; cpu <= last; cpu++)
            cpus[count++] = (uint32_t)cpu;
        if (*at == '\0')
            break;
    }
    *cpus_out = cpus;
    *count_out = count;
    return true;
}

char* weft_cli_cpus_text(const uint32_t* cpus, uint32_t count) {
    char* text = calloc((size_t)count + 1, 24);
    size_t length = 0;
    WEFT_ASSERT(text != NULL);
    for (uint32_t i = 0; i < count;) {
        uint32_t run = 1;
        while (i + run < count && cpus[i + run] == cpus[i] + run)
            run++;
        length += (size_t)sprintf(text + length, "%s%u", i > 0 ? "," : "", cpus[i]);
        if (run > 1)
            length +=
                (size_t)sprintf(text + length, "%s%u", run > 2 ? "-" : ",", cpus[i + run - 1]);
        i += run;
    }
    return text;
}

// Characters -------------------------------------------------------------------------------------

size_t weft_cli_utf8_length(const char* text) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char* bytes = (const unsigned char*)text;
    if (bytes[0] < 0x80)
        return 1;
    size_t length = bytes[0] >> 5 == 6 ? 2 : bytes[0] >> 4 == 14 ? 3 : bytes[0] >> 3 == 30 ? 4 : 0;
    if (length == 0)
        return 0;
    uint32_t code = bytes[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3Fu);
    }
    bool valid = code >= least[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    return valid ? length : 0;
}
