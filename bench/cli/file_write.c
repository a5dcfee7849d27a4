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

static weft_status file_fail(const weft_cli_file* file, const char* why, char* line,
                             size_t capacity) {
    (void)snprintf(line, capacity, "%s: the %s cannot be written: %s", file->path, file->what, why);
    return WEFT_STATUS_FILE_ERROR;
}

weft_status weft_cli_file_begin(weft_cli_file* file, const char* path, const char* what, char* line,
                                size_t capacity) {
    struct stat info;
    *file = (weft_cli_file){.path = path, .what = what};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return file_fail(file, "not a regular file", line, capacity);
    char* temporary = NULL;
    FILE* stream = NULL;
    if (asprintf(&temporary, "%s.tmp-XXXXXX", path) < 0)
        temporary = NULL;
    int descriptor = temporary != NULL ? mkostemp(temporary, O_CLOEXEC) : -1;
    mode_t mask = umask(0);
    (void)umask(mask);
    if (descriptor >= 0 && fchmod(descriptor, 0666 & ~mask) == 0)
        stream = fdopen(descriptor, "w");
    if (stream != NULL) {
        file->temporary = temporary;
        file->stream = stream;
        return WEFT_STATUS_OK;
    }
    (void)file_fail(file, strerror(errno), line, capacity);
    if (descriptor >= 0) {
        (void)close(descriptor);
        (void)unlink(temporary);
    }
    free(temporary);
    *file = (weft_cli_file){0};
    return WEFT_STATUS_FILE_ERROR;
}

weft_status weft_cli_file_end(weft_cli_file* file, char* line, size_t capacity) {
    if (file->stream == NULL)
        return WEFT_STATUS_OK;
    errno = 0;
    bool stored =
        fflush(file->stream) == 0 && ferror(file->stream) == 0 && fsync(fileno(file->stream)) == 0;
    int error = errno != 0 ? errno : EIO; // What failed before has not kept its reason.
    stored = fclose(file->stream) == 0 && stored;
    if (stored && rename(file->temporary, file->path) != 0) {
        error = errno;
        stored = false;
    }
    weft_status status = WEFT_STATUS_OK;
    if (stored) {
        (void)folder_sync(file->path);
    } else {
        status = file_fail(file, strerror(error), line, capacity);
        (void)unlink(file->temporary);
    }
    free(file->temporary);
    *file = (weft_cli_file){0};
    return status;
}

void weft_cli_file_drop(weft_cli_file* file) {
    if (file->stream == NULL)
        return;
    (void)fclose(file->stream);
    (void)unlink(file->temporary);
    free(file->temporary);
    *file = (weft_cli_file){0};
}

weft_status weft_cli_file_write(const char* path, const char* what, weft_cli_print_fn* print,
                                const void* context, char* line, size_t capacity) {
    weft_cli_file file;
    WEFT_TRY(weft_cli_file_begin(&file, path, what, line, capacity));
    print(file.stream, context);
    return weft_cli_file_end(&file, line, capacity);
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
