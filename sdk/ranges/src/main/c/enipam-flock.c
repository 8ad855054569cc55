/*
 * enipam-flock FILE: takes and releases an flock(2) on a file for the process that started it (io.enipam.sdk.ranges.Flock), without a
 * new process for each lock.
 *
 * A line on standard input with a number of seconds asks for the lock. The answer is the line "held"; or "taken", if another has it for
 * longer than that; or the reason and then "failed", if it cannot be had at all. After "held" the next line releases the lock. "free"
 * ends each of these. The file is opened anew each time: one that was replaced is not locked in the former one's place. The end of
 * standard input ends the process, and with it the lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 100 /* how often a wait is interrupted: an alarm that comes before the wait is followed by another */

static void interrupt(int signal)
{
    (void)signal;
}

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void alarms(int ms)
{
    struct timeval tick = {0, ms * 1000};
    struct itimerval timer = {tick, tick};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* 0, or what is wrong; EWOULDBLOCK if another has the lock for too long. */
static int lock(int fd, long seconds)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno != EWOULDBLOCK)
        return errno;
    long long until = now() + seconds * 1000LL;
    int error = EINTR;
    alarms(TICK_MS);
    while (error == EINTR)
        error = flock(fd, LOCK_EX) == 0 ? 0 : errno == EINTR && now() >= until ? EWOULDBLOCK : errno;
    alarms(0);
    return error;
}

/* Ends the process if there is no further line. */
static void read_line(char *line, size_t room)
{
    size_t length = 0;
    for (;;) {
        char c;
        ssize_t n = read(STDIN_FILENO, &c, 1);
        if (n == 0 || (n < 0 && errno != EINTR))
            exit(0);
        if (n > 0 && c == '\n')
            break;
        if (n > 0 && length + 1 < room)
            line[length++] = c;
    }
    line[length] = '\0';
}

/* Ends the process if its reader has gone. A line is shorter than what a pipe takes at once. */
static void say(const char *line)
{
    size_t length = strlen(line);
    while (write(STDOUT_FILENO, line, length) < 0)
        if (errno != EINTR)
            exit(0);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: enipam-flock FILE\n");
        return 2;
    }
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGALRM, &action, NULL);
    for (;;) {
        char line[32], reason[256];
        read_line(line, sizeof line);
        int fd = open(arguments[1], O_RDONLY | O_CLOEXEC);
        int error = fd < 0 ? errno : lock(fd, strtol(line, NULL, 10));
        if (error == 0) {
            say("held\n");
            read_line(line, sizeof line);
        } else if (error == EWOULDBLOCK) {
            say("taken\n");
        } else {
            snprintf(reason, sizeof reason, "%s\nfailed\n", strerror(error));
            say(reason);
        }
        if (fd >= 0)
            close(fd);
        say("free\n");
    }
}
