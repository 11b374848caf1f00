"""TypeScript guests below the limit of memory that the server gives by default."""

import fake_host

MEMORY_MIB = 512
# What V8 reserves for the code of the program itself (sandbox/runtimes/runtime.hpp) comes on top.
_DATA_KIB = (MEMORY_MIB + 512) << 10
_V8_FLAGS = f"--v8-flags=--max-old-space-size={MEMORY_MIB * 3 // 4},--min-semi-space-size=8"


def limited_command():
    return ["/bin/sh", "-c", f'ulimit -d {_DATA_KIB}; exec "$0" "$@"', *fake_host.typescript_command([_V8_FLAGS])]
