/**
 * Configuration sessions, which are what EOS has for candidates: their names, and how their list is read as JSON and as text
 * (docs/switch-dialogues.md#sessions-and-timers). EOS keeps some sessions under names of our choice, so the text of a candidate
 * is the name of its session.
 */
import { Effect, Option, Schema } from "effect"
import type { CommitTimer, ConfigSession, ConfigSessions, SessionLimits } from "../Driver.ts"
import type { ReadError } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"
import { decodeJson, jsonIsWhole, unexpected } from "./Answers.ts"

/** Only these characters of a session's name appear in the prompt. */
const shownNameLength = 6

/** The mode part of the prompt inside a configuration session. */
export const sessionMode = (name: string): string => `(config-s-${name.slice(0, shownNameLength)})#`

const Session = Schema.Struct({
  state: Schema.String,
  commitUser: Schema.optional(Schema.String),
  /** Epoch seconds; of an open session when it was left. */
  completedTime: Schema.optional(Schema.Finite),
  /** The users in an open session. */
  instances: Schema.optional(Schema.Record(Schema.String, Schema.Unknown))
})

export const ShowSessions = Schema.Struct({
  sessions: Schema.Record(Schema.String, Session),
  commitTimerSessionName: Schema.optional(Schema.String),
  maxOpenSessions: Schema.optional(Schema.Int),
  maxSavedSessions: Schema.optional(Schema.Int),
  mergeOnCommit: Schema.optional(Schema.Boolean),
  saveToStartupConfigOnCommit: Schema.optional(Schema.Boolean)
})
export type ShowSessions = typeof ShowSessions.Type

type Form = "json" | "text"

/** A place in which a switch may show that a commit timer runs. */
interface TimerPlace {
  readonly form: Form
  /** The releases of which it is known. */
  readonly releases: string
  /** The text at that place. */
  readonly shows: string
  /** The session itself is shown in another state when its timer has ended. */
  readonly tellsEnd: boolean
  readonly timerOf: (answer: ShowSessions) => string | undefined
}

const byState = ({ sessions }: ShowSessions) =>
  Object.entries(sessions).find(([, { state }]) => state === "pendingCommitTimer")?.[0]
const byName = ({ commitTimerSessionName }: ShowSessions) => commitTimerSessionName

/**
 * The places where releases are known to show a running commit timer. Each release omits it if none runs, so a list without one
 * proves nothing: the release may show it elsewhere.
 */
export const timerPlaces: ReadonlyArray<TimerPlace> = [
  {
    form: "json",
    releases: "up to 4.31",
    shows: "the state `pendingCommitTimer` of the session",
    tellsEnd: true,
    timerOf: byState
  },
  {
    form: "json",
    releases: "from 4.32 on",
    shows: "`commitTimerSessionName` above the sessions",
    tellsEnd: false,
    timerOf: byName
  },
  { form: "text", releases: "up to 4.31", shows: "the state of the session", tellsEnd: true, timerOf: byState },
  {
    form: "text",
    releases: "from 4.32 on",
    shows: "`Session with pending commit timer`",
    tellsEnd: false,
    timerOf: byName
  }
]

/** The place in this form where the answer shows a running timer. */
const placeIn = (form: Form, answer: ShowSessions): TimerPlace | undefined =>
  timerPlaces.find((place) => place.form === form && place.timerOf(answer) !== undefined)

const sessionOf = (name: string, session: typeof Session.Type, timed: boolean): ConfigSession => ({
  name,
  state: timed ? "timed" : session.state === "pending" ? "open" : "done",
  user: session.commitUser ?? "",
  ...(session.instances === undefined ? {} : { attended: Object.keys(session.instances).length > 0 }),
  ...(session.completedTime === undefined ? {} : { since: session.completedTime * 1000 })
})

const limitsOf = (answer: ShowSessions): SessionLimits => ({
  maxOpen: answer.maxOpenSessions ?? null,
  maxSaved: answer.maxSavedSessions ?? null,
  mergesAtCommit: answer.mergeOnCommit ?? null,
  savesAtCommit: answer.saveToStartupConfigOnCommit ?? null
})

/** Whether the switch lists this session as committed, completed or aborted, or lists no session that has ended. */
const hasEnded = ({ maxSavedSessions, sessions }: ShowSessions, name: string): boolean => {
  const state = sessions[name]?.state
  return state === undefined ? maxSavedSessions === 0 : !state.startsWith("pending")
}

/** An answer in one of its forms; `without` is what is known when it shows no timer. */
export const sessionsOf = (form: Form, answer: ShowSessions, without: CommitTimer = unknownTimer): ConfigSessions => {
  const name = placeIn(form, answer)?.timerOf(answer)
  return {
    isListed: true,
    sessions: Object.entries(answer.sessions).map(([key, session]) => sessionOf(key, session, key === name)),
    pending: Option.map(Option.fromUndefinedOr(name), (timed) => ({ name: timed })),
    timer: name === undefined ? without : { _tag: "running", name },
    limits: limitsOf(answer)
  }
}

const unknownTimer: CommitTimer = { _tag: "unknown" }
const noTimer: CommitTimer = { _tag: "none" }
const omittedTimer: CommitTimer = { _tag: "none", omitted: true }

/** The account may not list them. */
const unlisted: ConfigSessions = {
  isListed: false,
  sessions: [],
  pending: Option.none(),
  timer: unknownTimer,
  limits: { maxOpen: null, maxSaved: null, mergesAtCommit: null, savesAtCommit: null }
}

const command = "show configuration sessions detail"

/** The answer in one form: the list, a refusal of the command, or an unreadable text. */
type Said = ShowSessions | "refused" | "unclear"

const refused = () => Effect.succeed("refused" as const)

const askJson = Effect.fnUntraced(function* (cli: Cli) {
  const text = yield* cli.query(`${command} | json`, { isWhole: jsonIsWhole })
  if (!text.includes("{")) return "unclear"
  return yield* decodeJson(cli, command, ShowSessions, text).pipe(
    Effect.catchTag("UnexpectedAnswer", () => Effect.succeed("unclear" as const))
  )
})

const ask = (cli: Cli, form: Form): Effect.Effect<Said, ReadError> =>
  (form === "json"
    ? askJson(cli)
    : Effect.map(cli.query(command), (text): Said => parseSessionText(text) ?? "unclear")
  ).pipe(Effect.catchTag("CommandRejected", refused))

/** How the sessions of a switch are read during one login. */
export interface SessionList {
  /** See `DriverSession.sessions`. */
  readonly read: Effect.Effect<ConfigSessions, ReadError>
  /** See `DriverSession.sessionsWhileTimed`. */
  readonly readWhileTimed: (name: string, wasSeen: boolean) => Effect.Effect<ConfigSessions, ReadError>
}

/** The list of this login, which remembers where the switch was seen to show a timer. */
export const sessionList = (cli: Cli): SessionList => {
  let shownAt: TimerPlace | null = null

  const failed = (answers: ReadonlyArray<Said>): Effect.Effect<ConfigSessions, ReadError> =>
    // an answer that got lost must not look like a switch without sessions
    answers.every((said) => said === "refused")
      ? Effect.succeed(unlisted)
      : unexpected(cli, command, `the answer to "${command}" is not understood`)

  const read = (isLast: (found: ConfigSessions) => boolean, ifNone: (form: Form, said: ShowSessions) => CommitTimer) =>
    Effect.gen(function* () {
      const forms: ReadonlyArray<Form> = shownAt?.form === "text" ? ["text"] : ["json", "text"]
      const answers: Array<Said> = []
      let found: ConfigSessions | null = null
      for (const form of forms) {
        const said: Said = yield* ask(cli, form)
        answers.push(said)
        if (typeof said === "string") continue
        found = sessionsOf(form, said, ifNone(form, said))
        shownAt = placeIn(form, said) ?? shownAt
        if (isLast(found)) return found
      }
      return found ?? (yield* failed(answers))
    })

  return {
    read: Effect.suspend(() =>
      read(
        () => true,
        (form) => (shownAt?.form === form ? noTimer : unknownTimer)
      )
    ),
    readWhileTimed: (name, wasSeen) =>
      Effect.suspend(() =>
        read(
          ({ timer }) => timer._tag !== "unknown",
          (form, said) => {
            // a switch that has ignored the confirmation and hides its timer does not show our session as ended
            if (!hasEnded(said, name)) return unknownTimer
            const isTold = shownAt?.tellsEnd === true && said.sessions[name] !== undefined
            if (shownAt?.form === form) return isTold ? noTimer : omittedTimer
            return wasSeen && form === "text" ? omittedTimer : unknownTimer
          }
        )
      )
  }
}

// The text form of the list of configuration sessions, as its JSON form would show it
// (docs/switch-dialogues.md#sessions-and-timers). A setting is found by its words, so a release may print others next to it.

const heading = /^Maximum number of (?:completed|pending) sessions:/m
const timerName = /^Session with pending commit timer:[ \t]*(\S+)/m
const maxOpen = /^Maximum number of pending sessions:[ \t]*(\d+)/m
const maxSaved = /^Maximum number of completed sessions:[ \t]*(\d+)/m
const merges = /^Merge on commit is (enabled|disabled)/m
const saves = /^Autosave to startup-config on commit is (enabled|disabled)/m

const row = /^[* ] (\S+)\s+(committed|completed|pending\w*|aborted)(?:\s+(.*))?$/
const date = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/

/** The text does not name the zone of its times: at the latest they are of the zone that is furthest behind. */
const ZONE_SECONDS = 12 * 3600

type ShownSession = ShowSessions["sessions"][string]

const wordsOf = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((word) => word !== "")

/** The state is followed by the user and terminal in the session, the time of its end, and the user who committed it. */
const textSessionOf = (state: string, rest: string): ShownSession => {
  const time = date.exec(rest)?.[0]
  const [inside = "", after = ""] = time === undefined ? [rest] : rest.split(time)
  const users = wordsOf(inside)
  const session = { state, commitUser: wordsOf(after)[0] ?? users[0] ?? "" }
  if (state !== "pending") return session
  return {
    ...session,
    instances: users.length === 0 ? {} : { "1": users.join(" ") },
    ...(time === undefined ? {} : { completedTime: Date.parse(`${time.replace(" ", "T")}Z`) / 1000 + ZONE_SECONDS })
  }
}

const settingIn = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

const switchIn = (text: string, pattern: RegExp): boolean | undefined => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : found === "enabled"
}

/** The text form, as the JSON form would show it. Undefined when the text is something else. */
export const parseSessionText = (text: string): ShowSessions | undefined => {
  if (!heading.test(text)) return undefined
  const sessions: Record<string, ShownSession> = {}
  for (const line of text.split("\n")) {
    const [, name, state, rest = ""] = row.exec(line.trimEnd()) ?? []
    if (name !== undefined && state !== undefined) sessions[name] = textSessionOf(state, rest)
  }
  return {
    sessions,
    commitTimerSessionName: timerName.exec(text)?.[1],
    maxOpenSessions: settingIn(text, maxOpen),
    maxSavedSessions: settingIn(text, maxSaved),
    mergeOnCommit: switchIn(text, merges),
    saveToStartupConfigOnCommit: switchIn(text, saves)
  }
}
