/*
 * call-plugin PLUGIN CONFIG CALLERS CALLS SECONDS: calls a CNI plugin as a container runtime does, by a process for each call, and
 * costs as little as that can: a thread a caller, vfork(2), no pipe. Each caller does so many ADDs, each followed by its DEL, for pods of
 * its own; after SECONDS none is begun. CONFIG is the standard input of each call. The variables of this
 * process are the plugin's, too.
 *
 * Prints the nanoseconds of all of it, and a line a call: ADD or DEL, the nanoseconds from before the fork to after the wait, and the microseconds of CPU in it. The first
 * call that fails ends it, with what that printed.
 *
 * Without arguments it does nothing, as a plugin: what any call costs at least.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OWN 6 /* the variables of a call */

extern char **environ;

static char *plugin, *config;
static int calls;
static long long until;

struct caller {
    pthread_t thread;
    int number, said;
    posix_spawn_file_actions_t files;
    char **variables, own[OWN][128];
    long long (*took)[2]; /* nanoseconds and microseconds of ADD, DEL, ADD ... */
    int done;
};

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noreturn)) static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static void call(struct caller *c, const char *command, int pod)
{
    char *arguments[] = {plugin, NULL};
    snprintf(c->own[0], sizeof c->own[0], "CNI_COMMAND=%s", command);
    snprintf(c->own[1], sizeof c->own[1], "CNI_CONTAINERID=pod-%d", pod);
    snprintf(c->own[2], sizeof c->own[2], "CNI_ARGS=IgnoreUnknown=1;K8S_POD_NAMESPACE=bench;K8S_POD_NAME=pod-%d", pod);
    pid_t process;
    int status;
    struct rusage used;
    long long began = now();
    if (posix_spawn(&process, plugin, &c->files, NULL, arguments, c->variables) != 0 || wait4(process, &status, 0, &used) < 0)
        fail(plugin);
    c->took[c->done][0] = now() - began;
    c->took[c->done++][1] = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    if (status != 0) {
        char text[4096];
        ssize_t length = pread(c->said, text, sizeof text, 0);
        fprintf(stderr, "status %d of %s by %s: %.*s\n", status, command, plugin, length > 0 ? (int)length : 0, text);
        exit(1);
    }
    if (ftruncate(c->said, 0) < 0 || lseek(c->said, 0, SEEK_SET) < 0)
        fail("what the plugin said");
}

static void *work(void *of)
{
    struct caller *c = of;
    for (int i = 0; i < calls && (i == 0 || now() < until); i++) {
        int pod = c->number * calls + i;
        call(c, "ADD", pod);
        call(c, "DEL", pod);
    }
    return NULL;
}

static void prepare(struct caller *c, int number)
{
    int inherited = 0;
    while (environ[inherited])
        inherited++;
    c->number = number;
    c->took = calloc(2 * (size_t)calls, sizeof *c->took);
    c->variables = calloc((size_t)inherited + OWN + 1, sizeof *c->variables);
    c->said = memfd_create("said", MFD_CLOEXEC);
    if (!c->took || !c->variables || c->said < 0)
        fail("memory");
    memcpy(c->variables, environ, (size_t)inherited * sizeof *environ);
    for (int i = 0; i < OWN; i++)
        c->variables[inherited + i] = c->own[i];
    strcpy(c->own[3], "CNI_NETNS=/var/run/netns/a");
    strcpy(c->own[4], "CNI_IFNAME=eth0");
    strcpy(c->own[5], "CNI_PATH=/");
    posix_spawn_file_actions_init(&c->files);
    posix_spawn_file_actions_addopen(&c->files, STDIN_FILENO, config, O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&c->files, c->said, STDOUT_FILENO);
}

int main(int count, char **arguments)
{
    if (count != 6)
        return 0;
    plugin = arguments[1];
    config = arguments[2];
    int callers = atoi(arguments[3]);
    calls = atoi(arguments[4]);
    until = now() + atoll(arguments[5]) * 1000000000LL;
    struct caller *all = calloc((size_t)callers, sizeof *all);
    if (!all)
        fail("memory");
    for (int i = 0; i < callers; i++)
        prepare(&all[i], i);
    long long began = now();
    for (int i = 0; i < callers; i++)
        if (pthread_create(&all[i].thread, NULL, work, &all[i]) != 0)
            fail("thread");
    for (int i = 0; i < callers; i++)
        pthread_join(all[i].thread, NULL);
    printf("%lld\n", now() - began);
    for (int i = 0; i < callers; i++)
        for (int j = 0; j < all[i].done; j++)
            printf("%s %lld %lld\n", j % 2 ? "DEL" : "ADD", all[i].took[j][0], all[i].took[j][1]);
    return 0;
}
