// A build without libzip.

#include "export.h"

weft_status export_npz(export_log* log, const char* path) {
    (void)path;
    return export_fail(log, WEFT_STATUS_UNSUPPORTED,
                       "this weft was built without libzip; build it again where libzip is "
                       "installed (Debian: libzip-dev), or take --format csv");
}
