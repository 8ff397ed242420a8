/**
 * Undefined variables that templates printed as nothing in the last rendering of each device: most are misspelled, or a setting is missing.
 * The server that rendered keeps them in memory, and forgets them when the template's text changes.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { type Remark, remark } from "../domain/Repository.ts"
import type { UndefinedPrint } from "../jinja/Jinja.ts"
import { RepositoryStore } from "../store/RepositoryStore.ts"
import { ActiveTemplates } from "./ActiveTemplates.ts"
import type { TemplateSnapshot } from "./TemplateSnapshot.ts"

interface Entry {
  readonly file: string
  /** The template's text at that time: about another text the entry says nothing. */
  readonly text: string
  readonly print: UndefinedPrint
  readonly hostnames: Set<string>
}

/** More than a reader needs; further ones appear when these are fixed. */
const MAX_ENTRIES = 200

const namesText = ([first = "", ...others]: ReadonlyArray<string>): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`

/** Undefined prints by place, with the devices whose rendering met them. */
export class UndefinedLedger {
  readonly #entries = new Map<string, Entry>()
  readonly #byHost = new Map<string, ReadonlyArray<string>>()

  /** Replaces the device's last rendering. */
  note(hostname: string, snapshot: TemplateSnapshot, platform: string, prints: ReadonlyArray<UndefinedPrint>): void {
    for (const key of this.#byHost.get(hostname) ?? []) this.#leave(key, hostname)
    if (prints.length === 0) {
      this.#byHost.delete(hostname)
      return
    }
    const files = snapshot.platforms.get(platform)?.files
    this.#byHost.set(
      hostname,
      prints.flatMap((print) => this.#enter(hostname, `${platform}/`, print, files?.get(print.at.template) ?? ""))
    )
  }

  #leave(key: string, hostname: string): void {
    const entry = this.#entries.get(key)
    entry?.hostnames.delete(hostname)
    if (entry?.hostnames.size === 0) this.#entries.delete(key)
  }

  #enter(hostname: string, directory: string, print: UndefinedPrint, text: string): ReadonlyArray<string> {
    const { column, line, template } = print.at
    const file = directory + template
    const key = `${file}\0${line}\0${column}\0${print.message}`
    const known = this.#entries.get(key)
    if (known?.text === text) known.hostnames.add(hostname)
    else if (known === undefined && this.#entries.size >= MAX_ENTRIES) return []
    else this.#entries.set(key, { file, text, print, hostnames: new Set([hostname]) })
    return [key]
  }

  /** The entries whose template has the same text in one of these snapshots, in the order of files and lines. */
  entries(
    snapshots: ReadonlyArray<TemplateSnapshot>
  ): ReadonlyArray<Remark & { readonly hostnames: ReadonlyArray<string> }> {
    const texts = (file: string) => {
      const [platform = "", ...rest] = file.split("/")
      return snapshots.map(({ platforms }) => platforms.get(platform)?.files.get(rest.join("/")))
    }
    return [...this.#entries.values()]
      .filter(({ file, text }) => texts(file).includes(text))
      .toSorted((a, b) => (a.file === b.file ? a.print.at.line - b.print.at.line : a.file < b.file ? -1 : 1))
      .map(({ file, hostnames, print: { at, message } }) => ({
        ...remark(message, { file, line: at.line, column: at.column }),
        hostnames: [...hostnames].toSorted()
      }))
  }

  /** The same as sentences. */
  remarks(snapshots: ReadonlyArray<TemplateSnapshot>): ReadonlyArray<Remark> {
    return this.entries(snapshots).map(({ hostnames, message, ...place }) =>
      remark(`${message}: nothing was printed for it (${namesText(hostnames)})`, place)
    )
  }
}

const make = Effect.gen(function* () {
  const templates = yield* ActiveTemplates
  const repositories = yield* RepositoryStore
  const ledger = new UndefinedLedger()

  const inForce = Effect.gen(function* () {
    const refs = yield* repositories.refs("templates")
    const snapshots = yield* Effect.forEach(refs, (ref) => templates.snapshot(ref === "" ? null : ref))
    return ledger.remarks(snapshots)
  }).pipe(Effect.catchTag("NoTemplates", () => Effect.succeed<ReadonlyArray<Remark>>([])))

  return UndefinedPrints.of({
    note: (hostname, snapshot, platform, prints) => ledger.note(hostname, snapshot, platform, prints),
    remarks: (snapshots) => ledger.remarks(snapshots),
    inForce
  })
})

/** The undefined variables in renderings of this server. */
export class UndefinedPrints extends Context.Service<
  UndefinedPrints,
  {
    /** Replaces the device's last rendering. */
    readonly note: UndefinedLedger["note"]
    /** The entries that these templates would print again. */
    readonly remarks: UndefinedLedger["remarks"]
    /** The entries of the templates in force. */
    readonly inForce: Effect.Effect<ReadonlyArray<Remark>, SqlError.SqlError>
  }
>()("switchyard/templates/UndefinedPrints") {
  static readonly layer = Layer.effect(UndefinedPrints, make)
}
