// The machine that a command is about: this one, or that of --machine and --quota.

#include "cli.h"

#include <errno.h>
#include <string.h>

/// Says why a machine cannot be shown.
static void machine_complain(const weft_cli_options* options, weft_status status) {
    const char* source = options->machine;
    if (source == NULL)
        weft_cli_complain("this machine: %s [%s]", weft_status_text(status),
                          weft_status_name(status));
    else if (status == WEFT_STATUS_BAD_ARGUMENT)
        weft_cli_complain("--machine: hwloc does not understand '%s'; write for instance "
                          "'synthetic:package:2 [numa] l3:4 core:8 pu:2'",
                          source);
    else if (status == WEFT_STATUS_FILE_ERROR)
        weft_cli_complain("--machine: the file %s cannot be read: %s; a machine that is no file is "
                          "written synthetic:...",
                          source, strerror(errno));
    else if (status == WEFT_STATUS_BAD_FORMAT)
        weft_cli_complain("--machine: %s is no XML file that this hwloc reads; `lstopo FILE.xml` "
                          "of hwloc 2 writes one",
                          source);
    else if (status == WEFT_STATUS_UNSUPPORTED)
        weft_cli_complain("--machine: this program was built without hwloc, and knows no other "
                          "machine than this one");
    else
        weft_cli_complain("--machine: %s: %s [%s]", source, weft_status_text(status),
                          weft_status_name(status));
}

weft_exit weft_cli_topology_open(const weft_cli_options* options, weft_topology** topology_out) {
    weft_topology_desc desc = weft_topology_desc_default();
    desc.source = options->machine;
    desc.quota_milli_cpus = options->quota_milli_cpus;
    errno = 0;
    weft_status status = weft_topology_create(&desc, topology_out);
    if (status == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    bool wrong = options->machine != NULL && status == WEFT_STATUS_BAD_ARGUMENT;
    machine_complain(options, status);
    return wrong ? WEFT_EXIT_USAGE : WEFT_EXIT_FAILURE;
}
