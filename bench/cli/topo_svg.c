// `weft topo --svg`: packages, nodes, last caches, cores and CPUs as boxes in boxes, with the
// workers in them.
//
// Readable on light and dark ground, alone and in a page: the style is of this element's class
// alone. What colour tells is also told by a box's title and by the text form. A level that the
// machine does not tell, or that holds nothing but one box of the next, is left out. What is under
// the pointer says why its worker is there.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_page.h"
#include "topo_report.h"

enum {
    CPU_WIDTH = 58,
    CPU_HEIGHT = 36,
    PAD = 7,
    HEAD = 15, // Height of a box's name.
    TOP = 58,  // Above the machine: its name, and the workers'.
    KEY_HEIGHT = 24,
    WIDTH_MAX = 1400, // Wider machines grow downwards, as far as one box of them is not wider.
};

#define LETTER 6.6 // Width of a letter of 12 pixels, by any font's measure.

/// From the outside to the inside.
typedef enum level {
    LEVEL_MACHINE,
    LEVEL_PACKAGE,
    LEVEL_NODE,
    LEVEL_L3,
    LEVEL_CORE,
    LEVEL_CPU,
} level;

/// A box: the CPUs from `first` on and before `end`, which are neighbours in the topology's list.
typedef struct box {
    level level;
    uint32_t first;
    uint32_t end;
    double width;
    double height;
} box;

typedef struct picture {
    FILE* file; // Null: nothing is drawn, boxes are measured.
    const topo_report* report;
} picture;

static uint32_t identity(const weft_topology_cpu* cpu, level at) {
    switch (at) {
    case LEVEL_PACKAGE:
        return cpu->package;
    case LEVEL_NODE:
        return cpu->node;
    case LEVEL_L3:
        return cpu->l3;
    case LEVEL_CORE:
        return cpu->core;
    case LEVEL_CPU:
        return cpu->os_index;
    case LEVEL_MACHINE:
        break;
    }
    return 0;
}

/// The end of the box of this level that begins at `first`.
static uint32_t box_end(const picture* p, level at, uint32_t first, uint32_t limit) {
    uint32_t end = first + 1;
    uint32_t mine = identity(&p->report->cpus[first], at);
    while (end < limit && identity(&p->report->cpus[end], at) == mine)
        end++;
    return end;
}

/// The next level to draw inside a box: one that cuts it, or that of the CPUs.
static level level_inside(const picture* p, const box* outer) {
    int at = (int)outer->level + 1;
    while (at < LEVEL_CORE &&
           (box_end(p, (level)at, outer->first, outer->end) == outer->end ||
            identity(&p->report->cpus[outer->first], (level)at) == WEFT_TOPOLOGY_UNKNOWN))
        at++;
    return (level)at;
}

static const char* name_of(const picture* p, const box* one, char text[64]) {
    const weft_topology_cpu* cpu = &p->report->cpus[one->first];
    static const char* const names[] = {"", "package", "node", "L3", "core", "CPU"};
    uint32_t number = identity(cpu, one->level);
    if (number >= UINT32_MAX / 2)
        (void)snprintf(text, 64, "%s not known", names[one->level]);
    else if (one->level == LEVEL_CORE && cpu->kind > 0)
        (void)snprintf(text, 64, "core %" PRIu32 ", kind %" PRIu32, number, cpu->kind);
    else
        (void)snprintf(text, 64, "%s %" PRIu32, names[one->level], number);
    return text;
}

/// The look of a CPU with this worker on it.
static const char* class_of(const weft_seat* seat) {
    if (seat == NULL)
        return "free";
    if (seat->rests)
        return "rests";
    if (seat->beside != WEFT_TOPOLOGY_UNKNOWN)
        return "sibling";
    return seat->reason == WEFT_SEAT_SLOW_CORE ? "slow" : "core";
}

static void cpu_draw(const picture* p, const box* one, double x, double y) {
    const topo_report* report = p->report;
    uint32_t cpu = report->cpus[one->first].os_index;
    uint32_t worker = 0;
    uint32_t more = 0;
    while (worker < report->worker_count && report->seats[worker].cpu != cpu)
        worker++;
    for (uint32_t i = worker + 1; i < report->worker_count; i++)
        more += report->seats[i].cpu == cpu;
    const weft_seat* seat = worker < report->worker_count ? &report->seats[worker] : NULL;
    (void)fprintf(p->file, "<g><title>CPU %" PRIu32, cpu);
    if (seat != NULL) {
        uint32_t first = 0;
        uint32_t end = 0;
        char* why = topo_why(report, worker);
        topo_shards(report, worker, &first, &end);
        (void)fprintf(p->file, ", worker %" PRIu32 ": ", worker);
        report_text(p->file, why);
        if (first < end)
            (void)fprintf(p->file, "; shards %" PRIu32 " to %" PRIu32, first, end - 1);
        free(why);
    }
    (void)fprintf(p->file,
                  "</title><rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" "
                  "rx=\"3\"/><text class=\"small\" x=\"%.0f\" y=\"%.0f\">CPU %" PRIu32 "</text>",
                  class_of(seat), x, y, CPU_WIDTH, CPU_HEIGHT, x + CPU_WIDTH / 2.0, y + 13, cpu);
    if (seat != NULL) {
        (void)fprintf(p->file, "<text class=\"worker\" x=\"%.0f\" y=\"%.0f\">w%" PRIu32,
                      x + CPU_WIDTH / 2.0, y + 28, worker);
        if (more > 0)
            (void)fprintf(p->file, " +%" PRIu32, more);
        (void)fprintf(p->file, "</text>");
    }
    (void)fprintf(p->file, "</g>\n");
}

/// How many boxes stand side by side: CPUs of a core all, others so that it comes out a bit wider
/// than high.
static uint32_t column_count(const box* outer, uint32_t count, double width, double height) {
    uint32_t most = (uint32_t)fmax(1, (WIDTH_MAX - 4 * PAD) / width);
    if (outer->level == LEVEL_CORE || count <= 2)
        return outer->level == LEVEL_MACHINE && most < count ? most : count;
    uint32_t columns = (uint32_t)(sqrt(1.6 * count * height / width) + 0.5);
    columns = outer->level == LEVEL_MACHINE && columns > most ? most : columns;
    columns = columns < 1 ? 1 : columns > count ? count : columns;
    // Full rows, if that is near.
    for (uint32_t i = columns; i <= count && i <= columns + columns / 2 + 1; i++) {
        if (count % i == 0 && (outer->level != LEVEL_MACHINE || i <= most))
            return i;
    }
    return columns;
}

static void frame_draw(const picture* p, const box* one, double x, double y) {
    char text[64];
    if (one->level == LEVEL_MACHINE)
        return;
    (void)fprintf(p->file,
                  "<rect class=\"frame%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" "
                  "rx=\"4\"/><text class=\"name\" x=\"%.0f\" y=\"%.0f\">%s</text>\n",
                  one->level == LEVEL_NODE ? " node" : "", x, y, one->width, one->height, x + PAD,
                  y + HEAD - 2, name_of(p, one, text));
}

// Measures a box, and draws it where there is a file. Boxes of a row have the cell's size of the
// largest. Levels are few, so is the depth.
static void box_lay(const picture* p, box* outer, double x, double y) {
    if (outer->level == LEVEL_CPU) {
        outer->width = CPU_WIDTH;
        outer->height = CPU_HEIGHT;
        if (p->file != NULL)
            cpu_draw(p, outer, x, y);
        return;
    }
    level inside = level_inside(p, outer);
    const picture measure = {NULL, p->report};
    uint32_t count = 0;
    double width = 0;
    double height = 0;
    for (uint32_t at = outer->first; at < outer->end; count++) {
        box one = {inside, at, box_end(p, inside, at, outer->end), 0, 0};
        box_lay(&measure, &one, 0, 0);
        width = one.width > width ? one.width : width;
        height = one.height > height ? one.height : height;
        at = one.end;
    }
    WEFT_ASSERT(count > 0); // No box is empty.
    bool framed = outer->level != LEVEL_MACHINE;
    double head = framed ? HEAD + 3 : 0;
    double side = framed ? PAD : 0;
    uint32_t columns = column_count(outer, count, width + PAD, height + PAD);
    uint32_t rows = (count + columns - 1) / columns;
    outer->width = 2 * side + columns * (width + PAD) - PAD;
    outer->height = head + side + rows * (height + PAD) - PAD;
    if (p->file == NULL)
        return;
    frame_draw(p, outer, x, y);
    uint32_t number = 0;
    for (uint32_t at = outer->first; at < outer->end; number++) {
        box one = {inside, at, box_end(p, inside, at, outer->end), 0, 0};
        uint32_t row = number / columns;
        uint32_t column = number % columns;
        box_lay(p, &one, x + side + column * (width + PAD), y + head + row * (height + PAD));
        at = one.end;
    }
}

static const char style[] =
    "<style>\n"
    ".topo{font-family:system-ui,\"DejaVu Sans\",sans-serif;font-size:12px;background:#fff}\n"
    ".topo text{fill:#1b1f24}.topo .ground{fill:#fff}.topo .title{font-size:15px;font-weight:600}\n"
    ".topo .name{font-size:10.5px;fill:#57606a}\n"
    ".topo .small{font-size:10px;text-anchor:middle;fill:#57606a}\n"
    ".topo .worker{font-weight:600;text-anchor:middle}\n"
    ".topo .frame{fill:#f6f8fa;stroke:#afb8c1}.topo .node{fill:#eaeef2}\n"
    ".topo .core{fill:#9fd3ff;stroke:#0969da}.topo .slow{fill:#b4e6c8;stroke:#1a7f37}\n"
    ".topo .sibling{fill:#ffd79a;stroke:#9a6700}.topo .free{fill:#fff;stroke:#d0d7de}\n"
    ".topo .rests{fill:#fff;stroke:#57606a;stroke-dasharray:3 2}\n"
    ".topo .core+.small,.topo .slow+.small,.topo .sibling+.small{fill:#32383f}\n"
    "@media screen and (prefers-color-scheme:dark){.topo{background:#0d1117}\n"
    ".topo text{fill:#e6edf3}.topo .ground{fill:#0d1117}.topo .name,.topo .small{fill:#9198a1}\n"
    ".topo .frame{fill:#161b22;stroke:#3d444d}.topo .node{fill:#1f262e}\n"
    ".topo .core{fill:#0c4a8a;stroke:#58a6ff}.topo .slow{fill:#14532d;stroke:#3fb950}\n"
    ".topo .sibling{fill:#6b4708;stroke:#d29922}.topo .free{fill:#0d1117;stroke:#3d444d}\n"
    ".topo .rests{fill:#0d1117;stroke:#9198a1}\n"
    ".topo .core+.small,.topo .slow+.small,.topo .sibling+.small{fill:#d1d9e0}}\n"
    "</style>\n";

/// The kinds of workers that there are, and what they look like. Returns where it ends.
static double key_draw(const picture* p, double y) {
    static const char* const keys[][2] = {{"core", "a core of its own"},
                                          {"slow", "a slower core"},
                                          {"sibling", "SMT sibling of another worker"},
                                          {"rests", "rests, as do those behind a +"},
                                          {"free", "no worker"}};
    const topo_report* report = p->report;
    double x = PAD * 2;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        bool is = false;
        for (uint32_t worker = 0; worker < report->worker_count && !is; worker++)
            is = strcmp(class_of(&report->seats[worker]), keys[i][0]) == 0;
        if (!is && (strcmp(keys[i][0], "free") != 0 ||
                    report->worker_count >= report->info.worker_cpu_count))
            continue;
        if (p->file != NULL)
            (void)fprintf(p->file,
                          "<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"14\" height=\"14\" "
                          "rx=\"2\"/><text x=\"%.0f\" y=\"%.0f\">%s</text>\n",
                          keys[i][0], x, y - 11, x + 20, y, keys[i][1]);
        x += 36 + LETTER * (double)strlen(keys[i][1]);
    }
    return x;
}

static const char* machine_name(const topo_report* report) {
    return report->info.model != NULL ? report->info.model
           : report->source != NULL   ? report->source
                                      : "this machine";
}

/// The lines above the machine. Returns how wide they are.
static double head_draw(const picture* p) {
    const topo_report* report = p->report;
    char number[WEFT_CLI_NUMBER_SIZE];
    char quota[64] = "";
    char line[256];
    const char* name = machine_name(report);
    if (report->info.quota_milli_cpus != 0)
        (void)snprintf(quota, sizeof quota, "; quota %.3g CPUs",
                       report->info.quota_milli_cpus / 1000.0);
    (void)snprintf(line, sizeof line, "%s on %" PRIu32 " CPUs, %s: %s%s",
                   topo_count(report->worker_count, "worker", number),
                   report->info.worker_cpu_count, weft_cli_placement_name(report->placement.policy),
                   topo_policy_text(report->placement.policy), quota);
    if (p->file != NULL) {
        (void)fprintf(p->file, "<text class=\"title\" x=\"%d\" y=\"24\">", PAD * 2);
        report_text(p->file, name);
        (void)fprintf(p->file, "</text><text x=\"%d\" y=\"43\">%s</text>\n", PAD * 2, line);
    }
    return fmax(LETTER * 1.4 * (double)strlen(name), LETTER * (double)strlen(line)) + 4 * PAD;
}

/// What the picture is, for who does not see it.
static void words_draw(const picture* p, const char* id) {
    const topo_report* report = p->report;
    char size[TOPO_SIZE_TEXT];
    char number[WEFT_CLI_NUMBER_SIZE];
    (void)fprintf(p->file, "<title id=\"%s-title\">Machine and workers: ", id);
    report_text(p->file, machine_name(report));
    (void)fprintf(p->file,
                  "</title>\n<desc id=\"%s-desc\">%s, as boxes in boxes; %s, of which %" PRIu32
                  " take part, in the boxes of their CPUs.</desc>\n",
                  id, topo_size_text(report, size),
                  topo_count(report->worker_count, "worker", number), report->active_count);
}

void topo_svg_draw(FILE* file, const topo_report* report, const char* id) {
    const picture measure = {NULL, report};
    const picture draw = {file, report};
    box machine = {LEVEL_MACHINE, 0, report->info.worker_cpu_count, 0, 0};
    box_lay(&measure, &machine, 0, 0);
    double width = fmax(machine.width + 4 * PAD, fmax(head_draw(&measure), key_draw(&measure, 0)));
    double height = TOP + machine.height + KEY_HEIGHT + 2 * PAD;
    (void)fprintf(file,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"topo\" "
                  "style=\"--wide:%.0fpx\" width=\"%.0f\" "
                  "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
                  "aria-labelledby=\"%s-title\" aria-describedby=\"%s-desc\">\n",
                  width, width, height, width, height, id, id);
    words_draw(&draw, id);
    (void)fprintf(file, "%s<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n", style);
    (void)head_draw(&draw);
    box_lay(&draw, &machine, 2 * PAD, TOP);
    (void)key_draw(&draw, height - PAD - 4);
    (void)fprintf(file, "</svg>\n");
}

void topo_svg_print(FILE* file, const void* context) {
    topo_svg_draw(file, context, "topo");
}
