/** `switchyard init`: gives a discovered switch its name and its place. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { format, printJson, reported, say } from "./Output.ts"
import { ask, Refused } from "./Server.ts"
import { watch } from "./Watching.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A switch by its id, name, MAC address or serial number. */
const idOf = Effect.fnUntraced(function* (word: string) {
  if (/^\d+$/.test(word)) return Number(word)
  const { answer } = yield* ask("GET /devices", { query: { "filter[search][contains]": word, per_page: 2 } })
  const [found, other] = answer.data.devices
  if (found !== undefined && other === undefined) return found.id
  return yield* new Refused({
    message: `${found === undefined ? "No switch" : "More than one switch"} is found by ${word}`
  })
})

/** The command. */
export const init = Command.make(
  "init",
  {
    which: Argument.String("switch").pipe(
      Argument.withDescription("Id, MAC address, serial number or present name of a switch")
    ),
    hostname: Argument.String("hostname").pipe(Argument.withDescription("Its name from now on")),
    type: Flag.Literals("type", ["ACCESS", "DIST", "CORE"]).pipe(
      Flag.withDescription("What it is for"),
      Flag.withDefault("ACCESS")
    ),
    mlagPeer: Flag.Int("mlag-peer").pipe(Flag.withDescription("Id of the other switch of an MLAG pair"), Flag.optional),
    mlagName: Flag.String("mlag-peer-name").pipe(Flag.withDescription("The other's name from now on"), Flag.optional),
    check: flag("check", "Only say whether it could be initialised"),
    watching: flag("watch", "Follow the job to its end; exit code 1 when it is no success"),
    json: format.json
  },
  ({ check, hostname, json, mlagName, mlagPeer, type, watching, which }) =>
    reported(
      Effect.gen(function* () {
        const id = yield* idOf(which)
        const body = {
          hostname,
          device_type: type,
          ...Option.match(mlagPeer, { onNone: () => ({}), onSome: (peer) => ({ mlag_peer_id: peer }) }),
          ...Option.match(mlagName, { onNone: () => ({}), onSome: (name) => ({ mlag_peer_hostname: name }) })
        }
        if (check) {
          const { answer } = yield* ask("POST /device_initcheck/:id", { params: { id }, body })
          return yield* printJson(answer.data)
        }
        const { answer } = yield* ask("POST /device_init/:id", { params: { id }, body })
        yield* json
          ? Console.log(JSON.stringify({ job_id: answer.job_id }))
          : say(`${answer.data}: job ${answer.job_id}`)
        if (watching) yield* watch(answer.job_id)
      })
    )
).pipe(Command.withDescription("Initialise a switch that was discovered, or check whether it could be."))
