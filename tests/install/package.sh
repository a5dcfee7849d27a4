#!/bin/sh
# Makes the packages of Debian, looks at what they say and have, unpacks them into a folder, and uses
# what is there: the program, its completion, and the library by pkg-config.
#
# usage: package.sh BUILD_DIR SCRATCH CPACK CC SOURCE_DIR
set -u
build=$1
scratch=$2
cpack=$3
cc=$4
source=$5
LC_ALL=C
export LC_ALL
for tool in dpkg-deb dpkg-shlibdeps dpkg-query file gzip pkg-config objdump; do
    if ! command -v $tool >/dev/null; then
        echo "SKIPPED: no $tool here"
        exit 77
    fi
done
failures=0
fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
}

rm -rf "$scratch"
mkdir -p "$scratch"
if ! "$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/made" \
    >"$scratch/log" 2>&1; then
    cat "$scratch/log"
    echo "FAILED: cpack makes no packages"
    exit 1
fi
version=$("$build/bench/weft" --version | cut -d ' ' -f 2)
arch=$(dpkg --print-architecture)
root=$scratch/root
mkdir "$root"
for name in weft libweft-dev; do
    deb=$scratch/made/${name}_${version}_$arch.deb
    if [ ! -f "$deb" ]; then
        fail "there is no $deb"
        exit 1
    fi
    for pair in "Package=$name" "Version=$version" "Architecture=$arch" "Priority=optional"; do
        [ "$(dpkg-deb -f "$deb" "${pair%%=*}")" = "${pair#*=}" ] || fail "$name: not $pair"
    done
    for field in Maintainer Description Section Depends Installed-Size; do
        [ -n "$(dpkg-deb -f "$deb" $field)" ] || fail "$name has no $field"
    done
    dpkg-deb -c "$deb" >"$scratch/list"
    awk '$2 != "root/root" || $6 !~ /^\.\/usr\// { print }' "$scratch/list" | grep -v ' \./usr/$' |
        while read -r line; do echo "$name: $line"; done >"$scratch/odd"
    [ ! -s "$scratch/odd" ] || fail "files that are not root's, or not in /usr: $(cat "$scratch/odd")"
    awk '$1 ~ /^.....w|^........w/ && $1 !~ /^l/ { print $6 }' "$scratch/list" >"$scratch/odd"
    [ ! -s "$scratch/odd" ] || fail "$name: others may write: $(cat "$scratch/odd")"
    grep -q " \./usr/share/doc/$name/copyright\$" "$scratch/list" || fail "$name has no copyright"
    dpkg-deb -x "$deb" "$root"
    dpkg-deb -e "$deb" "$scratch/$name"
    (cd "$root" && md5sum --quiet -c "$scratch/$name/md5sums") || fail "$name: wrong sums"
done

# What the program and the library need is what the package depends on.
deb=$scratch/made/weft_${version}_$arch.deb
depends=$(dpkg-deb -f "$deb" Depends)
library=$(find "$root/usr/lib" -name "libweft.so.$version")
for file in "$root/usr/bin/weft" "$library"; do
    for needed in $(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }'); do
        path=$(ldd "$file" | awk -v name="$needed" '$1 == name || $1 ~ "/" name "$" { print $3; exit }')
        case $needed in
        libweft.so.*)
            case $path in "$root"/*) ;; *) fail "weft runs with another library: $path" ;; esac
            continue
            ;;
        ld-linux* | ld64*) continue ;; # Of the package of libc.so.6.
        esac
        # Where /lib is /usr/lib, the list of files may have either.
        owner=$(dpkg-query -S "*${path#/usr}" 2>/dev/null | head -n 1 | cut -d : -f 1)
        [ -n "$owner" ] || continue # Not from a package.
        printf '%s' "$depends" | tr ',|' '\n\n' | grep -q "^ *$owner\( \|\$\)" ||
            fail "$(basename "$file") needs $needed of $owner, which is not in: $depends"
    done
    objdump -h "$file" | grep -q '\.debug_info' && fail "$(basename "$file") is not stripped"
done
grep -q "^libweft 0 weft" "$scratch/weft/shlibs" || fail "no shlibs for libweft.so.0"
dev=$scratch/made/libweft-dev_${version}_$arch.deb
dpkg-deb -f "$dev" Depends | grep -qF "weft (= $version)" || fail "libweft-dev takes any weft"
for module in $(sed -n 's/^Requires[.a-z]*: //p' "$(find "$root" -name weft.pc)" \
    "$(find "$root" -name weft-main.pc)"); do
    [ "$module" != weft ] || continue
    owner=$(dpkg-query -S "*/$module.pc" | head -n 1 | cut -d : -f 1)
    dpkg-deb -f "$dev" Depends | tr ',' '\n' | grep -q "^ *$owner\$" ||
        fail "libweft-dev does not depend on $owner, which $module.pc is of"
done

# Every page, compressed and whole; nothing that is not.
for page in "$source"/docs/man/*.1; do
    installed=$root/usr/share/man/man1/$(basename "$page").gz
    gzip -dc "$installed" | cmp -s - "$page" || fail "$installed is not $page"
done
find "$root/usr/share/man" -type f ! -name '*.gz' | grep . && fail "pages that are not compressed"

# Nothing remembers where it was built.
grep -rlIF -e "$build" -e "$source" "$root" && fail "these files name the build"

# It runs from there, and gives what the build gives.
"$root/usr/bin/weft" run creatures --entities 500 --ticks 20 --json >"$scratch/here" ||
    fail "the unpacked program does not run"
"$build/bench/weft" run creatures --entities 500 --ticks 20 --json >"$scratch/there"
for file in here there; do
    grep -oE '"(view|full)": *"[0-9a-f]{32}"' "$scratch/$file" >"$scratch/$file.digests"
done
[ -s "$scratch/here.digests" ] || fail "no digests"
cmp "$scratch/here.digests" "$scratch/there.digests" || fail "other digests than the build's"
if command -v bash >/dev/null; then
    # shellcheck disable=SC2016
    PATH=$root/usr/bin:$PATH bash -c 'source "$1/usr/share/bash-completion/completions/weft"
        COMP_WORDS=(weft ru) COMP_CWORD=1
        _complete_weft
        [ "${COMPREPLY[*]}" = run ]' bash "$root" || fail "bash does not complete weft ru"
fi
for shell in fish/vendor_completions.d/weft.fish zsh/vendor-completions/_weft; do
    [ -f "$root/usr/share/$shell" ] || fail "no $shell"
done

# A program is built with it.
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name weft.pc)")
export PKG_CONFIG_PATH
# The words of pkg-config are a list.
# shellcheck disable=SC2046
"$cc" -std=gnu17 -o "$scratch/hello" "$source/docs/examples/hello.c" \
    $(pkg-config --cflags --libs weft) "-Wl,-rpath,$(dirname "$library")" &&
    "$scratch/hello" >/dev/null || fail "no program can be built with libweft-dev"

[ "$failures" -eq 0 ] || exit 1
ls -s -h "$scratch"/made/*.deb
