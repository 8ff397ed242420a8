#!/bin/sh
# switchyard version 1
#
# Lets a switch that runs FRRouting take a change back by itself. It lies on the switch, in a directory of its own beside the
# startup configuration, so that a rename puts files there in one step. What it needs is a POSIX shell, coreutils, setsid and
# frr-reload.py. Described in docs/frr.md#the-script-on-the-switch.
#
#   candidates/NAME/    a candidate that was checked: frr.conf, the hash of what ran then (base), who loaded it (user)
#   pending/            a commit that waits for its confirmation: name, user, deadline, the process that waits (pid), what ran
#                       before (running/frr.conf), the startup configuration of before (startup), the candidate
#   reverting/          the same, while it is taken back; whoever renames pending first decides what becomes of it
#   last                what became of the last commit
#
# Ends with 0, with 2 when lines of a candidate are wrong, with 3 when somebody is in the way, with 4 when it refuses, else
# with 1. What it says goes to its output, complaints to its error output.
set -u
umask 077
PATH=/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL

ETC=/etc/frr
HERE=$ETC/switchyard
STARTUP=$ETC/frr.conf
RELOAD=/usr/lib/frr/frr-reload.py
SELF=$HERE/change
# Where the hook of the DHCP client notes port and address of a lease that it has put on a port.
LEASE=/run/switchyard-lease

# A commit that nobody waits for is taken back after so many seconds if it hangs.
APPLY_SECONDS=300
VTYSH_SECONDS=60

complain() { printf '%s\n' "$1" >&2; }
fail() { complain "$2"; exit "$1"; }

hash_of() { sha256sum | cut -d ' ' -f 1; }

# What runs, without the header that only says so. A text without its end is none. Daemons go on telling the name that the
# machine had when they started, whatever they are told; only the machine's counts.
own_name() { awk -v name="$(hostname)" '!/^hostname / || ($2 == name && !seen++)'; }

running() {
  timeout "$VTYSH_SECONDS" vtysh -c 'show running-config no-header' 2>/dev/null >"$1.all" &&
    own_name <"$1.all" >"$1" && [ "$(tail -n 1 "$1")" = end ]
  whole=$?
  rm -f "$1.all"
  return $whole
}

show() {
  running "$HERE/now.$$" && cat "$HERE/now.$$"
  whole=$?
  rm -f "$HERE/now.$$"
  [ "$whole" = 0 ] || fail 1 'FRR does not show its running configuration whole'
}

# A daemon that is down keeps its part of the running configuration to itself: what is compared then lacks it.
daemons_answer() {
  said=$(timeout "$VTYSH_SECONDS" vtysh -c 'show watchfrr' 2>/dev/null) || return 0
  ! printf '%s\n' "$said" | grep -E '^ +[a-z0-9-]+ +(Down|Init|Connecting|Unresponsive)' >&2
}

is_process_of() { # PID VERB: numbers of processes are given again after a restart
  [ -n "$1" ] && tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -q "$SELF $2"
}

has_keeper() { is_process_of "$(cat "$1/pid" 2>/dev/null)" keep || is_process_of "$(cat "$1/revert-pid" 2>/dev/null)" revert; }

# A process that goes on when the login ends, also where the end of a login ends all that it left behind.
detach() {
  if [ -d /run/systemd/system ] && command -v systemd-run >/dev/null; then
    systemd-run --quiet --collect sh "$SELF" "$@" >/dev/null 2>&1 && return
  fi
  setsid sh "$SELF" "$@" </dev/null >/dev/null 2>&1 &
}

await() { # SECONDS, then a condition
  tenths=$(($1 * 10))
  shift
  while ! "$@"; do
    [ $((tenths -= 1)) -gt 0 ] || return 1
    sleep 0.1
  done
}

# A configuration directory of a candidate's own keeps frr-reload.py from writing the startup configuration.
make_place() { # DIRECTORY
  mkdir -p "$1" && printf 'service integrated-vtysh-config\n' >"$1/vtysh.conf"
}

compare() { # DIRECTORY: the difference, without what frr-reload.py says about itself
  running "$1/now.conf" || return 1
  if ! timeout "$APPLY_SECONDS" "$RELOAD" --test --stdout --confdir "$1" --input "$1/now.conf" "$1/frr.conf" \
    >"$1/diff.log" 2>/dev/null; then
    cat "$1/diff.log" >&2
    return 1
  fi
  cat "$1/diff.log"
}

is_running() { # DIRECTORY
  running "$HERE/now.$$" && cmp -s "$HERE/now.$$" "$1/frr.conf"
  same=$?
  rm -f "$HERE/now.$$"
  return $same
}

reload() { # DIRECTORY
  # in the group of whoever calls, which is ended as one
  timeout --foreground "$APPLY_SECONDS" "$RELOAD" --reload --stdout --confdir "$1" "$1/frr.conf" 2>&1
}

check() { # FILE
  timeout "$APPLY_SECONDS" vtysh -C -f "$1" 2>&1
}

last_is() { printf '%s\n' "$*" >"$HERE/last" 2>/dev/null; }

put_startup_back() { # DIRECTORY
  if [ -e "$1/startup" ]; then
    cmp -s "$1/startup" "$STARTUP" || mv -f "$1/startup" "$STARTUP"
  elif [ -e "$1/no-startup" ]; then rm -f "$STARTUP"; fi
}

# --- verbs ---------------------------------------------------------------------------------------------------------------

# The end of a restart in the middle of a change: FRR has started with what ran before, and its startup file comes back.
settle() {
  [ -e "$HERE/reverting/booted" ] || return 0
  is_running "$HERE/reverting/running" || [ -n "$(find "$HERE/reverting/booted" -mmin +2)" ] || return 0
  put_startup_back "$HERE/reverting"
  last_is "reverted $(cat "$HERE/reverting/name") restart"
  rm -rf "$HERE/reverting"
}

# Somebody may have ended the process that waits: then another one takes its place.
heal() {
  if [ -e "$HERE/reverting" ]; then
    [ -e "$HERE/reverting/booted" ] || has_keeper "$HERE/reverting" || detach revert
  elif [ -e "$HERE/pending" ] && ! has_keeper "$HERE/pending"; then
    detach keep "$(cat "$HERE/pending/name")"
    await 5 has_keeper "$HERE/pending"
  fi
}

state() {
  settle
  heal
  for place in pending reverting; do
    [ -e "$HERE/$place/name" ] || continue
    printf '%s %s %s\n' "$place" "$(cat "$HERE/$place/name")" "$(cat "$HERE/$place/user")"
  done
  for candidate in "$HERE"/candidates/*/; do
    [ -e "$candidate/user" ] || continue
    printf 'open %s %s\n' "$(basename "$candidate")" "$(cat "$candidate/user")"
  done
  [ ! -e "$HERE/last" ] || printf 'last %s\n' "$(cat "$HERE/last")"
  echo 'end of state'
}

load() { # NAME replace|merge HASH, and the text as input
  new=$HERE/candidates/.$1.$$
  rm -rf "$HERE/candidates/.$1."*
  trap 'rm -rf "$new"' EXIT
  make_place "$new" && cat >"$new/text" || fail 1 'the candidate could not be written: is the file system full?'
  [ "$(hash_of <"$new/text")" = "$3" ] || fail 1 'the candidate did not arrive as it was sent'
  said=$(check "$new/text") || { printf '%s\n' "$said"; exit 2; }
  daemons_answer || fail 1 'a daemon of FRR does not answer, so that its configuration cannot be compared'
  running "$new/base.conf" || fail 1 'FRR does not show its running configuration'
  hash_of <"$new/base.conf" >"$new/base"
  if [ "$2" = merge ]; then : >"$new/merge" && sed '$d' "$new/base.conf" | cat - "$new/text" >"$new/frr.conf"
  else cp "$new/text" "$new/frr.conf"; fi || fail 1 'the candidate could not be written: is the file system full?'
  said=$(check "$new/frr.conf") || { printf '%s\n' "$said"; exit 2; }
  compare "$new" || fail 1 'the candidate could not be compared with what runs'
  printf '%s\n' "${SUDO_USER:-$(id -un)}" >"$new/user" || fail 1 'the candidate could not be written: is the file system full?'
  rm -rf "${HERE:?}/candidates/$1"
  mv "$new" "$HERE/candidates/$1"
  echo 'end of difference'
}

arm() { # NAME SECONDS: everything that is needed to go back, and the process that does it
  [ -e "$HERE/candidates/$1/base" ] || fail 4 "there is no candidate $1"
  new=$HERE/pending.new
  if ! mkdir "$new" 2>/dev/null; then
    is_process_of "$(cat "$new/by" 2>/dev/null)" commit && fail 4 'another commit is being prepared'
    rm -rf "$new"
    mkdir "$new" || fail 4 'no room for what is needed to go back: is the file system full?'
  fi
  trap 'rm -rf "$new"' EXIT
  printf '%s\n' $$ >"$new/by"
  [ ! -e "$HERE/pending" ] && [ ! -e "$HERE/reverting" ] || fail 4 'another commit waits for its confirmation'
  daemons_answer || fail 4 'a daemon of FRR does not answer'
  make_place "$new/running" && running "$new/running/frr.conf" || fail 4 'what runs could not be kept: is the file system full?'
  [ "$(hash_of <"$new/running/frr.conf")" = "$(cat "$HERE/candidates/$1/base")" ] ||
    fail 4 'the configuration was altered since the candidate was loaded'
  if [ -e "$STARTUP" ]; then cp -p "$STARTUP" "$new/startup"; else : >"$new/no-startup"; fi ||
    fail 4 'the startup configuration could not be kept: is the file system full?'
  { printf '%s\n' "$1" >"$new/name" && printf '%s\n' "${SUDO_USER:-$(id -un)}" >"$new/user" &&
    printf '%s\n' "$(($(date +%s) + $2))" >"$new/deadline"; } || fail 4 'no room for what is needed to go back'
  mv "$HERE/candidates/$1" "$new/candidate"
  sync
  mv "$new" "$HERE/pending"
  trap - EXIT
  detach keep "$1" "$2"
  await 5 has_keeper "$HERE/pending" && return
  mv "$HERE/pending/candidate" "$HERE/candidates/$1"
  rm -rf "$HERE/pending"
  fail 4 'the process that would take the change back did not start'
}

applied() { [ -e "$HERE/pending/applied" ] || [ ! -e "$HERE/pending" ]; }

commit() { # NAME [SECONDS]; without seconds it is for good when it was applied
  settle
  arm "$1" "${2:-$APPLY_SECONDS}"
  detach apply
  await "$APPLY_SECONDS" applied
  code=$(cat "$HERE/pending/applied" 2>/dev/null)
  [ "$code" = 0 ] && [ -n "${2:-}" ] && { echo "committed"; return; }
  [ "$code" = 0 ] && { confirm "$1"; return; }
  tail -n 20 "$HERE/pending/log" >&2 2>/dev/null
  discard "$1" >/dev/null
  fail 4 "FRR did not take all of it, so it was taken back"
}

# The startup configuration is none of its business: frr-reload.py leaves it alone.
apply() {
  printf '%s\n' $$ >"$HERE/pending/apply-pid"
  # of two lines of which a configuration has one only, frr-reload.py keeps either; merged lines come after what runs
  if [ -e "$HERE/pending/candidate/merge" ]; then
    timeout --foreground "$APPLY_SECONDS" vtysh -f "$HERE/pending/candidate/text"
  else reload "$HERE/pending/candidate"; fi >"$HERE/pending/log" 2>&1
  code=$?
  [ "$code" = 0 ] && { name_machine "$HERE/pending/candidate/text"; drop_lease; }
  printf '%s\n' "$code" >"$HERE/pending/applied"
}

# vtysh shows the machine's name as that of FRR, whatever FRR was told. So the machine gets it; LLDP has it from there.
name_machine() { # FILE with a configuration; the last name in it counts
  name=$(sed -n 's/^hostname \([A-Za-z0-9.-]*\)$/\1/p' "$1" | tail -n 1)
  [ -n "$name" ] && [ "$name" != "$(hostname)" ] || return 0
  printf '%s\n' "$name" >/etc/hostname
  grep -v '^127\.0\.1\.1[[:space:]]' /etc/hosts >/etc/hosts.switchyard
  printf '127.0.1.1 %s\n' "$name" | cat /etc/hosts.switchyard - >/etc/hosts
  rm -f /etc/hosts.switchyard
  hostname "$name"
  lldpcli configure system hostname "$name" >/dev/null 2>&1
}

# The first address of a new switch is leased. It goes when FRR configures one on the same port.
drop_lease() {
  read -r port address <"$LEASE" 2>/dev/null || return 0
  show 2>/dev/null |
    awk -v port="$port" '/^[^ ]/ { inside = $0 == "interface " port } inside && /^ ip address / { found = 1 } END { exit !found }' ||
    return 0
  cp "$LEASE" "$HERE/pending/lease"
  # without it the new address would go with the old one when both are of one network
  echo 1 >/proc/sys/net/ipv4/conf/all/promote_secondaries
  ip addr del "$address" dev "$port"
  rm -f "$LEASE"
}

return_lease() {
  read -r port address 2>/dev/null <"$HERE/reverting/lease" || return 0
  ip addr replace "$address" dev "$port"
  cp "$HERE/reverting/lease" "$LEASE"
}

# Waits for the deadline. The pending commit is known by its name and by being ours: a confirmation takes it away.
keep() { # NAME [SECONDS]
  trap '' HUP
  printf '%s\n' $$ >"$HERE/pending/pid.new" && mv "$HERE/pending/pid.new" "$HERE/pending/pid" || exit 1
  left=${2:-$(($(cat "$HERE/pending/deadline") - $(date +%s)))}
  while [ "$left" -gt 0 ]; do
    sleep 1
    left=$((left - 1))
    [ "$(cat "$HERE/pending/pid" 2>/dev/null)" = $$ ] || exit 0
  done
  mv "$HERE/pending" "$HERE/reverting" 2>/dev/null && take_back timer
}

stop_apply() {
  pid=$(cat "$HERE/reverting/apply-pid" 2>/dev/null)
  is_process_of "$pid" apply || return 0
  pkill -9 -g "$pid" 2>/dev/null || kill -9 -- "-$pid" 2>/dev/null
}

restart_frr() {
  cat "$HERE/reverting/running/frr.conf" >"$STARTUP"
  if [ -d /run/systemd/system ]; then systemctl restart frr
  else /usr/lib/frr/frrinit.sh restart; fi >/dev/null 2>&1
}

is_back() {
  is_running "$HERE/reverting/running" && return
  daemons_answer 2>/dev/null && said=$(compare "$HERE/reverting/running" 2>/dev/null) || return 1
  ! printf '%s\n' "$said" | grep -q '^Lines To '
}

# Back to what ran before, however often it takes. Where loading it does not help, FRR starts anew with it.
take_back() { # WHY
  printf '%s\n' $$ >"$HERE/reverting/revert-pid"
  stop_apply
  rounds=0
  until reload "$HERE/reverting/running" >"$HERE/reverting/log" 2>&1; name_machine "$HERE/reverting/running/frr.conf"; is_back; do
    # somebody else may have taken over, or be done
    [ "$(cat "$HERE/reverting/revert-pid" 2>/dev/null)" = $$ ] || exit 0
    rounds=$((rounds + 1))
    [ $((rounds % 3)) = 0 ] && restart_frr
    sleep 2
  done
  return_lease
  put_startup_back "$HERE/reverting"
  last_is "reverted $(cat "$HERE/reverting/name") $1"
  rm -rf "$HERE/reverting"
}

revert() { take_back order; }

confirm() { # NAME
  [ "$(cat "$HERE/pending/name" 2>/dev/null)" = "$1" ] || fail 4 "no commit of $1 waits for its confirmation"
  has_keeper "$HERE/pending" || fail 4 'the process that would take the change back is gone'
  [ "$(cat "$HERE/pending/applied" 2>/dev/null)" = 0 ] || fail 4 'the change was not applied'
  pid=$(cat "$HERE/pending/pid")
  mv "$HERE/pending" "$HERE/confirmed.$$" 2>/dev/null || fail 4 'the change is being taken back'
  is_process_of "$pid" keep && kill "$pid" 2>/dev/null
  last_is "confirmed $1"
  rm -rf "$HERE/confirmed.$$"
  echo confirmed
}

none_reverting() { [ ! -e "$HERE/reverting" ]; }

discard() { # NAME
  rm -rf "${HERE:?}/candidates/$1"
  if [ "$(cat "$HERE/pending/name" 2>/dev/null)" = "$1" ]; then
    pid=$(cat "$HERE/pending/pid" 2>/dev/null)
    if mv "$HERE/pending" "$HERE/reverting" 2>/dev/null; then
      is_process_of "$pid" keep && kill "$pid" 2>/dev/null
      detach revert
    fi
  fi
  if [ "$(cat "$HERE/reverting/name" 2>/dev/null)" = "$1" ]; then
    settle
    heal
    await "$APPLY_SECONDS" none_reverting || fail 1 'it is still being taken back'
  fi
  echo discarded
}

# The text that FRR writes is the running one without its end.
save() {
  timeout "$VTYSH_SECONDS" vtysh -c 'write memory' >/dev/null 2>&1
  running "$HERE/now.$$" || fail 1 'FRR does not show its running configuration'
  own_name <"$STARTUP" >"$HERE/saved.$$" && sed '$d' "$HERE/now.$$" | cmp -s - "$HERE/saved.$$"
  same=$?
  rm -f "$HERE/saved.$$"
  rm -f "$HERE/now.$$"
  [ "$same" = 0 ] || fail 1 'the startup configuration is not the running one'
  echo saved
}

# For a change that moves the address of the login: it goes on when nobody hears the answer.
commit_and_save() { # NAME
  trap '' HUP PIPE
  (commit "$1") && save
}

# Runs before FRR starts. A change that nobody is there to take back ends here: FRR starts with what ran before it.
boot() {
  if [ -e "$HERE/pending" ] && ! has_keeper "$HERE/pending"; then mv "$HERE/pending" "$HERE/reverting"; fi
  [ -e "$HERE/reverting" ] && [ ! -e "$HERE/reverting/booted" ] && ! has_keeper "$HERE/reverting" || return 0
  name_machine "$HERE/reverting/running/frr.conf"
  new=$STARTUP.switchyard
  if cp -p "$HERE/reverting/startup" "$new" 2>/dev/null && cat "$HERE/reverting/running/frr.conf" >"$new"; then
    mv "$new" "$STARTUP"
  else
    rm -f "$new"
    put_startup_back "$HERE/reverting"
  fi
  : >"$HERE/reverting/booted"
}

verb=$(printf %s "${1:-}" | tr - _)
[ $# -gt 0 ] && shift
case $verb in
  state | show | load | commit | apply | keep | confirm | discard | revert | save | boot | commit_and_save) "$verb" "$@" ;;
  *) fail 1 'change state|show|load|commit|confirm|discard|save|boot' ;;
esac
