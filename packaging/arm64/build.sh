#!/usr/bin/env bash
# The program for linux-arm64, cross-built by Clang with Debian's arm64 libraries, into build-arm64/. Nothing of that architecture is installed on this
# machine: the libraries and an emulator are unpacked into a cache. `./dev setup` comes first.
set -euo pipefail
cd "$(dirname "$0")/../.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/code-executor-arm64
mkdir -p "$cache"
sysroot=$cache/sysroot tools=$cache/tools
qemu=$tools/usr/bin/qemu-aarch64-static

# What is linked with, the C and C++ libraries' own headers, and what the Debian package depends on by name.
libraries() {
  sed -n '/^# libraries/,/^# run time/p' packaging/debian-packages.txt | grep -v '^#'
  printf '%s\n' libstdc++-12-dev libc6-dev linux-libc-dev bubblewrap python3
}

# Links that begin with / would lead to files of this machine, or nowhere: then the linker takes libm.a, say, in place of libm.so.
keep_links_inside() {
  find "$1" -xdev -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link to; do ln -sfnr "$1$to" "$link"; done
}

locked() { node -p "require('./packaging/npm/package-lock.json').packages['node_modules/@deno/linux-arm64-glibc'].$1"; }

if [ ! -d "$sysroot" ]; then
  rm -rf "$sysroot.new"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$(libraries | paste -sd,)" --extract-hook=packaging/arm64/register.sh bookworm "$sysroot.new"
  keep_links_inside "$sysroot.new"
  mv -T "$sysroot.new" "$sysroot"
fi

# An emulator, which runs what was built (for its man page and completions), and binutils for the packages.
if [ ! -d "$tools" ]; then
  rm -rf "$tools.new" && mkdir "$tools.new"
  (cd "$tools.new" && apt-get -qq -o APT::Sandbox::User=root download qemu-user-static binutils-aarch64-linux-gnu && for package in *.deb; do dpkg -x "$package" .; done && rm ./*.deb)
  mv -T "$tools.new" "$tools"
fi

# Deno for the image, the one of the lockfile.
deno=$tools/node_modules/@deno/linux-arm64-glibc
if [ "$(cat "$deno/.integrity" 2>/dev/null)" != "$(locked integrity)" ]; then
  rm -rf "$deno" && mkdir -p "$deno"
  packed=$(npm pack --json --pack-destination "$deno" "@deno/linux-arm64-glibc@$(locked version)")
  [ "$(node -p "JSON.parse(process.argv[1])[0].integrity" "$packed")" = "$(locked integrity)" ] || {
    echo "the npm package @deno/linux-arm64-glibc is not the one of packaging/npm/package-lock.json" >&2
    exit 1
  }
  tar -xzf "$deno"/*.tgz -C "$deno" --strip-components=1 && rm "$deno"/*.tgz
  locked integrity >"$deno/.integrity"
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
