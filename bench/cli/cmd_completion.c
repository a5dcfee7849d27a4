// weft completion: what makes a shell complete commands, options and names. Everything comes from
// the tables that parsing and --help have. Installed are a few lines for each shell that call this
// (cmake/completion/), so that a build need not run the program, and the lists are never old.

#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

// What there is -----------------------------------------------------------------------------------

/// Prints the names that a command's arguments may be, with a space before each, and counts them.
/// What they are is read from what --help calls them.
static size_t names_print(const weft_cli* cli, const weft_cli_row* row) {
    const char* arguments = weft_cli_help_of(row->command)->arguments;
    size_t count = 0;
    if (strstr(arguments, "WORKLOAD") != NULL) {
        const weft_module** modules = weft_cli_modules(cli, &count);
        for (size_t i = 0; i < count; i++)
            printf(" %s", modules[i]->name);
        free(modules);
    } else if (strstr(arguments, "NAME") != NULL) {
        const weft_measure* const* measures = weft_measures(&count);
        for (size_t i = 0; i < count; i++)
            printf(" %s", measures[i]->name);
    } else if (strstr(arguments, "FAULT") != NULL) {
        for (const char* fault; (fault = weft_cli_selftest_fault(count)) != NULL; count++)
            printf(" %s", fault);
    } else if (islower((unsigned char)arguments[0])) { // "bash|fish|zsh"
        for (const char* word = arguments; *word != '\0'; count++) {
            size_t length = strcspn(word, "|");
            printf(" %.*s", (int)length, word);
            word += length + (word[length] == '|');
        }
    }
    return count;
}

/// True if an argument may be a file.
static bool takes_files(const weft_cli_row* row) {
    static const char* const others[] = {"NAME", "FAULT", "bash"};
    const char* arguments = weft_cli_help_of(row->command)->arguments;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strstr(arguments, others[i]) != NULL)
            return false;
    }
    return arguments[0] != '\0';
}

static bool is_file(const weft_cli_option* option) {
    return option->argument != NULL && strcmp(option->argument, "FILE") == 0;
}

/// The second word of a command; null if it has none.
static const char* second_word(const weft_cli_row* row) {
    const char* space = strchr(row->name, ' ');
    return space != NULL ? space + 1 : NULL;
}

/// True if `row` is `first` with a word more.
static bool goes_on(const weft_cli_row* row, const weft_cli_row* first) {
    size_t length = strlen(first->name);
    return strncmp(row->name, first->name, length) == 0 && row->name[length] == ' ';
}

/// Prints the words that a command goes on with, each with a space before it.
static void second_words_print(const weft_cli_row* first) {
    size_t count;
    const weft_cli_row* rows = weft_cli_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (goes_on(&rows[i], first))
            printf(" %s", second_word(&rows[i]));
    }
}

/// Prints the commands of one word, each with a space before it.
static void first_words_print(void) {
    size_t count;
    const weft_cli_row* rows = weft_cli_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (second_word(&rows[i]) == NULL)
            printf(" %s", rows[i].name);
    }
}

// bash, zsh --------------------------------------------------------------------------------------

static void bash_command_print(const weft_cli* cli, const weft_cli_row* row) {
    weft_cli_option option;
    printf("    '%s')\n        words='", row->name);
    second_words_print(row);
    (void)names_print(cli, row);
    printf("'\n        options='");
    for (size_t at = 0; weft_cli_option_next(row->command, &at, &option);)
        printf(" --%s", option.name);
    printf(" --help'\n        case $before in\n");
    for (size_t at = 0; weft_cli_option_next(row->command, &at, &option);) {
        // An optional argument is never the next word.
        if (option.argument == NULL || option.argument_optional)
            continue;
        printf("        --%s", option.name);
        if (option.letter != '\0')
            printf(" | -%c", option.letter);
        if (is_file(&option))
            printf(") kind=file ;;\n");
        else if (option.values != NULL)
            printf(") kind=word words='%s' ;;\n", option.values);
        else
            printf(") kind=none ;;\n");
    }
    printf("        esac\n        ;;\n");
}

/// The name of the program as a part of a name in shells.
static void identifier_print(const char* program) {
    for (; *program != '\0'; program++)
        printf("%c", isalnum((unsigned char)*program) ? *program : '_');
}

/// Prints what stands between the beginning of the function and what follows from the kind.
static void bash_cases_print(const weft_cli* cli) {
    size_t count;
    const weft_cli_row* rows = weft_cli_rows(&count);
    printf("    if ((COMP_CWORD > 2)); then\n"
           "        case \"$command ${COMP_WORDS[2]}\" in\n");
    for (size_t i = 0; i < count; i++) {
        if (second_word(&rows[i]) != NULL)
            printf("        '%s') command='%s' ;;\n", rows[i].name, rows[i].name);
    }
    printf("        esac\n    fi\n    ((COMP_CWORD > 1)) || command=help\n    case $command in\n"
           "    help)\n        words='help");
    first_words_print();
    printf("'\n        options='--help --version'\n        ;;\n");
    for (size_t i = 0; i < count; i++)
        bash_command_print(cli, &rows[i]);
    printf("    *) kind=none ;;\n    esac\n");
}

static void bash_print(const weft_cli* cli, const char* program) {
    printf("_complete_");
    identifier_print(program);
    // Readline takes --name=value apart at the "=".
    printf("() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local command=${COMP_WORDS[1]} kind= words= options=\n"
           "    COMPREPLY=()\n"
           "    if [[ $word == '=' ]]; then\n"
           "        word= kind=none\n"
           "    elif [[ $before == '=' ]]; then\n"
           "        before=${COMP_WORDS[COMP_CWORD - 2]} kind=none\n"
           "    fi\n");
    bash_cases_print(cli);
    // Without a reply, readline completes names of files: "-o default".
    printf("    case $kind in\n"
           "    file) return ;;\n"
           "    none)\n"
           "        compopt +o default 2>/dev/null\n"
           "        return\n"
           "        ;;\n"
           "    esac\n"
           "    [[ $kind == word || $word != -* ]] || words=$options\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "}\n"
           "complete -o default -F _complete_");
    identifier_print(program);
    printf(" ");
    weft_cli_shell_print(stdout, program);
    printf("\n");
}

static void zsh_print(const weft_cli* cli, const char* program) {
    printf("autoload -U +X bashcompinit && bashcompinit\n");
    bash_print(cli, program);
}

// fish -------------------------------------------------------------------------------------------

/// Prints a text as one word of fish.
static void fish_word_print(const char* text) {
    printf("'");
    for (; *text != '\0'; text++)
        printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    printf("'");
}

/// Prints what each line of a command begins with: when it counts.
static void fish_line_print(const char* program, const weft_cli_row* row) {
    const char* second = second_word(row);
    printf("complete -c ");
    fish_word_print(program);
    printf(" -n '__fish_seen_subcommand_from %.*s", (int)strcspn(row->name, " "), row->name);
    if (second != NULL) {
        printf("; and __fish_seen_subcommand_from %s", second);
    } else {
        printf("; and not __fish_seen_subcommand_from help");
        second_words_print(row);
    }
    printf("'");
}

static void fish_command_print(const weft_cli* cli, const char* program, const weft_cli_row* row) {
    weft_cli_option option;
    fish_line_print(program, row);
    printf("%s -a '", takes_files(row) ? " -F" : "");
    (void)names_print(cli, row);
    printf("'\n");
    for (size_t at = 0; weft_cli_option_next(row->command, &at, &option);) {
        fish_line_print(program, row);
        printf(" -l %s", option.name);
        if (option.letter != '\0')
            printf(" -s %c", option.letter);
        if (is_file(&option))
            printf(" -r -F");
        else if (option.argument != NULL && !option.argument_optional)
            printf(" -x");
        if (option.values != NULL)
            printf(" -a '%s'", option.values);
        printf(" -d ");
        fish_word_print(option.text);
        printf("\n");
    }
}

static void fish_print(const weft_cli* cli, const char* program) {
    size_t count;
    const weft_cli_row* rows = weft_cli_rows(&count);
    printf("complete -c ");
    fish_word_print(program);
    printf(" -f\n");
    for (size_t i = 0; i < count; i++) {
        const char* second = second_word(&rows[i]);
        printf("complete -c ");
        fish_word_print(program);
        if (second == NULL)
            printf(" -n __fish_use_subcommand -a %s", rows[i].name);
        else
            printf(" -n '__fish_seen_subcommand_from %.*s' -a %s", (int)strcspn(rows[i].name, " "),
                   rows[i].name, second);
        printf(" -d ");
        fish_word_print(rows[i].summary);
        printf("\n");
        fish_command_print(cli, program, &rows[i]);
    }
    printf("complete -c ");
    fish_word_print(program);
    printf(" -n '__fish_seen_subcommand_from help' -a '");
    first_words_print();
    printf("'\n");
}

// The command ------------------------------------------------------------------------------------

weft_exit weft_cli_completion(const weft_cli* cli, int argc, char** argv) {
    static const struct {
        const char* name;
        void (*print)(const weft_cli* cli, const char* program);
    } shells[] = {{"bash", bash_print}, {"fish", fish_print}, {"zsh", zsh_print}};
    weft_cli_options options;
    weft_exit code = WEFT_EXIT_USAGE;
    weft_cli_options_parse(WEFT_CLI_COMPLETION, argc, argv, &options);
    for (size_t i = 0; i < sizeof shells / sizeof shells[0] && options.name_count == 1; i++) {
        if (strcmp(options.names[0], shells[i].name) == 0) {
            shells[i].print(cli, weft_cli_path_name(cli->program));
            code = WEFT_EXIT_OK;
        }
    }
    if (code != WEFT_EXIT_OK)
        weft_cli_complain("completion needs the name of one shell: bash, fish or zsh");
    weft_cli_options_deinit(&options);
    return code;
}
