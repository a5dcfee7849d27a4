// Where the files of the report were made, and for what machines: facts, and pictures by `weft
// topo`.

#include <stdlib.h>
#include <string.h>

#include "report_page.h"

/// A list of terms, where neighbours of one name are one term.
typedef struct terms {
    FILE* file;
    char last[32];
} terms;

static void term_print(void* context, const char* name, const char* text) {
    terms* to = context;
    if (strcmp(to->last, name) != 0)
        report_term(to->file, name, text);
    else
        report_term(to->file, "", text);
    (void)snprintf(to->last, sizeof to->last, "%s", name);
}

static void facts_print(FILE* file, const char* name, const weft_machine* machine) {
    (void)fputs("<h3>", file);
    report_text(file, name);
    (void)fputs("</h3>\n<dl class=\"facts\">\n", file);
    for (uint32_t i = 0; i < machine->count; i++)
        report_term(file, machine->fact[i].name, machine->fact[i].text);
    (void)fputs("</dl>\n", file);
}

/// What a file says of the machine in words.
static weft_machine facts_of(const report_input* input) {
    static const char* const not_machine[] = {"module", "entities", "executor",
                                              "math",   "workers",  "seed"};
    weft_machine machine = input->run.head.machine;
    const char* name;
    json_t* value;
    json_t* facts =
        input->kind == REPORT_TRACE ? json_object_get(input->json, "metadata") : (json_t*)NULL;
    json_object_foreach(facts, name, value) {
        bool is = json_is_string(value);
        for (size_t j = 0; j < sizeof not_machine / sizeof not_machine[0]; j++)
            is = is && strcmp(name, not_machine[j]) != 0;
        if (is && machine.count < WEFT_MACHINE_FACTS_MAX)
            weft_machine_add(&machine, name, json_string_value(value));
    }
    return machine;
}

/// The picture's numbers.
static void workers_print(FILE* file, const topo_report* topo, const char* name) {
    static const char* const heads[] = {"worker", "CPU", "core",   "node", "package",
                                        "kind",   "pin", "shards", "why"};
    char caption[256];
    char number[WEFT_CLI_NUMBER_SIZE];
    (void)fprintf(file, "<details><summary>%s and their CPUs</summary>\n",
                  topo_count(topo->worker_count, "worker", number));
    (void)snprintf(caption, sizeof caption, "Workers of %.200s", name);
    report_table table = report_table_begin(file, caption, "nnnnnntnl", heads, true);
    for (uint32_t worker = 0; worker < topo->worker_count; worker++) {
        const weft_topology_cpu* cpu = topo_cpu(topo, topo->seats[worker].cpu);
        const uint32_t identities[] = {cpu->core, cpu->node, cpu->package};
        char* why = topo_why(topo, worker);
        uint32_t first = 0;
        uint32_t end = 0;
        topo_shards(topo, worker, &first, &end);
        report_cell(&table, "%u", worker);
        report_cell(&table, "%u", cpu->os_index);
        for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++)
            report_cell(&table, "%s", topo_identity_text(identities[i], number));
        report_cell(&table, "%u", cpu->kind);
        report_cell(&table, "%s", topo_pin_text(topo->pins[worker]));
        report_cell_number(&table, first < end ? (double)first : -1, "%s",
                           topo_shards_text(topo, worker, number));
        report_cell(&table, "%s", why);
        free(why);
    }
    report_table_end(&table);
    (void)fputs("</details>\n", file);
}

static void topology_print(FILE* file, const topo_report* topo, const char* name, size_t number) {
    char id[32];
    terms to = {.file = file};
    (void)snprintf(id, sizeof id, "topo-%zu", number);
    (void)fputs("<div class=\"scroll graph\" tabindex=\"0\" role=\"region\" aria-label=\"", file);
    report_format(file, "Picture of the machine, %s", name);
    (void)fputs("\">", file);
    topo_svg_draw(file, topo, id);
    (void)fputs("</div>\n<dl class=\"facts\">\n", file);
    topo_facts(topo, term_print, &to);
    (void)fputs("</dl>\n", file);
    workers_print(file, topo, name);
}

/// Whose machine it is, and whose workers.
static void input_print(FILE* file, const report_input* input, size_t number) {
    (void)fputs("<h3>", file);
    report_format(file, "%s%s", input->name,
                  input->kind == REPORT_FORECAST ? ", machine of the forecast" : "");
    (void)fputs("</h3>\n", file);
    if (input->kind == REPORT_FORECAST)
        (void)fprintf(file, "<p>Its workers are those that are %s.</p>\n",
                      json_object_get(input->json, "chosen") != NULL ? "chosen" : "enough");
    if (input->kind == REPORT_TUNE)
        (void)fputs("<p>Its workers are those of the layout that was written.</p>\n", file);
    topology_print(file, &input->topo, input->name, number);
}

/// The machine of this report, for want of another.
static bool here_print(FILE* file) {
    weft_machine here = weft_machine_read();
    weft_topology* topology = NULL;
    topo_report topo = {.entity_count = TOPO_ENTITIES_DEFAULT};
    (void)fputs("<p>No file tells where it was made. This report was made here:</p>\n", file);
    facts_print(file, "This machine", &here);
    weft_status status = weft_topology_create(NULL, &topology);
    topo.topology = topology;
    if (status == WEFT_STATUS_OK)
        status = topo_report_init(&topo);
    if (status == WEFT_STATUS_OK)
        topology_print(file, &topo, "this machine", 0);
    topo_report_deinit(&topo);
    weft_topology_destroy(topology);
    return status == WEFT_STATUS_OK;
}

void report_machine(report_page* page, FILE* file) {
    uint32_t facts = 0;
    bool pictures = false;
    report_section(page, file, "machine", "Machine");
    for (size_t i = 0; i < page->input_count; i++) {
        const report_input* input = &page->inputs[i];
        weft_machine machine = facts_of(input);
        facts += machine.count;
        if (machine.count > 0)
            facts_print(file, input->name, &machine);
        if (input->has_topology)
            input_print(file, input, i + 1);
        pictures = pictures || input->has_topology;
    }
    if (facts == 0 && !pictures)
        pictures = here_print(file);
    if (!pictures)
        (void)fputs("<p class=\"note\">A picture of the machine is made of what <code>weft topo "
                    "--json &gt; topo.json</code> writes there.</p>\n",
                    file);
    report_section_end(file);
}
