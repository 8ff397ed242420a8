#!/bin/sh
# switchyard version 3
#
# Lets a switch that runs FRRouting take a change back by itself. It lies on the switch, in a directory of its own beside the
# startup configuration, so that a rename puts files there in one step. What it needs is a POSIX shell, coreutils, awk,
# grep, sed, find, hostname, setsid and frr-reload.py. Described in docs/frr.md#the-script-on-the-switch.
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

fail() { printf '%s\n' "$2" >&2; exit "$1"; }
no_room() { fail "$1" "$2 could not be kept: is the file system full?"; }
note() { printf '%s\n' "$1" >"$2"; } # VALUE FILE
noted() { cat "$1" 2>/dev/null; } # FILE

hash_of() { sha256sum | cut -d ' ' -f 1; }

# What runs, without the header that only says so. A text without its end is none. Daemons go on telling the name that the
# machine had when they started, whatever they are told; only the machine's counts.
own_name() { awk -v name="$(hostname)" '!/^hostname / || ($2 == name && !seen++)'; }

# Into $text, without a file: the disk may be full when something has to be taken back.
read_running() {
  text=$(timeout "$VTYSH_SECONDS" vtysh -c 'show running-config no-header' 2>/dev/null | own_name)
  [ "$(printf '%s\n' "$text" | tail -n 1)" = end ]
}

running() { read_running && printf '%s\n' "$text" >"$1"; } # FILE

is_running() { read_running && printf '%s\n' "$text" | cmp -s - "$1/frr.conf"; } # DIRECTORY

# A daemon that is down keeps its part of the running configuration to itself: what is compared then lacks it.
daemons_answer() {
  said=$(timeout "$VTYSH_SECONDS" vtysh -c 'show watchfrr' 2>/dev/null) || return 0
  ! printf '%s\n' "$said" | grep -E '^ +[a-z0-9-]+ +(Down|Init|Connecting|Unresponsive)' >&2
}

is_process_of() { # PID VERB: numbers of processes are given again after a restart
  # it may end between the two looks, and a redirection that fails speaks for itself
  [ -n "$1" ] && { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null | grep -q "$SELF $2"
}

has_keeper() { is_process_of "$(noted "$1/pid")" keep || is_process_of "$(noted "$1/revert-pid")" revert; }

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

reload() { # DIRECTORY
  # in the group of whoever calls, which is ended as one
  timeout --foreground "$APPLY_SECONDS" "$RELOAD" --reload --stdout --confdir "$1" "$1/frr.conf" 2>&1
}

check() { # FILE: ends with 2 and names the lines that are wrong
  said=$(timeout "$APPLY_SECONDS" vtysh -C -f "$1" 2>&1) && return
  printf '%s\n' "$said" | grep '^line [0-9]' && exit 2
  fail 1 "the candidate could not be checked: $said"
}

# What was taken back is gone in one step: whoever looks meanwhile must not find half of it.
end_reverting() {
  mv "$HERE/reverting" "$HERE/confirmed.$$" && rm -rf "$HERE/confirmed.$$"
}

last_is() { note "$*" "$HERE/last" 2>/dev/null; }

# What ran before becomes the startup configuration for now.
put_running() { # DIRECTORY
  new=$STARTUP.switchyard
  # for owner and mode; there may have been none
  cp -p "$1/startup" "$new" 2>/dev/null || [ -e "$1/no-startup" ] || return 1
  if cat "$1/running/frr.conf" 2>/dev/null >"$new"; then mv -f "$new" "$STARTUP"
  else
    rm -f "$new"
    return 1
  fi
}

put_startup_back() { # DIRECTORY
  if [ -e "$1/startup" ]; then
    cmp -s "$1/startup" "$STARTUP" || mv -f "$1/startup" "$STARTUP"
  elif [ -e "$1/no-startup" ]; then rm -f "$STARTUP"; fi
}

# --- verbs ---------------------------------------------------------------------------------------------------------------

show() {
  read_running || fail 1 'FRR does not show its running configuration whole'
  printf '%s\n' "$text"
}

# What processes left behind that were killed. Files and directories of one process end in its number.
sweep() {
  for left in "$HERE"/candidates/.*.[0-9]* "$HERE"/confirmed.[0-9]*; do
    [ ! -e "$left" ] || is_process_of "${left##*.}" '' || rm -rf "$left"
  done
}

# The end of a restart in the middle of a change: FRR has started with what ran before, and its startup file comes back.
settle() {
  [ -e "$HERE/reverting/booted" ] || return 0
  if is_running "$HERE/reverting/running"; then
    put_startup_back "$HERE/reverting"
    last_is "reverted $(cat "$HERE/reverting/name") restart"
    end_reverting
  elif [ -n "$(find "$HERE/reverting/booted" -mmin +2)" ]; then
    # it was no restart of all of FRR, or FRR shows its configuration otherwise now: it is taken back like any other
    rm -f "$HERE/reverting/booted"
    detach revert
  fi
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
  sweep
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
  # without this nobody tidies up when the login ends amid it
  trap 'exit 1' HUP INT PIPE TERM
  make_place "$new" && cat >"$new/text" || no_room 1 'the candidate'
  [ "$(hash_of <"$new/text")" = "$3" ] || fail 1 'the candidate did not arrive as it was sent'
  check "$new/text"
  daemons_answer || fail 1 'a daemon of FRR does not answer, so that its configuration cannot be compared'
  running "$new/base.conf" || fail 1 'FRR does not show its running configuration'
  hash_of <"$new/base.conf" >"$new/base"
  if [ "$2" = merge ]; then : >"$new/merge" && sed '$d' "$new/base.conf" | cat - "$new/text" >"$new/frr.conf"
  else cp "$new/text" "$new/frr.conf"; fi || no_room 1 'the candidate'
  check "$new/frr.conf"
  compare "$new" || fail 1 'the candidate could not be compared with what runs'
  note "${SUDO_USER:-$(id -un)}" "$new/user" || no_room 1 'the candidate'
  rm -rf "${HERE:?}/candidates/$1"
  mv "$new" "$HERE/candidates/$1"
  echo 'end of difference'
}

arm() { # NAME SECONDS: everything that is needed to go back, and the process that does it
  [ -e "$HERE/candidates/$1/base" ] || fail 4 "there is no candidate $1"
  new=$HERE/pending.new
  if ! mkdir "$new" 2>/dev/null; then
    by=$(noted "$new/by")
    is_process_of "$by" commit && fail 4 'another commit is being prepared'
    [ -n "$by" ] || [ -n "$(find "$new" -maxdepth 0 -mmin +1)" ] || fail 4 'another commit is being prepared'
    rm -rf "$new"
    mkdir "$new" || no_room 4 'what is needed to go back'
  fi
  trap 'rm -rf "$new"' EXIT
  note $$ "$new/by"
  [ ! -e "$HERE/pending" ] && [ ! -e "$HERE/reverting" ] || fail 4 'another commit waits for its confirmation'
  daemons_answer || fail 4 'a daemon of FRR does not answer'
  make_place "$new/running" && running "$new/running/frr.conf" || no_room 4 'what runs'
  [ "$(hash_of <"$new/running/frr.conf")" = "$(cat "$HERE/candidates/$1/base")" ] ||
    fail 4 'the configuration was altered since the candidate was loaded'
  if [ -e "$STARTUP" ]; then cp -p "$STARTUP" "$new/startup"; else : >"$new/no-startup"; fi ||
    no_room 4 'the startup configuration'
  { note "$1" "$new/name" && note "${SUDO_USER:-$(id -un)}" "$new/user" &&
    note "$(($(date +%s) + $2))" "$new/deadline"; } || no_room 4 'what is needed to go back'
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
  code=$(noted "$HERE/pending/applied")
  [ "$code" = 0 ] && [ -n "${2:-}" ] && { echo "committed"; return; }
  [ "$code" = 0 ] && { confirm "$1"; return; }
  tail -n 20 "$HERE/pending/log" >&2 2>/dev/null
  discard "$1" >/dev/null
  fail 4 "FRR did not take all of it, so it was taken back"
}

# What a program that took too long has started goes on without it.
end_rest() {
  for pid in $(pgrep -g $$ 2>/dev/null); do
    [ "$pid" = $$ ] || kill -9 "$pid" 2>/dev/null
  done
}

# The startup configuration is none of its business: frr-reload.py leaves it alone.
apply() {
  # who cannot be found again could not be stopped
  note $$ "$HERE/pending/apply-pid" || exit 1
  # of two lines of which a configuration has one only, frr-reload.py keeps either; merged lines come after what runs
  if [ -e "$HERE/pending/candidate/merge" ]; then
    timeout --foreground "$APPLY_SECONDS" vtysh -f "$HERE/pending/candidate/text"
  else reload "$HERE/pending/candidate"; fi >"$HERE/pending/log" 2>&1
  code=$?
  [ "$code" != 124 ] || end_rest
  [ "$code" = 0 ] && { name_machine "$HERE/pending/candidate/text"; drop_lease; }
  # there at once and whole: who waits for it reads it in the same moment. Without room for it nothing was applied
  note "$code" "$HERE/pending/applied.new" && mv "$HERE/pending/applied.new" "$HERE/pending/applied" ||
    : >"$HERE/pending/applied"
}

# Replaces a file that everybody may read as a whole, or leaves it as it was.
put_file() { # FILE, and the text as input
  if cp -p "$1" "$1.switchyard" 2>/dev/null || : >"$1.switchyard" && cat >"$1.switchyard" && chmod 644 "$1.switchyard"; then
    # in a container it may be mounted
    mv -f "$1.switchyard" "$1" 2>/dev/null || { cat "$1.switchyard" >"$1"; rm -f "$1.switchyard"; }
  else rm -f "$1.switchyard"; fi
}

# vtysh shows the machine's name as that of FRR, whatever FRR was told. So the machine gets it; LLDP has it from there.
name_machine() { # FILE with a configuration; the last name in it counts
  name=$(sed -n 's/^hostname \([A-Za-z0-9.-]*\)$/\1/p' "$1" | tail -n 1)
  [ -n "$name" ] && [ "$name" != "$(hostname)" ] || return 0
  printf '%s\n' "$name" | put_file /etc/hostname
  { grep -v '^127\.0\.1\.1[[:space:]]' /etc/hosts; printf '127.0.1.1 %s\n' "$name"; } | put_file /etc/hosts
  hostname "$name"
  lldpcli configure system hostname "$name" >/dev/null 2>&1
}

# The first address of a new switch is leased. It goes when FRR configures one on the same port.
drop_lease() {
  read -r port address <"$LEASE" 2>/dev/null || return 0
  show 2>/dev/null |
    awk -v port="$port" '/^[^ ]/ { inside = $0 == "interface " port } inside && /^ ip address / { found = 1 } END { exit !found }' ||
    return 0
  # what is not noted could not be given back
  cp "$LEASE" "$HERE/pending/lease" 2>/dev/null || return 0
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
  # one that starts late must not wait for the commit after its own
  [ "$(noted "$HERE/pending/name")" = "$1" ] || exit 1
  note $$ "$HERE/pending/pid.new" && mv "$HERE/pending/pid.new" "$HERE/pending/pid" || exit 1
  left=${2:-$(($(cat "$HERE/pending/deadline") - $(date +%s)))}
  while [ "$left" -gt 0 ]; do
    sleep 1
    left=$((left - 1))
    [ "$(noted "$HERE/pending/pid")" = $$ ] || exit 0
  done
  mv "$HERE/pending" "$HERE/reverting" 2>/dev/null && take_back timer
}

stop_apply() {
  pid=$(noted "$HERE/reverting/apply-pid")
  is_process_of "$pid" apply || return 0
  pkill -9 -g "$pid" 2>/dev/null || kill -9 -- "-$pid" 2>/dev/null
}

# Without room for the whole of it FRR would start with less.
restart_frr() {
  put_running "$HERE/reverting" || return
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
  note $$ "$HERE/reverting/revert-pid"
  stop_apply
  rounds=0
  until reload "$HERE/reverting/running" >/dev/null 2>&1; name_machine "$HERE/reverting/running/frr.conf"; is_back; do
    # somebody else may have taken over, or be done; on a full disk nobody is noted
    by=$(noted "$HERE/reverting/revert-pid")
    [ -e "$HERE/reverting" ] && { [ "${by:-$$}" = $$ ] || ! is_process_of "$by" revert; } || exit 0
    rounds=$((rounds + 1))
    [ $((rounds % 3)) = 0 ] && restart_frr
    sleep 2
  done
  return_lease
  put_startup_back "$HERE/reverting"
  last_is "reverted $(cat "$HERE/reverting/name") $1"
  end_reverting
}

revert() { take_back order; }

confirm() { # NAME
  [ "$(noted "$HERE/pending/name")" = "$1" ] || fail 4 "no commit of $1 waits for its confirmation"
  has_keeper "$HERE/pending" || fail 4 'the process that would take the change back is gone'
  [ "$(noted "$HERE/pending/applied")" = 0 ] || fail 4 'the change was not applied'
  pid=$(cat "$HERE/pending/pid")
  mv "$HERE/pending" "$HERE/confirmed.$$" 2>/dev/null || fail 4 'the change is being taken back'
  # a loss of power must not bring it back
  sync
  is_process_of "$pid" keep && kill "$pid" 2>/dev/null
  last_is "confirmed $1"
  rm -rf "$HERE/confirmed.$$"
  echo confirmed
}

none_reverting() { settle; [ ! -e "$HERE/reverting" ]; }

discard() { # NAME
  sweep
  rm -rf "${HERE:?}/candidates/$1"
  if [ "$(noted "$HERE/pending/name")" = "$1" ]; then
    pid=$(noted "$HERE/pending/pid")
    if mv "$HERE/pending" "$HERE/reverting" 2>/dev/null; then
      is_process_of "$pid" keep && kill "$pid" 2>/dev/null
      detach revert
    fi
  fi
  if [ "$(noted "$HERE/reverting/name")" = "$1" ]; then
    settle
    heal
    await "$APPLY_SECONDS" none_reverting || fail 1 'it is still being taken back'
  fi
  echo discarded
}

# The text that FRR writes is the running one without its end.
is_saved() {
  read_running && [ "$(printf '%s\n' "$text" | sed '$d' | hash_of)" = "$(own_name <"$STARTUP" | hash_of)" ]
}

# FRR may leave half a startup configuration where the disk is full: then the former one comes back.
save() {
  former=$STARTUP.switchyard
  rm -f "$former"
  [ ! -e "$STARTUP" ] || cp -p "$STARTUP" "$former" || { rm -f "$former"; no_room 1 'the startup configuration'; }
  timeout "$VTYSH_SECONDS" vtysh -c 'write memory' >/dev/null 2>&1
  if is_saved; then
    rm -f "$former"
    sync
    echo saved
  else
    [ ! -e "$former" ] || mv -f "$former" "$STARTUP"
    fail 1 'the startup configuration is not the running one'
  fi
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
  put_running "$HERE/reverting" || put_startup_back "$HERE/reverting"
  : >"$HERE/reverting/booted"
}

verb=$(printf %s "${1:-}" | tr - _)
[ $# -gt 0 ] && shift
case $verb in
  state | show | load | commit | apply | keep | confirm | discard | revert | save | boot | commit_and_save) "$verb" "$@" ;;
  *) fail 1 'change state|show|load|commit|confirm|discard|save|boot' ;;
esac
