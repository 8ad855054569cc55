# Sourced by the programs in bin/: finds Java, builds what is not built, and becomes the program.
#
# The one who sources it sets `home`, the directory with pom.xml, then calls
#     launch MODULE MAIN-CLASS [JAVA-OPTION...] -- [ARGUMENT...]
# where MODULE is the directory whose target/ holds the jar and target/lib/ the libraries.
#
# Up to the JVM no program runs but where a symbolic link has to be followed: each costs a millisecond, and a command's
# whole start some two hundred.
#
# If ENIPAM_CLASS_LISTS names a directory, the JVM writes there which classes it loaded, and nothing is built: that is how
# bin/enipam-archive learns what an archive has to hold. With ENIPAM_NO_ARCHIVE set to anything no archive is used or made.

fail() {
  echo "$program: $1" >&2
  exit "${2:-1}"
}

# Sets `heap_options` for a daemon whose heap has at most so many megabytes. The heap grows in large steps during the start, as by the JVM's
# defaults. Then it follows what lives in it (HeapFreeRatio): a small new generation, 8 MiB on a node and more for a cluster's tables, and
# an old one that is at most a quarter larger than its contents after a full collection.
daemon_heap() {
  young=$(($1 / 32))
  [ "$young" -ge 8 ] || young=8
  heap_options="-Xms$((4 * young))m -Xmx${1}m -Xmn${young}m -XX:MinHeapFreeRatio=40 -XX:MaxHeapFreeRatio=70 -XX:-ShrinkHeapInSteps"
}

# Sets `java`, `java_version`, at least 17, and `jdk`, which names vendor and build; empty if the JDK does not say.
find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail "JAVA_HOME is $JAVA_HOME, but there is no bin/java in it. Set it to a JDK of version 17 or later"
  else
    java=$(command -v java) || fail "there is no java on PATH. Install a JDK of version 17 or later (apt install openjdk-17-jdk-headless), or set JAVA_HOME"
  fi
  # The file beside a JDK says its version in no time; asking java itself takes a JVM's start.
  real=$java
  if [ -h "$java" ] || [ ! -r "${real%/bin/java}/release" ]; then
    real=$(readlink -f "$java")
  fi
  release=${real%/bin/java}/release
  java_version=
  jdk=
  vendor=
  build=
  if [ -r "$release" ]; then
    read_release
  else
    java_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
  fi
  case $java_version in
    '' | *[!0-9]*) fail "$java does not say its version. Set JAVA_HOME to a JDK of version 17 or later" ;;
  esac
  [ "$java_version" -ge 17 ] || fail "$java is version $java_version, and enipam needs 17 or later. Set JAVA_HOME to a newer JDK"
}

read_release() {
  while IFS='=' read -r name value; do
    value=${value#\"}
    value=${value%\"}
    case $name in
      JAVA_VERSION) java_version=${value%%[!0-9]*} ;;
      JAVA_RUNTIME_VERSION) build=$value ;;
      IMPLEMENTOR) vendor=$value ;;
    esac
  done <"$release"
  case $vendor$build in
    */*) ;; # it becomes the name of a file
    *) [ -z "$build" ] || jdk=$build-${vendor%% *} ;;
  esac
}

# Whether this is an installed copy, as in the image: each jar is once in lib/, and a list there says which are the module's.
installed() {
  [ -r "$home/lib/${1##*/}.jars" ]
}

# Whether a module is built: its one jar, its libraries, and no build that was broken off.
built() {
  installed "$1" && return
  exists "$home/$1/target"/enipam-*.jar && exists "$home/$1/target/lib"/*.jar && [ ! -e "$building" ]
}

# Whether a pattern matched a file: one that matches nothing stays as it is.
exists() {
  [ -f "$1" ]
}

all_built() {
  built shell && built runtime/daemon
}

find_maven() {
  if maven=$(command -v mvn); then
    return
  fi
  maven=$home/mvnw
  [ -x "$maven" ] || fail "enipam is not built yet, and there is no Maven to build it with. Install it (apt install maven)"
}

build() {
  find_maven
  mkdir -p "$home/shell/target" 2>/dev/null || fail "enipam is not built yet, and $home cannot be written. Build it once as its owner: mvn package"
  lock_build
  # somebody else may have built it while we waited
  all_built && { exec 9>&-; return; }
  echo "building enipam for its first use, shell and daemon without their tests: about a minute..." >&2
  : >"$building"
  # a sandbox brings the example plugins along
  modules=shell,runtime/daemon
  for example in "$home/plugins-examples"/*/pom.xml; do
    [ ! -f "$example" ] || modules=$modules,plugins-examples/$(basename "${example%/pom.xml}")
  done
  package "$modules"
  rm -f "$building"
  exec 9>&-
  # the archives that make later starts faster are no part of the first one
  [ ! -x "$home/runtime/bin/enipam-archive" ] \
    || (nice -n 19 "$home/runtime/bin/enipam-archive" >/dev/null 2>&1 </dev/null &)
}

# Builds the module `more`, whose program runs classes of the tests.
build_more() {
  find_maven
  lock_build
  built "$more" && { exec 9>&-; return; }
  echo "building $more for its first use, with what the tests stand on: two minutes..." >&2
  package "$more" -Dlaunch.skip.test.classes=false
  exec 9>&-
}

lock_build() {
  if command -v flock >/dev/null; then
    exec 9>"$home/shell/target/.enipam-build-lock"
    flock 9
  fi
}

# Builds MODULES and what they need, with OPTIONS of Maven's: package MODULES [OPTION...]. Ends the program if that fails.
package() {
  modules=$1
  shift
  log=$(mktemp "${TMPDIR:-/tmp}/enipam-build.XXXXXX")
  trap 'rm -f "$log"; exit 130' INT
  trap 'rm -f "$log"; exit 143' TERM HUP
  # stdin is the program's, not Maven's
  if {
    (cd "$home" && "$maven" -B -ntp -T 1C -Plaunch "$@" -pl "$modules" -am package) 2>&1 </dev/null 9>&-
    printf '\nstatus %s\n' $? # on a line of its own, whatever Maven ends with
  } | progress; then
    rm -f "$log"
    trap - INT TERM HUP
  else
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "the build failed; what it said last is above. Try: cd $home && mvn -DskipTests package"
  fi
}

# Keeps what a build says, shows on a terminal which module it is at, and returns the build's status. Maven says which:
# [INFO] Building enipam :: runtime :: engine 0.1.0 [7/19]
progress() {
  status=1
  while IFS= read -r said; do
    case $said in
      '') continue ;;
      'status '*)
        status=${said#status }
        continue
        ;;
      *'] Building enipam'*'/'*']')
        at=${said#*Building }
        [ ! -t 2 ] || printf '\r\033[K%s' "${at%%]*}]" >&2
        ;;
    esac
    printf '%s\n' "$said"
  done >"$log"
  [ ! -t 2 ] || printf '\r\033[K' >&2
  return "$status"
}

# Tells a person, not a script, that what runs is older than what is written. Each build writes target/lib anew, with the jars that run;
# a module's own jar it leaves as it is where the classes are the same.
tell_stale() {
  [ -t 2 ] && [ -f "$home/pom.xml" ] || return 0
  newer=$(find "$home/shell/src/main" "$home/sdk/api/src/main" "$home/runtime"/*/src/main -type f \
    \( -path "$home/shell/*" -newer "$home/shell/target/lib" -o ! -path "$home/shell/*" -newer "$home/runtime/daemon/target/lib" \) \
    -print -quit 2>/dev/null) || true
  [ -z "$newer" ] && return
  newer=${newer#"$home/"}
  echo "$program: ${newer%%/src/main/*}/src/main is newer than what was built of it: mvn -DskipTests package" >&2
}

# Prints the class path, always in the same order: an archive is good for one class path and what is put behind it. For $(), which
# keeps LC_ALL. The shell's client of the API server is half of its jars, each of which gRPC opens: it is put behind the others where
# `cluster` is set, and left out elsewhere.
class_path() {
  LC_ALL=C
  path=
  behind=
  if installed "$1"; then
    while IFS= read -r library; do
      put "$1" "$home/lib/$library"
    done <"$home/lib/${1##*/}.jars"
  else
    for library in "$home/$1/target"/enipam-*.jar "$home/$1/target/lib"/*.jar; do
      put "$1" "$library"
    done
  fi
  path=$path${cluster:+$behind}
  echo "${path#:}"
}

put() {
  case $1:${2##*/} in
    shell:kubernetes-*) behind=$behind:$2 ;;
    *) path=$path:$2 ;;
  esac
}

cluster=

# A module that the program needs besides shell and daemon; the first use of others does not build it.
more=

# Which of a module's two archives the program would use: empty for that of all it loads, `commands` for that of single commands
part=

# Sets what belongs to a module's archives, each empty if there is none:
#   own       the checkout's directory for them; an installed copy is not written to, and has none
#   cached    this user's, for an installed copy and for a checkout that belongs to another user
#   name      what the archive for this JDK is called in either
#   classes   the list of classes that it holds
name_archives() {
  own=$home/$1/target/archive
  cached=
  name=${part:+$part-}$jdk
  classes=$own/${part:-classes}
  if installed "$1"; then
    own=
    classes=$home/lib/${1##*/}.${part:-classes}
    # the jars of two images can have the same names, times and sizes
    sum=
    [ ! -r "$home/lib/${1##*/}.sum" ] || read -r sum <"$home/lib/${1##*/}.sum" || :
    name=${jdk:+${sum:+$name-$sum}}
  fi
  # Classes come out of it, so each directory has to be this user's, who is not always the one whose HOME is set.
  case ${XDG_CACHE_HOME:-} in
    /*) base=$XDG_CACHE_HOME ;;
    *) [ -n "${HOME:-}" ] && [ -O "$HOME" ] || return 0; base=$HOME/.cache ;;
  esac
  if own_or_new "$base" && own_or_new "$base/enipam" && [ ! -h "$base/enipam" ]; then
    cached=$base/enipam$home/$1
  fi
}

own_or_new() {
  [ ! -e "$1" ] || [ -O "$1" ]
}

# Whether nothing of a module was built after a file was written. What is older and yet another, the JVM sees: an archive
# holds time and size of each jar.
newer_than_jars() {
  [ -r "$1" ] || return
  ! installed "$2" || return 0
  for made in "$home/$2/target"/enipam-*.jar "$home/$2/target/lib" "$home/$2/target/lib"/*.jar; do
    [ ! "$made" -nt "$1" ] || return
  done
}

# Whether an archive is there as it was made, of the jars as they are. Its stamp has its time: one that was written to
# since, or in part, has another.
fits() {
  newer_than_jars "$1.stamp" "$2" && [ -r "$1.jsa" ] && [ ! "$1.jsa" -nt "$1.stamp" ] && [ ! "$1.jsa" -ot "$1.stamp" ]
}

# Sets `archive` to the class-data archive of this module for this JDK; empty if there is none that fits. Then one is made
# in the background for the next start, and a single command uses that of all.
find_archive() {
  archive=
  [ -n "$jdk" ] && [ -z "${ENIPAM_NO_ARCHIVE:-}" ] || return 0
  use_archive "$1" && return
  if [ -n "$part" ] && { [ -z "$name" ] || [ ! -r "$classes" ]; }; then
    part=
    use_archive "$1" && return
  fi
  [ -n "$name" ] && [ -r "$classes" ] && [ -x "$home/runtime/bin/enipam-archive" ] || return 0
  # from a shell that ends at once: the program that this one becomes knows of no such child
  (nice -n 19 "$home/runtime/bin/enipam-archive" --background "$1${part:+:$part}" </dev/null >/dev/null 2>&1 8>&- &)
  [ -z "$part" ] || { part=; use_archive "$1" || return 0; }
}

use_archive() {
  name_archives "$1"
  if [ -n "$name" ] && [ -n "$own" ] && fits "$own/$name" "$1"; then
    archive=$own/$name.jsa
  elif [ -n "$name" ] && [ -n "$cached" ] && fits "$cached/$name" "$1"; then
    archive=$cached/$name.jsa
  else
    return 1
  fi
}

# Sets `allowed`: JLine, netty and MapDB call native code, and protobuf and netty sun.misc.Unsafe, which later JDKs ask to
# be told. An archive made without these is of less use to a program that runs with them.
allow() {
  allowed=
  [ "$1" -lt 22 ] || allowed=--enable-native-access=ALL-UNNAMED
  [ "$1" -lt 24 ] || allowed="$allowed --sun-misc-unsafe-memory-access=allow"
}

launch() {
  module=$1
  main=$2
  shift 2
  building=$home/shell/target/.enipam-building
  find_java
  # netty's events for JFR cost every start a tenth of a second, whether somebody records or not
  set -- -XX:+UseSerialGC -XX:-UsePerfData -Xshare:auto -Xlog:disable -Xlog:all=warning:stderr -Xlog:cds=off:stderr \
    -Dio.grpc.netty.shaded.io.netty.jfr.enabled=false "-Denipam.home=$home" "$@"
  [ -z "${TMPDIR:-}" ] || set -- "-Djava.io.tmpdir=$TMPDIR" "$@"
  allow "$java_version"
  set -- $allowed "$@"
  if [ -n "${ENIPAM_CLASS_LISTS:-}" ]; then
    set -- "-XX:DumpLoadedClassList=$ENIPAM_CLASS_LISTS/$(basename "$module").classes" "$@"
  else
    all_built || build
    [ -z "$more" ] || built "$more" || build_more
    tell_stale
    find_archive "$module"
    # At the address that it was made for no page of it has to be written to: less work, and less memory of this process's
    # own. The option is a diagnostic one, which a later JDK may not have.
    [ -z "$archive" ] || set -- -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 \
      "-XX:SharedArchiveFile=$archive" "$@"
  fi
  become "$@"
}

# Replaces this shell by the JVM, so that signals reach it: the words before -- are java's, those after it the program's. The
# words of `inside`, if it is set, become the JVM in their turn.
become() {
  path=$(class_path "$module")
  count=$#
  options=0
  for word in "$@"; do
    [ "$word" != -- ] || break
    options=$((options + 1))
  done
  # rotate: arguments first in line go to the end, until the order is options, class path, main class, arguments
  i=0
  while [ $i -lt $count ]; do
    word=$1
    shift
    if [ $i -eq $options ]; then
      set -- "$@" -cp "$path" "$main"
    else
      set -- "$@" "$word"
    fi
    i=$((i + 1))
  done
  exec ${inside:-} "$java" "$@"
}
