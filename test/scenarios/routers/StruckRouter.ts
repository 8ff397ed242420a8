/**
 * A real router on which something goes wrong at a chosen step of a change. The shell of its login and the program that applies
 * configurations are wrapped: they know by the command how far the change is, and strike before or after it, once.
 */
import { Effect } from "effect"
import type { Fabric, FabricError } from "../../../src/fabric/Fabric.ts"
import { type Node, router } from "../../../src/fabric/FabricPlan.ts"

const FOLDER = "/var/fault"
const RELOAD = "/usr/lib/frr/frr-reload.py"

const strike = `F=${FOLDER}
phase=$(cat $F/phase 2>/dev/null || echo start)
strike() {
  echo "$*" >>$F/steps
  [ "$(cat $F/at 2>/dev/null)" = "$*" ] && mv $F/at $F/struck 2>/dev/null || return 0
  sh $F/strike >/dev/null 2>&1 </dev/null
}`

/** The purpose of commands: the script's verb, or the first questions of a login. */
const loginShell = `#!/bin/sh
${strike}
[ "\${1:-}" = -c ] || exec sh "$@"
case $2 in
  *"id -u"*) step=connect ;;
  *"chmod 755"*) step=install ;;
  *"sha256sum <"*) step=script ;;
  *) step=$(printf %s "$2" | tr -cs 'a-z-' '\\n' | sed -n '/^change$/{n;p;q;}') ;;
esac
trap : PIPE HUP
strike before $phase $step
sh -c "$2"
code=$?
case $code$step in
  0commit) echo committed >$F/phase ;;
  0confirm) echo confirmed >$F/phase ;;
esac
strike after $phase $step
exit $code`

const reload = `#!/bin/sh
${strike}
case " $* " in
  *" --test "*) strike amid $phase load ;;
  *) strike before $phase apply ;;
esac
[ -e $F/at ] || exec ${RELOAD}.real "$@"
${RELOAD}.real "$@"
code=$?
case " $* " in *" --reload "*) strike after $phase apply ;; esac
exit $code`

const prepare = `mkdir -p ${FOLDER}
[ -e ${RELOAD}.real ] || cp -p ${RELOAD} ${RELOAD}.real
cp /etc/fabric/reload ${RELOAD}
chmod 755 ${RELOAD} /etc/fabric/login
sed -i 's#^\\(root:.*\\):[^:]*$#\\1:/etc/fabric/login#' /etc/passwd`

/** A router of a plan that can be struck. */
export const struckRouter = (name: string, address: string): Node => {
  const node = router(name, { _tag: "configured", address: `${address}/24` })
  return {
    ...node,
    files: [
      ...node.files,
      { path: "/etc/fabric/login", text: loginShell },
      { path: "/etc/fabric/reload", text: reload },
      { path: "/etc/fabric/start/11-faults", text: prepare }
    ]
  }
}

/** An action on a router from outside; afterwards the change continues, unless the router was restarted. */
export type Outside = (fabric: Fabric, name: string) => Effect.Effect<unknown, FabricError>

/** A fault: lines of shell on the router, or something that is done from outside. */
export type Strike = string | Outside

const outside = `echo >${FOLDER}/out; cat ${FOLDER}/in`

/** Prepares a router for a fault at this step. The returned effect does the rest when the step is reached. */
export const arm = Effect.fnUntraced(function* (fabric: Fabric, name: string, at: string, strike: Strike) {
  const lines = typeof strike === "string" ? strike : outside
  const write = `cd ${FOLDER} && rm -f struck phase steps in out && mkfifo in out && cat >strike <<'END'\n${lines}\nEND\nprintf '%s\\n' '${at}' >at`
  yield* fabric.run(name, write)
  if (typeof strike === "string") return Effect.void
  return Effect.gen(function* () {
    yield* fabric.run(name, `cat ${FOLDER}/out`)
    yield* strike(fabric, name)
    // a restarted one has no waiting process
    yield* fabric.run(name, `timeout 1 sh -c 'echo >${FOLDER}/in' || true`)
  })
})

/** The steps that a router has seen, one a line, and whether it was struck. */
export const seenSteps = (fabric: Fabric, name: string) =>
  fabric.run(name, `cat ${FOLDER}/steps 2>/dev/null; [ ! -e ${FOLDER}/struck ] || echo struck`)
