/* The wall clock of a server, which a test can move: CLOCK_FILE holds the microseconds that are added to it.

   The file is mapped, so that all processes of the server, those that run and those that are started later, see the
   clock jump at the same moment. Clocks that only measure durations are as they were. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t *moved_by;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CLOCK_FILE");
    int fd = path ? open(path, O_RDONLY) : -1;
    if (fd < 0) return;
    void *found = mmap(NULL, sizeof *moved_by, PROT_READ, MAP_SHARED, fd, 0);
    if (found != MAP_FAILED) moved_by = found;
    close(fd);
}

static void move(struct timespec *at) {
    int64_t by = moved_by ? __atomic_load_n(moved_by, __ATOMIC_SEQ_CST) : 0;
    int64_t nanoseconds = at->tv_nsec + by % 1000000 * 1000;
    at->tv_sec += by / 1000000;
    if (nanoseconds < 0) { nanoseconds += 1000000000; at->tv_sec--; }
    if (nanoseconds >= 1000000000) { nanoseconds -= 1000000000; at->tv_sec++; }
    at->tv_nsec = nanoseconds;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    int done = (int)syscall(SYS_clock_gettime, clock, at);
    if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) move(at);
    return done;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
