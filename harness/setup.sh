#!/bin/sh
# Sets up everything a bare Debian 12 or Ubuntu 22.04+ machine lacks, once: system packages by the package manager,
# Python packages from a hashed lock, the YCSB client's jar by Maven. Run again, it only compares digests.
#
#   harness/setup.sh run     what a campaign needs
#   harness/setup.sh test    what the tests need beside it
set -eu
cd "$(dirname "$0")/.."
purpose=${1:-run}
state=.pressgauge/setup
log=$state/setup.log
mkdir -p "$state"

fail() { # what, why, what to type
    printf 'set-up: %s: %s\n        to mend it: %s\n' "$1" "$2" "$3" >&2
    exit 3
}

quietly() { # what, what to type, command...
    what=$1 mend=$2
    shift 2
    printf 'set-up: %s\n' "$what"
    "$@" >"$log" 2>&1 || {
        tail -n 5 "$log" >&2
        fail "$what" "\`$1\` failed, its last lines are above, the rest in $log" "$mend"
    }
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# --- system packages ---------------------------------------------------------------------------------------------

find_python() {
    for candidate in python3 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

java_is_17() {
    command -v javac >/dev/null && [ "$(javac -version 2>&1 | sed 's/[^0-9]*\([0-9]*\).*/\1/')" -ge 17 ] 2>/dev/null
}

newest_packaged() { # the first of the named packages that the distribution has
    for package in "$@"; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            echo "$package"
            return
        fi
    done
    echo "$1"
}

has_library() {
    ldconfig -p 2>/dev/null | grep -q "$1" || /sbin/ldconfig -p 2>/dev/null | grep -q "$1"
}

lacking() {
    [ -n "$(find_python)" ] || echo python
    java_is_17 || echo java
    command -v mvn >/dev/null || echo maven
    has_library 'libcurl\.so\.4' || echo libcurl
    if [ "$purpose" = test ]; then
        command -v chromium >/dev/null || command -v google-chrome >/dev/null || echo chromium
        has_library 'libatomic\.so\.1' || echo libatomic # of Playwright's driver
        [ -x /usr/sbin/sshd ] || command -v sshd >/dev/null || echo sshd
        command -v ip >/dev/null || [ -x /usr/sbin/ip ] || [ -x /sbin/ip ] || echo ip
    fi
}

install_system_packages() {
    needs=$(lacking)
    [ -n "$needs" ] || return 0
    wanted=$(echo "$needs" | tr '\n' ' ')
    command -v apt-get >/dev/null || fail "missing: $wanted" "this machine has no apt-get" \
        "install Python 3.11+ with venv, a JDK 17+, Maven and libcurl with your package manager, then run the same command"
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || fail "missing: $wanted" "root or sudo without a password is needed to install it" \
        "sudo harness/setup.sh $purpose"
    quietly "read the package lists" "sudo apt-get update" as_root apt-get -q update
    packages=
    for need in $needs; do
        case $need in
            python) if [ "$(apt-cache policy python3 | sed -n 's/.*Candidate: 3\.\([0-9]*\).*/\1/p')" -ge 11 ]; then
                        packages="$packages python3 python3-venv"
                    else # Ubuntu 22.04's own is 3.10, and it packages 3.11 beside it
                        packages="$packages python3.11 python3.11-venv"
                    fi ;;
            java) packages="$packages $(newest_packaged openjdk-17-jdk-headless openjdk-21-jdk-headless openjdk-25-jdk-headless)" ;;
            maven) packages="$packages maven" ;;
            libcurl) packages="$packages $(newest_packaged libcurl4 libcurl4t64)" ;;
            chromium) packages="$packages chromium" ;;
            libatomic) packages="$packages libatomic1" ;;
            sshd) packages="$packages openssh-server openssh-client" ;;
            ip) packages="$packages iproute2" ;;
        esac
    done
    # shellcheck disable=SC2086 # a list of package names
    quietly "install$packages" "sudo apt-get install$packages" \
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $packages
    still=$(lacking | tr '\n' ' ')
    [ -z "$still" ] || fail "still missing: $still" "the distribution's packages don't provide it" \
        "install it yourself (Python 3.11+ with venv, JDK 17+, Maven, libcurl), then run the same command"
}

# --- Python packages ---------------------------------------------------------------------------------------------

digest() { cat "$@" | sha256sum | cut -d' ' -f1; }

install_python_packages() {
    run_digest=$(digest requirements/run.lock)
    dev_digest=$(digest requirements/dev.lock)
    found=$(cat .venv/.locked 2>/dev/null || true)
    case "$purpose $found" in
        "run $run_digest" | "run $dev_digest" | "test $dev_digest") return 0 ;;
    esac
    lock=requirements/run.lock sum=$run_digest
    # A checkout once set up for the tests stays so: the tests' packages include the campaign's.
    if [ "$purpose" = test ] || [ -x .venv/bin/pytest ]; then lock=requirements/dev.lock sum=$dev_digest; fi
    if [ ! -x .venv/bin/uv ]; then # an environment without it was left half-made, or is not ours
        quietly "make the virtual environment" "remove .venv and run the same command" \
            "$(find_python)" -m venv --clear .venv
        install_uv
    fi
    quietly "install the Python packages of $lock" "check that the Python package index can be reached, then run the same command" \
        .venv/bin/uv pip sync --require-hashes --python .venv/bin/python "$lock"
    echo "$sum" >.venv/.locked
}

install_uv() { # the lock's own entry, hashes included
    sed -n '/^uv==/,/[^\\]$/p' requirements/run.lock >"$state/uv.lock"
    quietly "install uv" "check that the Python package index can be reached, then run the same command" \
        .venv/bin/python -m pip --disable-pip-version-check install --require-hashes -r "$state/uv.lock"
}

# --- the YCSB client's jar ---------------------------------------------------------------------------------------

build_jar() {
    jar=workloads/java/target/pressgauge-ycsb.jar
    sources=$(find workloads/java/src/main workloads/java/pom.xml -type f | LC_ALL=C sort)
    # shellcheck disable=SC2086 # a list of files without blanks in their names
    sum=$(digest $sources)
    if [ -f "$jar" ] && [ "$(cat "$state/jar" 2>/dev/null)" = "$sum" ]; then return 0; fi
    quietly "build the YCSB client" "check that Maven's central repository can be reached, then run the same command" \
        mvn -q -B -ntp -f workloads/java/pom.xml -DskipTests package
    echo "$sum" >"$state/jar"
}

install_system_packages
install_python_packages
build_jar
