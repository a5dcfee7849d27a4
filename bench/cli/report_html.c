// Text, tables and findings of the page.

#define _GNU_SOURCE // vasprintf, reallocarray

#include "report_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Text -------------------------------------------------------------------------------------------

/// Bytes of the character that begins here; 0 if it is none, or a control character.
static size_t character_length(const char* text) {
    const unsigned char* bytes = (const unsigned char*)text;
    size_t length = weft_cli_utf8_length(text);
    if (length == 1)
        return (bytes[0] >= ' ' && bytes[0] != 0x7f) || bytes[0] == '\n' || bytes[0] == '\t';
    return length == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0 ? 0 : length;
}

void report_text(FILE* file, const char* text) {
    static const char* const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    static const char marks[] = "&<>\"'";
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = character_length(text);
        const char* mark = strchr(marks, *text);
        if (length == 0)
            (void)fputs("\xef\xbf\xbd", file);
        else if (mark != NULL)
            (void)fputs(names[mark - marks], file);
        else
            (void)fwrite(text, 1, length, file);
    }
}

static void text_print(FILE* file, const char* format, va_list args) {
    char* text = NULL;
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    report_text(file, text != NULL ? text : weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
    free(text);
}

void report_format(FILE* file, const char* format, ...) {
    va_list args;
    va_start(args, format);
    text_print(file, format, args);
    va_end(args);
}

const char* report_number(double number, char text[REPORT_NUMBER]) {
    double size = fabs(number);
    if (!isfinite(number))
        (void)snprintf(text, REPORT_NUMBER, "%s", number > 0 ? "over every limit" : "none");
    else if (size >= 1e15 || (size > 0 && size < 1e-4))
        (void)snprintf(text, REPORT_NUMBER, "%.3e", number);
    else if (size >= 1000 && weft_cli_number((uint64_t)(size + 0.5), text + (number < 0)) != NULL)
        text[0] = number < 0 ? '-' : text[0];
    else
        (void)snprintf(text, REPORT_NUMBER, "%.4g", number);
    return text;
}

const char* report_time(double us, char text[REPORT_NUMBER]) {
    double size = fabs(us);
    if (size >= 1e6)
        (void)snprintf(text, REPORT_NUMBER, "%.3g s", us / 1e6);
    else if (size >= 1e3)
        (void)snprintf(text, REPORT_NUMBER, size >= 1e5 ? "%.0f ms" : "%.3g ms", us / 1e3);
    else
        (void)snprintf(text, REPORT_NUMBER, size >= 100 ? "%.0f us" : "%.3g us", us);
    return text;
}

const char* report_json_string(const json_t* object, const char* key) {
    const char* text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

double report_json_number(const json_t* object, const char* key) {
    return json_number_value(json_object_get(object, key));
}

void report_term(FILE* file, const char* name, const char* text) {
    if (text[0] == '\0')
        return;
    if (name[0] != '\0') {
        (void)fputs("<dt>", file);
        report_text(file, name);
        (void)fputs("</dt>", file);
    }
    (void)fputs("<dd>", file);
    report_text(file, text);
    (void)fputs("</dd>\n", file);
}

// Sections and findings --------------------------------------------------------------------------

void report_section(report_page* page, FILE* file, const char* anchor, const char* title) {
    WEFT_ASSERT(page->section_count < sizeof page->sections / sizeof page->sections[0]);
    page->sections[page->section_count][0] = anchor;
    page->sections[page->section_count++][1] = title;
    (void)fprintf(file, "<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">", anchor,
                  anchor, anchor);
    report_text(file, title);
    (void)fputs("</h2>\n", file);
}

void report_section_end(FILE* file) {
    (void)fputs("</section>\n", file);
}

void report_find(report_page* page, report_level level, const char* section, const char* format,
                 ...) {
    va_list args;
    va_start(args, format);
    report_finding* grown =
        reallocarray(page->findings, page->finding_count + 1, sizeof *page->findings);
    char* text = NULL;
    if (grown != NULL)
        page->findings = grown;
    if (grown != NULL && vasprintf(&text, format, args) >= 0)
        grown[page->finding_count++] = (report_finding){level, section, text};
    else
        page->failed = true;
    va_end(args);
}

// Shape and word tell what the colour does.
void report_mark(FILE* file, report_level level) {
    static const char* const names[] = {"good", "missed", "different", "failed"};
    static const char* const shapes[] = {
        [REPORT_GOOD] = "<circle cx=\"8\" cy=\"8\" r=\"7\"/><path d=\"M4.5 8.5 7 11l4.5-5.5\"/>",
        [REPORT_MISSED] = "<path d=\"M8 1 15.5 14.5H.5Z\"/><path d=\"M8 6v4M8 12v.6\"/>",
        [REPORT_DIFFERENT] = "<rect x=\"1\" y=\"1\" width=\"14\" height=\"14\"/>"
                             "<path d=\"M4 6h8M4 10h8M10 3.5 6 12.5\"/>",
        [REPORT_FAILED] = "<path d=\"M5 1h6l4 4v6l-4 4H5l-4-4V5Z\"/>"
                          "<path d=\"m5 5 6 6M11 5l-6 6\"/>",
    };
    (void)fprintf(file,
                  "<svg class=\"mark %s\" viewBox=\"0 0 16 16\" aria-hidden=\"true\" "
                  "focusable=\"false\">%s</svg>",
                  names[level], shapes[level]);
}

// Tables -----------------------------------------------------------------------------------------

report_table report_table_begin(FILE* file, const char* caption, const char* kinds,
                                const char* const* heads, bool sortable) {
    (void)fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", file);
    report_text(file, caption);
    (void)fprintf(file, "\"><table%s><caption>", sortable ? " class=\"sortable\"" : "");
    report_text(file, caption);
    (void)fputs("</caption>\n<thead><tr>", file);
    for (size_t i = 0; kinds[i] != '\0'; i++) {
        (void)fprintf(file, "<th scope=\"col\" class=\"%c\">", kinds[i]);
        report_text(file, heads[i]);
        (void)fputs("</th>", file);
    }
    (void)fputs("</tr></thead>\n<tbody>\n", file);
    return (report_table){.file = file, .kinds = kinds};
}

/// The tag of the next cell; what it ends with follows.
static const char* cell_begin(report_table* table, const char* attributes) {
    bool first = table->column == 0;
    (void)fprintf(table->file, "%s<%s class=\"%c\"%s>", first ? "<tr>" : "",
                  first ? "th scope=\"row\"" : "td", table->kinds[table->column], attributes);
    table->column++;
    bool last = table->kinds[table->column] == '\0';
    table->column = last ? 0 : table->column;
    return first ? last ? "</th></tr>\n" : "</th>" : last ? "</td></tr>\n" : "</td>";
}

void report_cell(report_table* table, const char* format, ...) {
    va_list args;
    const char* end = cell_begin(table, "");
    va_start(args, format);
    text_print(table->file, format, args);
    va_end(args);
    (void)fputs(end, table->file);
}

void report_cell_number(report_table* table, double number, const char* format, ...) {
    char attributes[64];
    va_list args;
    (void)snprintf(attributes, sizeof attributes, " data-v=\"%.17g\"", number);
    const char* end = cell_begin(table, attributes);
    va_start(args, format);
    text_print(table->file, format, args);
    va_end(args);
    (void)fputs(end, table->file);
}

void report_cell_bar(report_table* table, double number, double share, const char* format, ...) {
    char attributes[96];
    va_list args;
    double part = share >= 0 && share <= 1 ? share * 100 : 0;
    (void)snprintf(attributes, sizeof attributes, " data-v=\"%.17g\" style=\"--bar:%.2f%%\"",
                   number, part);
    const char* end = cell_begin(table, attributes);
    va_start(args, format);
    text_print(table->file, format, args);
    va_end(args);
    (void)fputs(end, table->file);
}

// The picture is 100 wide, and so are its numbers.
void report_cell_interval(report_table* table, double at, double low, double high,
                          const double scale[2]) {
    char attributes[64];
    double x[4] = {at, low, high, 1};
    (void)snprintf(attributes, sizeof attributes, " data-v=\"%.17g\"", at);
    const char* end = cell_begin(table, attributes);
    for (int i = 0; i < 4; i++)
        x[i] = fmin(fmax((x[i] - scale[0]) / (scale[1] - scale[0]) * 100, 0), 100);
    if (at > 0) {
        (void)fprintf(table->file,
                      "<svg viewBox=\"0 0 100 12\" aria-hidden=\"true\" focusable=\"false\">"
                      "<path class=\"one\" d=\"M%.1f 0v12\"/>",
                      x[3]);
        if (low <= high)
            (void)fprintf(table->file, "<path class=\"bar c0\" d=\"M%.1f 3v6M%.1f 6H%.1fm0-3v6\"/>",
                          x[1], x[1], x[2]);
        (void)fprintf(table->file, "<circle class=\"dot c0\" cx=\"%.1f\" cy=\"6\" r=\"3\"/></svg>",
                      x[0]);
    }
    (void)fputs(end, table->file);
}

void report_cell_level(report_table* table, report_level level, const char* text) {
    char attributes[32];
    (void)snprintf(attributes, sizeof attributes, " data-v=\"%d\"", (int)level);
    const char* end = cell_begin(table, attributes);
    report_mark(table->file, level);
    (void)fputc(' ', table->file);
    report_text(table->file, text);
    (void)fputs(end, table->file);
}

void report_table_end(report_table* table) {
    WEFT_ASSERT(table->column == 0);
    (void)fputs("</tbody></table></div>\n", table->file);
}
