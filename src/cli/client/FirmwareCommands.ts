/** `switchyard firmware`: images, versions and upgrades. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Column, format, printRows, reported } from "./Output.ts"
import { ask } from "./Server.ts"
import { watch } from "./Watching.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
const watching = flag("watch", "Follow the job to its end; exit code 1 when it is no success")

const NAME: ReadonlyArray<Column<string>> = [["image", (name) => name]]

const images = Command.make("images", format, (wanted) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /firmware")
      yield* printRows(wanted, NAME, answer.data.files, "There is no image: switchyard firmware get URL --sha1 SUM")
    })
  )
).pipe(Command.withDescription("List the images that the server has."))

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
        yield* Console.log(`${answer.data}: job ${answer.job_id}`)
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
    watching
  },
  ({ activate, download, filename, group, hostname, post, preFlight, reboot, url, watching }) =>
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
          post_flight: post
        }
        const { answer } = yield* ask("POST /firmware/upgrade", { body })
        yield* Console.log(`${answer.data}: job ${answer.job_id}`)
        if (watching) yield* watch(answer.job_id)
      })
    )
).pipe(Command.withDescription("Upgrade devices to an image, in the steps that are named."))

/** The command. */
export const firmware = Command.make("firmware").pipe(
  Command.withDescription("Images of switches, and upgrades."),
  Command.withSubcommands([images, get, upgrade])
)
