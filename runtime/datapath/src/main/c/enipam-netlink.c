/*
 * enipam-netlink: changes the kernel for enipamd, which talks to it on standard input and output. A request is changes for one network
 * namespace: rtnetlink messages that come whole, but for numbers that only this process knows, sysctls, and routing tables to be emptied.
 * Each change is made, whatever has become of those before, and the answer has the kernel's word on each. There are no decisions here.
 *
 * Frames, numbers in network byte order, a text being its length in two bytes and the bytes:
 *   request: length of the rest(4) id(4) path of the namespace, empty for this process's own(text) number of items(2) items
 *   item:    1 number of fix-ups(1) fix-ups length(4) message       a fix-up is kind(1) offset in the message(4) text:
 *                                                                   1 the index of the link of that name, 2 a descriptor of that file
 *            2 path below /proc/sys(text) value(text)
 *            3 family(1) table(4)
 *   answer:  length of the rest(4) id(4) status(4) text number of items(2), and for each item errno(4) text
 * A status other than 0 is the errno by which the namespace could not be entered: then nothing was done and no items follow.
 *
 * A request has a thread of its own, since a thread is in one namespace; answers come in any order. A link is answered for as soon as it
 * is gone: the kernel acknowledges its deletion some 20 ms later, when it has freed it. The process ends when standard input
 * does, so that it never outlives the daemon, and with a message and status 2 at anything that is no request.
 */
#define _GNU_SOURCE
#include "enipam-netlink.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROTOCOL "1"
#define MOST_FRAME (1u << 20)
#define MOST_ITEMS 1024
#define MOST_FIXES 4
#define MOST_PATH 4096
#define STACK (256u << 10)

struct text {
    const unsigned char *at;
    size_t length;
};

struct item {
    int kind;
    unsigned char *message;
    uint32_t length;
    int fixes;
    struct {
        int kind;
        uint32_t offset;
        struct text text;
    } fix[MOST_FIXES];
    struct text path, value;
    unsigned char family;
    uint32_t table;
};

struct request {
    uint32_t id;
    char netns[MOST_PATH];
    unsigned items;
    unsigned char *frame, *first, *end;
};

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER, threads = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fewer = PTHREAD_COND_INITIALIZER;
static unsigned running;
static pthread_attr_t detached;

void die(const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    dprintf(STDERR_FILENO, "enipam-netlink: %s\n", text);
    _exit(2);
}

/* Starts a thread of which no end is awaited; 0 or an errno. */
int start_thread(void *(*run)(void *), void *with)
{
    pthread_t thread;
    return pthread_create(&thread, &detached, run, with);
}

/* Takes so many bytes off what is left of a frame. */
static unsigned char *take(unsigned char **at, const unsigned char *end, size_t length)
{
    unsigned char *taken = *at;
    if (length > (size_t)(end - taken))
        die("a request ends in the middle: %zu bytes are missing", length - (size_t)(end - taken));
    *at += length;
    return taken;
}

static uint32_t number(unsigned char **at, const unsigned char *end, size_t bytes)
{
    const unsigned char *from = take(at, end, bytes);
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | from[i];
    return value;
}

static struct text text(unsigned char **at, const unsigned char *end, size_t most)
{
    struct text one;
    one.length = number(at, end, 2);
    one.at = take(at, end, one.length);
    if (one.length >= most || memchr(one.at, 0, one.length))
        die("a request has a text of %zu bytes, or with a zero in it, where less than %zu are taken", one.length, most);
    return one;
}

/* The room is larger than any text that passed. */
static char *terminated(struct text one, char *room)
{
    memcpy(room, one.at, one.length);
    room[one.length] = '\0';
    return room;
}

/* The next item of a request. Whatever is read here was checked before anything of the request was done: main walks it first. */
static struct item next(unsigned char **at, const unsigned char *end)
{
    struct item one = {0};
    struct nlmsghdr head;
    one.kind = (int)number(at, end, 1);
    switch (one.kind) {
    case 1:
        one.fixes = (int)number(at, end, 1);
        if (one.fixes > MOST_FIXES)
            die("a message has %d fix-ups, and %d are taken", one.fixes, MOST_FIXES);
        for (int i = 0; i < one.fixes; i++) {
            one.fix[i].kind = (int)number(at, end, 1);
            one.fix[i].offset = number(at, end, 4);
            if (one.fix[i].kind != 1 && one.fix[i].kind != 2)
                die("a fix-up is of kind %d", one.fix[i].kind);
            one.fix[i].text = text(at, end, one.fix[i].kind == 1 ? IFNAMSIZ : MOST_PATH);
        }
        one.length = number(at, end, 4);
        one.message = take(at, end, one.length);
        if (one.length < sizeof head)
            die("a message has %u bytes", one.length);
        memcpy(&head, one.message, sizeof head);
        if (head.nlmsg_len != one.length || (head.nlmsg_flags & (NLM_F_REQUEST | NLM_F_ACK)) != (NLM_F_REQUEST | NLM_F_ACK))
            die("a message of %u bytes says that it has %u, or is not to be acknowledged", one.length, head.nlmsg_len);
        for (int i = 0; i < one.fixes; i++)
            if (one.fix[i].offset < sizeof head || one.fix[i].offset > one.length - 4)
                die("a fix-up is at %u of %u bytes", one.fix[i].offset, one.length);
        break;
    case 2:
        one.path = text(at, end, MOST_PATH);
        one.value = text(at, end, MOST_TEXT);
        break;
    case 3:
        one.family = (unsigned char)number(at, end, 1);
        one.table = number(at, end, 4);
        break;
    default:
        die("an item is of kind %d", one.kind);
    }
    return one;
}

static int set(const struct item *one)
{
    char path[MOST_PATH + sizeof "/proc/sys/"] = "/proc/sys/", value[MOST_TEXT];
    terminated(one->path, path + strlen(path));
    if (strstr(path, "/..") || strstr(path, "//"))
        return EINVAL;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    ssize_t n = write(fd, terminated(one->value, value), one->value.length);
    int error = n < 0 ? errno : 0;
    close(fd);
    return error;
}

/* The index of the link that a message deletes; 0 if it does something else, or names none. */
static int deleted(const struct item *one)
{
    struct nlmsghdr head;
    struct ifinfomsg link;
    if (one->length < NLMSG_LENGTH(sizeof link))
        return 0;
    memcpy(&head, one->message, sizeof head);
    memcpy(&link, one->message + NLMSG_HDRLEN, sizeof link);
    return head.nlmsg_type == RTM_DELLINK ? link.ifi_index : 0;
}

/* Puts the numbers into a message that only this process knows, and sends it. */
static int send_message(int fd, struct item *one, char *said)
{
    int files[MOST_FIXES], opened = 0, error = 0;
    for (int i = 0; i < one->fixes && !error; i++) {
        char path[MOST_PATH];
        struct ifreq link = {0};
        int value;
        if (one->fix[i].kind == 1) {
            terminated(one->fix[i].text, link.ifr_name);
            error = ioctl(fd, SIOCGIFINDEX, &link) ? errno : 0;
            value = link.ifr_ifindex;
            if (error)
                snprintf(said, MOST_TEXT, "%s: Cannot find device \"%s\"", strerror(error), link.ifr_name);
        } else {
            value = open(terminated(one->fix[i].text, path), O_RDONLY | O_CLOEXEC);
            error = value < 0 ? errno : 0;
            if (error)
                snprintf(said, MOST_TEXT, "%s: the network namespace %.120s cannot be opened", strerror(error), path);
            else
                files[opened++] = value;
        }
        memcpy(one->message + one->fix[i].offset, &value, sizeof value);
    }
    int link = error ? 0 : deleted(one);
    if (link > 0)
        error = delete_link(fd, one->message, one->length, link, said);
    else if (!error)
        error = transact(fd, one->message, one->length, said);
    while (opened)
        close(files[--opened]);
    return error;
}

static int make(int fd, struct item *one, char *said)
{
    switch (one->kind) {
    case 1:
        return send_message(fd, one, said);
    case 2:
        return set(one);
    default:
        return flush(fd, one->family, one->table, said);
    }
}

/* Enters the namespace of a request and opens a socket there; the socket, or -1 with errno. */
static int enter(const char *netns)
{
    if (*netns) {
        int file = open(netns, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            return -1;
        int failed = setns(file, CLONE_NEWNET), error = errno;
        close(file);
        errno = error;
        if (failed)
            return -1;
    }
    return open_socket();
}

static unsigned char *put(unsigned char *at, uint32_t value, int bytes)
{
    while (bytes--)
        *at++ = (unsigned char)(value >> 8 * bytes);
    return at;
}

static unsigned char *put_outcome(unsigned char *at, int error, const char *said)
{
    const char *words = *said || !error ? said : strerror(error);
    size_t length = strnlen(words, MOST_TEXT - 1);
    at = put(put(at, (uint32_t)error, 4), (uint32_t)length, 2);
    memcpy(at, words, length);
    return at + length;
}

static void answer(unsigned char *frame, const unsigned char *end)
{
    put(frame, (uint32_t)(end - frame) - 4, 4);
    pthread_mutex_lock(&output);
    while (frame < end) {
        ssize_t n = write(STDOUT_FILENO, frame, (size_t)(end - frame));
        if (n < 0 && errno != EINTR)
            die("an answer cannot be written: %s", strerror(errno));
        frame += n > 0 ? n : 0;
    }
    pthread_mutex_unlock(&output);
}

static void *serve(void *given)
{
    struct request *one = given;
    unsigned char *out = malloc(16 + MOST_TEXT + one->items * (6 + MOST_TEXT)), *at;
    if (!out)
        die("there is no memory for an answer");
    int fd = enter(one->netns), error = fd < 0 ? errno : 0;
    at = put_outcome(put(out + 4, one->id, 4), error, "");
    at = put(at, error ? 0 : one->items, 2);
    for (unsigned i = 0; i < one->items && !error; i++) {
        char said[MOST_TEXT] = "";
        struct item item = next(&one->first, one->end);
        int result = make(fd, &item, said);
        at = put_outcome(at, result, result ? said : "");
    }
    answer(out, at);
    if (fd >= 0)
        close(fd);
    free(out);
    free(one->frame);
    free(one);
    pthread_mutex_lock(&threads);
    running--;
    pthread_cond_signal(&fewer);
    pthread_mutex_unlock(&threads);
    return NULL;
}

/* 0 at the end of standard input, if that is where a frame may end. */
static int read_all(unsigned char *to, size_t length, int may_end)
{
    for (size_t got = 0; got < length;) {
        ssize_t n = read(STDIN_FILENO, to + got, length - got);
        if (n == 0 && got == 0 && may_end)
            return 0;
        if (n == 0 || (n < 0 && errno != EINTR))
            die("standard input ends in the middle of a request%s%s", n < 0 ? ": " : "", n < 0 ? strerror(errno) : "");
        got += n > 0 ? (size_t)n : 0;
    }
    return 1;
}

int main(int count, char **words)
{
    if (count != 2 || strcmp(words[1], PROTOCOL) != 0)
        die("what enipamd starts to change the kernel; this one is for version " PROTOCOL " of the frames");
    signal(SIGPIPE, SIG_IGN);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&detached, STACK);
    unsigned char head[4];
    while (read_all(head, sizeof head, 1)) {
        unsigned char *at = head;
        uint32_t length = number(&at, head + sizeof head, 4);
        if (length > MOST_FRAME)
            die("a request of %u bytes is larger than %u", length, MOST_FRAME);
        struct request *one = calloc(1, sizeof *one);
        if (!one || !(one->frame = malloc(length + 1)))
            die("there is no memory for a request of %u bytes", length);
        read_all(one->frame, length, 0);
        at = one->frame;
        one->end = at + length;
        one->id = number(&at, one->end, 4);
        terminated(text(&at, one->end, MOST_PATH), one->netns);
        one->items = number(&at, one->end, 2);
        if (one->items > MOST_ITEMS)
            die("a request has %u items, and %d are taken", one->items, MOST_ITEMS);
        one->first = at;
        for (unsigned i = 0; i < one->items; i++)
            next(&at, one->end);
        if (at != one->end)
            die("a request has %zu bytes too many", (size_t)(one->end - at));
        pthread_mutex_lock(&threads);
        while (running == MOST_THREADS)
            pthread_cond_wait(&fewer, &threads);
        running++;
        pthread_mutex_unlock(&threads);
        int error = start_thread(serve, one);
        if (error)
            die("no thread can be started: %s", strerror(error));
    }
    _exit(0);
}
