#!/bin/sh
# Installs what Weft needs to be built: `cmake/setup.sh bench` for the program, `cmake/setup.sh peers`
# for it with the runtimes that it is compared with, `cmake/setup.sh tests` for everything on this
# machine, `cmake/setup.sh cross` for other machines too. Quick, and silent, when nothing is missing.
# On other systems than Debian and its kin it says what to install.
set -eu

bench_packages="gcc libc6-dev cmake ninja-build pkg-config
    libhwloc-dev libck-dev libxxhash-dev libjansson-dev libsqlite3-dev libzip-dev libdw-dev libzstd-dev libb2-dev"
peer_packages="libfixmath-dev g++ libtbb-dev libstarpu-dev libomp-dev"
test_packages="libcriterion-dev clang clang-format-14 clang-tidy-14 libclang-rt-14-dev
    libclang-14-dev libmpfr-dev relacy-dev graphviz gnuplot-nox
    python3 python3-numpy mandoc dpkg-dev file"
cross_packages="qemu-user
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
    gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-i686-linux-gnu libc6-dev-i386-cross"
tools="cmake pkg-config cc"

case ${1:-} in
bench) packages=$bench_packages ;;
peers) packages="$bench_packages $peer_packages" ;;
tests) packages="$bench_packages $peer_packages $test_packages" ;;
cross)
    packages="$bench_packages $peer_packages $test_packages $cross_packages"
    tools="$tools qemu-aarch64 aarch64-linux-gnu-gcc"
    ;;
*)
    echo "usage: cmake/setup.sh bench|peers|tests|cross" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    for tool in $tools; do
        command -v "$tool" >/dev/null && continue
        cat >&2 <<'END'
Weft's set-up installs packages on Debian and its kin only. Elsewhere, install these first:
  build    gcc or clang, CMake 3.25 or newer, Ninja (optional), pkg-config
  libraries, with their headers   xxHash 0.8, hwloc 2, Concurrency Kit 0.7 (optional), Jansson 2,
           SQLite 3.24 (optional: weft bench --save, weft export),
           libzip 1.5 (optional: weft export to NumPy), elfutils (optional: lines in --guard)
  tests    Criterion 2.4, clang 14, clang-format 14 and clang-tidy 14 (format and tidy checks),
           MPFR 4 and Relacy (each optional), libclang 14 or newer (optional: weft lint), graphviz
           (optional: weft graph, pictures), gnuplot (optional: weft run --plot), chromium
           (optional: looks at the pages of weft report), Python 3 with NumPy (optional: reads exports back),
           mandoc or groff (optional: reads the manual pages)
  peers    libfixmath, OpenMP, oneTBB 2021 with a C++ compiler, StarPU 1.3 (each optional)
  cross    qemu-user, and gcc and glibc for aarch64, riscv64, s390x and i686 where Debian has them
END
        exit 1
    done
    exit 0 # The tools are there; CMake names any library that is not.
fi

missing=
for package in $packages; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        sudo=none
    elif [ -t 0 ]; then
        sudo=sudo
    else
        sudo="sudo -n" # Nobody is there to type a password.
    fi
fi

refuse() {
    cat >&2 <<END
Weft needs packages that could not be installed:$missing
Install them with:
  ${sudo:+sudo }apt-get update && ${sudo:+sudo }apt-get install -y --no-install-recommends$missing
END
    exit 1
}
[ "$sudo" != none ] || refuse

apt() {
    # $sudo is a command of none, one or two words.
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
echo "Installing:$missing"
apt update || echo "apt-get update failed; trying with the lists at hand" >&2
# $missing is a list.
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing || refuse
