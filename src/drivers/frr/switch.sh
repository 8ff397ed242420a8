#!/bin/sh
# switchyard version 4
#
# Makes a switch that runs FRRouting take a change back automatically. It is installed in a directory of its own next to the
# startup configuration, so a rename puts files there in one step. It needs a POSIX shell, coreutils, awk, grep, sed, find,
# hostname, setsid and frr-reload.py. Described in docs/frr.md#the-script-on-the-switch.
#
#   candidates/NAME/    a checked candidate: frr.conf, the hash of the running configuration (base), its user (user)
#   pending/            a commit that waits for its confirmation: name, user, deadline, the process that waits (pid), the previous
#                       running and startup configuration (running/frr.conf, startup), the candidate
#   reverting/          the same, while it is taken back; the process that renames pending first decides its outcome
#   last                the outcome of the last commit
#
# Ends with 0, with 2 if lines of a candidate are wrong, with 3 if another user is in the way, with 4 if it refuses, with 5 if
# FRR has a file for each daemon, else with 1. Answers go to its output, errors to its error output.
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
# The file in which the hook of the DHCP client notes the port and the address of a lease.
LEASE=/run/switchyard-lease

# A commit without a waiting caller is taken back after so many seconds if it hangs.
APPLY_SECONDS=300
VTYSH_SECONDS=60

fail() { printf '%s\n' "$2" >&2; exit "$1"; }
no_room() { fail "$1" "$2 could not be kept: is the file system full?"; }
note() { printf '%s\n' "$1" >"$2"; } # VALUE FILE
noted() { cat "$1" 2>/dev/null; } # FILE

hash_of() { sha256sum | cut -d ' ' -f 1; }

# The running configuration without its header. A text without an end is incomplete. Daemons keep showing the name that the
# machine had when they started, so only the machine's own name counts.
own_name() { awk -v name="$(hostname)" '!/^hostname / || ($2 == name && !seen++)'; }

# Into $text, without a file: the disk may be full when something has to be taken back.
read_running() {
  text=$(timeout "$VTYSH_SECONDS" vtysh -c 'show running-config no-header' 2>/dev/null | own_name)
  [ "$(printf '%s\n' "$text" | tail -n 1)" = end ]
}

running() { read_running && printf '%s\n' "$text" >"$1"; } # FILE

is_running() { read_running && printf '%s\n' "$text" | cmp -s - "$1/frr.conf"; } # DIRECTORY

# A daemon that is down does not show its part of the running configuration: a comparison would lack it.
daemons_answer() {
  said=$(timeout "$VTYSH_SECONDS" vtysh -c 'show watchfrr' 2>/dev/null) || return 0
  ! printf '%s\n' "$said" | grep -E '^ +[a-z0-9-]+ +(Down|Init|Connecting|Unresponsive)' >&2
}

is_process_of() { # PID VERB: process numbers are reused after a restart
  # it may end between the two looks, and a failed redirection would print an error
  [ -n "$1" ] && { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null | grep -q "$SELF $2"
}

has_keeper() { is_process_of "$(noted "$1/pid")" keep || is_process_of "$(noted "$1/revert-pid")" revert; }

# Starts a process that continues after the login ends, even if the system ends all processes of a login.
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

# The candidate's own configuration directory keeps frr-reload.py from writing the startup configuration.
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
  # in the caller's process group, which is ended as one
  timeout --foreground "$APPLY_SECONDS" "$RELOAD" --reload --stdout --confdir "$1" "$1/frr.conf" 2>&1
}

# Without this FRR saves each daemon's part to a file of its own, and starts with those as long as there is no common one.
insist_on_one_file() {
  said=$(sed -n 's/^ *\(no \)*service integrated-vtysh-config *$/\1one/p' "$ETC/vtysh.conf" 2>/dev/null | tail -n 1)
  case $said in
    one) return ;;
    '') [ ! -e "$STARTUP" ] || return 0 ;;
  esac
  parts=
  for part in "$ETC"/*d.conf "$ETC"/zebra.conf; do
    [ ! -e "$part" ] || parts="$parts ${part##*/}"
  done
  [ "$said" = 'no one' ] || [ -n "$parts" ] || return 0
  fail 5 "FRR has a file for each daemon there${parts:+ (}${parts# }${parts:+)} and not one for all (service integrated-vtysh-config in $ETC/vtysh.conf), so what it starts with cannot be compared with what runs: a change could neither be proved nor saved"
}

check() { # FILE: ends with 2 and names the lines that are wrong
  said=$(timeout "$APPLY_SECONDS" vtysh -C -f "$1" 2>&1) && return
  printf '%s\n' "$said" | grep '^line [0-9]' && exit 2
  fail 1 "the candidate could not be checked: $said"
}

# Removes the directory in one step: a process that looks meanwhile must not find half of it.
end_reverting() {
  mv "$HERE/reverting" "$HERE/confirmed.$$" && rm -rf "$HERE/confirmed.$$"
}

last_is() { note "$*" "$HERE/last" 2>/dev/null; }

# Makes the previous running configuration the startup configuration for now.
put_running() { # DIRECTORY
  new=$STARTUP.switchyard
  # for owner and mode; the file may not have existed
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

# Removes the remains of killed processes. Files and directories of one process end in its number.
sweep() {
  for left in "$HERE"/candidates/.*.[0-9]* "$HERE"/confirmed.[0-9]*; do
    [ ! -e "$left" ] || is_process_of "${left##*.}" '' || rm -rf "$left"
  done
}

# Ends a restart in the middle of a change: FRR has started with its previous configuration, and its startup file is restored.
settle() {
  [ -e "$HERE/reverting/booted" ] || return 0
  if is_running "$HERE/reverting/running"; then
    put_startup_back "$HERE/reverting"
    last_is "reverted $(cat "$HERE/reverting/name") restart"
    end_reverting
  elif [ -n "$(find "$HERE/reverting/booted" -mmin +2)" ]; then
    # it was no restart of all of FRR, or FRR now shows its configuration differently: take the change back as usual
    rm -f "$HERE/reverting/booted"
    detach revert
  fi
}

# Replaces the waiting process if a user has ended it.
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
  insist_on_one_file
  new=$HERE/candidates/.$1.$$
  rm -rf "$HERE/candidates/.$1."*
  trap 'rm -rf "$new"' EXIT
  # without this nothing is cleaned up if the login ends meanwhile
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

arm() { # NAME SECONDS: stores everything for a way back, and starts the process that waits
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

commit() { # NAME [SECONDS]; without seconds it is confirmed as soon as it was applied
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

# Ends the children of a program that took too long: they would continue without it.
end_rest() {
  for pid in $(pgrep -g $$ 2>/dev/null); do
    [ "$pid" = $$ ] || kill -9 "$pid" 2>/dev/null
  done
}

# Applies the candidate; frr-reload.py does not change the startup configuration.
apply() {
  # without this number the process could not be stopped
  note $$ "$HERE/pending/apply-pid" || exit 1
  # of two lines that exclude each other, frr-reload.py keeps either; merged lines follow the running ones
  if [ -e "$HERE/pending/candidate/merge" ]; then
    timeout --foreground "$APPLY_SECONDS" vtysh -f "$HERE/pending/candidate/text"
  else reload "$HERE/pending/candidate"; fi >"$HERE/pending/log" 2>&1
  code=$?
  [ "$code" != 124 ] || end_rest
  [ "$code" = 0 ] && { name_machine "$HERE/pending/candidate/text"; drop_lease; }
  # renamed, because a waiting process reads it at once. On a full disk the empty file says that nothing was applied
  note "$code" "$HERE/pending/applied.new" && mv "$HERE/pending/applied.new" "$HERE/pending/applied" ||
    : >"$HERE/pending/applied"
}

# Replaces a world-readable file as a whole, or does not change it.
put_file() { # FILE, and the text as input
  if cp -p "$1" "$1.switchyard" 2>/dev/null || : >"$1.switchyard" && cat >"$1.switchyard" && chmod 644 "$1.switchyard"; then
    # in a container it may be mounted
    mv -f "$1.switchyard" "$1" 2>/dev/null || { cat "$1.switchyard" >"$1"; rm -f "$1.switchyard"; }
  else rm -f "$1.switchyard"; fi
}

# vtysh always shows the machine's name as that of FRR. So the machine is renamed; LLDP takes the name from it.
name_machine() { # FILE with a configuration; the last name in it counts
  name=$(sed -n 's/^hostname \([A-Za-z0-9.-]*\)$/\1/p' "$1" | tail -n 1)
  [ -n "$name" ] && [ "$name" != "$(hostname)" ] || return 0
  printf '%s\n' "$name" | put_file /etc/hostname
  { grep -v '^127\.0\.1\.1[[:space:]]' /etc/hosts; printf '127.0.1.1 %s\n' "$name"; } | put_file /etc/hosts
  hostname "$name"
  lldpcli configure system hostname "$name" >/dev/null 2>&1
}

# The first address of a new switch is leased. It is removed when FRR configures an address on the same port.
drop_lease() {
  read -r port address <"$LEASE" 2>/dev/null || return 0
  show 2>/dev/null |
    awk -v port="$port" '/^[^ ]/ { inside = $0 == "interface " port } inside && /^ ip address / { found = 1 } END { exit !found }' ||
    return 0
  # a lease that is not noted could not be restored
  cp "$LEASE" "$HERE/pending/lease" 2>/dev/null || return 0
  # without it the new address would be removed with the old one if both are in one network
  echo 1 >/proc/sys/net/ipv4/conf/all/promote_secondaries
  ip addr del "$address" dev "$port"
  rm -f "$LEASE"
}

return_lease() {
  read -r port address 2>/dev/null <"$HERE/reverting/lease" || return 0
  ip addr replace "$address" dev "$port"
  cp "$HERE/reverting/lease" "$LEASE"
}

# Waits for the deadline. The pending commit is identified by its name and this process: a confirmation removes it.
keep() { # NAME [SECONDS]
  trap '' HUP
  # a process that starts late must not wait for the next commit
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

# On a full disk FRR would start with an incomplete configuration.
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

# Restores the previous running configuration, as often as needed. If loading it does not help, FRR is restarted with it.
take_back() { # WHY
  note $$ "$HERE/reverting/revert-pid"
  stop_apply
  rounds=0
  until reload "$HERE/reverting/running" >/dev/null 2>&1; name_machine "$HERE/reverting/running/frr.conf"; is_back; do
    # another process may have taken over or have finished; on a full disk none is noted
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
  # after a loss of power it must not reappear
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

# FRR writes the running configuration without its last line.
is_saved() {
  read_running && [ "$(printf '%s\n' "$text" | sed '$d' | hash_of)" = "$(own_name <"$STARTUP" | hash_of)" ]
}

# On a full disk FRR may write half a startup configuration: then the previous one is restored.
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

# For a change that moves the address of the login: it continues without a caller that receives the answer.
commit_and_save() { # NAME
  trap '' HUP PIPE
  (commit "$1") && save
}

# Runs before FRR starts. Ends a change without a process that would take it back: FRR starts with its previous configuration.
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
