"""Runs a program as the containers of Docker do by default: nothing below it gets a namespace.

    python3 no_namespaces.py COMMAND ARGUMENT...
"""

import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
NUMBER, FIRST_ARGUMENT = 0, 16  # offsets in seccomp_data
CLONE_NEW = 0x7E020000  # every CLONE_NEW* that clone() takes
CLONE3 = 435  # on every architecture
CLONE, UNSHARE = {"x86_64": (56, 272), "aarch64": (220, 97)}[os.uname().machine]

PROGRAM = [
    (LOAD, 0, 0, NUMBER),
    (EQUAL, 5, 0, UNSHARE),
    (EQUAL, 5, 0, CLONE3),
    (EQUAL, 0, 2, CLONE),
    (LOAD, 0, 0, FIRST_ARGUMENT),
    (ANY_BIT, 1, 0, CLONE_NEW),
    (RETURN, 0, 0, ALLOW),
    (RETURN, 0, 0, ERROR | errno.EPERM),
    (RETURN, 0, 0, ERROR | errno.ENOSYS),
]


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def main():
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in PROGRAM)
    libc = ctypes.CDLL(None, use_errno=True)
    if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(Filter(len(PROGRAM), code))) != 0):
        raise OSError(ctypes.get_errno(), "seccomp")
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
