/** `switchyard repo`: the repositories of settings and templates. */
import { commitText, commitWords, signatureWords, signedText } from "../../domain/words/ServerWords.ts"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { wouldBeMade } from "../../domain/checks/CheckSentences.ts"
import { effectSentences } from "../../domain/words/EffectSentences.ts"
import { counted } from "../../domain/words/Units.ts"
import { said, type Column, format, printJson, printRows, reported, say } from "./Terminal.ts"
import { ask, Refused } from "./Server.ts"
import type { Data } from "../../api/Calls.ts"

type Checked = Data<"POST /repository/:name/check">
type Commit = Data<"GET /repository/:name/commits">["commits"][number]

/** The signer; what is wrong with a signature; or nothing where signatures are not verified. */
const signerText = (signature: Commit["signature"]) => {
  if (signature === null) return ""
  return signature.state === "signed" ? (signature.signer ?? "") : said(signatureWords, signature.state)
}

const COLUMNS: ReadonlyArray<Column<Commit>> = [
  ["state", ({ state }) => said(commitWords, state)],
  ["commit", ({ commit }) => commit.slice(0, 10)],
  ["author", ({ author }) => author],
  ["signed by", ({ signature }) => signerText(signature)],
  ["at", ({ at }) => at],
  ["subject", ({ subject }) => subject]
]

const name = Argument.Literals("repository", ["settings", "templates"]).pipe(Argument.withDefault("settings"))

const problemLine = ({
  file,
  line,
  message
}: {
  readonly file: string | null
  readonly line: number | null
  readonly message: string
}) => `${file ?? ""}${line === null ? "" : `:${line}`}${file === null ? "" : ": "}${message}`

const status = Command.make("status", { name, ...format }, ({ csv, json, name }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /repository/:name/commits", { params: { name } })
      const { commits } = answer.data
      yield* printRows({ csv, json }, COLUMNS, commits, `Nothing was fetched yet: switchyard repo refresh ${name}`)
      if (json || csv) return
      for (const { commit, refusal } of commits)
        for (const problem of refusal?.problems ?? []) yield* say(`${commit.slice(0, 10)}  ${problemLine(problem)}`)
    })
  )
).pipe(Command.withDescription("List the newest commits, which is in force, and why one was refused."))

const refresh = Command.make(
  "refresh",
  {
    name,
    confirm: Flag.String("confirm").pipe(
      Flag.withDescription("The commit that waits, or the beginning of its hash: bring it into force all the same"),
      Flag.optional
    ),
    renamePorts: Flag.Boolean("rename-ports").pipe(
      Flag.withDescription("Give ports that name a VLAN which the commit renames its new name"),
      Flag.withDefault(false)
    ),
    json: format.json
  },
  ({ confirm, json, name, renamePorts }) =>
    reported(
      Effect.gen(function* () {
        const body = {
          action: "REFRESH",
          ...(Option.isSome(confirm) ? { confirm: confirm.value } : {}),
          ...(renamePorts ? { rename_ports: true } : {})
        }
        const { answer } = yield* ask("PUT /repository/:name", { params: { name }, body })
        const { data, effects, signature } = answer
        if (json) return yield* printJson({ message: data, effects, signature })
        yield* say(String(data))
        if (signature !== null) yield* say(`The commit is ${signedText(signature)}`)
        for (const sentence of effectSentences(effects)) yield* say(sentence)
      })
    )
).pipe(
  Command.withDescription("Fetch the newest commit, and bring it into force if it is right; exit code 1 if it is not.")
)

const groupLine = ({ added, count, hostnames, removed }: Checked["groups"][number]): string =>
  `${counted(count, "device")}: +${added} -${removed} (${hostnames.slice(0, 5).join(" ")}${count > 5 ? " …" : ""})`

/** The changes that devices would get: one difference for all devices that share it, and the devices that the branch breaks. */
const printGroups = Effect.fnUntraced(function* ({ failures, groups }: Checked) {
  for (const group of groups) yield* say(`${groupLine(group)}\n${group.diff}\n`)
  for (const { by_the_branch, hostname, message } of failures)
    yield* say(`${hostname} cannot be rendered${by_the_branch ? "" : ", now neither"}: ${message}`)
})

const check = Command.make(
  "check",
  { name, branch: Argument.String("branch"), json: format.json },
  ({ branch, json, name }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("POST /repository/:name/check", { params: { name }, body: { branch } })
        const { accepted, checks, commit, devices, effects, problems, signature = null, warnings } = answer.data
        if (json) yield* printJson(answer.data)
        for (const problem of json ? [] : [...problems, ...warnings]) yield* say(problemLine(problem))
        if (!accepted) return yield* new Refused({ message: `${branch} would be refused: ${problems.length} problems` })
        if (json) return
        yield* printGroups(answer.data)
        for (const planned of checks ?? []) yield* say(`${wouldBeMade(planned)}: it ${planned.sentence}.`)
        for (const sentence of effectSentences(effects)) yield* say(sentence)
        for (const reason of effects.confirm) yield* say(`must be confirmed: ${reason}`)
        const found = `${devices.changed} of ${devices.concerned} devices would change`
        yield* say(`${branch} (${commitText(commit, signature)}) would be accepted; ${found}`)
      })
    )
).pipe(
  Command.withDescription("Check a branch before it is merged: problems by line, and how many devices would change.")
)

type LineOfDevice = Data<"GET /repository/:name/lines">["lines"][number]

const LINE_COLUMNS: ReadonlyArray<Column<LineOfDevice>> = [
  ["device", ({ hostname }) => hostname],
  ["line", ({ line }) => line],
  ["text", ({ text }) => text]
]

const sourceFlags = {
  name: Argument.Literals("repository", ["settings", "templates"]),
  path: Argument.String("path").pipe(Argument.withDescription("Path in the repository")),
  line: Argument.Int("line"),
  ...format
}

type Lines = Data<"GET /repository/:name/lines">

const pageAfter = (name: "settings" | "templates", path: string, line: number, after: string | null) =>
  Effect.map(
    ask("GET /repository/:name/lines", {
      params: { name },
      query: { path, line, ...(after === null ? {} : { after }) }
    }),
    ({ answer }): Lines => answer.data
  )

/** All pages of the answer. */
const linesOf = Effect.fnUntraced(function* (name: "settings" | "templates", path: string, line: number) {
  let page = yield* pageAfter(name, path, line, null)
  const found = [...page.lines]
  while (page.next !== null) {
    page = yield* pageAfter(name, path, line, page.next)
    found.push(...page.lines)
  }
  return found
})

const lines = Command.make("lines", sourceFlags, ({ csv, json, line, name, path }) =>
  reported(
    Effect.gen(function* () {
      const found = yield* linesOf(name, path, line)
      if (json) return yield* printJson(found)
      const nothing = `No line of a managed device comes from ${path}, line ${line}.`
      yield* printRows({ csv, json }, LINE_COLUMNS, found, nothing)
    })
  )
).pipe(Command.withDescription("List the lines on devices that come from a line of a settings file or a template."))

/** The command. */
export const repo = Command.make("repo").pipe(
  Command.withDescription("Repositories of settings and templates."),
  Command.withSubcommands([status, refresh, check, lines])
)
