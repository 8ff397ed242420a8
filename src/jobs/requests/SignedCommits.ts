/**
 * The one rule about what may be sent to switches where signatures are required (docs/settings-repository.md#signed-commits): nothing that
 * is rendered from a commit without a verified signature. A refresh puts no such commit in force, but one may be in force since before
 * signatures were required, have come with a restored backup, or be that of a job that began before a restart.
 */
import { Effect, Option } from "effect"
import { JobFailure } from "../../domain/Job.ts"
import { WorkingCommits } from "../../domain/Repository.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { templatesBranches } from "../../settings/SettingsSnapshot.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"

/** What is done about signatures of a repository. */
export const signatureMode = (config: ServerSettings, name: RepositoryName) =>
  name === "settings" ? config.SETTINGS_SIGNATURES : config.TEMPLATES_SIGNATURES

const sentenceAbout = ({
  commit,
  name,
  ref
}: {
  readonly name: string
  readonly ref: string
  readonly commit: string
}) => `${name}${ref === "" ? "" : ` (branch ${ref})`} ${commit.slice(0, 12)}`

/** The branches of the templates that groups use; null where the settings cannot be read, so that every branch counts. */
const usedBranches = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const snapshot = yield* Effect.option(settings.snapshot)
  return Option.getOrNull(Option.map(snapshot, templatesBranches))
})

/**
 * The commits of the current work (`WorkingCommits`), or those in force, without a verified signature, of repositories whose signatures
 * have this consequence; none without any. Branches that no group uses any more do not count: nothing is rendered from them.
 */
const unsignedWith = Effect.fnUntraced(function* (modes: ReadonlyArray<"warn" | "require">) {
  const config = yield* ServerConfig
  const repositories = yield* RepositoryStore
  const names: ReadonlyArray<RepositoryName> = ["settings", "templates"]
  const verified = names.filter((name) => modes.some((mode) => mode === signatureMode(config, name)))
  if (verified.length === 0) return Option.none<string>()
  const used = yield* usedBranches
  const found = (yield* repositories.unsigned(yield* WorkingCommits)).filter(
    ({ name, ref }) => verified.includes(name) && (ref === "" || used === null || used.includes(ref))
  )
  return found.length === 0 ? Option.none<string>() : Option.some(found.map(sentenceAbout).join(", "))
})

/** What is in force without a verified signature, wherever signatures are verified. */
export const unsignedNow = unsignedWith(["warn", "require"])

/** Why nothing that is rendered from the commits of this work may be sent; none if it may. */
export const notAccepted = Effect.map(
  unsignedWith(["require"]),
  Option.map(
    (found) =>
      `Signatures are required, and no allowed signer has signed what is in force: ${found}. Push a signed commit, then refresh the repository`
  )
)

/** The type of the failure of a job, or of a device in it, that may send nothing. */
export const UNSIGNED = "UnsignedCommits"

/** Fails with JobFailure if nothing may be sent. */
export const requireAccepted = Effect.flatMap(
  notAccepted,
  Option.match({
    onNone: () => Effect.void,
    onSome: (message) => Effect.fail(new JobFailure({ type: UNSIGNED, message }))
  })
)
