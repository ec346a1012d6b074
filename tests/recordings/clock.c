/* Stops the wall clock of a process at NOW (seconds since 1970). Preloaded by server.py. The monotonic clock, which
   timers use, goes on. libfaketime does the same, but allocates before the allocator has started. */

#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *result) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
        return (int)syscall(SYS_clock_gettime, clock, result);
    }
    result->tv_sec = NOW;
    result->tv_nsec = 0;
    return 0;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    result->tv_sec = NOW;
    result->tv_usec = 0;
    return 0;
}

time_t time(time_t *result) {
    if (result) {
        *result = NOW;
    }
    return NOW;
}
