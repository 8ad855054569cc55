/*
 * The kernel's side of enipam-netlink: sends messages of rtnetlink, reads what the kernel says of them, and does what takes more than one
 * message or thread: a table is emptied, and a deleted link is answered for once it is gone.
 */
#define _GNU_SOURCE
#include "enipam-netlink.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PAGE (32u << 10) /* what the kernel puts into one part of a dump */
#define ANSWER_SECONDS 30 /* the kernel answers within the call that asks: this only keeps a thread from waiting for ever */

/* A socket in the namespace of this thread; -1 with errno if there can be none. */
int open_socket(void)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), on = 1;
    struct timeval most = {ANSWER_SECONDS, 0};
    if (fd < 0)
        return -1;
    /* an older kernel lacks the last: it dumps all tables, and each route is looked at here anyway */
    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on);
    setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on);
    setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    return fd;
}

/* The errno of an acknowledgement; the kernel's explanation, where it has one, is put behind what errno means. */
static int outcome(const struct nlmsghdr *head, char *said)
{
    struct nlmsgerr ack;
    if (head->nlmsg_len < NLMSG_LENGTH(sizeof ack))
        return EBADMSG;
    memcpy(&ack, NLMSG_DATA(head), sizeof ack);
    if (ack.error == 0)
        return 0;
    int length = snprintf(said, MOST_TEXT, "%s", strerror(-ack.error));
    size_t at = NLMSG_LENGTH(sizeof ack);
    if (!(head->nlmsg_flags & NLM_F_CAPPED))
        at += NLMSG_ALIGN(ack.msg.nlmsg_len) - sizeof ack.msg;
    if (!(head->nlmsg_flags & NLM_F_ACK_TLVS))
        return -ack.error;
    while (at <= head->nlmsg_len && head->nlmsg_len - at >= sizeof(struct nlattr)) {
        const char *from = (const char *)head + at;
        struct nlattr attribute;
        memcpy(&attribute, from, sizeof attribute);
        if (attribute.nla_len < sizeof attribute || attribute.nla_len > head->nlmsg_len - at)
            break;
        if ((attribute.nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_MSG)
            snprintf(said + length, MOST_TEXT - (size_t)length, ": %.*s", (int)(attribute.nla_len - sizeof attribute), from + sizeof attribute);
        at += (size_t)NLA_ALIGN(attribute.nla_len);
    }
    return -ack.error;
}

/* Sends a message and waits for what the kernel says of it, 0 or an errno. What a dump has goes to each, if there is one to take it. */
static int dump(int fd, unsigned char *message, uint32_t length, char *said, void (*each)(const struct nlmsghdr *, void *),
                void *to)
{
    _Alignas(struct nlmsghdr) unsigned char room[PAGE];
    static _Atomic uint32_t serial;
    uint32_t mine = ++serial;
    memcpy(message + offsetof(struct nlmsghdr, nlmsg_seq), &mine, sizeof mine);
    if (send(fd, message, length, 0) != (ssize_t)length)
        return errno;
    for (;;) {
        ssize_t n = recv(fd, room, sizeof room, MSG_TRUNC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || n > (ssize_t)sizeof room)
            return n < 0 ? errno : EMSGSIZE;
        int left = (int)n;
        for (struct nlmsghdr *head = (struct nlmsghdr *)room; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
            int32_t end = 0;
            if (head->nlmsg_seq != mine)
                continue;
            if (head->nlmsg_type == NLMSG_ERROR)
                return outcome(head, said);
            if (head->nlmsg_type == NLMSG_DONE) {
                if (head->nlmsg_len >= NLMSG_LENGTH(sizeof end))
                    memcpy(&end, NLMSG_DATA(head), sizeof end);
                return end < 0 ? -end : 0;
            }
            if (each)
                each(head, to);
        }
    }
}

int transact(int fd, unsigned char *message, uint32_t length, char *said)
{
    return dump(fd, message, length, said, NULL, NULL);
}

struct routes {
    unsigned char family;
    uint32_t table;
    unsigned char *at;
    size_t length;
    int error;
};

/* Keeps a route of the table as the message that deletes it. */
static void keep(const struct nlmsghdr *head, void *to)
{
    struct routes *all = to;
    const struct rtmsg *route = NLMSG_DATA(head);
    if (head->nlmsg_type != RTM_NEWROUTE || head->nlmsg_len < NLMSG_LENGTH(sizeof *route) || route->rtm_family != all->family
        || route->rtm_flags & RTM_F_CLONED || all->error)
        return;
    uint32_t table = route->rtm_table;
    int left = (int)RTM_PAYLOAD(head);
    for (const struct rtattr *one = RTM_RTA(route); RTA_OK(one, left); one = RTA_NEXT(one, left))
        if (one->rta_type == RTA_TABLE && RTA_PAYLOAD(one) >= sizeof table)
            memcpy(&table, RTA_DATA(one), sizeof table);
    if (table != all->table)
        return;
    unsigned char *more = realloc(all->at, all->length + NLMSG_ALIGN(head->nlmsg_len));
    if (!more) {
        all->error = ENOMEM;
        return;
    }
    struct nlmsghdr *copy = memcpy(more + all->length, head, head->nlmsg_len);
    copy->nlmsg_type = RTM_DELROUTE;
    copy->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    all->at = more;
    all->length += NLMSG_ALIGN(head->nlmsg_len);
}

/* Empties a table of the routes of a family, as 'ip route flush' does: there is no message for that. */
int flush(int fd, unsigned char family, uint32_t table, char *said)
{
    struct {
        struct nlmsghdr head;
        struct rtmsg route;
        struct rtattr attribute;
        uint32_t table;
    } ask = {{sizeof ask, RTM_GETROUTE, NLM_F_REQUEST | NLM_F_DUMP, 0, 0},
             {.rtm_family = family},
             {RTA_LENGTH(sizeof table), RTA_TABLE},
             table};
    struct routes all = {.family = family, .table = table};
    int error = dump(fd, (unsigned char *)&ask, sizeof ask, said, keep, &all);
    for (size_t at = 0; !error && at < all.length;) {
        struct nlmsghdr *route = (struct nlmsghdr *)(all.at + at);
        error = transact(fd, (unsigned char *)route, route->nlmsg_len, said);
        error = error == ESRCH ? 0 : error; /* it went by itself */
        at += NLMSG_ALIGN(route->nlmsg_len);
    }
    free(all.at);
    return error ? error : all.error;
}

struct deletion {
    int fd, reader;
    uint32_t length;
    unsigned char message[];
};

struct acknowledgement {
    int error;
    char said[MOST_TEXT];
};

static _Atomic unsigned deletions;

static void *delete(void *given)
{
    struct deletion *one = given;
    struct acknowledgement ack = {0};
    ack.error = transact(one->fd, one->message, one->length, ack.said);
    /* the reader may have gone, since the link has */
    if (write(one->reader, &ack, sizeof ack) < 0 && errno != EPIPE)
        die("the end of a deletion cannot be told: %s", strerror(errno));
    close(one->fd);
    close(one->reader);
    free(one);
    deletions--;
    return NULL;
}

/* A socket that gets a notice of each link of the namespace that changes or goes; -1 if there can be none. */
static int watch_links(void)
{
    struct sockaddr_nl links = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&links, sizeof links) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Reads a part of the notices: 1 if the link's end is among them, 0 if it is not, -1 if some are lost. */
static int has_gone(int watch, int link)
{
    _Alignas(struct nlmsghdr) unsigned char room[PAGE];
    ssize_t n = recv(watch, room, sizeof room, MSG_TRUNC);
    if (n < 0 || n > (ssize_t)sizeof room)
        return n < 0 && (errno == EINTR || errno == EAGAIN) ? 0 : -1;
    int left = (int)n;
    for (struct nlmsghdr *head = (struct nlmsghdr *)room; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
        const struct ifinfomsg *one = NLMSG_DATA(head);
        if (head->nlmsg_type == RTM_DELLINK && head->nlmsg_len >= NLMSG_LENGTH(sizeof *one) && one->ifi_family == AF_UNSPEC
            && one->ifi_index == link)
            return 1;
    }
    return 0;
}

/* Begins a deletion on a thread of its own; a descriptor from which its acknowledgement will be read, or -1 if it was not begun. */
static int begin_deletion(const unsigned char *message, uint32_t length)
{
    int ends[2];
    struct deletion *one = malloc(sizeof *one + length);
    if (++deletions <= MOST_THREADS && one && pipe2(ends, O_CLOEXEC) == 0) {
        one->fd = open_socket();
        one->reader = ends[1];
        one->length = length;
        memcpy(one->message, message, length);
        if (one->fd >= 0 && start_thread(delete, one) == 0)
            return ends[0];
        if (one->fd >= 0)
            close(one->fd);
        close(ends[0]);
        close(ends[1]);
    }
    deletions--;
    free(one);
    return -1;
}

/*
 * Deletes a link. Under its lock the kernel takes the link out of all lists, with its addresses and routes, and gives notice; then it
 * releases the lock, waits until no processor can still see the link (rcu_barrier: for the deletions of the whole machine one after the
 * other), frees it and acknowledges. Of that nothing can fail any more or be seen from outside, so another thread waits for it. The notice
 * comes before the lock is released: the same message once more waits for that, and the answer to it is that there is no such link.
 */
int delete_link(int fd, unsigned char *message, uint32_t length, int link, char *said)
{
    struct acknowledgement ack = {0};
    int watch = watch_links(), acknowledged = watch < 0 ? -1 : begin_deletion(message, length);
    if (acknowledged < 0)
        ack.error = transact(fd, message, length, said);
    struct pollfd each[2] = {{acknowledged, POLLIN, 0}, {watch, POLLIN, 0}};
    for (int gone = acknowledged < 0; !gone;) {
        if (poll(each, 2, -1) < 0)
            continue;
        if (each[0].revents) {
            if (read(acknowledged, &ack, sizeof ack) != sizeof ack)
                die("the end of a deletion is not told");
            memcpy(said, ack.said, sizeof ack.said);
            break;
        }
        int noticed = has_gone(watch, link);
        if (noticed)
            each[1].fd = -1; /* if it is there nevertheless, or notices were lost, the acknowledgement has the answer */
        if (noticed > 0) {
            int error = transact(fd, message, length, said);
            gone = error == 0 || error == ENODEV;
        }
    }
    if (acknowledged >= 0)
        close(acknowledged);
    if (watch >= 0)
        close(watch);
    return ack.error;
}
