"""A folder whose file system finds names in any case, as WSL and the shares of Docker Desktop on a Mac do: by FUSE, without a library.

As a program: any_case_folder.py BACKING MOUNTPOINT any|exact"""

import contextlib
import ctypes
import errno
import itertools
import os
import struct
import subprocess
import sys
import unittest

DEVICE = "/dev/fuse"
LOOKUP, FORGET, GETATTR, OPEN, READ, WRITE, STATFS, RELEASE, INIT, OPENDIR, READDIR, RELEASEDIR, CREATE, INTERRUPT, BATCH_FORGET = (
    1, 2, 3, 14, 15, 16, 17, 18, 26, 27, 28, 29, 35, 36, 42)
UNANSWERED = (FORGET, INTERRUPT, BATCH_FORGET)
ROOT = 1
DIRECT_IO = 1
OPENED_TRUNCATED = 1 << 3  # by us: no request of its own
REQUEST_BYTES_MAX = 1 << 20


def require_fuse():
    if os.geteuid() != 0 or not os.access(DEVICE, os.R_OK | os.W_OK):
        raise unittest.SkipTest(f"only root can mount a file system of its own, by {DEVICE}")


@contextlib.contextmanager
def mounted(backing, mountpoint, case):
    """`case`: any or exact."""
    with subprocess.Popen([sys.executable, __file__, backing, mountpoint, case], stdout=subprocess.PIPE, text=True) as program:
        try:
            if program.stdout.readline() != "mounted\n":
                raise unittest.SkipTest("a file system of our own can not be mounted here")
            yield
        finally:
            subprocess.run(["umount", "-l", mountpoint], stderr=subprocess.DEVNULL, check=False)
            program.kill()


class Folder:
    """What is in it, without folders of its own being made, and without anything being removed."""

    def __init__(self, backing, case):
        self.paths = {ROOT: backing}
        self.numbers = {}
        self.opened = {}
        self.handles = itertools.count(1)
        self.any_case = case == "any"

    def real(self, parent, name):
        path = os.path.join(self.paths[parent], name)
        if self.any_case and not os.path.lexists(path):
            for entry in os.listdir(self.paths[parent]):
                if entry.lower() == name.lower():
                    return os.path.join(self.paths[parent], entry)
        return path

    @staticmethod
    def attributes(path, number):
        s = os.lstat(path)
        return struct.pack("<QQQQQQIIIIIIIIII", number, s.st_size, s.st_blocks, 0, 0, 0, 0, 0, 0, s.st_mode, s.st_nlink, s.st_uid, s.st_gid, 0, 4096, 0)

    def entry(self, path):
        s = os.lstat(path)
        number = self.numbers.setdefault((s.st_dev, s.st_ino), len(self.numbers) + ROOT + 1)
        self.paths[number] = path
        return struct.pack("<QQQQII", number, 0, 0, 0, 0, 0) + self.attributes(path, number)

    def open(self, opened):
        handle = next(self.handles)
        self.opened[handle] = opened
        return struct.pack("<QII", handle, DIRECT_IO, 0)

    def create(self, parent, body, owner):
        flags, mode = struct.unpack_from("<II", body)
        path = self.real(parent, name_in(body[16:]))
        opened = os.open(path, flags & (os.O_ACCMODE | os.O_TRUNC | os.O_EXCL) | os.O_CREAT, mode)
        os.fchown(opened, *owner)
        return self.entry(path) + self.open(opened)

    def listed(self, body):
        handle, offset, size = struct.unpack_from("<QQI", body)
        out = b""
        for i, name in list(enumerate(self.opened[handle]))[offset:]:
            entry = struct.pack("<QQII", i + 2, i + 1, len(name), 0) + name
            entry += bytes(-len(entry) % 8)
            if len(out) + len(entry) > size:
                break
            out += entry
        return out

    def answer(self, operation, node, owner, body):
        if operation == INIT:
            return struct.pack("<IIIIHHI", 7, 31, 65536, OPENED_TRUNCATED, 0, 0, 131072).ljust(64, b"\0")
        if operation == LOOKUP:
            return self.entry(self.real(node, name_in(body)))
        if operation == GETATTR:
            return struct.pack("<QII", 0, 0, 0) + self.attributes(self.paths[node], node)
        if operation == STATFS:
            return struct.pack("<QQQQQII", 10**6, 10**6, 10**6, 10**6, 10**6, 4096, 255).ljust(80, b"\0")
        if operation == CREATE:
            return self.create(node, body, owner)
        if operation == OPEN:
            flags, = struct.unpack_from("<I", body)
            return self.open(os.open(self.paths[node], flags & (os.O_ACCMODE | os.O_TRUNC)))
        if operation == OPENDIR:
            return self.open([os.fsencode(name) for name in (".", "..", *os.listdir(self.paths[node]))])
        if operation == READDIR:
            return self.listed(body)
        handle, offset, size = struct.unpack_from("<QQI", body) if operation in (READ, WRITE) else (*struct.unpack_from("<Q", body), 0, 0)
        if operation == READ:
            return os.pread(self.opened[handle], size, offset)
        if operation == WRITE:
            return struct.pack("<II", os.pwrite(self.opened[handle], body[40:40 + size], offset), 0)
        if operation in (RELEASE, RELEASEDIR):
            if isinstance(opened := self.opened.pop(handle), int):
                os.close(opened)
            return b""
        raise OSError(errno.ENOSYS, "not served")


def name_in(body):
    return os.fsdecode(body.split(b"\0")[0])


def serve(device, folder):
    while True:
        try:
            request = os.read(device, REQUEST_BYTES_MAX)
        except OSError as error:
            if error.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                continue
            return  # unmounted
        _, operation, unique, node, uid, gid = struct.unpack_from("<IIQQII", request)
        if operation in UNANSWERED:
            continue
        try:
            answer, error = folder.answer(operation, node, (uid, gid), request[40:]), 0
        except OSError as failed:
            answer, error = b"", -(failed.errno or errno.EIO)
        with contextlib.suppress(OSError):  # nobody waits any more
            os.write(device, struct.pack("<IiQ", 16 + len(answer), error, unique) + answer)


def main(backing, mountpoint, case):
    device = os.open(DEVICE, os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"any-case", os.fsencode(mountpoint), b"fuse.any-case", 0, options.encode()) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    print("mounted", flush=True)
    serve(device, Folder(backing, case))


if __name__ == "__main__":
    main(*sys.argv[1:])
