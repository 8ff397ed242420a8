/**
 * Images of EOS on a switch: room, fetching, checksums and the one that boots next (docs/switch-dialogues.md#eos-firmware-and-reload);
 * restart and factory default.
 */
import { Effect, Option } from "effect"
import { CommandRejected } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { Cli } from "../ssh/Cli.ts"
import type { FirmwareVerbs, ImageSource, ResetVerbs } from "../Verbs.ts"
import { saidTo, unexpected } from "./Answers.ts"
import { isCopied } from "./Dialect.ts"
import { flashPath, removeFile, removeInstalled } from "./Certificates.ts"

// Restarting a switch, and bringing it back to its factory default (docs/switch-dialogues.md#eos-files-and-certificates and
// docs/jobs.md#device_erase).

const reloadSeconds = 60

/** See `ResetVerbs.reload`. */
export const reload = (cli: Cli, hangUp: Effect.Effect<void>): Effect.Effect<void, CommandRejected> =>
  cli
    .query("reload force", { timeout: reloadSeconds, expectDisconnect: true })
    .pipe(
      Effect.catchTags({ CommandTimeout: () => Effect.void, ConnectionException: () => Effect.void }),
      Effect.andThen(hangUp)
    )

const wipe = Effect.fnUntraced(function* (cli: Cli) {
  yield* cli.query("write erase now")
  yield* removeInstalled(cli)
})

/** The verbs on this switch; `hangUp` drops its connection. */
export const reset = (cli: Cli, hangUp: Effect.Effect<void>): ResetVerbs => ({
  wipe: wipe(cli),
  reload: reload(cli, hangUp)
})

/** Below this much free flash old images are removed. */
const enoughKib = 2_500_000

/** Deadlines in seconds: a copy is silent for minutes, an activation checks the whole image. */
const copySeconds = 500
const verifySeconds = 300
const activateSeconds = 300

const freeCommand = "bash timeout 5 df /mnt/flash | awk '{print $4}'"
const cleanUpCommand =
  'bash timeout 30 ls -t /mnt/flash/*.swi | tail -n +2 | grep -v `cut -d"/" -f2 /mnt/flash/boot-config` | xargs rm -f'

/** The file name behind `Software image: flash:/…`; empty when none is set. */
export const bootImageIn = (answer: string): string =>
  /^Software image:\s*(?!\(not set\))(\S+)/m.exec(answer)?.[1]?.split(/[/:]/).at(-1) ?? ""

/** The number of KiB that stands alone in a line; undefined when none does. */
export const freeKibIn = (answer: string): number | undefined => {
  const free = /^\s*(\d+)\s*$/m.exec(answer)?.[1]
  return free === undefined ? undefined : Number(free)
}

/** The size that `ls -l` shows of the file, in bytes; 0 when it shows none. */
export const sizeIn = (file: string, answer: string): number => {
  const line = answer.split("\n").find((one) => one.includes(`/${file}`) && one.startsWith("-"))
  return Number(line?.trim().split(/\s+/)[4] ?? 0)
}

/** The checksum behind the last equals sign, in lower case. */
export const checksumIn = (answer: string): Option.Option<string> =>
  Option.fromUndefinedOr(/= ?([\da-fA-F]{32,128})\s*$/m.exec(answer)?.[1]?.toLowerCase())

/** Lines by which the switch says that a copy went wrong. */
export const copyComplaints = (answer: string): string =>
  answer
    .split("\n")
    .filter((line) => /^(?:get:|% )/.test(line.trim()))
    .map((line) => line.trim())
    .join("\n")

const bootImage = (cli: Cli) => Effect.map(cli.query("show boot-config"), bootImageIn)

const freeKib = Effect.fnUntraced(function* (cli: Cli) {
  const free = freeKibIn(yield* cli.query(freeCommand))
  return free ?? (yield* unexpected(cli, freeCommand, "the free space of the flash is not shown"))
})

const makeRoom = Effect.fnUntraced(function* (cli: Cli) {
  const free = yield* freeKib(cli)
  if (free >= enoughKib) return free
  yield* cli.query(cleanUpCommand)
  return yield* freeKib(cli)
})

const fetch = Effect.fnUntraced(function* (cli: Cli, { url, vrf }: ImageSource) {
  const command = `copy ${url} ${vrf === null ? "" : `vrf ${vrf} `}flash:`
  const answer = yield* saidTo(cli, command, { timeout: copySeconds })
  if (isCopied(answer)) return
  const message = maskSecrets(`Copy command did not complete successfully: ${copyComplaints(answer)}`)
  return yield* new CommandRejected({ hostname: cli.target.hostname, command, message })
})

const activate = Effect.fnUntraced(function* (cli: Cli, file: string) {
  const { hostname } = cli.target
  const command = `boot system flash:${file}`
  yield* cli.query("configure terminal", { modes: ["(config)#"] }).pipe(
    Effect.catchTag("CommandRejected", ({ message }) => {
      const why = `Firmware not activated: ${hostname} does not allow "configure terminal", which this needs: ${message}`
      return Effect.fail(new CommandRejected({ hostname, command, message: why }))
    })
  )
  const said = (yield* saidTo(cli, command, { timeout: activateSeconds })).trim()
  yield* cli.query("end", { modes: ["#"] })
  if ((yield* bootImage(cli)) === file) return
  const message = `Firmware not activated properly on ${hostname}${said === "" ? "" : `: ${said}`}`
  return yield* new CommandRejected({ hostname, command, message })
})

/** The verbs on this switch; `hangUp` drops its connection. */
export const firmware = (cli: Cli, hangUp: Effect.Effect<void>): FirmwareVerbs => ({
  makeRoom: makeRoom(cli),
  bootImage: bootImage(cli),
  sizeOf: (file) => Effect.map(saidTo(cli, `bash /bin/ls -l ${flashPath(file)}`), (answer) => sizeIn(file, answer)),
  checksum: (kind, file) =>
    Effect.map(saidTo(cli, `verify /${kind} file:${flashPath(file)}`, { timeout: verifySeconds }), checksumIn),
  fetch: (source) => fetch(cli, source),
  remove: (file) => removeFile(cli, file),
  activate: (file) => activate(cli, file),
  reload: reload(cli, hangUp)
})
