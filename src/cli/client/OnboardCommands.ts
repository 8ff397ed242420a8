/** `switchyard onboard`: switches that exist already, from a list of them to MANAGED without a push (docs/onboarding.md). */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { Data } from "../../api/Calls.ts"
import { foldNames } from "../../domain/NameRanges.ts"
import { onboardingSources } from "../../domain/requests/OnboardingRequests.ts"
import { counted } from "../../domain/words/Units.ts"
import { inventoryErrorText } from "../../onboarding/Inventory.ts"
import { sourceOf } from "../../onboarding/InventoryFiles.ts"
import { codeOf } from "../../runtime/SystemErrors.ts"
import { started } from "./JobCommands.ts"
import { devicesText } from "./Preview.ts"
import { ask, Mistyped, Refused, saveFile } from "./Server.ts"
import { type Column, format, oneOf, printJson, printRows, readInput, reported, say } from "./Terminal.ts"

type Row = Data<"GET /onboarding">["devices"][number]

const percent = (value: number | null): string => (value === null ? "" : `${value} %`)

const COLUMNS: ReadonlyArray<Column<Row>> = [
  ["name", ({ hostname }) => hostname],
  ["state", ({ state }) => state],
  ["distance", ({ distance }) => percent(distance)],
  ["runs only", ({ extra }) => extra],
  ["generated only", ({ missing }) => missing],
  ["type", ({ device_type }) => device_type],
  ["address", ({ management_ip }) => management_ip],
  ["serial", ({ shown }) => shown?.serial],
  ["from", ({ config_from }) => config_from],
  ["host key", ({ fingerprint, refused_fingerprint }) => fingerprint ?? refused_fingerprint],
  ["message", ({ message }) => message]
]

const list = Command.make("list", format, (wanted) =>
  reported(
    Effect.flatMap(ask("GET /onboarding"), ({ answer }) =>
      printRows(wanted, COLUMNS, answer.data.devices, "No switch is onboarded.")
    )
  )
).pipe(Command.withDescription("List onboarded switches, and where each is on its way."))

// `switchyard onboard add`

const unreadable = (file: string) => (error: unknown) =>
  new Mistyped({ message: `${file} cannot be read (${codeOf(error) ?? "unknown"})` })

/** The files below a folder; their paths begin in it. */
const filesIn = async (folder: string): Promise<ReadonlyArray<{ path: string; text: string; modified_at: string }>> => {
  const names = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  const found = names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  const wanted = found.filter(
    (file) =>
      !path
        .relative(folder, file)
        .split(path.sep)
        .some((part) => part.startsWith("."))
  )
  return Promise.all(
    wanted.toSorted().map(async (file) => {
      const [text, { mtime }] = await Promise.all([fs.readFile(file, "utf8"), fs.stat(file)])
      return { path: path.relative(folder, file).split(path.sep).join("/"), text, modified_at: mtime.toISOString() }
    })
  )
}

type Source = (typeof onboardingSources)[number]

/** The body of a request for a file, a folder or a filter of NetBox. */
const contentOf = Effect.fnUntraced(function* (what: string, from: Option.Option<Source>) {
  const given = Option.getOrUndefined(from)
  if (given === "netbox") return { source: given, filter: what }
  if (what === "-") {
    const text = yield* readInput
    return { source: given ?? sourceOf("", text), name: "standard input", text }
  }
  const isFolder = yield* Effect.tryPromise({
    try: async () => (await fs.stat(what)).isDirectory(),
    catch: unreadable(what)
  })
  if (isFolder) {
    if (given !== undefined && given !== "configs")
      return yield* new Mistyped({ message: `${what} is a folder: --from ${given} wants a file` })
    return {
      source: "configs" as const,
      files: yield* Effect.tryPromise({ try: () => filesIn(what), catch: unreadable(what) })
    }
  }
  const text = yield* Effect.tryPromise({ try: () => fs.readFile(what, "utf8"), catch: unreadable(what) })
  const name = path.basename(what)
  if (given === "configs") return { source: given, files: [{ path: name, text }] }
  return { source: given ?? sourceOf(name, text), name, text }
})

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const add = Command.make(
  "add",
  {
    what: Argument.String("what").pipe(
      Argument.withDescription("A file, - for standard input, a folder of configurations, or a filter of NetBox")
    ),
    from: oneOf("from", onboardingSources, "What it is; without it, guessed from the file").pipe(Flag.optional),
    platform: Flag.String("platform").pipe(Flag.withDescription("Platform of rows without one"), Flag.optional),
    type: oneOf("type", ["ACCESS", "DIST", "CORE"], "Type of rows without one").pipe(Flag.optional),
    onlyGood: flag("only-good", "Add the rows without a mistake, and leave the others out"),
    dryRun: flag("dry-run", "Only check the list"),
    watch: flag("watch", "Follow the reading to its end"),
    json: format.json
  },
  ({ dryRun, from, json, onlyGood, platform, type, watch, what }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("POST /onboarding", {
          body: {
            ...(yield* contentOf(what, from)),
            ...(Option.isSome(platform) ? { platform: platform.value } : {}),
            ...(Option.isSome(type) ? { device_type: type.value } : {}),
            only_good: onlyGood,
            dry_run: dryRun
          }
        })
        const { errors, hostnames, job_id, stored } = answer.data
        if (json) yield* printJson(answer.data)
        else {
          for (const error of errors) yield* say(inventoryErrorText(error))
          const names = hostnames.length === 0 ? "" : `: ${foldNames(hostnames)}`
          yield* say(`${devicesText(hostnames.length)} ${stored ? "added" : "would be added"}${names}`)
        }
        if (dryRun && errors.length > 0 && !onlyGood)
          return yield* new Refused({ message: "Nothing would be added: the list has mistakes" })
        if (job_id !== null && !json) yield* started(job_id, "They are read now", { json, watch })
      })
    )
).pipe(
  Command.withDescription(
    "Add switches that run already from a list: all of it, or nothing. Nothing on a switch is changed."
  ),
  Command.withExamples([
    { command: "switchyard onboard add access.csv --dry-run", description: "Every mistake by line and field" },
    { command: "switchyard onboard add fabric.clab.yml --type DIST", description: "The switches of a topology" },
    { command: "switchyard onboard add oxidized/ --platform eos", description: "Configurations, without a session" },
    { command: "switchyard onboard add site=lhv --from netbox", description: "Devices of the server's NetBox" }
  ])
)

const names = Argument.String("name").pipe(
  Argument.withDescription("Names of switches; without one all to which it applies"),
  Argument.atLeast(0)
)

const bodyOf = (hostnames: ReadonlyArray<string>) => (hostnames.length === 0 ? {} : { hostnames })

const read = Command.make(
  "read",
  { names, watch: flag("watch", "Follow the job to its end"), json: format.json },
  ({ json, names, watch }) =>
    reported(
      Effect.flatMap(ask("POST /onboarding/read", { body: bodyOf(names) }), ({ answer }) =>
        started(answer.job_id, answer.data, { json, watch })
      )
    )
).pipe(Command.withDescription("Read switches again, for instance after their host keys were approved."))

const manage = Command.make(
  "manage",
  { names, watch: flag("watch", "Follow the job to its end"), json: format.json },
  ({ json, names, watch }) =>
    reported(
      Effect.flatMap(ask("POST /onboarding/manage", { body: bodyOf(names) }), ({ answer }) =>
        started(answer.job_id, answer.data, { json, watch })
      )
    )
).pipe(
  Command.withDescription(
    "Manage switches that run what is generated: proved by reading them once more, without a push."
  )
)

// `switchyard onboard distance`

type HistoryRow = Data<"GET /onboarding/history">["history"][number]

const HISTORY: ReadonlyArray<Column<HistoryRow>> = [
  ["measured", ({ measured_at }) => measured_at],
  ["distance", ({ distance }) => percent(distance)],
  ["lines", ({ differing }) => differing],
  ["reached", ({ devices, reached }) => `${reached} of ${devices}`],
  ["settings", ({ settings_commit }) => settings_commit?.slice(0, 10)],
  ["templates", ({ templates_commit }) => templates_commit?.slice(0, 10)]
]

const SHOWN_GROUPS = 20

const distance = Command.make(
  "distance",
  {
    name: Argument.String("name").pipe(Argument.withDescription("One switch; without it all"), Argument.optional),
    history: flag("history", "The distance by commit, the newest first"),
    ...format
  },
  ({ csv, history, json, name }) =>
    reported(
      Effect.gen(function* () {
        if (history) {
          const { answer } = yield* ask("GET /onboarding/history")
          return yield* printRows({ csv, json }, HISTORY, answer.data.history, "Nothing was measured yet.")
        }
        const query = Option.isSome(name) ? { hostname: name.value } : {}
        const { answer } = yield* ask("GET /onboarding/distance", { query })
        if (json) return yield* printJson(answer.data)
        const { groups, is_measuring, now, unrendered } = answer.data
        yield* say(
          `${now.distance} % of ${now.lines} lines differ; ${now.reached} of ${devicesText(now.devices)} without a difference${is_measuring ? " (still measuring)" : ""}`
        )
        for (const [hostname, why] of Object.entries(unrendered))
          yield* say(`${hostname}: nothing is generated: ${why}`)
        const shown = Option.isSome(name) ? groups : groups.slice(0, SHOWN_GROUPS)
        for (const { count, diff, hostnames, places } of shown) {
          const often = places > count ? `, ${places} places` : ""
          yield* say(`\n${devicesText(count)}${often}: ${foldNames(hostnames)}\n${diff}`)
        }
        if (shown.length < groups.length) yield* Console.error(`${groups.length - shown.length} groups more: --json`)
      })
    )
).pipe(
  Command.withDescription(
    "How far switches are from what the templates generate, and the differences, the most common first."
  )
)

// `switchyard onboard links`

type Link = Data<"GET /onboarding/links">["links"][number]

const LINKS: ReadonlyArray<Column<Link>> = [
  ["device", ({ device_a }) => device_a],
  ["port", ({ device_a_port }) => device_a_port],
  ["to", ({ device_b }) => device_b],
  ["port there", ({ device_b_port }) => device_b_port],
  ["agreement", ({ agreement }) => agreement],
  ["reason", ({ reason }) => reason]
]

const links = Command.make(
  "links",
  { accept: flag("accept", "Accept all links that both ends report"), ...format },
  ({ accept, csv, json }) =>
    reported(
      Effect.gen(function* () {
        if (!accept) {
          const { answer } = yield* ask("GET /onboarding/links")
          return yield* printRows({ csv, json }, LINKS, answer.data.links, "No link is proposed.")
        }
        const { answer } = yield* ask("POST /onboarding/links", { body: { both: true } })
        if (json) return yield* printJson(answer.data)
        yield* say(`${answer.data.links.length} links stored, ${answer.data.ports} ports became uplinks`)
      })
    )
).pipe(Command.withDescription("Links that LLDP shows and that are not stored yet."))

// `switchyard onboard settings` and `ports`

const settings = Command.make(
  "settings",
  {
    file: Flag.String("file").pipe(Flag.withDescription("Write the patch into this file"), Flag.optional),
    json: format.json
  },
  ({ file, json }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("GET /onboarding/settings")
        const { after, before, distance_after, distance_before, keys, patch, ports } = answer.data
        if (Option.isSome(file)) yield* saveFile(file.value, patch)
        if (json) return yield* printJson(answer.data)
        if (Option.isNone(file) && patch !== "") yield* Console.log(patch.trimEnd())
        for (const one of keys) yield* Console.error(`${one.file}: ${one.key}: ${one.why}`)
        const proposed = Object.values(ports).reduce((sum, some) => sum + Object.keys(some).length, 0)
        yield* Console.error(
          `${counted(before, "line")} ${before === 1 ? "differs" : "differ"} now (${distance_before} %), ${after} with this patch and ${counted(proposed, "port")} (${distance_after} %).`
        )
        if (patch !== "") yield* Console.error("In the settings repository: git apply --unidiff-zero FILE, and commit.")
        if (proposed > 0) yield* Console.error("The ports: switchyard onboard ports --accept")
      })
    )
).pipe(
  Command.withDescription(
    "Settings from what switches run, as a patch for git. Nothing is committed, and no secret is in it."
  ),
  Command.withExamples([
    {
      command: "switchyard onboard settings --file onboard.patch",
      description: "Then: git apply --unidiff-zero onboard.patch"
    }
  ])
)

interface PortRow {
  readonly hostname: string
  readonly port: string
  readonly configtype: string
  readonly data: string
}

const PORTS: ReadonlyArray<Column<PortRow>> = [
  ["name", ({ hostname }) => hostname],
  ["port", ({ port }) => port],
  ["use", ({ configtype }) => configtype],
  ["data", ({ data }) => data]
]

const ports = Command.make(
  "ports",
  { names, accept: flag("accept", "Store them"), ...format },
  ({ accept, csv, json, names }) =>
    reported(
      Effect.gen(function* () {
        if (accept) {
          const { answer } = yield* ask("POST /onboarding/ports", { body: bodyOf(names) })
          if (json) return yield* printJson(answer.data)
          return yield* say(`${answer.data.ports} ports of ${devicesText(answer.data.hostnames.length)} stored`)
        }
        const { answer } = yield* ask("GET /onboarding/settings")
        const rows = Object.entries(answer.data.ports).flatMap(([hostname, some]) =>
          names.length > 0 && !names.includes(hostname)
            ? []
            : Object.entries(some).map(([port, { configtype, data }]): PortRow => ({
                hostname,
                port,
                configtype,
                data: JSON.stringify(data)
              }))
        )
        yield* printRows({ csv, json }, PORTS, rows, "No port is proposed.")
      })
    )
).pipe(Command.withDescription("Uses and data of access ports from what switches run."))

/** The command. */
export const onboard = Command.make("onboard", format, (wanted) =>
  reported(
    Effect.flatMap(ask("GET /onboarding"), ({ answer }) =>
      printRows(wanted, COLUMNS, answer.data.devices, "No switch is onboarded.")
    )
  )
).pipe(
  Command.withDescription(
    "Switches that run already: add, read, compare with the templates, and manage them without a push."
  ),
  Command.withSubcommands([list, add, read, distance, links, settings, ports, manage])
)
