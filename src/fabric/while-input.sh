#!/bin/sh
# while-input.sh COMMAND …: runs a command for as long as our input is open, and ends as it does. Whoever holds our input may die in
# any way: the command is told to end then.
exec 3<&0
"$@" 3<&- </dev/null &
command=$!
{ cat >/dev/null; kill "$command"; } <&3 >/dev/null 2>&1 &
exec 3<&-
wait "$command"
