/**
 * Verifies the signatures of commits (docs/settings-repository.md#signed-commits). git does it, with the programs, the SSH keys and the
 * OpenPGP keys that the operator's file names, and with nothing from the repository: a commit chooses no program and no key. An answer of
 * git that is not recognised exactly means `unknown`.
 */
import { Clock, Effect, Option, Semaphore } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import type { CommitSignature } from "../domain/CommitSignature.ts"
import { cleanedText } from "../domain/Text.ts"
import { childEnvironment } from "../runtime/SecretSources.ts"
import { reasonOf } from "../runtime/SystemErrors.ts"
import { type AllowedSigners, linesValidAt, parseAllowedSigners } from "./AllowedSigners.ts"
import { type GitCommandOptions, type GitFailed, runGit, runGitText } from "./GitCommand.ts"
import { parseObjects } from "./GitTree.ts"

/** The operator's file, and a folder of ours for what is made from it. */
export interface SignerTrust {
  readonly file: string
  readonly directory: string
}

const run = promisify(execFile)

// The form of a signature, from the commit itself.

type Form = "ssh" | "openpgp"

const FORMS: Readonly<Record<string, Form>> = {
  "-----BEGIN SSH SIGNATURE-----": "ssh",
  "-----BEGIN PGP SIGNATURE-----": "openpgp",
  "-----BEGIN PGP MESSAGE-----": "openpgp"
}

/** `unsigned`; the form of the signature; or `strange` for any other. */
export const signatureForm = (commit: string): "unsigned" | Form | "strange" => {
  const [header = ""] = commit.split("\n\n", 1)
  const signatures = header.split("\n").filter((line) => /^gpgsig(?:-sha256)? /.test(line))
  const [only = ""] = signatures
  if (signatures.length === 0) return "unsigned"
  // two signatures may be of two people: which of them counts is no question for git's single answer
  return signatures.length > 1 ? "strange" : (FORMS[only.replace(/^\S+ /, "").trim()] ?? "strange")
}

const plain = (state: CommitSignature["state"]): CommitSignature => ({ state, signer: null, key: null, why: null })

const unknown = (why: string): CommitSignature => ({ state: "unknown", signer: null, key: null, why })

// The file, and what git needs of it.

/** The signers as git can use them. */
interface Usable {
  readonly signers: AllowedSigners
  readonly folder: string
  /** Differs after each change of the file. */
  readonly mark: string
}

const PROGRAMS: Readonly<Record<Form, string>> = { ssh: "ssh-keygen", openpgp: "gpg" }

const canExecute = (file: string): Promise<boolean> =>
  fs.access(file, fs.constants.X_OK).then(
    () => true,
    () => false
  )

/** Whether the program that verifies signatures of this form is in PATH. */
const hasProgram = async (form: Form): Promise<boolean> => {
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter).filter((one) => one !== ""))
    if (await canExecute(path.join(folder, PROGRAMS[form]))) return true
  return false
}

const missing = (form: Form): string => `${PROGRAMS[form]} is not installed on the machine of the server`

const GPG_SETTINGS = `trust-model always
no-autostart
no-auto-key-retrieve
no-auto-check-trustdb
disable-dirmngr
weak-digest SHA1
`

/** Makes a folder of gpg with these keys only. Rejects when gpg does not take every block. */
const makeKeyring = async (folder: string, { keys }: AllowedSigners): Promise<void> => {
  await fs.mkdir(folder, { mode: 0o700 })
  await fs.writeFile(path.join(folder, "gpg.conf"), GPG_SETTINGS, { mode: 0o600 })
  for (const [index, key] of keys.entries()) {
    const file = path.join(folder, `key-${index}.asc`)
    await fs.writeFile(file, key, { mode: 0o600 })
    const env = { ...childEnvironment(process.env, { network: false }), LC_ALL: "C", GNUPGHOME: folder }
    const { stdout } = await run("gpg", ["--batch", "--no-tty", "--status-fd", "1", "--import", file], {
      env,
      timeout: 30_000
    })
    if (!/^\[GNUPG:\] IMPORT_OK /m.test(stdout)) throw new Error(`block ${index + 1} has no public key`)
  }
}

/** Reads the file and makes what git needs. Rejects with an Error whose message says why the file is unusable. */
const prepare = async ({ directory, file }: SignerTrust, known: Usable | undefined): Promise<Usable> => {
  const content = await fs.readFile(file, "utf8").catch((error: unknown) => {
    throw new Error(`it cannot be read (${reasonOf(error)})`)
  })
  const mark = createHash("sha256").update(content).digest("hex").slice(0, 32)
  if (known?.mark === mark) return known
  const signers = parseAllowedSigners(content)
  if (signers.problems.length > 0) throw new Error(signers.problems.slice(0, 5).join("; "))
  if (signers.lines.length > 0 && !(await hasProgram("ssh"))) throw new Error(missing("ssh"))
  if (signers.keys.length > 0 && !(await hasProgram("openpgp"))) throw new Error(missing("openpgp"))
  await fs.mkdir(directory, { recursive: true, mode: 0o700 })
  // made anew in each process: what an earlier one has left is not trusted
  const folder = await fs.mkdtemp(path.join(directory, "keys-"))
  if (known !== undefined) await fs.rm(known.folder, { recursive: true, force: true })
  await makeKeyring(path.join(folder, "gnupg"), signers).catch((error: unknown) => {
    const said = error instanceof Error ? cleanedText(error.message, "line", 200).text : ""
    throw new Error(`gpg cannot read its OpenPGP keys: ${said.replaceAll(folder, "")}`)
  })
  await fs.writeFile(path.join(folder, "all"), signers.lines.map(({ text }) => `${text}\n`).join(""), { mode: 0o600 })
  return { signers, folder, mark }
}

/** Why a file is unusable; null for a usable one. For the start of a server, and for the doctor. */
export const signersFault = async (file: string): Promise<string | null> => {
  const directory = await fs.mkdtemp(path.join(tmpdir(), "switchyard-signers-"))
  try {
    await prepare({ file, directory }, undefined)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await fs.rm(directory, { recursive: true, force: true })
  }
}

// git's answers.

const FORMAT = "--format=%H%x01%G?%x01%GS%x01%GK%x01%GP"

/** git's answer about one commit: the letter of its result, the signer, the key, and the fingerprint of the primary OpenPGP key. */
interface Answer {
  readonly result: string
  readonly signer: string
  readonly key: string
  readonly primary: string
}

/** Reads the output of `git log -z`; anything else than whole records is left out. */
const parseAnswers = (output: string): ReadonlyMap<string, Answer> =>
  new Map(
    output.split("\0").flatMap((record) => {
      const [hash = "", result = "", signer, key, primary, ...rest] = record.trim().split("\u0001")
      if (!/^[0-9a-f]{40,64}$/.test(hash) || primary === undefined || rest.length > 0) return []
      return [[hash, { result, signer: signer ?? "", key: key ?? "", primary }] as const]
    })
  )

const settingsOf = ({ folder }: Usable, file: string): ReadonlyArray<readonly [string, string]> => [
  ["gpg.ssh.allowedSignersFile", path.join(folder, file)],
  ["gpg.ssh.program", "ssh-keygen"],
  ["gpg.program", "gpg"],
  ["gpg.openpgp.program", "gpg"],
  ["gpg.x509.program", "false"],
  ["log.showSignature", "false"],
  ["gpg.minTrustLevel", "undefined"]
]

const line = (text: string): string => cleanedText(text, "line", 200).text

/** The state of a commit with an SSH signature; `now` is git's answer with the keys that count now. */
const ofSsh = (all: Answer | undefined, now: Answer | undefined, { signers }: Usable): CommitSignature => {
  if (all === undefined) return unknown("git gives no answer")
  const key = /^SHA256:[A-Za-z0-9+/]+$/.test(all.key) ? all.key : null
  if (key === null && all.result !== "B") return unknown("git names no key")
  if (all.result === "G" && all.signer !== "") {
    const state = now?.result === "G" && now.key === all.key ? "signed" : "expired"
    return { state, signer: line(all.signer), key, why: null }
  }
  if (all.result === "U") {
    const known = signers.lines.find(({ fingerprint }) => fingerprint === key)
    const state = known === undefined ? "foreign" : "expired"
    return { state, signer: known === undefined ? null : line(known.principals), key, why: null }
  }
  return all.result === "B" ? plain("wrong") : unknown(`git answers ${line(all.result)}`)
}

const OPENPGP_STATES: Readonly<Record<string, CommitSignature["state"]>> = {
  G: "signed",
  X: "expired",
  Y: "expired",
  R: "withdrawn",
  B: "wrong"
}

/** The state of a commit with an OpenPGP signature, but for `E`, which git does not explain here. */
const ofOpenPgp = (answer: Answer | undefined): CommitSignature => {
  const state = OPENPGP_STATES[answer?.result ?? ""]
  if (answer === undefined || state === undefined) return unknown(`git answers ${line(answer?.result ?? "nothing")}`)
  const key = [answer.primary, answer.key].find((one) => /^[0-9A-F]{16,64}$/.test(one)) ?? null
  if (state !== "wrong" && (key === null || answer.signer === "")) return unknown("git names no key")
  return { state, signer: state === "wrong" ? null : line(answer.signer), key, why: null }
}

/** gpg names the missing key of one signature, and nothing else. */
const missingKey = (said: string): string | undefined => {
  const statuses = said.split("\n").flatMap((one) => /^\[GNUPG:\] (\S+)(?: (.*))?$/.exec(one)?.slice(1) ?? [])
  const isOther = statuses.some((one) => /^(?:GOODSIG|VALIDSIG|BADSIG)$/.test(one))
  return isOther ? undefined : /^\[GNUPG:\] NO_PUBKEY ([0-9A-F]{16,40})$/m.exec(said)?.[1]
}

const REMEMBERED = 5_000
const HOUR = 3_600_000

/** Yields the signatures of commits in a copy; `fresh` ones are verified now, others within the hour. */
export const makeSignatures = Effect.fnUntraced(function* (trust: SignerTrust, options: GitCommandOptions) {
  const one = yield* Semaphore.make(1)
  const known = new Map<string, CommitSignature>()
  let usable: Usable | undefined

  const answersOf = (hashes: ReadonlyArray<string>, using: Usable, file: string) => {
    const ask = (some: ReadonlyArray<string>) =>
      runGitText(["log", "--no-walk=unsorted", "--no-show-signature", "-z", FORMAT, "--stdin"], {
        ...options,
        settings: settingsOf(using, file),
        variables: { GNUPGHOME: path.join(using.folder, "gnupg") },
        input: `${some.join("\n")}\n`
      }).pipe(Effect.map(parseAnswers))
    // git ends at a signature that it cannot read: then each commit is asked about alone
    const alone = Effect.forEach(hashes, (hash) =>
      Effect.catchIf(
        ask([hash]),
        ({ own, reason }) => own === undefined && reason === "failed",
        () => Effect.succeed(new Map<string, Answer>())
      )
    )
    return Effect.catchIf(
      ask(hashes),
      ({ own, reason }) => own === undefined && reason === "failed",
      () => Effect.map(alone, (maps) => new Map(maps.flatMap((found) => [...found])))
    )
  }

  const ofUnknownKey = Effect.fnUntraced(function* (hash: string, using: Usable) {
    const said = yield* Effect.flip(
      runGitText(["verify-commit", "--raw", hash], {
        ...options,
        settings: settingsOf(using, "all"),
        variables: { GNUPGHOME: path.join(using.folder, "gnupg") }
      })
    ).pipe(Effect.option)
    const key = Option.getOrUndefined(Option.map(said, ({ message }) => missingKey(message)))
    return key === undefined ? unknown("gpg cannot verify it") : { ...plain("foreign"), key }
  })

  const verify = Effect.fnUntraced(function* (
    forms: ReadonlyMap<string, Form>,
    using: Usable,
    now: number
  ): Effect.fn.Return<ReadonlyMap<string, CommitSignature>, GitFailed> {
    const found = new Map<string, CommitSignature>()
    if (forms.size === 0) return found
    const hashes = [...forms.keys()]
    const all = yield* answersOf(hashes, using, "all")
    const valid = linesValidAt(using.signers, now)
    const isSame = valid.length === using.signers.lines.length
    const text = valid.map((one) => `${one.text}\n`).join("")
    const file = `now-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`
    if (!isSame) yield* Effect.promise(() => fs.writeFile(path.join(using.folder, file), text, { mode: 0o600 }))
    const current = isSame ? all : yield* answersOf(hashes, using, file)
    for (const [hash, form] of forms) {
      const answer = all.get(hash)
      if (form === "ssh") found.set(hash, ofSsh(answer, current.get(hash), using))
      else found.set(hash, answer?.result === "E" ? yield* ofUnknownKey(hash, using) : ofOpenPgp(answer))
    }
    return found
  })

  const check = Effect.fnUntraced(function* (
    hashes: ReadonlyArray<string>,
    fresh: boolean
  ): Effect.fn.Return<ReadonlyMap<string, CommitSignature>, GitFailed> {
    const prepared = yield* Effect.promise(() =>
      prepare(trust, usable).catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
    )
    const now = yield* Clock.currentTimeMillis
    const markOf = (hash: string) =>
      `${typeof prepared === "string" ? "" : prepared.mark} ${Math.floor(now / HOUR)} ${hash}`
    const result = new Map<string, CommitSignature>()
    const open = [...new Set(hashes)].filter((hash) => {
      const before = fresh ? undefined : known.get(markOf(hash))
      if (before !== undefined) result.set(hash, before)
      return before === undefined
    })
    if (open.length === 0) return result
    const objects = parseObjects(yield* runGit(["cat-file", "--batch"], { ...options, input: `${open.join("\n")}\n` }))
    const forms = new Map<string, Form>()
    for (const hash of open) {
      const form = signatureForm(objects.get(hash)?.toString("latin1") ?? "")
      if (form === "unsigned")
        result.set(hash, objects.has(hash) ? plain("unsigned") : unknown("it is not in the copy"))
      else if (form === "strange") result.set(hash, unknown("its form is neither SSH nor OpenPGP"))
      else if (typeof prepared === "string")
        result.set(hash, unknown(`the file of allowed signers is unusable: ${prepared}`))
      else if ((form === "ssh" ? prepared.signers.lines : prepared.signers.keys).length === 0)
        result.set(hash, plain("foreign"))
      else forms.set(hash, form)
    }
    if (typeof prepared !== "string") {
      usable = prepared
      for (const [hash, signature] of yield* verify(forms, prepared, now)) result.set(hash, signature)
    }
    if (known.size > REMEMBERED) known.clear()
    for (const hash of open) {
      const signature = result.get(hash)
      if (signature !== undefined && signature.state !== "unknown") known.set(markOf(hash), signature)
    }
    return result
  })

  return (hashes: ReadonlyArray<string>, { fresh = false }: { readonly fresh?: boolean } = {}) =>
    check(hashes, fresh).pipe(one.withPermits(1))
})
