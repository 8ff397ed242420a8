/**
 * Candidates and the pending commit on a switch, as the script there holds and lists them. Candidates are directories with names of
 * our choice, so the text of a candidate is its name. No other user prepares candidates: a user of vtysh changes what runs.
 */
import { Effect } from "effect"
import type { ConfigSession, ConfigSessions, SessionLimits } from "../Driver.ts"
import { type CommandRejected, type ExchangeError, type ReadError, UnexpectedAnswer } from "../DriverErrors.ts"
import { listSessions } from "../DriverDefinition.ts"
import { quoted, type Ran, type Remote, type RunOptions } from "./Answers.ts"
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { ShownIdentity } from "../../domain/DeviceIdentity.ts"
import { askIdentity, shownIn } from "./Facts.ts"
import { lookForPrograms, missingPrograms, need, type Program } from "./Dialect.ts"

// The script on the switch that holds candidates and takes commits back (`switch.sh`): it is installed, an old one is replaced
// first, and its verbs are called (docs/frr.md#the-script-on-the-switch).

const FOLDER = "/etc/frr/switchyard"
const CHANGE = `${FOLDER}/change`

/** FRR's start scripts read this file as shell, however the machine starts them; so a restart passes the script first. */
const DAEMONS = "/etc/frr/daemons"
const HOOK = `[ ! -x ${CHANGE} ] || ${CHANGE} boot # a change that a restart came into ends here`

const text = readFileSync(new URL("./switch.sh", import.meta.url), "utf8")
/** The whole script: an incomplete one does not count. */
const isWhole = (file: string): string =>
  `[ "$(sha256sum <${file} | cut -d ' ' -f 1)" = ${hash("sha256", text, "hex")} ]`

const isThere = `${isWhole(CHANGE)} 2>/dev/null && test -x ${CHANGE} && grep -qF ${quoted(`${CHANGE} boot`)} ${DAEMONS}`

/**
 * A rename puts each file in place: a process that runs the old script continues with it, and an incomplete file changes nothing.
 */
const install = [
  "set -e",
  `mkdir -p ${FOLDER}/candidates`,
  `chmod 700 ${FOLDER}`,
  `trap 'rm -f "${CHANGE}.new.$$" "${DAEMONS}.new.$$"' EXIT`,
  `cat >"${CHANGE}.new.$$"`,
  `${isWhole(`"${CHANGE}.new.$$"`)} || { echo "our script did not come whole" >&2; exit 1; }`,
  `chmod 755 "${CHANGE}.new.$$"`,
  `mv "${CHANGE}.new.$$" ${CHANGE}`,
  `if ! grep -qF ${quoted(`${CHANGE} boot`)} ${DAEMONS}; then`,
  `  cp -p ${DAEMONS} "${DAEMONS}.new.$$"`,
  `  printf '\\n%s\\n' ${quoted(HOOK)} >>"${DAEMONS}.new.$$"`,
  `  mv "${DAEMONS}.new.$$" ${DAEMONS}`,
  "fi"
].join("\n")

/** The facts that the login learns of a switch. */
export interface Introduction {
  readonly lacks: ReadonlySet<Program>
  readonly shown: ShownIdentity
}

/**
 * Makes sure that the script of this release is on the switch, and that a restart passes it. Gives the programs that the switch
 * lacks, and its identity if that is asked for; a switch without FRR is not changed.
 */
export const ensure = Effect.fnUntraced(function* (
  remote: Remote
): Effect.fn.Return<Introduction, ExchangeError | CommandRejected> {
  const asked = remote.target.identify === undefined ? "" : `${askIdentity}; `
  const { code, output } = yield* remote.run(`${lookForPrograms}; ${asked}${isThere}`)
  const lacks = missingPrograms(output)
  if (code !== 0 && !lacks.has("vtysh")) yield* remote.query(install, { input: text })
  return { lacks, shown: shownIn(output) }
})

/** How the script ended, by its exit code. */
export const REJECTED_LINES = 2
export const NOT_ONE_FILE = 5

const command = (words: ReadonlyArray<string>): string => [CHANGE, ...words.map(quoted)].join(" ")

/** Asks for a verb and says how it ended. */
export const ask = (
  remote: Remote,
  words: ReadonlyArray<string>,
  options?: RunOptions
): Effect.Effect<Ran, ExchangeError> => remote.run(command(words), options)

/** Whether the script says this at its end: what ends well without a word is not ours. */
export const hasSaid = (output: string, word: string): boolean => output.trimEnd().split("\n").at(-1) === word

/** Asks for a verb; CommandRejected when it does not end well, or when the switch has no FRR. */
export const must = (remote: Remote, words: ReadonlyArray<string>, options?: RunOptions) =>
  Effect.andThen(need(remote, "vtysh", "setsid"), remote.query(command(words), options))

/** The same for a verb that ends with this word; UnexpectedAnswer when it does not say it. */
export const mustSay = Effect.fnUntraced(function* (
  remote: Remote,
  words: ReadonlyArray<string>,
  word: string,
  options?: RunOptions
) {
  if (hasSaid(yield* must(remote, words, options), word)) return
  const message = `the script did not say "${word}"`
  return yield* new UnexpectedAnswer({ hostname: remote.target.hostname, command: command(words), message })
})

const WHOLE = "end of state"
/** Candidates are files: as many as the disk holds, and the script saves nothing on its own. */
const limits: SessionLimits = { maxOpen: null, maxSaved: null, mergesAtCommit: false, savesAtCommit: false }

const row = /^(pending|reverting|open) (\S+) (\S*)$/

/** The list in the script's answer; undefined when it is cut off. A commit that is being taken back counts as pending until that is complete. */
export const sessionsOf = (listed: string): ConfigSessions | undefined => {
  const lines = listed.trimEnd().split("\n")
  if (lines.at(-1) !== WHOLE) return undefined
  const sessions = lines.flatMap((line): ReadonlyArray<ConfigSession> => {
    const [, kind, name, user] = row.exec(line) ?? []
    return name === undefined ? [] : [{ name, state: kind === "open" ? "open" : "timed", user: user ?? "" }]
  })
  return listSessions(sessions, limits)
}

/** See `DriverSession.sessions`. */
export const sessions: (remote: Remote) => Effect.Effect<ConfigSessions, ReadError> = Effect.fnUntraced(
  function* (remote) {
    const found = sessionsOf(yield* must(remote, ["state"], { seconds: remote.timeouts.runningConfig }))
    if (found !== undefined) return found
    const message = "the list of candidates is not understood"
    return yield* new UnexpectedAnswer({ hostname: remote.target.hostname, command: "state", message })
  }
)
