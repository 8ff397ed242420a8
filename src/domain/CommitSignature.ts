/**
 * Who signed a commit of a repository, and whether that counts (docs/settings-repository.md#signed-commits). The states are the only
 * results of a check: what is not recognised is `unknown`, and only `signed` may come into force where signatures are required.
 */
import { Schema } from "effect"

/**
 * `signed`: by an allowed signer whose key counts now and counted at the time of the commit; `unsigned`; `foreign`: by a key that is not
 * allowed; `expired`: by the key of an allowed signer outside its validity; `withdrawn`: by a revoked key; `wrong`: the signature is not
 * valid for this commit; `unknown`: it could not be checked.
 */
const SignatureState = Schema.Literals(["signed", "unsigned", "foreign", "expired", "withdrawn", "wrong", "unknown"])
export type SignatureState = typeof SignatureState.Type

/** `signer` is a name from the file of allowed signers, never one that the commit gives; `key` is the fingerprint of the key. */
export const CommitSignature = Schema.Struct({
  state: SignatureState,
  signer: Schema.NullOr(Schema.String),
  key: Schema.NullOr(Schema.String),
  /** Why it is `unknown`, as a sentence without its full stop; null in other states. */
  why: Schema.NullOr(Schema.String)
}).annotate({ identifier: "CommitSignature" })
export type CommitSignature = typeof CommitSignature.Type

/** An example for the documentation of the API. */
export const SIGNED: CommitSignature = {
  state: "signed",
  signer: "jane@example.org",
  key: "SHA256:oE2FJRqGcCzVGKJuMfV8Y5L6cqVvKXeRlHZ0WqDSbZg",
  why: null
}

const by = ({ key, signer }: CommitSignature): string => signer ?? (key === null ? "an unknown key" : `key ${key}`)

/** The end of a sentence that begins with the commit, such as `is signed by sam@example.org`. */
export const signaturePhrase = (signature: CommitSignature): string => {
  switch (signature.state) {
    case "signed":
      return `is signed by ${by(signature)}`
    case "unsigned":
      return "is not signed"
    case "foreign":
      return `is signed by ${by(signature)}, which is not among the allowed signers`
    case "expired":
      return `is signed with a key of ${by(signature)} outside its validity`
    case "withdrawn":
      return `is signed with a withdrawn key of ${by(signature)}`
    case "wrong":
      return "has a signature that is not valid for it"
    case "unknown":
      return `has a signature that cannot be checked: ${signature.why ?? "git gives no reason"}`
  }
}

/** The commit in a sentence about its signature. */
interface JudgedCommit {
  readonly repository: "settings" | "templates"
  readonly commit: string
  readonly author: string
  /** The branch of the templates that a group selects; empty for the repository's own. */
  readonly branch: string
}

const named = ({ author, branch, commit, repository }: JudgedCommit): string =>
  `Commit ${commit.slice(0, 12)} of the ${repository}${branch === "" ? "" : `, branch ${branch},`} by ${author}`

/** Why a commit is not put in force. */
export const signatureRefusal = (commit: JudgedCommit, signature: CommitSignature): string =>
  `${named(commit)} ${signaturePhrase(signature)}, and signatures are required`

/** The warning about a commit that comes into force all the same. */
export const signatureWarning = (commit: JudgedCommit, signature: CommitSignature): string =>
  `${named(commit)} ${signaturePhrase(signature)}`
