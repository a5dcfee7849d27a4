// A build without SQLite.

#include "export.h"

weft_status export_sqlite(export_log* log, const char* path) {
    (void)path;
    return export_fail(log, WEFT_STATUS_UNSUPPORTED,
                       "this weft was built without SQLite; build it again where SQLite is "
                       "installed (Debian: libsqlite3-dev), or take --format csv");
}
