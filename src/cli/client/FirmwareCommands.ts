/** `switchyard firmware`: images, versions and upgrades. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ask } from "./Server.ts"
import type { Data } from "../../api/Calls.ts"
import { type Column, format, harmless, printRows, reported, say } from "./Terminal.ts"
import { watch } from "./JobCommands.ts"

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
      yield* printRows(wanted, VERSION, rows, "No device is managed yet")
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
      yield* printRows({ csv, json }, ORDER, steps, "There is nothing to order")
    })
  )
).pipe(Command.withDescription("Show which switches a staggered upgrade of a group would reboot together."))

const get = Command.make(
  "get",
  {
    url: Argument.String("url"),
    sha1: Flag.String("sha1").pipe(Flag.withDescription("Checksum of the image")),
    verify: flag("verify-tls", "Check the certificate of the server that has it"),
    watching
  },
  ({ sha1, url, verify, watching }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("POST /firmware", { body: { url, sha1, verify_tls: verify } })
        yield* say(`${answer.data}: job ${answer.job_id}`)
        if (watching) yield* watch(answer.job_id)
      })
    )
).pipe(Command.withDescription("Download an image, and check it by its sum."))

const upgrade = Command.make(
  "upgrade",
  {
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
    watching
  },
  ({ activate, download, filename, group, hostname, post, preFlight, reboot, staggered, url, watching }) =>
    reported(
      Effect.gen(function* () {
        const body = {
          filename,
          ...Option.match(hostname, { onNone: () => ({}), onSome: (name) => ({ hostname: name }) }),
          ...Option.match(group, { onNone: () => ({}), onSome: (name) => ({ group: name }) }),
          ...Option.match(url, { onNone: () => ({}), onSome: (text) => ({ url: text }) }),
          pre_flight: preFlight,
          download,
          activate,
          reboot,
          post_flight: post,
          staggered_upgrade: staggered
        }
        const { answer } = yield* ask("POST /firmware/upgrade", { body })
        yield* say(`${answer.data}: job ${answer.job_id}`)
        if (watching) yield* watch(answer.job_id)
      })
    )
).pipe(Command.withDescription("Upgrade devices to an image, in the steps that are named."))

/** The command. */
export const firmware = Command.make("firmware").pipe(
  Command.withDescription("Images of switches, and upgrades."),
  Command.withSubcommands([images, versions, get, order, upgrade])
)
