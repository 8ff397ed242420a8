/** `switchyard proposal`: branches that are checked before they are merged (docs/reviewing.md). */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { wouldBeMade } from "../../domain/checks/CheckSentences.ts"
import { summaryOf } from "../../domain/words/ProposalSentences.ts"
import { decisionWords, proposalCheckWords, proposalWords, riskWord } from "../../domain/words/ChangeWords.ts"
import { switches } from "../../domain/words/Units.ts"
import { commitText } from "../../domain/words/ServerWords.ts"
import { ask, Refused } from "./Server.ts"
import { type Column, format, oneOf, printJson, printRows, reported, said, say } from "./Terminal.ts"

type Proposal = Data<"GET /proposals">["proposals"][number]
type Whole = Data<"GET /proposals/:id">["proposal"]

const COLUMNS: ReadonlyArray<Column<Proposal>> = [
  ["id", ({ id }) => id],
  ["repository", ({ repository }) => repository],
  ["branch", ({ branch }) => branch],
  ["state", ({ state }) => said(proposalWords, state)],
  ["check", ({ check }) => said(proposalCheckWords, check)],
  ["devices", ({ devices }) => devices?.changed ?? ""],
  ["risk", ({ risk }) => risk?.level ?? ""],
  ["commit", ({ commit, signature }) => commitText(commit, signature)],
  ["by", ({ opened_by }) => opened_by],
  ["since", ({ opened_at }) => opened_at]
]

const STATES = ["open", "merged", "closed", "superseded"] as const

const list = Command.make(
  "list",
  { ...format, state: oneOf("state", [...STATES, "all"], "Only those in this state").pipe(Flag.withDefault("open")) },
  ({ csv, json, state }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("GET /proposals", { query: state === "all" ? {} : { state } })
        yield* printRows({ csv, json }, COLUMNS, answer.data.proposals, "No proposals.")
      })
    )
).pipe(Command.withDescription("List proposals; the open ones unless --state says otherwise."))

const id = Argument.Int("id")

const print = Effect.fnUntraced(function* (proposal: Whole) {
  const { approvals, branch, checks, effects, failures, forge, groups, id, problems, repository, sentences, state } =
    proposal
  yield* say(`Proposal ${id}: ${branch} of the ${repository}, ${proposalWords[state].text.toLowerCase()}`)
  for (const { file, line, message } of problems) {
    yield* say(`${file ?? ""}${line === null ? "" : `:${line}`}${file === null ? "" : ": "}${message}`)
  }
  for (const { added, count, diff, hostnames, removed, risk } of groups) {
    const names = `${hostnames.slice(0, 5).join(" ")}${count > 5 ? " …" : ""}`
    yield* say(`${switches(count)}: +${added} -${removed}, ${riskWord(risk).text} (${names})\n${diff}\n`)
  }
  for (const { hostname, message } of failures) yield* say(`${hostname} cannot be rendered: ${message}`)
  for (const sentence of sentences) yield* say(sentence)
  for (const check of checks) yield* say(`${wouldBeMade(check)}: it ${check.sentence}.`)
  for (const reason of effects.confirm) yield* say(`must be confirmed: ${reason}`)
  for (const { counts, decision, login, why_not } of approvals) {
    yield* say(
      `${login} at the forge: ${decisionWords[decision].text}${counts ? "" : `, does not count: ${why_not ?? ""}`}`
    )
  }
  if (forge !== null && forge.error !== null) yield* say(`The forge could not be told: ${forge.error}`)
  yield* say(`${summaryOf(proposal)}.`)
})

const isBeingChecked = ({ check, state }: Proposal): boolean =>
  state === "open" && (check === "waiting" || check === "checking")

const read = (number: number) =>
  Effect.map(ask("GET /proposals/:id", { params: { id: number } }), ({ answer }) => answer.data.proposal)

/** Prints a proposal; fails if it would be refused or could not be checked, so that scripts can tell. */
const shown = Effect.fnUntraced(function* (proposal: Whole, json: boolean) {
  yield* json ? printJson(proposal) : print(proposal)
  const isWrong = proposal.check === "refused" || proposal.check === "failed"
  if (isWrong && proposal.state === "open") return yield* new Refused({ message: `${summaryOf(proposal)}.` })
})

const show = Command.make("show", { id, json: format.json }, ({ id, json }) =>
  reported(Effect.flatMap(read(id), (proposal) => shown(proposal, json)))
).pipe(Command.withDescription("Show what a proposal would change: groups of differences, risks and effects."))

const open = Command.make(
  "open",
  {
    repository: Argument.Literals("repository", ["settings", "templates"]),
    branch: Argument.String("branch"),
    wait: Flag.Boolean("wait").pipe(
      Flag.withDescription("Wait for its check, and show the result; exit code 1 if it would be refused"),
      Flag.withDefault(false)
    ),
    json: format.json
  },
  ({ branch, json, repository, wait }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("POST /proposals", { body: { repository, branch } })
        const { proposal } = answer.data
        if (!wait) {
          return yield* json
            ? printJson(proposal)
            : say(`Proposal ${proposal.id} of ${branch} is checked: switchyard proposal show ${proposal.id}`)
        }
        let found = yield* read(proposal.id)
        while (isBeingChecked(found)) {
          yield* Effect.sleep("500 millis")
          found = yield* read(proposal.id)
        }
        yield* shown(found, json)
      })
    )
).pipe(Command.withDescription("Propose a branch: it is checked for every switch, and again when it moves."))

const close = Command.make("close", { id, json: format.json }, ({ id, json }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("DELETE /proposals/:id", { params: { id } })
      const { proposal } = answer.data
      yield* json
        ? printJson(proposal)
        : say(`Proposal ${proposal.id} is ${proposalWords[proposal.state].text.toLowerCase()}`)
    })
  )
).pipe(Command.withDescription("Close a proposal; nothing happens to its branch."))

/** The command. */
export const proposal = Command.make("proposal").pipe(
  Command.withDescription("Branches that are checked before they are merged."),
  Command.withSubcommands([list, show, open, close])
)
