/**
 * The address of a repository in the settings: a local path, an https, http, git or ssh URL or `user@host:path`, optionally with `#<branch,
 * tag or commit>` at its end (docs/settings-repository.md#files). Keeps its credentials out of messages.
 */
import { resolve } from "node:path"
import { Redacted, Result, Schema } from "effect"

/** The login at a web server; git asks for the password when that server does. */
interface GitLogin {
  /** Scheme, host and port of the server: no other server gets the password. */
  readonly server: string
  readonly username: string
  /** Null if the address has none: git asks the site's own helpers. */
  readonly password: Redacted.Redacted | null
}

/** An address in its parts. */
export interface GitAddress {
  /** The address for git. Git writes it into command lines, which every user of the machine can read: it has no password. */
  readonly remote: string
  /** Undefined if the address names no user, and for servers that do not ask for passwords. */
  readonly login: GitLogin | undefined
  /** Removes the address's secrets, in the forms in which git may print them. */
  readonly redact: (text: string) => string
  /** The same for messages and logs, without user name and password. */
  readonly shown: string
  /** The branch, tag or commit after `#`; undefined: the remote's default branch. */
  readonly ref: string | undefined
}

/** The configured address is unusable; asking again does not help. */
export class GitAddressInvalid extends Schema.TaggedError<GitAddressInvalid>()("GitAddressInvalid", {
  message: Schema.String
}) {}

const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)([^/@]*(?:@[^/@]*)*)@/i
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
const SCHEMES = new Set(["http", "https", "ssh", "git", "file"])
const HELPER = /^[a-z0-9+.-]+::/i
const FORBIDDEN_IN_REF = /[\s~^:?*[\\\p{Cc}]|\.\.|@\{|^[-/.]|[/.]$|\/\/|\.lock$/u

/** A path on this machine, not `host:path`: made absolute, because git runs in another directory than the server. */
const isPath = (remote: string): boolean => !SCHEME.test(remote) && !/^[^/]*:/.test(remote)

/** True for a name that git accepts as a branch or tag, or for a commit hash. */
export const isRefName = (ref: string): boolean => ref.length > 0 && ref.length <= 250 && !FORBIDDEN_IN_REF.test(ref)

const withoutCredentials = (remote: string): string => remote.replace(CREDENTIALS, "$1")

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray percent sign: the text stands for itself.
    return text
  }
}

/** The address without the parts that git must not write into command lines, and the login in it. */
const withoutLogin = (remote: string): Pick<GitAddress, "remote" | "login"> => {
  const [, scheme = "", credentials = ""] = CREDENTIALS.exec(remote) ?? []
  if (credentials === "") return { remote, login: undefined }
  const [name = ""] = credentials.split(":", 1)
  const password = credentials.slice(name.length + 1)
  // ssh and git know no passwords in addresses, and the user name is part of the target
  if (!/^https?:/i.test(scheme)) {
    return { remote: remote.replace(CREDENTIALS, (_, begin: string) => `${begin}${name}@`), login: undefined }
  }
  const bare = withoutCredentials(remote)
  const server = /^[^/]+\/\/[^/?]*/.exec(bare)?.[0] ?? bare
  return {
    remote: bare,
    login: {
      server,
      username: decoded(name),
      password: password === "" ? null : Redacted.make(decoded(password))
    }
  }
}

const isUnprintable = ({ password, username }: GitLogin): boolean =>
  /\p{Cc}/u.test(username + (password === null ? "" : Redacted.value(password)))

const refuse = (message: string) => Result.fail(new GitAddressInvalid({ message }))

/** Splits an address; the part after the first `#` is the branch, tag or commit. */
export const parseGitAddress = (address: string): Result.Result<GitAddress, GitAddressInvalid> => {
  const hash = address.indexOf("#")
  const remote = hash < 0 ? address : address.slice(0, hash)
  const ref = hash < 0 || hash === address.length - 1 ? undefined : address.slice(hash + 1)
  const shown = withoutCredentials(remote)
  const scheme = SCHEME.exec(remote)?.[1]?.toLowerCase()
  if (remote.trim() === "" || remote.startsWith("-") || /\p{Cc}/u.test(remote)) {
    return refuse(`Invalid remote repository ${shown}: not an address`)
  }
  if (HELPER.test(remote) || (scheme !== undefined && !SCHEMES.has(scheme))) {
    return refuse(`Invalid remote repository ${shown}: only paths, https, http, ssh and git addresses are supported`)
  }
  if (ref !== undefined && !isRefName(ref)) {
    return refuse(`Invalid remote repository ${shown}: not a branch, tag or commit: ${ref.slice(0, 100)}`)
  }
  const given = withoutLogin(isPath(remote) ? resolve(remote) : remote)
  if (given.login !== undefined && isUnprintable(given.login)) {
    return refuse(`Invalid remote repository ${shown}: not an address`)
  }
  return Result.succeed({ ...given, shown, ref, redact: redactor(remote) })
}

/** A user name of this length without a password is a token; shorter ones, such as `git`, are no secret. */
const TOKEN_LENGTH = 16

const secretsOf = (remote: string): ReadonlyArray<string> => {
  const credentials = CREDENTIALS.exec(remote)?.[2] ?? ""
  const colon = credentials.indexOf(":")
  if (colon < 0) return credentials.length >= TOKEN_LENGTH ? [credentials, decoded(credentials)] : []
  const password = credentials.slice(colon + 1)
  return password === "" ? [] : [credentials, password, decoded(password)]
}

/** Removes from a text of git every secret of the address, and the credentials in any other URL. */
export const redactor = (remote: string): ((text: string) => string) => {
  const secrets = secretsOf(remote)
  return (text) =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
      .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@']*(?:@[^\s/@']*)*@/gi, "$1")
}
