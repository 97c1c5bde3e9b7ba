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
   SHIM_LOG     a file that every call is written to, with its data: see power.py

   The variables are read at every call, so that a process can end its own trouble. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum verdict { PASS, BEFORE, AFTER, TORN, FAIL };

static long calls;

int shim_calls(void) { return (int)calls; }

static int counts(const char *path) {
    const char *folder = getenv("SHIM_FOLDER");
    return folder && *folder && strncmp(path, folder, strlen(folder)) == 0;
}

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

/* A record is: kind, length of the path, offset, length of the data; then path and data. */
static void record(char kind, const char *path, int64_t offset, const void *data, size_t length) {
    const char *log = getenv("SHIM_LOG");
    if (!log || !*log) return;
    int saved = errno, fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    int64_t head[4] = {kind, (int64_t)strlen(path), offset, (int64_t)length};
    syscall(SYS_write, fd, head, sizeof head);
    syscall(SYS_write, fd, path, strlen(path));
    if (length) syscall(SYS_write, fd, data, length);
    syscall(SYS_close, fd);
    errno = saved;
}

static ssize_t put(int fd, const void *data, size_t length, int64_t offset, int placed) {
    return placed ? syscall(SYS_pwrite64, fd, data, length, offset) : syscall(SYS_write, fd, data, length);
}

static ssize_t writing(int fd, const void *data, size_t length, int64_t offset, int placed) {
    char path[PATH_MAX];
    if (fd == 1) record('M', "", 0, data, length); /* what the process says: it must be true from here on */
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

int fsync(int fd) { char path[PATH_MAX]; OTHER(name_of(fd, path), syscall(SYS_fsync, fd), 'S', 0) }
int fdatasync(int fd) { char path[PATH_MAX]; OTHER(name_of(fd, path), syscall(SYS_fdatasync, fd), 'S', 0) }
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
