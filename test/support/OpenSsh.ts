/**
 * Real OpenSSH servers on loopback, each with a configuration of its own; the machine's own server and accounts stay as they
 * are. A login with a password needs an account that sshd may check, so as root each server runs in a mount namespace with
 * its own `/etc/passwd`, `/etc/shadow` and PAM service; elsewhere sshd runs as who we are, and a login ends with the refusal
 * of the password, which comes after everything that algorithms and host keys decide.
 */
import { Effect, Redacted } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import * as path from "node:path"
import type { DriverTarget } from "../../src/drivers/Driver.ts"
import { freePort } from "./FreePort.ts"

const program = "/usr/sbin/sshd"

/** Why there is no server of OpenSSH here. */
export const missing: string | undefined =
  existsSync(program) && spawnSync("ssh-keygen", ["-?"]).error === undefined
    ? undefined
    : "OpenSSH's server is not installed (Debian: openssh-server)"

const namespace = ["-m", "--propagation", "private"] as const

/** The reason why no password login is possible. */
export const noAccounts: string | undefined =
  missing ??
  (process.getuid?.() !== 0
    ? "sshd checks passwords as root only"
    : spawnSync("unshare", [...namespace, "mount", "-t", "tmpfs", "tmpfs", "/run"]).status === 0
      ? undefined
      : "accounts of its own need a mount namespace, which this machine does not allow")

export const USER = "switch"
export const PASSWORD = "sesame"
const HASH = "$6$abcdefgh$Bk2D4uYVcw0FbFPsWa0iJZ1DNfy8v6OjKcRcuBfMkWD1KdADPVnmQf5cr0O8HfAYpq1XrrjdgIRINkwgSKJ8/1"

/** The command line of a switch, as far as a login needs it, on a real terminal; it echoes itself, as switches do. */
const cli = `#!/bin/sh
stty -echo
printf 'sw1#'
while read -r line; do
  printf '%s\\n' "$line"
  case "$line" in
  "show hostname"*) printf '{\\n  "hostname": "sw1",\\n  "fqdn": "sw1.example.org"\\n}\\n' ;;
  esac
  printf 'sw1#'
done
`

/** The script in the namespace: our own files in place of the machine's, then the server. */
const start = `set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/sshd
mount --bind "$1/passwd" /etc/passwd
mount --bind "$1/shadow" /etc/shadow
if [ -e /etc/pam.d/sshd ]; then mount --bind "$1/pam" /etc/pam.d/sshd; fi
exec ${program} -D -e -f "$1/sshd_config"
`

export interface SshdOptions {
  /** Lines of `sshd_config`. */
  readonly lines?: ReadonlyArray<string>
  /** Kind of host key. Default ed25519. */
  readonly hostKey?: "ed25519" | "rsa"
  /** A public key that may be used in the place of the password, as a line of `authorized_keys`. */
  readonly authorizedKey?: string
  /** How often PAM asks for the password. Default: PAM is not used, and the method is password. */
  readonly questions?: number
}

export interface Sshd {
  readonly port: number
  /** Its output so far. */
  readonly log: () => string
}

const pam = (questions: number): string =>
  [
    ...Array.from({ length: questions }, () => "auth required pam_unix.so"),
    "account required pam_permit.so",
    "session required pam_permit.so",
    ""
  ].join("\n")

const configOf = (folder: string, port: number, { hostKey = "ed25519", lines = [], questions }: SshdOptions): string =>
  [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${folder}/${hostKey}`,
    "PidFile none",
    "LogLevel VERBOSE",
    `ForceCommand /bin/sh ${folder}/cli.sh`,
    `AuthorizedKeysFile ${folder}/authorized_keys`,
    "StrictModes no",
    // of a line that comes twice the first counts
    ...lines,
    ...(questions === undefined
      ? ["UsePAM no", "PasswordAuthentication yes", "KbdInteractiveAuthentication no"]
      : ["UsePAM yes", "PasswordAuthentication no", "KbdInteractiveAuthentication yes"]),
    ""
  ].join("\n")

const writeFiles = (folder: string, port: number, options: SshdOptions): void => {
  const write = (name: string, text: string, mode = 0o644) => writeFileSync(path.join(folder, name), text, { mode })
  const kind = options.hostKey ?? "ed25519"
  // the account that logs in reads the command line from here
  chmodSync(folder, 0o755)
  spawnSync("ssh-keygen", ["-q", "-t", kind, "-N", "", "-f", path.join(folder, kind)])
  write("cli.sh", cli)
  write("authorized_keys", `${options.authorizedKey ?? ""}\n`)
  write(
    "passwd",
    `root:x:0:0:root:/:/bin/sh\nsshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n${USER}:x:1000:1000::/:/bin/sh\n`
  )
  write("shadow", `root:*:19000:0:99999:7:::\nsshd:*:19000:0:99999:7:::\n${USER}:${HASH}:19000:0:99999:7:::\n`, 0o600)
  write("pam", pam(options.questions ?? 1))
  write("sshd_config", configOf(folder, port, options))
}

const listening = async (log: () => string, ended: () => boolean): Promise<void> => {
  while (!log().includes("Server listening")) {
    if (ended()) throw new Error(`sshd did not start: ${log()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Starts one; it ends with the scope. If `noAccounts` gives a reason, no login is possible. */
export const startSshd = Effect.fnUntraced(function* (options: SshdOptions = {}) {
  const port = yield* freePort
  return yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = mkdtempSync(path.join(tmpdir(), "switchyard-sshd-"))
      writeFiles(folder, port, options)
      const [command, args] =
        noAccounts === undefined
          ? (["unshare", [...namespace, "sh", "-c", start, "sh", folder]] as const)
          : ([program, ["-D", "-e", "-f", path.join(folder, "sshd_config")]] as const)
      const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] })
      let said = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text
      })
      const log = () => said
      await listening(log, () => child.exitCode !== null).catch((error: unknown) => {
        rmSync(folder, { recursive: true, force: true })
        throw error
      })
      const server: Sshd = { port, log }
      return { child, folder, server }
    }),
    ({ child, folder }) =>
      Effect.callback<void>((resume) => {
        child.once("exit", () => {
          rmSync(folder, { recursive: true, force: true })
          resume(Effect.void)
        })
        child.kill("SIGTERM")
      })
  ).pipe(Effect.map(({ server }) => server))
})

/** How to log in to one. */
export const targetOf = ({ port }: Sshd): DriverTarget => ({
  hostname: "sw1",
  address: "127.0.0.1",
  port,
  username: noAccounts === undefined ? USER : userInfo().username,
  password: Redacted.make(PASSWORD),
  hostKey: { _tag: "accept" }
})
