/* Between a process and its disk: counts the calls that change files in one folder, and lets the nth of them go wrong.

   SHIM_FOLDER  only files under this path count
   SHIM_KINDS   only calls of these kinds count: W(rite), S(ync), T(runcate), U(nlink), R(ename), D(irectory made),
                E(mpty directory removed),
                and X for growing SQLite's shared memory, which reports a full disk as any other error
   SHIM_AT      which call goes wrong, from 1; 0 is none
   SHIM_MODE    before | after   the process is killed there
                torn             half of a write is done, and the process is killed
                eio | enospc     half of a write is done, and the call fails
   SHIM_LASTS   1 if every later call fails too
   SHIM_LOG     a file that every call of every process is written to, with its data: see power.py. It also has what
                can't go wrong here: files made (C), syncs that begin (s), and what a process says (M)

   The variables are read at every call, so that a process can end its own trouble. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum verdict { PASS, BEFORE, AFTER, TORN, FAIL };

static long calls;

int shim_calls(void) { return (int)calls; }

static int counts(const char *path) {
    const char *folder = getenv("SHIM_FOLDER");
    return folder && *folder && strncmp(path, folder, strlen(folder)) == 0;
}

/* The name of a file that is open; a removed one has none. */

static int name_of(int fd, char *path) {
    char link[64] = "/proc/self/fd/";
    char digits[16];
    int n = 0, at = (int)strlen(link);
    do digits[n++] = (char)('0' + fd % 10); while ((fd /= 10) > 0);
    while (n > 0) link[at++] = digits[--n];
    link[at] = 0;
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    const char *removed = " (deleted)";
    size_t tail = strlen(removed);
    if ((size_t)length > tail && !strcmp(path + length - tail, removed)) return 0;
    return counts(path);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static enum verdict judge(char kind) {
    const char *kinds = getenv("SHIM_KINDS");
    if (kinds && *kinds && !strchr(kinds, kind)) return PASS;
    const char *at = getenv("SHIM_AT"), *mode = getenv("SHIM_MODE"), *lasts = getenv("SHIM_LASTS");
    long n = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    long wanted = at ? atol(at) : 0;
    if (!wanted || n < wanted || (n > wanted && !(lasts && *lasts == '1'))) return PASS;
    if (!strcmp(mode, "before")) die();
    if (!strcmp(mode, "after")) return AFTER;
    if (!strcmp(mode, "torn")) return TORN;
    errno = strcmp(mode, "enospc") ? EIO : ENOSPC;
    return FAIL;
}

/* A record is: kind, length of the path, offset, length of the data; then path and data. One call appends it, so that
   those of several processes do not mix. */
static void record_all(char kind, const char *path, int64_t offset, const struct iovec *parts, int count) {
    const char *log = getenv("SHIM_LOG");
    if (!log || !*log) return;
    struct iovec all[2 + 64];
    int64_t length = 0;
    if (count > 64) abort();
    for (int n = 0; n < count; n++) {
        all[2 + n] = parts[n];
        length += (int64_t)parts[n].iov_len;
    }
    int64_t head[4] = {kind, (int64_t)strlen(path), offset, length};
    all[0] = (struct iovec){head, sizeof head};
    all[1] = (struct iovec){(void *)path, strlen(path)};
    int saved = errno, fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (syscall(SYS_writev, fd, all, 2 + count) != (ssize_t)(sizeof head + strlen(path)) + length) abort();
    syscall(SYS_close, fd);
    errno = saved;
}

static void record(char kind, const char *path, int64_t offset, const void *data, size_t length) {
    struct iovec part = {(void *)data, length};
    record_all(kind, path, offset, &part, 1);
}

static ssize_t put(int fd, const void *data, size_t length, int64_t offset, int placed) {
    return placed ? syscall(SYS_pwrite64, fd, data, length, offset) : syscall(SYS_write, fd, data, length);
}

static ssize_t writing(int fd, const void *data, size_t length, int64_t offset, int placed) {
    char path[PATH_MAX];
    if (fd == 1) record('M', "", getpid(), data, length); /* what the process says: it must be true from here on */
    if (!name_of(fd, path)) return put(fd, data, length, offset, placed);
    size_t named = strlen(path);
    int shared = named > 4 && !strcmp(path + named - 4, "-shm");
    enum verdict verdict = judge(shared ? 'X' : 'W');
    int code = errno;
    if (verdict == TORN || verdict == FAIL) put(fd, data, length / 2, offset, placed);
    if (verdict == TORN) die();
    if (verdict == FAIL) { errno = code; return -1; }
    if (!placed) offset = lseek(fd, 0, SEEK_CUR);
    ssize_t done = put(fd, data, length, offset, placed);
    if (done > 0 && !shared) record('W', path, offset, data, (size_t)done);
    if (verdict == AFTER) die();
    return done;
}

ssize_t write(int fd, const void *data, size_t length) { return writing(fd, data, length, 0, 0); }
ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return writing(fd, data, length, at, 1); }
ssize_t pwrite64(int fd, const void *data, size_t length, off_t at) { return writing(fd, data, length, at, 1); }

/* The calls that write nothing: `kind`, `at` and DATA are for the log. */
#define DATA "", 0
#define OTHER(known, call, kind, at)                            \
    if (!(known)) return (int)(call);                           \
    enum verdict verdict = judge(kind);                         \
    if (verdict == FAIL) return -1;                             \
    if (verdict == TORN) die();                                 \
    int done = (int)(call);                                     \
    if (done == 0) record(kind, path, at, DATA);                \
    if (verdict == AFTER) die();                                \
    return done;

/* A sync keeps what was written before it began: both ends are recorded, with a number of their own. */
static int syncing(int fd, long call) {
    static long syncs;
    char path[PATH_MAX];
    int known = name_of(fd, path);
    int64_t number = ((int64_t)getpid() << 32) + __atomic_add_fetch(&syncs, 1, __ATOMIC_SEQ_CST);
    if (known) record('s', path, number, DATA);
    OTHER(known, syscall(call, fd), 'S', number)
}

int fsync(int fd) { return syncing(fd, SYS_fsync); }
int fdatasync(int fd) { return syncing(fd, SYS_fdatasync); }
int ftruncate(int fd, off_t n) { char path[PATH_MAX]; OTHER(name_of(fd, path), syscall(SYS_ftruncate, fd, n), 'T', n) }
int ftruncate64(int fd, off_t n) { char path[PATH_MAX]; OTHER(name_of(fd, path), syscall(SYS_ftruncate, fd, n), 'T', n) }
int unlink(const char *path) { OTHER(counts(path), syscall(SYS_unlinkat, AT_FDCWD, path, 0), 'U', 0) }
int mkdir(const char *path, mode_t mode) { OTHER(counts(path), syscall(SYS_mkdirat, AT_FDCWD, path, mode), 'D', 0) }
int rmdir(const char *path) { OTHER(counts(path), syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR), 'E', 0) }
static int name_in(int dirfd, const char *name, char *path) {
    int known = dirfd >= 0 && *name != '/' && name_of(dirfd, path) && strlen(path) + strlen(name) + 2 < PATH_MAX;
    if (known) strcat(strcat(path, "/"), name);
    return known;
}

int mkdirat(int dirfd, const char *name, mode_t mode) {
    char path[PATH_MAX];
    OTHER(name_in(dirfd, name, path), syscall(SYS_mkdirat, dirfd, name, mode), 'D', 0)
}

int unlinkat(int dirfd, const char *name, int flags) {
    char path[PATH_MAX];
    OTHER(name_in(dirfd, name, path), syscall(SYS_unlinkat, dirfd, name, flags), flags & AT_REMOVEDIR ? 'E' : 'U', 0)
}

/* Calls that only a server of a test makes: recorded, and never made to fail. */
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
    char path[PATH_MAX];
    ssize_t done = syscall(SYS_pwritev, fd, parts, count, at, 0);
    if (done <= 0 || !name_of(fd, path)) return done;
    struct iovec kept[64];
    int used = 0;
    for (ssize_t left = done; left > 0; left -= (ssize_t)kept[used++].iov_len) {
        kept[used] = parts[used];
        if ((ssize_t)kept[used].iov_len > left) kept[used].iov_len = (size_t)left;
    }
    record_all('W', path, at, kept, used);
    return done;
}

int truncate(const char *path, off_t n) { OTHER(counts(path), syscall(SYS_truncate, path, n), 'T', n) }

int posix_fallocate(int fd, off_t at, off_t length) {
    char path[PATH_MAX];
    struct stat now;
    if (syscall(SYS_fallocate, fd, 0, at, length) < 0) return errno;
    if (name_of(fd, path) && fstat(fd, &now) == 0) record('T', path, now.st_size, DATA);
    return 0;
}

static int opening(int dirfd, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    struct stat found;
    int makes = (flags & O_CREAT) && syscall(SYS_newfstatat, dirfd, name, &found, 0) < 0;
    int fd = (int)syscall(SYS_openat, dirfd, name, flags, mode);
    if (fd >= 0 && (makes || (flags & O_TRUNC)) && name_of(fd, path)) record(makes ? 'C' : 'T', path, 0, DATA);
    return fd;
}

#define MODE(flags) mode_t mode = 0; \
    if ((flags) & O_CREAT) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE(flags) return opening(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opening(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int dirfd, const char *path, int flags, ...) { MODE(flags) return opening(dirfd, path, flags, mode); }
int openat64(int dirfd, const char *path, int flags, ...) { MODE(flags) return opening(dirfd, path, flags | O_LARGEFILE, mode); }

#undef DATA
#define DATA to, strlen(to)
int rename(const char *path, const char *to) {
    OTHER(counts(path) || counts(to), syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, to, 0), 'R', 0)
}

int renameat(int dirfd, const char *name, int new_dirfd, const char *new_name) {
    char path[PATH_MAX], to[PATH_MAX];
    int known = name_in(dirfd, name, path) && name_in(new_dirfd, new_name, to);
    OTHER(known, syscall(SYS_renameat2, dirfd, name, new_dirfd, new_name, 0), 'R', 0)
}
