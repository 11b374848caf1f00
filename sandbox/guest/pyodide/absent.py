"""What WebAssembly does not have and Python would only report by a number, or not at all."""

import errno
import os
import socket


def install():
    os.system = _no_process
    socket.socket.__init__ = _no_socket
    socket.getaddrinfo = _no_network


def _no_process(command):
    raise OSError(errno.ENOTSUP, "this runtime (Pyodide) cannot start processes")


def _no_socket(self, *arguments, **options):
    raise OSError(errno.ENOTSUP, "this runtime (Pyodide) has no sockets")


def _no_network(host, *arguments, **options):
    raise socket.gaierror(socket.EAI_FAIL, "this runtime (Pyodide) has no network")
