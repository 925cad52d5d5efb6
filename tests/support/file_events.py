"""What happens to the files below a folder, as the kernel tells it (inotify): for tests that must act in the
middle of a write."""

import ctypes
import os
import pathlib
import select
import struct
import time

MODIFY, CLOSE_WRITE, MOVED_TO, CREATE, IS_FOLDER = 0x2, 0x8, 0x80, 0x100, 0x40000000
HEAD = struct.Struct("iIII")  # watch, mask, cookie, length of the name


class FileEvents:
    """Of a folder and those that appear below it. Usable with "with"."""

    def __init__(self, folder):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self.folders = {}
        self.add(pathlib.Path(folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def add(self, folder):
        watch = self.libc.inotify_add_watch(self.fd, os.fsencode(folder), MODIFY | CLOSE_WRITE | MOVED_TO | CREATE)
        if watch < 0:
            return  # it is gone again
        self.folders[watch] = folder
        for path in folder.iterdir():  # made before the watch was
            if path.is_dir():
                self.add(path)

    def read(self):
        """(mask, path) of what has happened so far."""
        try:
            data = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            watch, mask, _, size = HEAD.unpack_from(data, at)
            name = data[at + HEAD.size:at + HEAD.size + size].rstrip(b"\0")
            at += HEAD.size + size
            if watch not in self.folders:
                continue
            path = self.folders[watch] / os.fsdecode(name)
            if mask & IS_FOLDER and mask & (CREATE | MOVED_TO):
                try:
                    self.add(path)
                except OSError:
                    pass
            yield mask, path

    def await_one(self, wanted, seconds, stop=lambda: False):
        """The path of the first event for which wanted(mask, path) holds; None when none came, or stop() held."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not stop():
            select.select([self.fd], [], [], 0.05)
            for mask, path in self.read():
                if wanted(mask, path):
                    return path
        return None
