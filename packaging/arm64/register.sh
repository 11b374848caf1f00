#!/usr/bin/env bash
# What was unpacked into a root file system is told to dpkg's database there, so that dpkg-query, dpkg-shlibdeps and bills of materials know of whom a file is.
# Installing for another architecture would run its scripts, which this machine can not. A hook of mmdebstrap: register.sh ROOT, while the packages are there.
set -euo pipefail
database=$1/var/lib/dpkg
mkdir -p "$database/info" "$database/updates"
echo 1 >"$database/info/format"
for package in "$1"/var/cache/apt/archives/*.deb; do
  name=$(dpkg-deb --field "$package" Package)
  [ "$(dpkg-deb --field "$package" Multi-Arch)" != same ] || name+=:$(dpkg-deb --field "$package" Architecture)
  control=$(mktemp -d)
  dpkg-deb --control "$package" "$control"
  for part in md5sums shlibs symbols; do
    [ ! -f "$control/$part" ] || mv "$control/$part" "$database/info/$name.$part"
  done
  rm -r "$control"
  dpkg-deb --fsys-tarfile "$package" | tar --list | sed 's#^\./#/#; s#/$##; s#^$#/.#' >"$database/info/$name.list"
  dpkg-deb --field "$package" | sed '/^Package:/a Status: install ok installed' >>"$database/status"
  echo >>"$database/status"
done
