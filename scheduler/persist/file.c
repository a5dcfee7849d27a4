// Files (file.h). Linux keeps what was written by a process that dies, so only the machine's own
// death asks for weft__file_sync().

#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_SUFFIX ".tmp"
#define WRITE_MAX ((size_t)1 << 30) // One call's; the kernel takes little more.

// Calls ------------------------------------------------------------------------------------------

static ptrdiff_t system_pwrite(void* context, int descriptor, const void* bytes, size_t size,
                               uint64_t offset) {
    (void)context;
    return pwrite(descriptor, bytes, size, (off_t)offset);
}

static int system_fsync(void* context, int descriptor) {
    (void)context;
    return fsync(descriptor);
}

static int system_rename(void* context, const char* from, const char* to) {
    (void)context;
    return rename(from, to);
}

const weft__file_calls weft__file_calls_system = {
    .pwrite = system_pwrite, .fsync = system_fsync, .rename = system_rename};

// Names ------------------------------------------------------------------------------------------

typedef struct file_name {
    char text[WEFT__FILE_PATH + sizeof(TEMPORARY_SUFFIX)];
} file_name;

static file_name temporary_name(const weft__file* file) {
    file_name name;
    (void)snprintf(name.text, sizeof(name.text), "%s" TEMPORARY_SUFFIX, file->path);
    return name;
}

// "" and "/x" lie in "/" too.
static file_name folder_name(const char* path) {
    file_name name;
    const char* slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    if (slash == NULL)
        (void)snprintf(name.text, sizeof(name.text), ".");
    else
        (void)snprintf(name.text, sizeof(name.text), "%.*s", length == 0 ? 1 : (int)length, path);
    return name;
}

static bool copy_path(char out[WEFT__FILE_PATH], const char* path) {
    size_t length = strlen(path);
    if (length == 0 || length >= WEFT__FILE_PATH) {
        errno = length == 0 ? ENOENT : ENAMETOOLONG;
        (void)snprintf(out, WEFT__FILE_PATH, "%.64s", path);
        return false;
    }
    memcpy(out, path, length + 1);
    return true;
}

static const char* error_text(int error, char buffer[128]) {
    return strerror_r(error, buffer, 128);
}

// Writing ----------------------------------------------------------------------------------------

static weft_status fail(weft__file* file, const char* doing, const char* advice) {
    char buffer[128];
    if (file->status != WEFT_STATUS_OK)
        return file->status;
    (void)snprintf(file->line, sizeof(file->line), "%s: cannot be %s: %s%s", file->path, doing,
                   error_text(errno, buffer), advice);
    file->status = WEFT_STATUS_FILE_ERROR;
    return file->status;
}

weft_status weft__file_fail(weft__file* file, int error) {
    errno = error;
    return fail(file, "written",
                error == ENOSPC || error == EDQUOT ? "; make room on its disk" : "");
}

// Begins with a file that is none. False with errno if the path is no path.
static bool start(weft__file* file, const char* path, const weft__file_calls* calls) {
    WEFT_ASSERT(file != NULL && path != NULL);
    *file = (weft__file){.calls = calls != NULL ? calls : &weft__file_calls_system};
    return copy_path(file->path, path);
}

static weft_status close_and_fail(weft__file* file, const char* doing, const char* advice) {
    int error = errno;
    if (file->open)
        (void)close(file->descriptor);
    file->open = false;
    errno = error;
    return fail(file, doing, advice);
}

// True if the open file is the one of this name: another writer may have given it its own.
static bool is_named(int descriptor, const char* name) {
    struct stat by_name;
    struct stat by_descriptor;
    return stat(name, &by_name) == 0 && fstat(descriptor, &by_descriptor) == 0 &&
           by_name.st_dev == by_descriptor.st_dev && by_name.st_ino == by_descriptor.st_ino;
}

// One writer at a time. The lock goes when the file is closed, or its process dies.
static bool lock_alone(int descriptor) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return true;
    errno = errno == EWOULDBLOCK ? EBUSY : errno;
    return false;
}

static bool is_regular(int descriptor) {
    struct stat info;
    if (fstat(descriptor, &info) != 0)
        return false;
    if (S_ISREG(info.st_mode))
        return true;
    errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    return false;
}

bool weft__file_exists(const char* path) {
    return access(path, F_OK) == 0;
}

weft_status weft__file_create(weft__file* file, const char* path, const weft__file_calls* calls) {
    struct stat info;
    if (!start(file, path, calls))
        return fail(file, "written", "");
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        return fail(file, "written", ": it is no regular file");
    }
    file_name name = temporary_name(file);
    for (;;) {
        file->descriptor = open(name.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        file->open = file->descriptor >= 0;
        if (!file->open)
            return fail(file, "written", "");
        if (!is_regular(file->descriptor) || !lock_alone(file->descriptor))
            return close_and_fail(file, "written",
                                  errno == EBUSY ? ": another process is writing it" : "");
        if (is_named(file->descriptor, name.text))
            break;
        (void)close(file->descriptor);
    }
    if (ftruncate(file->descriptor, 0) != 0)
        return close_and_fail(file, "written", "");
    return WEFT_STATUS_OK;
}

weft_status weft__file_continue(weft__file* file, const char* path, uint64_t size,
                                const weft__file_calls* calls) {
    struct stat info;
    if (!start(file, path, calls))
        return fail(file, "continued", "");
    file->descriptor = open(path, O_RDWR | O_CLOEXEC);
    file->open = file->descriptor >= 0;
    if (!file->open)
        return fail(file, "continued", "");
    if (!is_regular(file->descriptor) || !lock_alone(file->descriptor))
        return close_and_fail(file, "continued",
                              errno == EBUSY ? ": another process is writing it" : "");
    if (fstat(file->descriptor, &info) != 0)
        return close_and_fail(file, "continued", "");
    if ((uint64_t)info.st_size < size) {
        errno = EINVAL;
        return close_and_fail(file, "continued", ": it has become shorter");
    }
    if ((uint64_t)info.st_size > size && ftruncate(file->descriptor, (off_t)size) != 0)
        return close_and_fail(file, "cut", "");
    file->size = size;
    file->published = true;
    return weft__file_sync(file);
}

int weft__file_write_at(const weft__file* file, const void* bytes, size_t size, uint64_t offset) {
    const uint8_t* from = bytes;
    WEFT_ASSERT(file->open);
    while (size > 0) {
        size_t now = size < WRITE_MAX ? size : WRITE_MAX;
        ptrdiff_t done =
            file->calls->pwrite(file->calls->context, file->descriptor, from, now, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        WEFT_ASSERT((size_t)done <= now);
        from += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

weft_status weft__file_append(weft__file* file, const void* bytes, size_t size) {
    if (file->status != WEFT_STATUS_OK)
        return file->status;
    int error = weft__file_write_at(file, bytes, size, file->size);
    if (error != 0)
        return weft__file_fail(file, error);
    file->size += size;
    return WEFT_STATUS_OK;
}

void weft__file_extend(weft__file* file, uint64_t size) {
    WEFT_ASSERT(file->open && file->status == WEFT_STATUS_OK);
    WEFT_ASSERT(size <= UINT64_MAX - file->size);
    file->size += size;
}

weft_status weft__file_sync(weft__file* file) {
    if (file->status != WEFT_STATUS_OK)
        return file->status;
    WEFT_ASSERT(file->open);
    // After a failed fsync the kernel forgets what it could not write: trying again proves nothing.
    if (file->calls->fsync(file->calls->context, file->descriptor) != 0)
        return fail(file, "made durable", "");
    return WEFT_STATUS_OK;
}

// Makes names in the file's folder durable. Some file systems do not offer it.
static bool sync_folder(const weft__file* file) {
    file_name name = folder_name(file->path);
    int folder = open(name.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return false;
    bool synced = file->calls->fsync(file->calls->context, folder) == 0 || errno == EINVAL;
    int error = errno;
    (void)close(folder);
    errno = error;
    return synced;
}

weft_status weft__file_publish(weft__file* file, bool replace) {
    WEFT_ASSERT(file->open && !file->published);
    WEFT_TRY(weft__file_sync(file));
    file_name name = temporary_name(file);
    if (!replace && link(name.text, file->path) != 0)
        return fail(file, "named",
                    errno == EEXIST ? "; take another name, or remove what has it" : "");
    if (!replace) {
        (void)unlink(name.text);
    } else if (file->calls->rename(file->calls->context, name.text, file->path) != 0) {
        return fail(file, "named", "");
    }
    file->published = true;
    return sync_folder(file) ? WEFT_STATUS_OK : fail(file, "made durable under its name", "");
}

void weft__file_close(weft__file* file) {
    if (!file->open)
        return;
    if (!file->published)
        (void)unlink(temporary_name(file).text);
    (void)close(file->descriptor);
    file->open = false;
}

// Reading ----------------------------------------------------------------------------------------

static weft_status source_fail(weft__source* source, const char* why) {
    char buffer[128];
    (void)snprintf(source->line, sizeof(source->line), "%s: cannot be read: %s", source->path,
                   why != NULL ? why : error_text(errno, buffer));
    return WEFT_STATUS_FILE_ERROR;
}

weft_status weft__source_open(weft__source* source, const char* path) {
    struct stat info;
    WEFT_ASSERT(source != NULL && path != NULL);
    *source = (weft__source){.descriptor = -1};
    if (!copy_path(source->path, path))
        return source_fail(source, NULL);
    // A pipe must not make the caller wait.
    source->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    source->open = source->descriptor >= 0;
    if (!source->open)
        return source_fail(source, NULL);
    if (!is_regular(source->descriptor) || fstat(source->descriptor, &info) != 0) {
        weft_status status = source_fail(source, "it is no regular file");
        weft__source_close(source);
        return status;
    }
    source->size = (uint64_t)info.st_size;
    return WEFT_STATUS_OK;
}

int weft__source_read_at(const weft__source* source, void* bytes, size_t size, uint64_t offset) {
    uint8_t* to = bytes;
    WEFT_ASSERT(source->open && offset <= source->size && size <= source->size - offset);
    while (size > 0) {
        ptrdiff_t got =
            pread(source->descriptor, to, size < WRITE_MAX ? size : WRITE_MAX, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : ENODATA;
        to += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return 0;
}

weft_status weft__source_read(weft__source* source, void* bytes, size_t size, uint64_t offset) {
    int error = weft__source_read_at(source, bytes, size, offset);
    if (error == 0)
        return WEFT_STATUS_OK;
    errno = error;
    return source_fail(source, error == ENODATA ? "it was cut off while it was read" : NULL);
}

void weft__source_close(weft__source* source) {
    if (source->open)
        (void)close(source->descriptor);
    source->open = false;
}
