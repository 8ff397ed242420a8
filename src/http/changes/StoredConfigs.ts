/** Stored, running and generated configurations: lists, differences, a search, and the job that brought each line. */
import { DateTime, Effect, Function, Option, TextDiff } from "effect"
import { LiveDevices } from "../../devices/LiveDevices.ts"
import { Previews } from "../../templates/CandidateConfigs.ts"
import { linesWith } from "../../domain/ConfigSearch.ts"
import { DeviceNotFound } from "../../domain/Device.ts"
import { makeDeviceLookup, makeVisible } from "../core/Permits.ts"
import { diff, maxEdits } from "../../drivers/UnifiedDiff.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import { DerivedSecretStore, SecretTexts } from "../../store/SecretStore.ts"
import { BadRequest, enveloped, InternalError, NotFound } from "../../api/Answers.ts"
import { refuseUnrendered } from "../core/HandlerErrors.ts"
import type { ConfigSource } from "../../api/ChangesApi.ts"

// Finds the stored configuration that first had each line of the newest one. Pure.

/** A line, and the index of its configuration. */
interface BlamedLine {
  readonly text: string
  readonly origin: number
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

const edits = TextDiff.diffWith<string>((one, other) => one === other)

/** For each line of the older text, the line of the newest that it became; undefined for one that was removed since. */
type Kept = ReadonlyArray<number | undefined>

const followed = (older: string, newer: string, kept: Kept): Kept => {
  const from: Array<number | undefined> = []
  let at = 0
  for (const { _tag, items } of edits(linesOf(older), linesOf(newer), { maxEdits: maxEdits(older, newer) })) {
    if (_tag === "Equal") from.push(...kept.slice(at, at + items.length))
    if (_tag === "Delete") from.push(...items.map(() => undefined))
    if (_tag !== "Delete") at += items.length
  }
  return from
}

/** The lines of the first text; the newest text is the first. A line that was removed and added again counts from then on. */
export const blame = (texts: ReadonlyArray<string>): ReadonlyArray<BlamedLine> => {
  const newest = linesOf(texts[0] ?? "")
  const origins = newest.map(() => 0)
  let kept: Kept = newest.map((_, line) => line)
  for (let version = 1; version < texts.length && kept.some((line) => line !== undefined); version++) {
    const older = texts[version] ?? ""
    const newer = texts[version - 1] ?? ""
    if (older !== newer) kept = followed(older, newer, kept)
    for (const line of kept) if (line !== undefined) origins[line] = version
  }
  return newest.map((text, line) => ({ text, origin: origins[line] ?? 0 }))
}

/** How many jobs are listed, and how many configurations are searched for lines. */
const LISTED = 100
const BLAMED = 50

/** The bounds of a search: characters of its text, devices and hits of one answer, and shown lines of a hit. */
const SHORTEST = 2
const LONGEST = 200
const SEARCHED = 500
const MOST_HITS = 200
const SHOWN_LINES = 5
const BREATH = 20

/** Generated configurations have marks without digits, because these do not identify a secret. */
const withoutDigits = (text: string): string => text.replaceAll(/<hidden:[0-9a-f]+>/g, "<hidden>")

/** Switches and templates end a configuration differently, which is no difference. */
const withEnd = (text: string): string => `${text.trimEnd()}\n`

// Times in queries.

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

/** A time of a query in UTC, which is also the default zone. */
export const toTime = (text: string): Option.Option<string> => {
  if (!ISO.test(text)) return Option.none()
  return Option.map(DateTime.make(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : utc(text)), DateTime.formatIso)
}
const utc = (text: string): string => (text.length === 10 ? `${text}T00:00:00Z` : `${text.replace(" ", "T")}Z`)

const makeReading = Effect.gen(function* () {
  const { history } = yield* ConfigStore
  const lookup = yield* makeDeviceLookup
  const live = yield* LiveDevices
  const previews = yield* Previews

  const running = Effect.fnUntraced(function* (hostname: string) {
    const device = yield* lookup.byHostname(hostname)
    if (device.state !== "MANAGED") {
      return yield* new BadRequest({ message: `${hostname} is ${device.state}: only a managed device is read` })
    }
    return yield* Effect.mapError(
      live.runningConfig(device),
      ({ message, type }) => new InternalError({ message: `Exception: ${type}: ${message}` })
    )
  })

  const generated = Effect.fnUntraced(function* (hostname: string) {
    const { generated_config } = yield* Effect.catchTag(
      previews.generate(yield* lookup.byHostname(hostname)),
      "PreviewFailed",
      refuseUnrendered(hostname)
    )
    return generated_config
  })

  const stored = Effect.fnUntraced(function* (hostname: string, id: number) {
    const none = () => new NotFound({ message: `Job ${id} has stored no configuration of ${hostname}` })
    const { config } = yield* Effect.mapError(
      Effect.flatMap(history.find(hostname, { _tag: "Job", id }), Effect.fromOption),
      (error) => (error._tag === "SqlError" ? error : none())
    )
    return config ?? (yield* none())
  })

  return (hostname: string, source: ConfigSource) => {
    if (source === "running") return running(hostname)
    return source === "generated" ? generated(hostname) : stored(hostname, source)
  }
})

/** The parameters of a search. */
interface Search {
  readonly q?: string
  readonly hostname?: string
  readonly before?: string
  readonly after?: string
}

interface Place {
  readonly hostname: string
  readonly job_id: number | null
  readonly finish_time: string | null
}

interface Searched extends Place {
  readonly config: string
}

interface Hit extends Place {
  readonly count: number
  readonly lines: ReturnType<typeof linesWith>
}

export const makeStoredConfigs = Effect.gen(function* () {
  const { history, proved } = yield* ConfigStore
  const visible = yield* makeVisible
  const lookup = yield* makeDeviceLookup
  const secrets = yield* SecretTexts
  const derivedSecrets = yield* DerivedSecretStore
  const read = yield* makeReading

  const hiding = Effect.fnUntraced(function* (hostname: string) {
    const derived = (yield* derivedSecrets.ofHosts([hostname])).get(hostname)
    return (text: string) => secrets.hide(text, derived)
  })

  /** A device that the caller may not see is answered like an unknown one. */
  const mustSee = Effect.fnUntraced(function* (hostname: string) {
    const { within } = yield* visible
    if (within !== undefined && !within.names.has(hostname)) return yield* new DeviceNotFound({ device: hostname })
  })

  const list = Effect.fn("StoredConfigs.list")(function* (hostname: string) {
    yield* lookup.byHostname(hostname)
    return enveloped({ hostname, configs: yield* history.list(hostname, LISTED) })
  })

  const compare = Effect.fn("StoredConfigs.compare")(function* (
    hostname: string,
    {
      from = "running",
      other = hostname,
      to = "generated"
    }: { readonly from?: ConfigSource; readonly other?: string; readonly to?: ConfigSource }
  ) {
    yield* mustSee(other)
    const texts = yield* Effect.all([read(hostname, from), read(other, to)])
    const [hide, hideOther] = [yield* hiding(hostname), yield* hiding(other)]
    // marks of two devices differ even where their secrets mean the same
    const shown = other !== hostname || from === "generated" || to === "generated" ? withoutDigits : Function.identity
    const [before, after] = [shown(hide(texts[0])), shown(hideOther(texts[1]))]
    return enveloped({ hostname, from, other, to, diff: diff(withEnd(before), withEnd(after)) })
  })

  const hitIn = ({ config, ...place }: Searched, text: string, hide: (text: string) => string) => {
    const lines = linesWith(hide(config), text)
    return lines.length === 0 ? [] : [{ ...place, count: lines.length, lines: lines.slice(0, SHOWN_LINES) }]
  }

  /** All stored configurations of one device. */
  const searchOne = Effect.fnUntraced(function* (hostname: string, text: string) {
    yield* mustSee(hostname)
    yield* lookup.byHostname(hostname)
    const found = yield* history.proved(hostname, BLAMED)
    const hide = yield* hiding(hostname)
    const hits = found.flatMap(({ config, finish_time, job_id }) =>
      hitIn({ hostname, job_id, finish_time, config }, text, hide)
    )
    return { hits, searched: found.length, next: null }
  })

  /** What a device ran before the time; nothing if no job had given it anything. */
  const earlier = (hostname: string, time: string) =>
    Effect.map(history.find(hostname, { _tag: "Before", time }), (entry) =>
      Option.match(entry, {
        onNone: () => ({ hostname, job_id: null, finish_time: null, config: null }),
        onSome: ({ config, finish_time, job_id }) => ({ hostname, job_id, finish_time, config })
      })
    )

  const searchAll = Effect.fnUntraced(function* (text: string, time: string | undefined, after: string) {
    const { within } = yield* visible
    const page = yield* proved.page({ after, limit: SEARCHED, within })
    const configs =
      time === undefined
        ? page
        : yield* Effect.forEach(page, ({ hostname }) => earlier(hostname, time), { concurrency: 4 })
    const derived = yield* derivedSecrets.ofHosts(page.map(({ hostname }) => hostname))
    const hits: Array<Hit> = []
    let searched = 0
    for (const { config, ...place } of configs) {
      if (hits.length === MOST_HITS) break
      searched += 1
      // decrypting and hiding are work of the processor: other requests get their turn
      if (searched % BREATH === 0) yield* Effect.yieldNow
      if (config === null) continue
      hits.push(...hitIn({ ...place, config }, text, (shown) => secrets.hide(shown, derived.get(place.hostname))))
    }
    const last = configs[searched - 1]?.hostname
    const hasMore = searched < page.length || page.length === SEARCHED
    return { hits, searched, next: hasMore && last !== undefined ? last : null }
  })

  const search = Effect.fn("StoredConfigs.search")(function* ({ after = "", before, hostname, q = "" }: Search) {
    const text = q.trim()
    if (text.length < SHORTEST || text.length > LONGEST)
      return yield* new BadRequest({ message: `q must have ${SHORTEST} to ${LONGEST} characters` })
    const time = before === undefined ? undefined : Option.getOrUndefined(toTime(before))
    if (before !== undefined && time === undefined)
      return yield* new BadRequest({ message: "before must be a valid ISO format date time string" })
    return enveloped(yield* hostname === undefined ? searchAll(text, time, after) : searchOne(hostname, text))
  })

  const origins = Effect.fn("StoredConfigs.origins")(function* (hostname: string) {
    yield* lookup.byHostname(hostname)
    const found = yield* history.proved(hostname, BLAMED + 1)
    const looked = found.slice(0, BLAMED)
    const [newest] = looked
    if (newest === undefined) {
      return yield* new NotFound({ message: `No job has stored a configuration of ${hostname} yet: synchronize it` })
    }
    const hide = yield* hiding(hostname)
    const lines = blame(looked.map(({ config }) => hide(config))).map(({ origin, text }) => ({
      text,
      job_id: (looked[origin] ?? newest).job_id
    }))
    const named = new Set([newest.job_id, ...lines.map(({ job_id }) => job_id)])
    const jobs = looked.filter(({ job_id }) => named.has(job_id)).map(({ config: _config, ...entry }) => entry)
    return enveloped({ hostname, jobs, lines, has_older: found.length > BLAMED })
  })

  /** The lines that the last proof has seen on the device, also those that the device adds, without secrets. */
  const seen = Effect.fn("StoredConfigs.seen")(function* (hostname: string) {
    const device = yield* lookup.byHostname(hostname)
    const found = yield* proved.of(device.id)
    if (Option.isNone(found)) {
      return yield* new NotFound({ message: `No proof has seen what ${hostname} runs yet: synchronize it` })
    }
    return linesOf((yield* hiding(hostname))(found.value.config))
  })

  return { list, search, compare, origins, seen }
})
