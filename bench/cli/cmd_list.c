// weft list: the simulations and measurements of this program.

#include "cli.h"

#include <stdlib.h>

#include "measure.h"

static const char* text_of(const char* text) {
    return text != NULL ? text : "";
}

static weft_math_backend math_of(const weft_module* module) {
    weft_module_options options = {module->entity_count_default, 1};
    return weft_cli_world_desc(module, &options).math;
}

static void list_print(const weft_module* const* modules, size_t count) {
    char number[WEFT_CLI_NUMBER_SIZE];
    weft_cli_table table = weft_cli_table_create("lrrl");
    weft_cli_table_add(&table, "workload");
    weft_cli_table_add(&table, "entities");
    weft_cli_table_add(&table, "ticks");
    weft_cli_table_add(&table, "what it is");
    for (size_t i = 0; i < count; i++) {
        weft_cli_table_add(&table, "%s", modules[i]->name);
        weft_cli_table_add(&table, "%s", weft_cli_number(modules[i]->entity_count_default, number));
        weft_cli_table_add(&table, "%s", weft_cli_number(modules[i]->tick_count_default, number));
        weft_cli_table_add(&table, "%s", text_of(modules[i]->summary));
    }
    weft_cli_table_print(&table, stdout);

    size_t measure_count;
    const weft_measure* const* measures = weft_measures(&measure_count);
    table = weft_cli_table_create("ll");
    weft_cli_table_add(&table, "measurement");
    weft_cli_table_add(&table, "what it is");
    for (size_t i = 0; i < measure_count; i++) {
        weft_cli_table_add(&table, "%s", measures[i]->name);
        weft_cli_table_add(&table, "%s", text_of(measures[i]->summary));
    }
    printf("\n");
    weft_cli_table_print(&table, stdout);
}

static bool list_print_json(const weft_module* const* modules, size_t count) {
    json_t* workloads = json_array();
    json_t* measurements = json_array();
    size_t measure_count;
    const weft_measure* const* measures = weft_measures(&measure_count);
    for (size_t i = 0; i < count; i++)
        (void)json_array_append_new(workloads,
                                    json_pack("{s:s, s:s, s:I, s:I, s:s}", "name", modules[i]->name,
                                              "summary", text_of(modules[i]->summary), "entities",
                                              (json_int_t)modules[i]->entity_count_default, "ticks",
                                              (json_int_t)modules[i]->tick_count_default, "math",
                                              weft_math_name(math_of(modules[i]))));
    for (size_t i = 0; i < measure_count; i++)
        (void)json_array_append_new(measurements,
                                    json_pack("{s:s, s:s}", "name", measures[i]->name, "summary",
                                              text_of(measures[i]->summary)));
    return weft_cli_json_print(
        json_pack("{s:o, s:o}", "workloads", workloads, "measurements", measurements));
}

weft_exit weft_cli_list(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_options_parse(WEFT_CLI_LIST, argc, argv, &options);
    weft_exit code = WEFT_EXIT_OK;
    size_t count;
    const weft_module** modules = weft_cli_modules(cli, &count);
    if (options.name_count > 0) {
        weft_cli_complain("list takes no argument: '%s' is one too many", options.names[0]);
        code = WEFT_EXIT_USAGE;
    } else if (options.json) {
        code = list_print_json(modules, count) ? WEFT_EXIT_OK : WEFT_EXIT_FAILURE;
    } else {
        list_print(modules, count);
    }
    free(modules);
    weft_cli_options_deinit(&options);
    return code;
}
