/* What the parts of enipam-netlink share. */
#include <stddef.h>
#include <stdint.h>

#define MOST_TEXT 256 /* of an answer */
#define MOST_THREADS 64

/* enipam-netlink.c */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);
int start_thread(void *(*run)(void *), void *with);

/*
 * rtnetlink.c: each returns 0 or an errno, and puts what the kernel says of an error into a text of MOST_TEXT bytes. Messages are whole but
 * for their serial numbers. open_socket returns a socket in the namespace of the thread that calls; -1 with errno if there can be none.
 */
int open_socket(void);
int transact(int fd, unsigned char *message, uint32_t length, char *said);
int flush(int fd, unsigned char family, uint32_t table, char *said);
int delete_link(int fd, unsigned char *message, uint32_t length, int link, char *said);
