// weft bisect: from a difference to its cause, in one of four forms.

#include "bisect_job.h"

#include <string.h>

/// True if a file is a hash file, or its name says so.
static bool is_hashes(const char* path) {
    static const char magic[] = "weft-hashes";
    static const char ending[] = ".hashes";
    char start[sizeof magic - 1] = "";
    size_t length = strlen(path);
    if (length >= sizeof ending && strcmp(path + length + 1 - sizeof ending, ending) == 0)
        return true;
    FILE* file = fopen(path, "re");
    bool is = file != NULL && fread(start, 1, sizeof start, file) == sizeof start &&
              memcmp(start, magic, sizeof start) == 0;
    if (file != NULL)
        (void)fclose(file);
    return is;
}

static weft_exit dispatch(const weft_cli* cli, weft_cli_options* options) {
    if (options->builds)
        return bisect_builds(cli, options);
    if (options->record_path != NULL)
        return bisect_against_record(cli, options);
    if (options->name_count > 0 && weft_cli_bundle_is(options->names[0]))
        return bisect_replay(cli, options);
    if (options->name_count > 0 && is_hashes(options->names[0]))
        return bisect_files(cli, options);
    return bisect_module(cli, options);
}

weft_exit weft_cli_bisect(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_options_parse(WEFT_CLI_BISECT, argc, argv, &options);
    struct sigaction before = weft_cli_interrupt_catch();
    weft_exit code = dispatch(cli, &options);
    weft_cli_interrupt_release(&before);
    weft_cli_options_deinit(&options);
    return code;
}
