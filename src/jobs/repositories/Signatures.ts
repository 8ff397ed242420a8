/**
 * Signatures of commits in a refresh (docs/settings-repository.md#signed-commits): whose count, and what follows from one that does not.
 * Only the newest commit is judged, because its signature covers the whole tree that comes into force and, by the hashes of its
 * parents, the history below it.
 */
import { Effect, Layer, Option, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { type CommitSignature, signatureRefusal, signatureWarning } from "../../domain/CommitSignature.ts"
import { type Remark, remark } from "../../domain/Repository.ts"
import { type SignerTrust, signersFault } from "../../git/CommitSignatures.ts"
import type { GitFailed } from "../../git/GitCommand.ts"
import type { GitRefNotFound } from "../../git/GitCommit.ts"
import type { GitRepository } from "../../git/GitRepository.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { signatureMode } from "../requests/SignedCommits.ts"

/** The file of allowed signers cannot be used. Mending the file or the setting helps. */
class SignersUnusable extends Schema.TaggedError<SignersUnusable>()("SignersUnusable", {
  message: Schema.String
}) {}

const FOLDER = "signers"

const settingsOf = (config: ServerSettings, name: RepositoryName) => ({
  mode: signatureMode(config, name),
  file: name === "settings" ? config.SETTINGS_ALLOWED_SIGNERS : config.TEMPLATES_ALLOWED_SIGNERS
})

/** The allowed signers of a repository; undefined where signatures are not verified. */
export const trustIn = (config: ServerSettings, name: RepositoryName): SignerTrust | undefined => {
  const { file, mode } = settingsOf(config, name)
  if (mode === "off" || Option.isNone(file)) return undefined
  return { file: path.resolve(file.value), directory: path.join(config.DATA_DIR, FOLDER, name) }
}

// The start: a file that cannot be used is found before anything depends on it.

const realPath = (file: string): Promise<string> => fs.realpath(file).catch(() => path.resolve(file))

const isBelow = async (file: string, folder: string): Promise<boolean> => {
  const between = path.relative(await realPath(folder), await realPath(file))
  return between !== ".." && !between.startsWith(`..${path.sep}`) && !path.isAbsolute(between)
}

/** The folder of a repository that is a path on this machine. */
const folderOf = (address: string): string => path.resolve(address.replace(/^file:\/\//, "").replace(/#.*$/, ""))

/** Why the start of a server must fail; null if signatures of a repository can be verified, or are not. */
export const signersProblem = async (config: ServerSettings, name: RepositoryName): Promise<string | null> => {
  const prefix = name.toUpperCase()
  const { file, mode } = settingsOf(config, name)
  if (mode === "off") return null
  if (Option.isNone(file)) return `${prefix}_SIGNATURES is ${mode}, and ${prefix}_ALLOWED_SIGNERS is not set`
  const setting = `${prefix}_ALLOWED_SIGNERS is ${file.value}`
  const repositories = Option.toArray(config.GITREPO_SETTINGS).concat(Option.toArray(config.GITREPO_TEMPLATES))
  for (const folder of [path.join(config.DATA_DIR, "repositories"), ...repositories.map(folderOf)])
    if (await isBelow(file.value, folder))
      return `${setting}, which is inside a repository: whoever may push there would choose who may sign. Put it elsewhere`
  const fault = await signersFault(path.resolve(file.value))
  return fault === null ? null : `${setting}, which cannot be used: ${fault}`
}

/** Fails with SignersUnusable at the start, and removes what an earlier process has made of the files. */
export const startLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const names: ReadonlyArray<RepositoryName> = ["settings", "templates"]
    for (const name of names) {
      const problem = yield* Effect.promise(() => signersProblem(config, name))
      if (problem !== null) return yield* new SignersUnusable({ message: problem })
    }
    yield* Effect.promise(() => fs.rm(path.join(config.DATA_DIR, FOLDER), { recursive: true, force: true }))
  })
)

// A refresh.

/** A commit to be judged; `ref` is the branch of the templates that a group selects, or empty. */
interface Judged {
  readonly name: RepositoryName
  readonly ref: string
  readonly hash: string
}

/** The signature of a commit, with the reason to refuse it or the warning about it. */
interface SignatureVerdict {
  /** Null where signatures are not verified. */
  readonly signature: CommitSignature | null
  readonly refusal: Remark | null
  readonly warnings: ReadonlyArray<Remark>
}

/** Judges the signature of a commit, verified now. */
export const judgeSignature = Effect.fn("Signatures.judge")(function* (
  repository: GitRepository,
  { hash, name, ref }: Judged
): Effect.fn.Return<SignatureVerdict, GitFailed | GitRefNotFound, ServerConfig> {
  const mode = signatureMode(yield* ServerConfig, name)
  const signature = (yield* repository.signatures([hash], { fresh: true })).get(hash) ?? null
  if (mode === "off" || signature === null || signature.state === "signed")
    return { signature, refusal: null, warnings: [] }
  const [logged] = yield* repository.log(hash, 1)
  const commit = { repository: name, commit: hash, author: logged?.author ?? "an unknown author", branch: ref }
  return mode === "require"
    ? { signature, refusal: remark(signatureRefusal(commit, signature)), warnings: [] }
    : { signature, refusal: null, warnings: [remark(signatureWarning(commit, signature))] }
})

/**
 * Why a commit that is signed must be confirmed: the commit in force is not in its history, so that it may be an older signed commit that
 * somebody pushed again. Undefined for any other.
 */
export const turnsBack = Effect.fnUntraced(function* (
  repository: GitRepository,
  name: RepositoryName,
  { after, before }: { readonly before: string | null; readonly after: string }
) {
  if (signatureMode(yield* ServerConfig, name) !== "require" || before === null || before === after) return undefined
  if (yield* repository.contains(after, before)) return undefined
  return `the commit in force ${before.slice(0, 12)} is not in the history of this commit, and an older signed commit can be pushed again by anyone who may push`
})
