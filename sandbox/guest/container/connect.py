"""First program of a container: fetches the guest's descriptors from the host, becomes the guest in a process of its own,
and ends the whole container as soon as the guest has ended or the host lets go.

A container engine hands down no descriptors, and what a program prints takes a way through two processes of the engine,
so that it would arrive after the end of the run. The host therefore sends the control channel and both output pipes over
a socket that is mounted at /ipc. That connection stays open and is the leash: nobody else has the other end of it, and
the kernel drops it when the host dies, whatever it dies of. This being process 1, all others end with it.

The guest is of the same user as this process. So that it can not write into it, and live on, this process is one that can
not be dumped: its files in /proc are root's, and nobody here may trace it. The guest's own process may be again as soon as
it is the guest's program.

    connect.py DATA_BYTES CPU_SECONDS      limits of one process of the guest; 0: none. The engine's own `--ulimit` would
                                           hold for its runtime as well, which needs more to start than a guest may have.
"""

import ctypes
import sys

import _signal
import _socket
import _thread
import posix
import resource

SOCKET = "/ipc/channel"
TOKEN = b"CODE_EXECUTOR_TOKEN"
GUEST = "/guest/python/main.py"
# The control channel is 3, as in every sandbox.
DESCRIPTORS = 3
INT_BYTES = 4
# Exit statuses: the host is not there or broke the greeting; the host has let go.
EXIT_NO_HOST = 71
EXIT_LET_GO = 137
SIGNAL_BASE = 128
# prctl(2)
PR_SET_DUMPABLE = 4
NOT_DUMPABLE = 0
# The only word on the leash, in the other direction.
OUT_OF_MEMORY = b"m"


def fail(problem):
    posix.write(2, f"connect.py: {problem}\n".encode())
    posix._exit(EXIT_NO_HOST)


def fetch():
    """The connection, and the numbers of channel, output and diagnostics."""
    host = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        host.connect(SOCKET)
        host.sendall(posix.environ.get(TOKEN, b""))
        _, messages, _, _ = host.recvmsg(1, _socket.CMSG_SPACE(DESCRIPTORS * INT_BYTES))
    except OSError as problem:
        fail(f"the host can not be reached: {problem}")
    sent = b"".join(data for level, kind, data in messages if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS))
    if len(sent) != DESCRIPTORS * INT_BYTES:
        fail("the host sent no descriptors")
    return host, [int.from_bytes(sent[i:i + INT_BYTES], sys.byteorder) for i in range(0, len(sent), INT_BYTES)]


def close_to_guest():
    """Before there is a guest. What is not inherited over an exec need not be undone for it."""
    if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, ctypes.c_ulong(NOT_DUMPABLE), *[ctypes.c_ulong(0)] * 3) != 0:
        fail("process 1 can not be closed to the guest")


def limit(kind, value):
    if value > 0:
        resource.setrlimit(kind, (value, value))


def become_guest(channel, output, diagnostics):
    posix.setsid()
    data_bytes, cpu_seconds = map(int, sys.argv[1:])
    limit(resource.RLIMIT_DATA, data_bytes)
    limit(resource.RLIMIT_CPU, cpu_seconds)
    # All are above 3 except, perhaps, one that is 3: moved first.
    channel, output, diagnostics = (posix.dup(fd) for fd in (channel, output, diagnostics))
    for fd, number in ((posix.open("/dev/null", posix.O_RDONLY), 0), (output, 1), (diagnostics, 2), (channel, 3)):
        posix.dup2(fd, number)
    posix.closerange(4, 1 << 16)
    posix.chdir(posix.environ.get(b"HOME", b"/"))
    environment = {name: value for name, value in posix.environ.items() if name != TOKEN}
    # With `site`, unlike in a sandbox of our own: what is installed in the image is there to be imported.
    posix.execve(sys.executable, [sys.executable, "-I", "-u", GUEST], environment)


def end_when_let_go(host):
    """Blocks until the host closes the leash."""
    try:
        while host.recv(1):
            pass
    finally:  # also for want of memory: the guest may take away limits of this process
        posix._exit(EXIT_LET_GO)


def was_killed_for_memory():
    """Asked once the guest was killed: the cgroup of this container is gone with it."""
    for path in ("memory.events", "memory/memory.oom_control"):
        try:
            with open(f"/sys/fs/cgroup/{path}", encoding="ascii") as file:
                return any(line.startswith("oom_kill ") and line.split()[1] != "0" for line in file)
        except OSError:
            pass
    return False


def main():
    host, descriptors = fetch()
    close_to_guest()
    limit(resource.RLIMIT_CPU, int(sys.argv[2]))  # of this process: it only waits, unless something is wrong with it
    guest = posix.fork()
    if guest == 0:
        become_guest(*descriptors)
    # Only the guest holds its descriptors, and nothing of ours is worth taking: the guest is of the same user.
    nothing = posix.open("/dev/null", posix.O_RDWR)
    for fd in (0, 1, 2):
        posix.dup2(nothing, fd)
    for fd in descriptors:
        posix.close(fd)
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # process 1 then ignores it
    _thread.start_new_thread(end_when_let_go, (host,))
    while True:
        ended, status = posix.wait()  # orphans of the guest come here as well
        if ended == guest:
            code = posix.waitstatus_to_exitcode(status)
            if code < 0 and was_killed_for_memory():
                host.send(OUT_OF_MEMORY)
            posix._exit(code if code >= 0 else SIGNAL_BASE - code)


main()
