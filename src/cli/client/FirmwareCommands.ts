/** `switchyard firmware`: images, versions and upgrades. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { foldNames } from "../../domain/NameRanges.ts"
import { ask, askAll, Mistyped } from "./Server.ts"
import type { Data } from "../../api/Calls.ts"
import { type Column, format, harmless, printRows, reported } from "./Terminal.ts"
import { printScope, requireAgreement, typedFor, yes } from "./Questions.ts"
import { started } from "./JobCommands.ts"
import { devicesText } from "./Preview.ts"
import { skipFlag, skipOption } from "./SyncCommands.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
const watching = flag("watch", "Follow the job to its end; exit code 1 when it is no success")

type Images = Data<"GET /firmware_images">
type Coming = Images["downloads"][number]

const IMAGE: ReadonlyArray<Column<Images["images"][number]>> = [
  ["image", ({ file }) => file],
  ["bytes", ({ size }) => size],
  ["sha1", ({ sha1 }) => sha1],
  ["default", ({ defaults }) => defaults.join(" ")]
]

/** `image.swi: 519020544 of 1038041088 bytes (job 1207)`. */
const comingLine = ({ bytes, file, job_id, total }: Coming): string =>
  `${file ?? "a download"}: ${bytes ?? 0}${total === null ? "" : ` of ${total}`} bytes (job ${job_id})`

const images = Command.make("images", format, (wanted) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /firmware_images")
      const { downloads, images: all } = answer.data
      yield* printRows(wanted, IMAGE, all, "There is no image: switchyard firmware get URL --sha1 SUM")
      for (const download of downloads) yield* Console.error(harmless(comingLine(download)))
    })
  )
).pipe(Command.withDescription("List the images that the server has, and how far downloads are."))

const VERSION: ReadonlyArray<
  Column<{ readonly group: string; readonly version: string | null; readonly count: number }>
> = [
  ["group", ({ group }) => group],
  ["version", ({ version }) => version ?? "not known"],
  ["devices", ({ count }) => count]
]

const versions = Command.make("versions", format, (wanted) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /firmware_versions")
      const rows = answer.data.groups.flatMap(({ group, versions: all }) =>
        all.map(({ count, os_version }) => ({ group, version: os_version, count }))
      )
      yield* printRows(wanted, VERSION, rows, "No device is managed yet.")
    })
  )
).pipe(Command.withDescription("Count the managed devices of each group by version."))

const ORDER: ReadonlyArray<Column<{ readonly step: number; readonly devices: ReadonlyArray<string> }>> = [
  ["step", ({ step }) => step],
  ["devices", ({ devices }) => devices.join(" ")]
]

const order = Command.make("order", { group: Argument.String("group"), ...format }, ({ csv, group, json }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("POST /firmware/upgradecheck", { body: { group } })
      const steps = answer.data.upgrade_groups.map((devices, index) => ({ step: index + 1, devices }))
      yield* printRows({ csv, json }, ORDER, steps, `No device of ${group} reboots in steps.`)
    })
  )
).pipe(Command.withDescription("Show which switches a staggered upgrade of a group would reboot together."))

const get = Command.make(
  "get",
  {
    url: Argument.String("url"),
    sha1: Flag.String("sha1").pipe(Flag.withDescription("Checksum of the image")),
    verify: flag("verify-tls", "Check the certificate of the server that has it"),
    watch: watching,
    json: format.json
  },
  ({ sha1, url, verify, ...wanted }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("POST /firmware", { body: { url, sha1, verify_tls: verify } })
        yield* started(answer.job_id, answer.data, wanted)
      })
    )
).pipe(Command.withDescription("Download an image, and check it by its sum."))

const upgradeFlags = {
  filename: Argument.String("image"),
  hostname: Flag.String("device").pipe(Flag.withDescription("One device"), Flag.optional),
  group: Flag.String("group").pipe(Flag.withDescription("All devices of a group"), Flag.optional),
  url: Flag.String("url").pipe(Flag.withDescription("Where switches fetch the image from"), Flag.optional),
  preFlight: flag("pre-flight", "Check that it could be done"),
  download: flag("download", "Download it to the switches"),
  activate: flag("activate", "Let it boot next"),
  reboot: flag("reboot", "Reboot"),
  post: flag("post-flight", "Check that the new version runs"),
  staggered: flag("staggered", "Reboot in an order that leaves no switch without an uplink"),
  ...skipFlag,
  yes,
  watch: watching,
  json: format.json
}
type Upgrade = Command.Command.Config.Infer<typeof upgradeFlags>

/** The devices of an upgrade. */
const concerned = ({ group, hostname }: Upgrade) => {
  if (Option.isSome(hostname)) return Effect.succeed([hostname.value])
  const query = { "filter[group]": Option.getOrUndefined(group), "filter[state]": "MANAGED", sort: "hostname" }
  return Effect.map(
    askAll("GET /devices", { query }, ({ data }) => data.devices),
    (devices) => devices.map((device) => device.hostname)
  )
}

const risk = ({ reboot, staggered }: Upgrade): string => {
  if (!reboot) return "no device reboots"
  return staggered
    ? "every device reboots, in an order that leaves no switch without an uplink"
    : "every device reboots, many at the same time: what is behind them is cut off (--staggered keeps an order)"
}

/** Asks before anything is changed on a switch; the checks change nothing. */
const requireUpgrade = Effect.fnUntraced(function* (asked: Upgrade) {
  const { activate, download, filename, reboot, yes } = asked
  const steps = Object.entries({ download, activate, reboot }).flatMap(([step, isWanted]) => (isWanted ? [step] : []))
  if (yes || steps.length === 0) return
  const names = yield* concerned(asked)
  // the server says why there is none
  if (names.length === 0) return
  yield* printScope([
    ["Scope", `${devicesText(names.length)}: ${foldNames(names)}`],
    ["Risk", risk(asked)]
  ])
  yield* requireAgreement({
    question: `Upgrade ${devicesText(names.length)} to ${filename} (${steps.join(", ")})?`,
    typed: typedFor(names.length),
    undone: "Nothing was upgraded",
    yes
  })
})

const upgrade = Command.make("upgrade", upgradeFlags, (asked) =>
  reported(
    Effect.gen(function* () {
      const { activate, download, filename, group, hostname, post, preFlight, reboot, staggered, url } = asked
      if (Option.isSome(hostname) === Option.isSome(group))
        return yield* new Mistyped({ message: "Say which devices: --device or --group, and only one of these" })
      yield* requireUpgrade(asked)
      const body = {
        filename,
        hostname: Option.getOrUndefined(hostname),
        group: Option.getOrUndefined(group),
        url: Option.getOrUndefined(url),
        pre_flight: preFlight,
        download,
        activate,
        reboot,
        post_flight: post,
        staggered_upgrade: staggered,
        ...skipOption(asked)
      }
      const { answer } = yield* ask("POST /firmware/upgrade", { body })
      yield* started(answer.job_id, answer.data, asked)
    })
  )
).pipe(
  Command.withDescription("Upgrade devices to an image, in the steps that are named. Asks before it changes a switch.")
)

/** The command. */
export const firmware = Command.make("firmware").pipe(
  Command.withDescription("Images of switches, and upgrades."),
  Command.withSubcommands([images, versions, get, order, upgrade])
)
