#include "machine/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VALUE_MAX_BYTES 4096

bool pp_tree_is_live(const char *root)
{
    return strcmp(root, "/") == 0;
}

bool pp_tree_path(char out[PP_TREE_PATH_MAX], const char *root, const char *format, ...)
{
    va_list args;
    int head = snprintf(out, PP_TREE_PATH_MAX, "%s/", pp_tree_is_live(root) ? "" : root);
    int tail;

    if (head < 0 || head >= PP_TREE_PATH_MAX)
        return false;
    va_start(args, format);
    tail = vsnprintf(out + head, (size_t)(PP_TREE_PATH_MAX - head), format, args);
    va_end(args);
    return tail >= 0 && tail < PP_TREE_PATH_MAX - head;
}

int pp_tree_open(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
        (void)close(fd); /* only opened */
        return -1;
    }
    return fd;
}

pp_scan pp_tree_pread(int fd, char *buf, size_t capacity)
{
    size_t size = 0;

    while (size < capacity) {
        ssize_t got = pread(fd, buf + size, capacity - size, (off_t)size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    return pp_scan_of(buf, size);
}

bool pp_tree_read(const char *path, char *buf, size_t capacity, pp_scan *ret_text)
{
    int fd = pp_tree_open(path);

    if (fd < 0)
        return false;
    *ret_text = pp_tree_pread(fd, buf, capacity);
    (void)close(fd); /* only read from */
    return ret_text->at < ret_text->end;
}

bool pp_tree_exists(const char *root, const char *relative)
{
    char path[PP_TREE_PATH_MAX];
    struct stat info;

    return pp_tree_path(path, root, "%s", relative) && stat(path, &info) == 0;
}

pp_maybe_int pp_tree_int(const char *root, const char *relative)
{
    char path[PP_TREE_PATH_MAX];
    char buf[VALUE_MAX_BYTES];
    pp_scan text;
    pp_maybe_int fact = {0};

    if (pp_tree_path(path, root, "%s", relative) && pp_tree_read(path, buf, sizeof buf, &text))
        fact.known = pp_scan_int(&text, &fact.value);
    return fact.known ? fact : (pp_maybe_int){0};
}

void pp_tree_text(const char *root, const char *relative, char *out, size_t out_size)
{
    char path[PP_TREE_PATH_MAX];
    char buf[VALUE_MAX_BYTES];
    pp_scan text, line;

    out[0] = '\0';
    if (pp_tree_path(path, root, "%s", relative) && pp_tree_read(path, buf, sizeof buf, &text) &&
        pp_scan_line(&text, &line))
        pp_scan_copy(line, out, out_size);
}
