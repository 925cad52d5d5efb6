#include "proc/port.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

pp_status pp_port_find_free(uint16_t *ret_port, pp_error *err)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pp_status st = PP_OK;

    if (fd < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open a socket");
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot find a free port on 127.0.0.1");
    else
        *ret_port = ntohs(address.sin_port);
    (void)close(fd); /* never connected */
    return st;
}

/* Inode of the listening socket from a line of /proc/net/tcp, 0 when the line is another socket. */
static unsigned long listening_inode(const char *line, uint16_t port)
{
    unsigned address;
    unsigned local_port;
    unsigned state;
    unsigned long inode;

    if (sscanf(line, " %*u: %8x:%4x %*8x:%*4x %2x %*x:%*x %*x:%*x %*x %*u %*u %lu", &address,
               &local_port, &state, &inode) != 4)
        return 0;
    return local_port == port && state == 0x0a ? inode : 0;
}

static bool holds_socket(pid_t pid, unsigned long inode)
{
    char path[64];
    char want[64];
    const struct dirent *entry;
    bool found = false;
    DIR *folder;

    (void)snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    (void)snprintf(want, sizeof want, "socket:[%lu]", inode);
    folder = opendir(path);
    if (folder == NULL)
        return false;
    while (!found && (entry = readdir(folder)) != NULL) {
        char link[64];
        ssize_t size = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);

        if (size > 0) {
            link[size] = '\0';
            found = strcmp(link, want) == 0;
        }
    }
    (void)closedir(folder);
    return found;
}

bool pp_port_is_held_by(uint16_t port, pid_t pid)
{
    FILE *sockets = fopen("/proc/net/tcp", "re");
    char line[512];
    bool found = false;

    if (sockets == NULL)
        return false;
    while (!found && fgets(line, sizeof line, sockets) != NULL) {
        unsigned long inode = listening_inode(line, port);

        found = inode != 0 && holds_socket(pid, inode);
    }
    (void)fclose(sockets); /* only read from */
    return found;
}

static pid_t holder_of(unsigned long inode)
{
    const struct dirent *entry;
    pid_t holder = 0;
    DIR *folder = opendir("/proc");

    if (folder == NULL)
        return 0;
    while (holder == 0 && (entry = readdir(folder)) != NULL) {
        long pid = strtol(entry->d_name, NULL, 10); /* 0 for names that are no number */

        if (pid > 0 && holds_socket((pid_t)pid, inode))
            holder = (pid_t)pid;
    }
    (void)closedir(folder);
    return holder;
}

/* The list of sockets is long where many connections just ended: it is read once, not for each
 * process. */
pid_t pp_port_find_holder(uint16_t port)
{
    FILE *sockets = port == 0 ? NULL : fopen("/proc/net/tcp", "re");
    char line[512];
    pid_t holder = 0;

    if (sockets == NULL)
        return 0;
    while (holder == 0 && fgets(line, sizeof line, sockets) != NULL) {
        unsigned long inode = listening_inode(line, port);

        if (inode != 0)
            holder = holder_of(inode);
    }
    (void)fclose(sockets); /* only read from */
    return holder;
}
