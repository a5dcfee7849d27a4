/// For suites whose tests are each about one file: a folder for each test, the path of the file in
/// it, and a look that nothing else is left there.
///
///     TestSuite(NAME, .init = one_file_make, .fini = one_file_remove);
#pragma once

#include "folder.h"

static test_folder folder;
static char path[sizeof(test_folder) + 16];

static void one_file_make(void) {
    folder = folder_open();
    (void)snprintf(path, sizeof(path), "%s/file", folder.path);
}

static void one_file_remove(void) {
    (void)unlink(path);
    folder_close_empty(&folder);
}
