#!/usr/bin/env bash
# The program for linux-arm64, cross-built by Clang with Debian's arm64 libraries, into build-arm64/. Nothing of that architecture is installed on this
# machine: the libraries and an emulator are unpacked into a cache. `./dev setup` comes first.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/code-executor-arm64
mkdir -p "$cache"
sysroot=$cache/sysroot
qemu=$cache/qemu/usr/bin/qemu-aarch64-static

# What is linked with, and the C and C++ libraries' own headers.
libraries() {
  sed -n '/^# libraries/,/^# run time/p' packaging/debian-packages.txt | grep -v '^#'
  printf '%s\n' libstdc++-12-dev libc6-dev linux-libc-dev
}

if [ ! -d "$sysroot" ]; then
  rm -rf "$sysroot.new"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$(libraries | paste -sd,)" bookworm "$sysroot.new"
  mv -T "$sysroot.new" "$sysroot"
fi

# Runs what was built, for its man page and completions.
if [ ! -x "$qemu" ]; then
  (cd "$cache" && apt-get -qq -o APT::Sandbox::User=root download qemu-user-static && dpkg -x qemu-user-static_*.deb qemu && rm qemu-user-static_*.deb)
fi

mkdir -p build-arm64
cat >build-arm64/cross.ini <<INI
[constants]
target = ['--target=aarch64-linux-gnu', '--sysroot=$sysroot']
[binaries]
c = ['ccache', 'clang-16'] + target
cpp = ['ccache', 'clang++-16'] + target
ar = 'llvm-ar-16'
strip = 'llvm-strip-16'
pkgconfig = 'pkg-config'
exe_wrapper = ['$qemu', '-L', '$sysroot']
[built-in options]
c_link_args = ['-fuse-ld=lld']
cpp_link_args = ['-fuse-ld=lld']
[properties]
sys_root = '$sysroot'
pkg_config_libdir = ['$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig', '$sysroot/usr/share/pkgconfig']
boost_root = '$sysroot/usr'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
INI
[ -f build-arm64/build.ninja ] || meson setup build-arm64 --cross-file build-arm64/cross.ini -Dtests=false >/dev/null
ninja -C build-arm64 --quiet
"$qemu" -L "$sysroot" build-arm64/code-executor --version
