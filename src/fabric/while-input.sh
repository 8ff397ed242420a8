#!/bin/sh
# while-input.sh COMMAND …: runs a command while our input is open, and ends with its exit code. When the process that holds our
# input dies, the command gets a signal to end.
exec 3<&0
"$@" 3<&- </dev/null &
command=$!
{ cat >/dev/null; kill "$command"; } <&3 >/dev/null 2>&1 &
exec 3<&-
wait "$command"
