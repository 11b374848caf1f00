#!/usr/bin/env bash
# Unit tests of the cross-built program, under qemu-user: test.sh [NAME...], where a name is that of an executable (text_tests, unit_tests, ...); without
# one those of all subprojects. The emulator has no seccomp and makes no namespaces: tests of the sandbox fail under it.
set -euo pipefail
cd "$(dirname "$0")/../.."
packaging/arm64/build.sh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/code-executor-arm64
[ -f build-arm64-tests/build.ninja ] || meson setup build-arm64-tests --cross-file build-arm64/cross.ini >/dev/null
known=$(ninja -C build-arm64-tests -t targets all | grep -o '^[^:]*_tests: cpp_LINKER' | cut -d: -f1)
failed=0
for target in $known; do
  if [ $# -gt 0 ]; then
    [[ " $* " == *" ${target##*/} "* ]] || continue
  else
    [[ $target == subprojects/* ]] || continue
  fi
  ninja -C build-arm64-tests --quiet "$target"
  "$cache/tools/usr/bin/qemu-aarch64-static" -L "$cache/sysroot" "build-arm64-tests/$target" --gtest_brief=1 || failed=$((failed + 1))
done
echo "executables with failures: $failed"
[ "$failed" -eq 0 ]
