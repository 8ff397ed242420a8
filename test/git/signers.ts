/** People with keys who sign commits in tests, with the real ssh-keygen and gpg. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

/** Whether this machine has a program. */
export const has = (program: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** A person with a key: the settings of git that sign with it, and their lines in a file of allowed signers. */
export interface Signer {
  readonly name: string
  readonly allowed: string
  readonly config: ReadonlyArray<string>
  readonly fingerprint: string
}

/** A person with a new SSH key in this folder; `options` stand in their line of allowed signers. */
export const sshSigner = (folder: string, name: string, options = ""): Signer => {
  const file = path.join(folder, `${name.replaceAll(/\W/g, "-")}-${Math.random().toString(36).slice(2, 8)}`)
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "key of a test", "-f", file])
  const [type = "", key = ""] = readFileSync(`${file}.pub`, "utf8").split(" ")
  const shown = execFileSync("ssh-keygen", ["-l", "-f", file], { encoding: "utf8" })
  return {
    name,
    allowed: `${[name, ...(options === "" ? [] : [options]), type, key].join(" ")}\n`,
    config: ["-c", "gpg.format=ssh", "-c", `user.signingkey=${file}`],
    fingerprint: shown.split(" ")[1] ?? ""
  }
}

const gpg = (home: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("gpg", ["--batch", "--quiet", "--no-tty", "--homedir", home, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })

interface KeyLife {
  /** The key has ended since it signed. */
  readonly expired?: boolean
  /** What is allowed says that the key had ended before it signed. */
  readonly endedBefore?: boolean
  readonly lasts?: string
  /** The key is withdrawn in what is allowed. */
  readonly revoked?: boolean
}

/** The public key with another end, which gpg writes into a copy of the folder. */
const endedKey = (home: string, fingerprint: string): string => {
  const other = `${home}e`
  cpSync(home, other, { recursive: true, filter: (file) => !path.basename(file).startsWith("S.") })
  gpg(other, "--passphrase", "", "--faked-system-time", "20260102T000000", "--quick-set-expire", fingerprint, "1d")
  return gpg(other, "--armor", "--export", fingerprint)
}

/** A person with a new OpenPGP key. */
export const openPgpSigner = (
  folder: string,
  name: string,
  { endedBefore = false, expired = false, lasts = "never", revoked = false }: KeyLife = {}
): Signer => {
  // the socket of its agent must have a short path
  const home = path.join(folder, `g${Math.random().toString(36).slice(2, 8)}`)
  mkdirSync(home, { mode: 0o700 })
  const begin = expired ? "20200101T000000" : "20260101T000000"
  const past = expired || endedBefore ? ["--faked-system-time", begin] : []
  gpg(home, "--passphrase", "", ...past, "--quick-generate-key", name, "ed25519", "sign", expired ? "1d" : lasts)
  // a day after the end that will be allowed
  const signing = endedBefore ? ["--faked-system-time", "20260110T000000"] : past
  const fingerprint = /^fpr:+([0-9A-F]+):/m.exec(gpg(home, "--with-colons", "--list-keys"))?.[1] ?? ""
  const wrapper = path.join(home, "gpg.sh")
  writeFileSync(wrapper, `#!/bin/sh\nexec gpg --homedir ${home} --batch ${signing.join(" ")} "$@"\n`, { mode: 0o755 })
  if (revoked) {
    const certificate = readFileSync(path.join(home, "openpgp-revocs.d", `${fingerprint}.rev`), "utf8")
    const other = path.join(folder, `r${Math.random().toString(36).slice(2, 8)}`)
    mkdirSync(other, { mode: 0o700 })
    writeFileSync(path.join(other, "key.asc"), gpg(home, "--armor", "--export", fingerprint))
    writeFileSync(path.join(other, "revocation.asc"), certificate.replace(":-----BEGIN", "-----BEGIN"))
    gpg(other, "--import", path.join(other, "key.asc"), path.join(other, "revocation.asc"))
    return {
      name,
      fingerprint,
      allowed: gpg(other, "--armor", "--export", fingerprint),
      config: ["-c", `gpg.program=${wrapper}`, "-c", `user.signingkey=${fingerprint}`]
    }
  }
  return {
    name,
    fingerprint,
    allowed: endedBefore ? endedKey(home, fingerprint) : gpg(home, "--armor", "--export", fingerprint),
    config: ["-c", `gpg.program=${wrapper}`, "-c", `user.signingkey=${fingerprint}`]
  }
}

/** Signs an empty commit in a working copy, and yields its hash. */
export const signedCommit = (git: (...args: ReadonlyArray<string>) => string, { config }: Signer): string => {
  git(...config, "commit", "--quiet", "--allow-empty", "-S", "--message", "A signed change")
  return git("rev-parse", "HEAD")
}
