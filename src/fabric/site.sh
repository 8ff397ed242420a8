#!/bin/sh
# The site: one process with namespaces of its own for mounts, processes, network and host name, in which all nodes live. It
# is the first process of its process namespace, so that when it ends, for whatever reason, the kernel ends everything below it
# and takes away links, namespaces and mounts. Everything that is written lies in memory.
#
#   site.sh init             builds what it reads, down to the line `end`, says `up`, and stays until its input ends
#   site.sh stay             the same, but once it has read the line `stay` it stays until it is ended
#   site.sh boot NODE        starts a node
#   site.sh halt NODE        ends all processes of a node at once, as a power cut does
#   site.sh plug|pull NODE   puts in or pulls out the cable of its management port
#   site.sh enter NODE …     runs a command in a node
#   site.sh status           one line per node: name, is it up, KiB of memory
set -eu

# a folder of the caller does not exist in a node, which has a /tmp of its own
unset TMPDIR

SITE=/run/fabric
HERE=$(cd "$(dirname "$0")" && pwd)

node_pid() { cat "$SITE/$1/pid" 2>/dev/null; }

alive() { pid=$(node_pid "$1") && [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; }

boot() {
  rm -f "$SITE/$1/upper/var/fabric-up" "$SITE/$1/pid"
  setsid ip netns exec "$1" unshare --mount --propagation private --uts --ipc --pid --fork --kill-child \
    sh "$HERE/node.sh" "$1" "$SITE/$1" >"$SITE/$1/console" 2>&1 </dev/null &
  parent=$!
  # the first process of the node is the only child of unshare
  until pid=$(tr -d ' ' <"/proc/$parent/task/$parent/children") && [ -n "$pid" ]; do
    kill -0 "$parent" || { cat "$SITE/$1/console" >&2; return 1; }
    sleep 0.02
  done
  echo "$pid" >"$SITE/$1/pid"
}

halt() {
  pid=$(node_pid "$1") || return 0
  kill -9 "$pid" 2>/dev/null || true
  while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
  # the ports stay where they are plugged in; what was configured on them does not
  for port in $(ip netns exec "$1" ls /sys/class/net); do
    ip -n "$1" addr flush dev "$port" 2>/dev/null || true
    ip -n "$1" link set "$port" down
  done
}

await_up() {
  until [ -e "$SITE/$1/upper/var/fabric-up" ]; do
    alive "$1" || { echo "$1 did not start:" >&2; cat "$SITE/$1/console" >&2; return 1; }
    sleep 0.05
  done
}

enter() {
  name=$1
  shift
  # a command that comes before the node has changed its root would act on the machine itself
  await_up "$name"
  exec nsenter -t "$(node_pid "$name")" --mount --uts --ipc --net --pid -- "$@"
}

# Lines of a plan: `address IP/LENGTH` of the site in the management network, `node NAME SIZE`, `file NODE PATH` followed by
# lines that begin with a space, `management NODE PORT`, `link NODE PORT NODE PORT`, `end`.
build() {
  ip link set lo up
  ip link add management type bridge
  ip link set management up
  into=
  while IFS= read -r line; do
    case $line in
      " "*) printf '%s\n' "${line# }" >>"$into" && continue ;;
    esac
    set -- $line
    case $1 in
      address) ip addr add "$2" dev management ;;
      node)
        mkdir -p "$SITE/$2"
        mount -t tmpfs -o "size=$3,mode=755" "$2" "$SITE/$2"
        mkdir "$SITE/$2/upper" "$SITE/$2/work" "$SITE/$2/root"
        ip netns add "$2"
        ;;
      file) into="$SITE/$2/upper$3"; mkdir -p "$(dirname "$into")"; : >"$into" ;;
      management)
        ip link add "m-$2" type veth peer name "$3" netns "$2"
        ip link set "m-$2" master management up
        ;;
      end) break ;;
      link) ip link add "$3" netns "$2" type veth peer name "$5" netns "$4" ;;
    esac
  done
}

nodes() { for folder in "$SITE"/*/; do basename "$folder"; done; }

init() {
  # names of network namespaces are files here; these are seen by the site alone
  mount -t tmpfs -o mode=755 fabric /run
  mkdir "$SITE"
  build
  for node in $(nodes); do boot "$node"; done
  for node in $(nodes); do await_up "$node"; done
  echo up
}

wait_for_end() {
  # reading also reaps orphaned processes of nodes
  while read -r _; do :; done
}

# What belongs to one process alone counts whole, what several share counts in parts.
memory() {
  awk '/^Pss:/ { sum += $2 } END { print sum + 0 }' $(
    for process in /proc/[0-9]*; do
      [ "$(readlink "$process/ns/net")" = "$(readlink "/proc/$1/ns/net")" ] && echo "$process/smaps_rollup"
    done
  ) 2>/dev/null
}

status() {
  for node in $(nodes); do
    if alive "$node"; then
      files=$(df -k --output=used "$SITE/$node" | tail -1)
      echo "$node up $(($(memory "$(node_pid "$node")") + files))"
    else echo "$node down 0"; fi
  done
}

verb=$1
shift
case $verb in
  init) init; wait_for_end ;;
  stay)
    init
    # the process that builds it may have ended meanwhile: then no process knows of it
    read -r word && [ "$word" = stay ] || exit 1
    while :; do sleep 3600 & wait || true; done
    ;;
  boot) boot "$1"; await_up "$1" ;;
  halt) halt "$1" ;;
  plug) ip link set "m-$1" master management up ;;
  pull) ip link set "m-$1" down ;;
  enter) enter "$@" ;;
  status) status ;;
esac
