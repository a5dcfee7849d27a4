// The page around the sections: head, verdict, contents, and what is missing.

#include "report_page.h"

#include <string.h>

#include "report_files.h"

static report_level worst_level(const report_page* page) {
    report_level worst = REPORT_GOOD;
    for (size_t i = 0; i < page->finding_count; i++)
        worst = page->findings[i].level > worst ? page->findings[i].level : worst;
    return worst;
}

static bool has_kind(const report_page* page, report_kind kind) {
    size_t at = 0;
    return report_input_next(page, kind, &at) != NULL;
}

const char* report_page_verdict(const report_page* page) {
    static const char* const texts[] = {
        [REPORT_MISSED] = "not all is as it should be",
        [REPORT_DIFFERENT] = "different",
        [REPORT_FAILED] = "something failed",
    };
    report_level worst = worst_level(page);
    if (worst != REPORT_GOOD)
        return texts[worst];
    if (page->finding_count == 0)
        return "nothing to judge";
    return has_kind(page, REPORT_VERIFY) || has_kind(page, REPORT_HASHES) ? "nothing differs"
                                                                          : "done";
}

static void verdict_print(FILE* file, const report_page* page) {
    static const char* const classes[] = {"good", "missed", "different", "failed"};
    static const char* const words[] = {
        [REPORT_GOOD] = "Good",
        [REPORT_MISSED] = "Look here",
        [REPORT_DIFFERENT] = "Different",
        [REPORT_FAILED] = "Failed",
    };
    report_level worst = worst_level(page);
    const char* text = report_page_verdict(page);
    bool judged = page->finding_count > 0;
    (void)fprintf(file,
                  "<section class=\"verdict %s\" aria-labelledby=\"verdict-h\">\n<h2 "
                  "id=\"verdict-h\">",
                  judged ? classes[worst] : "none");
    if (judged)
        report_mark(file, worst);
    (void)fputc(' ', file);
    if (!judged)
        (void)fputs("Nothing to judge", file);
    else if (worst == REPORT_FAILED || strcasecmp(words[worst], text) == 0)
        report_text(file, words[worst]);
    else
        report_format(file, "%s: %s", words[worst], text);
    (void)fputs(judged ? "</h2>\n<ul>\n"
                       : "</h2>\n<p>These files hold nothing that must be equal, or "
                         "that has a target.</p>\n",
                file);
    for (int level = REPORT_FAILED; level >= REPORT_GOOD; level--) {
        for (size_t i = 0; i < page->finding_count; i++) {
            const report_finding* one = &page->findings[i];
            if ((int)one->level != level)
                continue;
            (void)fputs("<li>", file);
            report_mark(file, one->level);
            (void)fprintf(file, " <span class=\"word\">%s:</span> <a href=\"#%s\">", words[level],
                          one->section);
            report_text(file, one->text);
            (void)fputs("</a></li>\n", file);
        }
    }
    (void)fputs(judged ? "</ul>\n</section>\n" : "</section>\n", file);
}

static void contents_print(FILE* file, const report_page* page) {
    (void)fputs("<nav aria-label=\"Contents\"><ul>\n", file);
    for (size_t i = 0; i < page->section_count; i++) {
        (void)fprintf(file, "<li><a href=\"#%s\">", page->sections[i][0]);
        report_text(file, page->sections[i][1]);
        (void)fputs("</a></li>\n", file);
    }
    (void)fputs("</ul></nav>\n", file);
}

/// How to get the sections that are not there.
static void missing_print(FILE* file, const report_page* page) {
    static const struct {
        const char* section;
        const char* title;
        const char* how;
    } rows[] = {
        {"hashes", "Comparison of hashes",
         "weft verify SIMULATION --json > verify.json, or two files of weft run --hashes"},
        {"speed", "Speed-up", "weft bench --save results.weft"},
        {"forecast", "Forecast", "weft forecast SIMULATION --json > forecast.json"},
        {"layout", "Search for a layout", "weft tune SIMULATION --json > tune.json"},
        {"trace", "Cost of systems, and timeline", "weft run SIMULATION --trace trace.json"},
        {"graph", "Graph of systems", "weft report ... --module SIMULATION"},
        {"log", "Logged series", "weft run SIMULATION --log run.log"},
        {"bench", "Measurements", "weft bench --save results.weft"},
    };
    bool begun = false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool is = false;
        for (size_t j = 0; j < page->section_count; j++)
            is = is || strcmp(page->sections[j][0], rows[i].section) == 0;
        if (is)
            continue;
        if (!begun)
            (void)fputs("<section id=\"missing\" aria-labelledby=\"missing-h\">\n<h2 "
                        "id=\"missing-h\">Not in this report</h2>\n<dl class=\"facts\">\n",
                        file);
        begun = true;
        (void)fputs("<dt>", file);
        report_text(file, rows[i].title);
        (void)fputs("</dt><dd><code>", file);
        report_text(file, rows[i].how);
        (void)fputs("</code></dd>\n", file);
    }
    if (begun)
        (void)fputs("</dl>\n</section>\n", file);
}

void report_page_print(FILE* file, const report_page* page, const char* body) {
    const char* title = page->title != NULL ? page->title : "Weft report";
    // Whatever a file says, nothing is fetched.
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
                "form-action 'none'\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                file);
    report_format(file, "%s: %s", title, report_page_verdict(page));
    (void)fprintf(file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", report_files_css);
    (void)fputs("<a class=\"skip\" href=\"#main\">To the verdict</a>\n<header><h1>", file);
    report_text(file, title);
    (void)fputs("</h1>\n", file);
    contents_print(file, page);
    (void)fputs("</header>\n<main id=\"main\" tabindex=\"-1\">\n", file);
    verdict_print(file, page);
    (void)fputs(body, file);
    missing_print(file, page);
    (void)fprintf(file,
                  "</main>\n<footer><p>Made by weft %s.</p></footer>\n<script>\n%s</script>\n"
                  "</body>\n</html>\n",
                  weft_version(), report_files_js);
}
