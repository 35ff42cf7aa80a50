#!/bin/sh
# Sets up everything a bare Debian 12 or Ubuntu 22.04+ machine lacks, once: system packages by the package manager,
# Python packages and the YCSB client's jar from hashed locks. Run again, it only compares digests. A stamp says what was
# made from what: it goes before the making begins and comes last, so what a killed set-up left is made again.
#
#   harness/setup.sh run     what a campaign needs
#   harness/setup.sh test    what the tests need beside it
set -eu
cd "$(dirname "$0")/.."
purpose=${1:-run}
state=.pressgauge/setup
log=$state/setup.log
fetched=${HOME:-$PWD/$state}/.m2/repository
mkdir -p "$state"

fail() { # what, why, what to type
    printf 'set-up: %s: %s\n        to fix it: %s\n' "$1" "$2" "$3" >&2
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

as_root() { # without the lock, which a service that a package starts would hold for good
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi 9>&-
}

apt_get="apt-get -o DPkg::Lock::Timeout=600"

alone() { # two at once would make the same files
    command -v flock >/dev/null || fail "missing: flock" "two set-ups at once would break each other" "install util-linux"
    exec 9>"$state/lock"
    flock --nonblock 9 || {
        printf 'set-up: another set-up of this checkout is running; waiting for it to end\n'
        flock 9
    }
}

tell_whose() { # before anything is made
    if [ "$(id -u)" = 0 ] && [ "$(stat -c %u .)" != 0 ]; then
        printf "set-up: you are root, so everything made here will belong to root, and %s can't change it; only apt-get needs root\n" \
            "$(stat -c %U .)"
    fi
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
    if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
        fail "missing: $wanted" "root, or sudo without a password, is needed to install it" \
            "sudo apt-get update && sudo apt-get install$(packages_of "$needs"), then run the same command"
    fi
    # shellcheck disable=SC2086 # a command and its options
    quietly "read the package lists" "sudo apt-get update" as_root $apt_get -q update
    packages=$(packages_of "$needs")
    # shellcheck disable=SC2086 # a list of package names
    quietly "install$packages" "sudo apt-get install$packages" \
        as_root env DEBIAN_FRONTEND=noninteractive $apt_get -q -y --no-install-recommends install $packages
    still=$(lacking | tr '\n' ' ')
    [ -z "$still" ] || fail "still missing: $still" "the distribution's packages don't provide it" \
        "install it yourself (Python 3.11+ with venv, JDK 17+, Maven, libcurl), then run the same command"
}

packages_of() { # what the distribution calls these needs
    packages=
    for need in $1; do
        case $need in
            python) if [ "$(apt-cache policy python3 | sed -n 's/.*Candidate: 3\.\([0-9]*\).*/\1/p')" -ge 11 ] 2>/dev/null; then
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
    echo "$packages"
}

# --- Python packages ---------------------------------------------------------------------------------------------

digest() { cat "$@" | sha256sum | cut -d' ' -f1; } # of the files, or of what is piped in

install_python_packages() {
    run_digest=$(digest requirements/run.lock)
    dev_digest=$(digest requirements/run.lock requirements/dev.lock)
    found=$(cat .venv/.locked 2>/dev/null || true)
    case "$purpose $found" in
        "run $run_digest" | "run $dev_digest" | "test $dev_digest") return 0 ;;
    esac
    tell_whose
    locks=requirements/run.lock sum=$run_digest
    # A checkout once set up for the tests stays so.
    if [ "$purpose" = test ] || [ -x .venv/bin/pytest ]; then locks="$locks requirements/dev.lock" sum=$dev_digest; fi
    if [ ! -x .venv/bin/uv ]; then # an environment without it was left half-made, or is not ours
        quietly "make the virtual environment" "remove .venv and run the same command" \
            "$(find_python)" -m venv --clear .venv
        install_uv
    fi
    rm -f .venv/.locked
    # shellcheck disable=SC2086 # a list of files
    quietly "install the Python packages of $locks" "check that the Python package index can be reached, then run the same command" \
        .venv/bin/uv pip sync --require-hashes --python .venv/bin/python $locks
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
    made_of=$(find workloads/java/src/main workloads/java/.mvn workloads/java/pom.xml requirements/java.lock -type f)
    # shellcheck disable=SC2086 # a list of files without blanks in their names
    sum=$(LC_ALL=C sha256sum $made_of | LC_ALL=C sort | digest)
    if [ -f "$jar" ] && [ "$(cat "$state/jar" 2>/dev/null)" = "$sum $(digest "$jar")" ]; then return 0; fi
    tell_whose
    rm -rf "$state/jar" workloads/java/target
    quietly "build the YCSB client" "check that Maven's central repository can be reached, then run the same command" \
        mvn -q -f workloads/java/pom.xml "-Dmaven.repo.local=$fetched" -DskipTests package
    check_fetched
    echo "$sum $(digest "$jar")" >"$state/jar"
}

check_fetched() { # the lock begins with the pom's own digest, so it is of the versions that the pom asks for
    lock=$PWD/requirements/java.lock
    for folder in "$PWD" "$fetched"; do
        (cd "$folder" && sha256sum --check --strict --quiet --ignore-missing "$lock") >"$log" 2>&1 && continue
        rm -f "$jar"
        tail -n 5 "$log" >&2
        fail "check what Maven fetched against requirements/java.lock" "the files named above are not the locked ones" \
            "delete them in $folder and run the same command; after a change of the pom: make lock"
    done
}

alone
install_system_packages
install_python_packages
build_jar
