// Files that are written whole or not at all.

#define _GNU_SOURCE

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Makes the name of the file durable too.
static bool folder_sync(const char* path) {
    const char* slash = strrchr(path, '/');
    char* folder = slash == NULL   ? strdup(".")
                   : slash == path ? strdup("/")
                                   : strndup(path, (size_t)(slash - path));
    int file = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool synced = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        (void)close(file);
    free(folder);
    return synced;
}

/// Writes everything to an open temporary file and makes it durable.
static bool file_store(int descriptor, weft_cli_print_fn* print, const void* context) {
    FILE* file = fdopen(descriptor, "w");
    if (file == NULL) {
        (void)close(descriptor);
        return false;
    }
    print(file, context);
    bool stored = fflush(file) == 0 && ferror(file) == 0 && fsync(descriptor) == 0;
    int error = errno;
    stored = fclose(file) == 0 && stored;
    errno = error;
    return stored;
}

weft_status weft_cli_file_write(const char* path, const char* what, weft_cli_print_fn* print,
                                const void* context, char* line, size_t capacity) {
    char* temporary = NULL;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        (void)snprintf(line, capacity, "%s: the %s cannot be written: not a regular file", path,
                       what);
        return WEFT_STATUS_FILE_ERROR;
    }
    if (asprintf(&temporary, "%s.tmp-XXXXXX", path) < 0)
        temporary = NULL;
    int descriptor = temporary != NULL ? mkostemp(temporary, O_CLOEXEC) : -1;
    mode_t mask = umask(0);
    (void)umask(mask);
    bool written = descriptor >= 0 && fchmod(descriptor, 0666 & ~mask) == 0;
    if (written)
        written = file_store(descriptor, print, context) && rename(temporary, path) == 0;
    else if (descriptor >= 0)
        (void)close(descriptor);
    if (!written) {
        (void)snprintf(line, capacity, "%s: the %s cannot be written: %s", path, what,
                       strerror(errno));
        if (descriptor >= 0)
            (void)unlink(temporary);
    } else {
        (void)folder_sync(path);
    }
    free(temporary);
    return written ? WEFT_STATUS_OK : WEFT_STATUS_FILE_ERROR;
}

bool weft_cli_file_read(const char* path, char** bytes_out, size_t* size_out) {
    struct stat info;
    FILE* file = fopen(path, "re");
    bool loaded = file != NULL && fstat(fileno(file), &info) == 0;
    if (loaded && !S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        loaded = false;
    }
    char* bytes = loaded ? malloc((size_t)info.st_size + 1) : NULL;
    size_t size = bytes != NULL ? fread(bytes, 1, (size_t)info.st_size, file) : 0;
    loaded = bytes != NULL && ferror(file) == 0;
    int error = errno;
    if (file != NULL)
        (void)fclose(file);
    if (!loaded)
        free(bytes);
    errno = error;
    *bytes_out = loaded ? bytes : NULL;
    *size_out = size;
    return loaded;
}
