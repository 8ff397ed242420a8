/**
 * The steps of a firmware upgrade on one EOS switch, as commands (contract device-cli.md §3.11, engine.md §14.2). Each can be
 * repeated: an image that is there and right is not fetched again, and one that is active is not activated again.
 */
import { Effect } from "effect"
import type { DeviceFailure } from "./DeviceFailure.ts"
import type { DriverSession } from "../drivers/Driver.ts"
import { CommandRejected, type DriverError, UnexpectedAnswer } from "../drivers/DriverErrors.ts"
import type { ExpectedImage } from "./FirmwareCalls.ts"

/** Below this much free flash old images are removed. */
const ENOUGH_KIB = 2_500_000
const KIB = 1024

/** Deadlines in seconds: a copy is silent for minutes, an activation checks the whole image. */
const COPY_SECONDS = 500
const VERIFY_SECONDS = 300
const ACTIVATE_SECONDS = 300
const RELOAD_SECONDS = 60

const BOOT_CONFIG = "show boot-config"
const FREE = "bash timeout 5 df /mnt/flash | awk '{print $4}'"
const CLEAN_UP =
  'bash timeout 30 ls -t /mnt/flash/*.swi | tail -n +2 | grep -v `cut -d"/" -f2 /mnt/flash/boot-config` | xargs rm -f'

const tolerant = (seconds: number) => ({ timeout: seconds, tolerateErrors: true })

/** Lines by which the switch says that a copy went wrong. */
const complaints = (answer: string): string =>
  answer
    .split("\n")
    .filter((line) => /^(?:get:|% )/.test(line.trim()))
    .map((line) => line.trim())
    .join("\n")

/** The file name behind `Software image: flash:/…`; empty when none is set. */
export const bootImageIn = (answer: string): string =>
  /^Software image:\s*(\S+)/m.exec(answer)?.[1]?.split(/[/:]/).at(-1) ?? ""

const bootImage = (session: DriverSession) => Effect.map(session.run(BOOT_CONFIG), bootImageIn)

const freeKib = Effect.fnUntraced(function* (session: DriverSession, hostname: string) {
  const answer = yield* session.run(FREE)
  const free = /^\s*(\d+)\s*$/m.exec(answer)?.[1]
  if (free !== undefined) return Number(free)
  return yield* new UnexpectedAnswer({ hostname, command: FREE, message: "the free space of the flash is not shown" })
})

/** Bytes of a file on the flash, 0 when it is not there. */
const sizeOf = (session: DriverSession, file: string) =>
  Effect.map(session.run(`bash /bin/ls -l /mnt/flash/${file}`, { tolerateErrors: true }), (answer) => {
    const line = answer.split("\n").find((one) => one.includes(`/${file}`) && one.startsWith("-"))
    return Number(line?.trim().split(/\s+/)[4] ?? 0)
  })

/** What the switch is, runs and boots, and room for an image. */
export const preflight = Effect.fn("FirmwareSteps.preflight")(function* (
  session: DriverSession,
  hostname: string,
  { file, image }: { readonly file: string | null; readonly image: ExpectedImage | null }
) {
  const { model, os_version } = yield* session.facts
  const boots = yield* bootImage(session)
  let free = yield* freeKib(session, hostname)
  if (free < ENOUGH_KIB) {
    yield* session.run(CLEAN_UP)
    free = yield* freeKib(session, hostname)
  }
  if (file !== null && image !== null) {
    const room = free * KIB + (yield* sizeOf(session, file))
    if (room < image.size) {
      const needed = Math.ceil(image.size / KIB)
      const message = `${file} needs ${needed} KiB on the flash, ${Math.floor(room / KIB)} KiB are free`
      return yield* new CommandRejected({ hostname, command: FREE, message })
    }
  }
  return { freeKib: free, bootImage: boots, model, os_version }
})

/** A checksum as the switch computes it; undefined when the file is not there or the release has no such command. */
const sumOnSwitch = (session: DriverSession, kind: "sha512" | "md5", file: string) =>
  Effect.map(session.run(`verify /${kind} file:/mnt/flash/${file}`, tolerant(VERIFY_SECONDS)), (answer) =>
    /= ?([\da-fA-F]{32,128})\s*$/m.exec(answer)?.[1]?.toLowerCase()
  )

/** Compares the file on the switch with the image: `absent` also when the switch cannot tell. */
const compare = Effect.fnUntraced(function* (session: DriverSession, file: string, image: ExpectedImage) {
  const sha512 = yield* sumOnSwitch(session, "sha512", file)
  if (sha512 !== undefined) return sha512 === image.sha512 ? "same" : "other"
  const md5 = yield* sumOnSwitch(session, "md5", file)
  return md5 === undefined ? "absent" : md5 === image.md5 ? "same" : "other"
})

const copy = Effect.fnUntraced(function* (session: DriverSession, hostname: string, command: string) {
  const answer = yield* session.run(command, tolerant(COPY_SECONDS))
  if (answer.includes("Copy completed successfully")) return
  const message = `Copy command did not complete successfully: ${complaints(answer)}`
  return yield* new CommandRejected({ hostname, command, message })
})

/** Fetches the image unless it is there, and compares it with what it must be. A wrong one is removed. */
export const download = Effect.fn("FirmwareSteps.download")(function* (
  session: DriverSession,
  hostname: string,
  order: {
    readonly url: string
    readonly file: string
    readonly vrf: string | null
    readonly image: ExpectedImage | null
  }
) {
  const { file, image, url, vrf } = order
  if (image !== null && (yield* sizeOf(session, file)) === image.size) {
    if ((yield* compare(session, file, image)) === "same") return
  }
  const command = `copy ${url} ${vrf === null ? "" : `vrf ${vrf} `}flash:`
  yield* copy(session, hostname, command)
  if (image === null || (yield* compare(session, file, image)) === "same") return
  yield* session.run(`delete flash:${file}`, { tolerateErrors: true })
  const message = `Checksum mismatch of ${file} on the switch, file corrupt`
  return yield* new UnexpectedAnswer({ hostname, command, message })
})

/** Makes the image the one that boots next, and proves it by reading the boot configuration again. */
export const activate = Effect.fn("FirmwareSteps.activate")(function* (
  session: DriverSession,
  hostname: string,
  file: string
) {
  if ((yield* bootImage(session)) === file) return { alreadyActive: true }
  const command = `boot system flash:${file}`
  yield* session.run("configure terminal")
  const said = yield* session.run(command, tolerant(ACTIVATE_SECONDS))
  yield* session.run("end")
  if ((yield* bootImage(session)) === file) return { alreadyActive: false }
  const heading = said.trim() === "" ? "" : `: ${said.trim()}`
  const message = `Firmware not activated properly on ${hostname}${heading}`
  return yield* new CommandRejected({ hostname, command, message })
})

/** Saves and reloads. Once the reload was sent, a connection that ends in any way is no failure. */
export const reboot = Effect.fn("FirmwareSteps.reboot")(function* (session: DriverSession) {
  yield* session.save
  yield* session
    .run("reload force", { timeout: RELOAD_SECONDS, expectDisconnect: true })
    .pipe(Effect.catchTags({ CommandTimeout: () => Effect.void, ConnectionException: () => Effect.void }))
  yield* session.abandon
})

/** Runs work on a session of the device; what goes wrong becomes a DeviceFailure. */
type WithSession = <A>(
  work: (session: DriverSession, hostname: string) => Effect.Effect<A, DriverError>
) => Effect.Effect<A, DeviceFailure>

/** Handlers of `firmwareCalls`. */
export const handlers = (withSession: WithSession) => ({
  FirmwarePreflight: ({ payload }: { readonly payload: Parameters<typeof preflight>[2] }) =>
    withSession((session, hostname) => preflight(session, hostname, payload)),
  FirmwareDownload: ({ payload }: { readonly payload: Parameters<typeof download>[2] }) =>
    withSession((session, hostname) => download(session, hostname, payload)),
  FirmwareActivate: ({ payload }: { readonly payload: { readonly file: string } }) =>
    withSession((session, hostname) => activate(session, hostname, payload.file)),
  FirmwareReboot: () => withSession(reboot)
})
