# Sourced by the programs in bin/: finds Java, builds what is not built, and becomes the program.
#
# The one who sources it sets `home`, the directory with pom.xml, then calls
#     launch MODULE MAIN-CLASS [JAVA-OPTION...] -- [ARGUMENT...]
# where MODULE is the directory whose target/ holds the jar and target/lib/ the libraries.

fail() {
  echo "$program: $1" >&2
  exit "${2:-1}"
}

# Sets `java` and `java_version`, at least 17.
find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail "JAVA_HOME is $JAVA_HOME, but there is no bin/java in it. Set it to a JDK of version 17 or later"
  else
    java=$(command -v java) || fail "there is no java on PATH. Install a JDK of version 17 or later (apt install openjdk-17-jdk-headless), or set JAVA_HOME"
  fi
  # The file beside a JDK says its version in no time; asking java itself takes a JVM's start.
  real=$(readlink -f "$java")
  release=${real%/bin/java}/release
  if [ -r "$release" ]; then
    java_version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$release")
  else
    java_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
  fi
  case $java_version in
    '' | *[!0-9]*) fail "$java does not say its version. Set JAVA_HOME to a JDK of version 17 or later" ;;
  esac
  [ "$java_version" -ge 17 ] || fail "$java is version $java_version, and enipam needs 17 or later. Set JAVA_HOME to a newer JDK"
}

# Whether a module is built: its one jar, its libraries, and no build that was broken off.
built() {
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
  if command -v flock >/dev/null; then
    exec 9>"$home/shell/target/.enipam-build-lock"
    flock 9
    # somebody else may have built it while we waited
    all_built && { exec 9>&-; return; }
  fi
  echo "building enipam (first use, about a minute)..." >&2
  : >"$building"
  log=$(mktemp "${TMPDIR:-/tmp}/enipam-build.XXXXXX")
  trap 'rm -f "$log"; exit 130' INT
  trap 'rm -f "$log"; exit 143' TERM HUP
  # stdin is the program's, not Maven's
  if (cd "$home" && "$maven" -q -B -DskipTests -Dspotless.check.skip=true -pl shell,runtime/daemon -am package) \
    >"$log" 2>&1 </dev/null 9>&-; then
    rm -f "$log" "$building"
    trap - INT TERM HUP
  else
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "the build failed; what it said last is above. Try: cd $home && mvn -DskipTests package"
  fi
  exec 9>&-
}

launch() {
  module=$1
  main=$2
  shift 2
  building=$home/shell/target/.enipam-building
  find_java
  all_built || build
  set -- -XX:+UseSerialGC -XX:-UsePerfData -Xshare:auto -Xlog:disable -Xlog:all=warning:stderr \
    "-Denipam.home=$home" "$@"
  [ -z "${TMPDIR:-}" ] || set -- "-Djava.io.tmpdir=$TMPDIR" "$@"
  # JLine, netty and MapDB call native code, and protobuf and netty sun.misc.Unsafe: later JDKs ask to be told so
  [ "$java_version" -lt 22 ] || set -- --enable-native-access=ALL-UNNAMED "$@"
  [ "$java_version" -lt 24 ] || set -- --sun-misc-unsafe-memory-access=allow "$@"
  become "$@"
}

# Replaces this shell by the JVM, so that signals reach it: the words before -- are java's, those after it the program's.
become() {
  jar=$(set -- "$home/$module/target"/enipam-*.jar && echo "$1")
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
      set -- "$@" -cp "$jar:$home/$module/target/lib/*" "$main"
    else
      set -- "$@" "$word"
    fi
    i=$((i + 1))
  done
  exec "$java" "$@"
}
