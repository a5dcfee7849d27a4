#define _GNU_SOURCE // asprintf, open_memstream

#include "run_plot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTITIES "entities"

/// gnuplot with a script, which it writes the picture of to standard output.
static weft_status gnuplot(const char* script, char** bytes_out, size_t* size_out, char* line,
                           size_t capacity) {
    char program[] = "gnuplot";
    char input[] = "-";
    char* const arguments[] = {program, input, NULL};
    const weft_cli_child child = {
        .name = "gnuplot", .package = "gnuplot-nox", .arguments = arguments, .input = script};
    return weft_cli_child_run(&child, bytes_out, size_out, line, capacity);
}

/// The end of a name behind its last dot.
static const char* ending_of(const char* path) {
    const char* dot = strrchr(path, '.');
    return dot != NULL ? dot + 1 : "";
}

/// True if all names are of what needs no log.
static bool is_plain(const char* names) {
    for (const char* at = names; *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (length != strlen(ENTITIES) || strncasecmp(at, ENTITIES, length) != 0)
            return false;
        at += length + (at[length] == ',');
    }
    return true;
}

weft_exit run_plot_begin(run_plot* plot, weft_cli_options* options) {
    char line[WEFT_CLI_LINE_SIZE];
    char* bytes;
    size_t size;
    *plot = (run_plot){.names = options->plot, .path = options->output_path};
    if (plot->names == NULL && plot->path == NULL)
        return WEFT_EXIT_OK;
    const char* ending = plot->path != NULL ? ending_of(plot->path) : "";
    if (plot->names == NULL)
        weft_cli_complain("-o is the picture of --plot: add --plot NAME");
    else if (plot->names[0] == '\0')
        weft_cli_complain("--plot: name a series, such as " ENTITIES);
    else if (strcmp(ending, "png") != 0 && strcmp(ending, "svg") != 0)
        weft_cli_complain("--plot needs a file that ends in .png or .svg: add -o FILE");
    else if (gnuplot("", &bytes, &size, line, sizeof line) != WEFT_STATUS_OK) {
        weft_cli_complain("--plot draws by %s", line);
        return WEFT_EXIT_FAILURE;
    } else {
        free(bytes);
        if (series_new(&plot->alive, ENTITIES, NULL) == NULL)
            plot->failed = true;
        if (options->log_path == NULL && !is_plain(plot->names)) {
            if (asprintf(&plot->log_path, "%s.tmp-%ld", plot->path, (long)getpid()) < 0)
                plot->log_path = NULL;
            plot->failed = plot->failed || plot->log_path == NULL;
            (void)unlink(plot->log_path != NULL ? plot->log_path : ""); // Of one that died.
            options->log_path = plot->log_path;
        }
        return WEFT_EXIT_OK;
    }
    return WEFT_EXIT_USAGE;
}

void run_plot_tick(run_plot* plot, uint64_t tick, uint64_t alive) {
    if (plot->names != NULL && !plot->failed)
        plot->failed = !series_add(&plot->alive.at[0], (double)tick, (double)alive);
}

// The script -------------------------------------------------------------------------------------

/// What is to be drawn.
typedef struct chosen {
    const series** at;
    size_t count;
} chosen;

/// "Population.creatures" or "Population"; false if it is not this series.
static bool is_named(const series* one, const char* name, size_t length) {
    size_t table = strlen(one->table);
    if (length < table || strncasecmp(one->table, name, table) != 0)
        return false;
    if (length == table)
        return true;
    return one->column != NULL && name[table] == '.' && strlen(one->column) == length - table - 1 &&
           strncasecmp(one->column, name + table + 1, length - table - 1) == 0;
}

static size_t choose_from(const series_set* set, const char* name, size_t length, chosen* out) {
    size_t found = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!is_named(&set->at[i], name, length))
            continue;
        const series** grown = realloc(out->at, (out->count + 1) * sizeof *grown);
        if (grown == NULL)
            return found;
        out->at = grown;
        grown[out->count++] = &set->at[i];
        found++;
    }
    return found;
}

/// Finds all names; says which one is not there.
static bool choose(const run_plot* plot, const series_set* set, chosen* out) {
    for (const char* at = plot->names; *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (choose_from(set, at, length, out) + choose_from(&plot->alive, at, length, out) == 0) {
            (void)fprintf(stderr, "weft: --plot: nothing is named '%.*s'; there is " ENTITIES,
                          (int)length, at);
            for (size_t i = 0; i < set->count; i++)
                (void)fprintf(stderr, ", %s%s%s", set->at[i].table,
                              set->at[i].column != NULL ? "." : "",
                              set->at[i].column != NULL ? set->at[i].column : "");
            (void)fputc('\n', stderr);
            return false;
        }
        at += length + (at[length] == ',');
    }
    return true;
}

/// A text as gnuplot takes it as it is.
static void quoted_print(FILE* file, const char* text) {
    (void)fputc('\'', file);
    for (; *text != '\0'; text++)
        if (*text == '\'')
            (void)fputs("''", file);
        else
            (void)fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
    (void)fputc('\'', file);
}

static void script_print(FILE* file, const chosen* what, const char* path, const char* module) {
    static const char* const colours[] = {"#0b66b8", "#c24a00", "#0a7a55", "#a03a7c",
                                          "#7d6000", "#5b4fd0", "#2d7187", "#6b727a"};
    bool png = strcmp(ending_of(path), "png") == 0;
    for (size_t i = 0; i < what->count; i++) {
        const series* one = what->at[i];
        (void)fprintf(file, "$s%zu << EOD\n", i);
        for (size_t j = 0; j < one->count; j++)
            (void)fprintf(file, "%.17g %.17g\n", one->ticks[j], one->values[j]);
        (void)fputs("EOD\n", file);
    }
    (void)fprintf(file, "set terminal %s noenhanced\n",
                  png ? "pngcairo size 1200,700 fontscale 1.2" : "svg size 900,520 dynamic");
    (void)fputs(
        "set encoding utf8\nset grid lc rgb '#d5d9de'\nset border 3\nset tics nomirror\n"
        "set key below\nset xlabel 'tick' offset 0,0.5\nset format y '%.6g'\nset yrange [0<*:]\n"
        "set title ",
        file);
    quoted_print(file, module);
    (void)fputs("\nplot ", file);
    for (size_t i = 0; i < what->count; i++) {
        const series* one = what->at[i];
        char name[200];
        (void)snprintf(name, sizeof name, "%s%s%s", one->table, one->column != NULL ? "." : "",
                       one->column != NULL ? one->column : "");
        (void)fprintf(file, "%s$s%zu using 1:2 with lines lw 2 dt %zu lc rgb '%s' title ",
                      i > 0 ? ", " : "", i, i / 8 + 1, colours[i % 8]);
        quoted_print(file, name);
    }
    (void)fputc('\n', file);
}

/// Bytes to be written as they are.
typedef struct picture {
    char* at;
    size_t size;
} picture;

static void picture_print(FILE* file, const void* context) {
    const picture* p = context;
    (void)fwrite(p->at, 1, p->size, file);
}

static weft_status chosen_draw(const chosen* what, const char* path, const char* module, char* line,
                               size_t capacity) {
    picture script = {0};
    picture drawn = {0};
    FILE* file = open_memstream(&script.at, &script.size);
    if (file == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    script_print(file, what, path, module);
    weft_status status = fclose(file) == 0 ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
    if (status == WEFT_STATUS_OK)
        status = gnuplot(script.at, &drawn.at, &drawn.size, line, capacity);
    if (status == WEFT_STATUS_OK)
        status = weft_cli_file_write(path, "picture", picture_print, &drawn, line, capacity);
    free(script.at);
    free(drawn.at);
    return status;
}

weft_exit run_plot_draw(run_plot* plot, const char* log_path, const char* module) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    series_set set = {0};
    chosen what = {0};
    weft_status status = WEFT_STATUS_OK;
    weft_exit code = WEFT_EXIT_OK;
    if (plot->names == NULL)
        return code;
    if (plot->failed)
        status = WEFT_STATUS_OUT_OF_MEMORY;
    if (status == WEFT_STATUS_OK && log_path != NULL)
        status = series_read(log_path, &set, line, sizeof line);
    if (status == WEFT_STATUS_OK && !choose(plot, &set, &what))
        code = WEFT_EXIT_USAGE;
    else if (status == WEFT_STATUS_OK)
        status = chosen_draw(&what, plot->path, module, line, sizeof line);
    if (status != WEFT_STATUS_OK) {
        weft_cli_complain("--plot: %s", line[0] != '\0' ? line : weft_status_text(status));
        code = WEFT_EXIT_FAILURE;
    }
    free(what.at);
    series_forget(&set);
    return code;
}

void run_plot_end(run_plot* plot) {
    if (plot->log_path != NULL)
        (void)unlink(plot->log_path);
    free(plot->log_path);
    series_forget(&plot->alive);
    *plot = (run_plot){0};
}
