/*
 * enipam-cni: what a container runtime calls. It passes the CNI_ variables and standard input to the daemon in one frame, prints the
 * daemon's answer and ends with its status. The frames are those of io.enipam.cni.FrameCodec; there is no other logic here, but that a
 * call ends in time and that the runtime gets a CNI error when the daemon does not answer.
 *
 * The socket is ENIPAM_CNI_SOCKET's, else that in the file EXECUTABLE.socket (enipam-cni-install --socket), else the usual one.
 * ENIPAM_CNI_TIMEOUT_MS shortens the deadline. The front in Java (io.enipam.cni.CniMain) says the same in each case.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef ENIPAM_VERSION
#define ENIPAM_VERSION "(unversioned)"
#endif
#define VERSIONS(between) "0.1.0" between "0.2.0" between "0.3.0" between "0.3.1" between "0.4.0" between "1.0.0" between "1.1.0"
#define MOST_STDIN ((size_t)16 << 20)
#define MOST_VARIABLES ((size_t)1 << 20)
#define MOST_ANSWER (MOST_STDIN + MOST_VARIABLES)
#define FRAME_VERSION 1
#define UPDATE "front and daemon are of different versions, or another listens there; enipam-cni-install updates the front"
#define TIMEOUT_MS 120000 /* terway's for a call */
#define VERSION_MS 5000   /* asked when a configuration is loaded: a daemon that hangs must not stop that */
#define QUIET_MS 2000     /* VERSION needs no input: how long it is waited for */
#define PRINT_MS 5000     /* what is left to say is said within this time, also when the deadline is over */

struct bytes {
    unsigned char *at;
    size_t length, room;
};

static long long timeout = TIMEOUT_MS, deadline;
static int asks_version;
static char cni_version[24] = "1.1.0"; /* the configuration's, where it says one */
static char path[4096] = "/var/run/enipam/cni.sock";

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Waits until a file can be read or written; 0 if it is too late. On an odd file the call that follows says what is wrong. */
static int ready(int fd, short events, long long until)
{
    struct pollfd one = {fd, events, 0};
    for (;;) {
        long long left = until - now();
        int n = poll(&one, 1, left > 0 ? (int)left : 0);
        if (n > 0 || (n < 0 && errno != EINTR))
            return 1;
        if (n == 0 && left <= 0)
            return 0;
    }
}

/* 0, or -1 if not all could be written. A pipe that is ready takes 4096 bytes without waiting. */
static int print(int fd, const unsigned char *at, size_t length)
{
    long long until = now() + PRINT_MS > deadline ? now() + PRINT_MS : deadline;
    while (length > 0) {
        ssize_t n = ready(fd, POLLOUT, until) ? write(fd, at, length < 4096 ? length : 4096) : 0;
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return -1;
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Prints a result and ends. */
__attribute__((noreturn)) static void finish(const unsigned char *out, size_t length, int status)
{
    static const unsigned char lost[] = "enipam-cni: the answer could not be written to standard output\n";
    if (print(STDOUT_FILENO, out, length) == 0)
        exit(status);
    print(STDERR_FILENO, lost, sizeof lost - 1);
    exit(status ? status : 1);
}

/* Makes a text fit for JSON, in place: what would need an escape becomes one character. */
static const char *plain(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~' || *c == '\\')
            *c = '?';
        else if (*c == '"')
            *c = '\'';
    return text;
}

/* Ends with a CNI error; the text is "what\nwhat to do". Code 11 is that the daemon's answer cannot be had: VERSION goes without. */
__attribute__((noreturn, format(printf, 2, 3))) static void fail(int code, const char *format, ...)
{
    char text[3 * sizeof path], out[4 * sizeof path];
    int n = snprintf(out, sizeof out, "{\"cniVersion\":\"%s\",\"supportedVersions\":[\"" VERSIONS("\",\"") "\"]}\n", cni_version);
    if (code == 11 && asks_version)
        finish((unsigned char *)out, (size_t)n, 0);
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    char *details = text + strcspn(text, "\n");
    *details++ = '\0'; /* each has two lines */
    n = snprintf(out, sizeof out, "{\"cniVersion\":\"%s\",\"code\":%d,\"msg\":\"%s\",\"details\":\"%s\"}\n", cni_version, code,
                 plain(text), plain(details));
    finish((unsigned char *)out, (size_t)n, 1);
}

static void reserve(struct bytes *b, size_t more)
{
    size_t room = b->room ? b->room : 65536;
    while (room - b->length < more)
        room *= 2;
    if (room != b->room && !(b->at = realloc(b->at, b->room = room)))
        fail(5, "there is no memory for %zu bytes of the call\nthe node is out of memory", room);
}

static uint32_t number(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return ntohl(value);
}

/* Reads standard input to its end, behind what is there. */
static void read_stdin(struct bytes *call)
{
    size_t before = call->length;
    long long until = asks_version && now() + QUIET_MS < deadline ? now() + QUIET_MS : deadline;
    while (!(asks_version && isatty(STDIN_FILENO))) {
        reserve(call, 65536);
        if (!ready(STDIN_FILENO, POLLIN, until)) {
            if (asks_version)
                break;
            fail(5, "standard input did not end within %lld ms\nthe runtime has to close it behind the configuration", timeout);
        }
        ssize_t n = read(STDIN_FILENO, call->at + call->length, 65536);
        if (n == 0 || (n < 0 && asks_version))
            break;
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            fail(5, "standard input cannot be read: %s\nthe runtime has to write the configuration to it", strerror(errno));
        if (n > 0)
            call->length += (size_t)n;
        if (call->length - before > MOST_STDIN)
            fail(6, "standard input is longer than %zu bytes\na configuration of that size is not taken", MOST_STDIN);
    }
}

/* Finds the version that an error or VERSION has to repeat; a text that is none leaves the usual one. */
static void find_version(const char *text)
{
    const char *at = strstr(text, "\"cniVersion\"");
    if (at) {
        at += strlen("\"cniVersion\"");
        at += strspn(at, " \t\r\n");
        at += *at == ':';
        at += strspn(at, " \t\r\n");
        size_t length = *at == '"' ? strspn(at + 1, "0123456789.") : 0;
        if (length > 0 && length < sizeof cni_version && at[length + 1] == '"')
            snprintf(cni_version, sizeof cni_version, "%.*s", (int)length, at + 1);
    }
}

static void find_socket(void)
{
    const char *named = getenv("ENIPAM_CNI_SOCKET");
    char beside[sizeof path + 8];
    if (named && *named) {
        snprintf(path, sizeof path, "%s", named);
        return;
    }
    ssize_t n = readlink("/proc/self/exe", beside, sizeof path - 1);
    beside[n > 0 ? n : 0] = '\0';
    char *gone = strstr(beside, " (deleted)"); /* an update has renamed another over it */
    strcpy(gone ? gone : strchr(beside, '\0'), ".socket");
    int fd = open(beside, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return;
    n = fd < 0 ? -1 : read(fd, path, sizeof path - 1);
    int error = errno;
    close(fd);
    if (n < 0)
        fail(11, "%s cannot be read: %s\nit says where enipamd listens; enipam-cni-install --socket PATH writes it", beside, strerror(error));
    path[n] = '\0';
    path[strcspn(path, "\n")] = '\0';
}

#define late(why) fail(11, "enipamd did not answer at %s within %lld ms\n%s; the call may be repeated", path, timeout, why)

static int dial(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof to.sun_path)
        fail(11, "enipamd cannot be reached at %.200s: File name too long\na socket's path has %zu characters at most", path, sizeof to.sun_path - 1);
    memcpy(to.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    while (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
        /* EAGAIN: as many are waiting as the daemon lets wait */
        if (fd < 0 || (errno != EAGAIN && errno != EINTR))
            fail(11, "enipamd cannot be reached at %s: %s\n"
                     "look whether it runs on this node; the call may be repeated", path, strerror(errno));
        if (now() >= deadline)
            late("more calls wait than it takes");
        poll(NULL, 0, 5);
    }
    return fd;
}

/* Sends or receives all of it. A daemon that takes no more of a call may have answered already. */
static void pass(int fd, unsigned char *at, size_t length, short way)
{
    for (size_t done = 0; done < length;) {
        if (!ready(fd, way, deadline))
            late(way == POLLOUT ? "it did not take the call" : "it has the call");
        ssize_t n = way == POLLOUT ? send(fd, at + done, length - done, MSG_NOSIGNAL) : recv(fd, at + done, length - done, 0);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            if (way == POLLOUT)
                return;
            fail(11, "enipamd at %s closed the connection before its answer was complete\n"
                     "it may have been stopped; the call may be repeated", path);
        }
    }
}

int main(void)
{
    int closed = fcntl(STDIN_FILENO, F_GETFD) < 0;
    for (int fd = 0; fd >= 0 && fd < 3;) /* no socket becomes standard output */
        if ((fd = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 3)
            close(fd);
    signal(SIGPIPE, SIG_IGN);

    const char *command = getenv("CNI_COMMAND"), *shorter = getenv("ENIPAM_CNI_TIMEOUT_MS");
    if (!command || !*command) {
        static const unsigned char about[] = "enipam-cni " ENIPAM_VERSION ": passes CNI calls to enipamd\n"
                                             "CNI protocol versions supported: " VERSIONS(" ") "\n";
        print(STDERR_FILENO, about, sizeof about - 1);
        return 0;
    }
    asks_version = strcmp(command, "VERSION") == 0;
    timeout = asks_version ? VERSION_MS : TIMEOUT_MS;
    long long ms = shorter ? strtoll(shorter, NULL, 10) : 0;
    timeout = ms > 0 && ms < timeout ? ms : timeout;
    deadline = now() + timeout;

    unsigned char head[9] = {0};
    struct bytes call = {NULL, 0, 0};
    reserve(&call, call.length = sizeof head);
    if (strcmp(program_invocation_short_name, "enipam-ipam") == 0) setenv("CNI_ENIPAM_FRONT", "enipam-ipam", 1); /* an extension answers */
    for (char **one = environ; *one; one++)
        if (strncmp(*one, "CNI_", 4) == 0) {
            reserve(&call, strlen(*one) + 1);
            memcpy(call.at + call.length, *one, strlen(*one) + 1);
            call.length += strlen(*one) + 1;
        }
    size_t variables = call.length - sizeof head;
    if (variables > MOST_VARIABLES - 5)
        fail(4, "the variables that begin with CNI_ are %zu bytes\n%zu are taken", variables, MOST_VARIABLES - 5);
    if (closed && !asks_version)
        fail(5, "standard input cannot be read: %s\nthe runtime has to write the configuration to it", strerror(EBADF));
    read_stdin(&call);
    uint32_t all = htonl((uint32_t)call.length - 4), some = htonl((uint32_t)variables);
    memcpy(call.at, &all, sizeof all);
    call.at[4] = FRAME_VERSION;
    memcpy(call.at + 5, &some, sizeof some);
    reserve(&call, 1);
    call.at[call.length] = '\0';
    find_version((const char *)call.at + sizeof head + variables);

    find_socket();
    int fd = dial();
    pass(fd, call.at, call.length, POLLOUT);
    pass(fd, head, 4, POLLIN);
    size_t length = number(head);
    if (length < 6 || length > MOST_ANSWER)
        fail(11, "what came from %s is no answer of enipamd: a frame of %zu bytes\n%s", path, length, UPDATE);
    call.length = 0;
    reserve(&call, length);
    pass(fd, call.at, length, POLLIN);
    size_t said = number(call.at + 2);
    if (call.at[0] != FRAME_VERSION || said > length - 6)
        fail(11, "what came from %s is no answer of enipamd: version %d, %zu of %zu bytes are messages\n%s", path, call.at[0], said, length, UPDATE);
    print(STDERR_FILENO, call.at + 6, said);
    finish(call.at + 6 + said, length - 6 - said, call.at[1]);
}
