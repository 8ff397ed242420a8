/**
 * What the checks of a change read beyond the connection of the changed device: the ports of a role, its neighbours by the links of the
 * database, and the state of those neighbours. Neighbours are read out of their turn, over a session of their own that sends nothing but
 * questions: two devices that change at the same time and read each other would otherwise wait for each other.
 */
import { Duration, Effect, Option, Result, Semaphore } from "effect"
import type { OutsideQuestion, PortRole } from "../domain/checks/Check.ts"
import { type ShownOutput, unshown } from "../domain/checks/PluginQuestion.ts"
import {
  answeredLate,
  type Question,
  type StateAnswer,
  type StateProblem,
  unanswered
} from "../domain/checks/Readings.ts"
import type { DeviceType } from "../domain/Device.ts"
import type { ConfigType } from "../domain/Interface.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { type LinkNeighbour, NetworkStore } from "../store/NetworkStore.ts"
import type { CheckTarget } from "./ChangeChecks.ts"
import { NOT_ANSWERED } from "./CheckAnswers.ts"
import { DeviceEntity, type DeviceFailure, patiently } from "./DeviceCalls.ts"
import { MonitoringSystem, type OutsideAnswer } from "./MonitoringSystem.ts"
import { readState, showAll, type WithSession } from "./Operations.ts"
import { PluginChecks, type Show } from "./PluginChecks.ts"

const roleOfType: Partial<Readonly<Record<ConfigType, PortRole>>> = {
  ACCESS_AUTO: "access",
  ACCESS_UNTAGGED: "access",
  ACCESS_TAGGED: "access",
  ACCESS_UPLINK: "uplink",
  ACCESS_DOWNLINK: "downlink",
  MLAG_PEER: "mlag_peer"
}

/** The role of a port with a link, by the types of both devices; null where the port's own record decides. */
const roleOfLink = (own: DeviceType, peer: DeviceType): PortRole | null => {
  if (own === "ACCESS") return peer === "ACCESS" ? null : "uplink"
  return peer === "ACCESS" ? "downlink" : "fabric"
}

/** The ports of a role. A link decides before the record of its port. */
export const portsOfRole = (
  own: DeviceType,
  ports: ReadonlyArray<{ readonly name: string; readonly configtype: ConfigType }>,
  links: ReadonlyArray<Pick<LinkNeighbour, "port" | "device_type">>,
  role: PortRole
): ReadonlySet<string> => {
  const roles = new Map<string, PortRole>()
  for (const { configtype, name } of ports) {
    const known = roleOfType[configtype]
    if (known !== undefined) roles.set(name, known)
  }
  for (const { device_type, port } of links) {
    const known = roleOfLink(own, device_type)
    if (known !== null) roles.set(port, known)
  }
  return new Set([...roles].flatMap(([port, known]) => (known === role ? [port] : [])))
}

/** At most so many neighbours of one device are read. */
const MOST_NEIGHBOURS = 32

/** Finds the ports of a role on a device. */
export const makePortsOf = Effect.gen(function* () {
  const { links } = yield* NetworkStore
  const interfaces = yield* InterfaceStore
  const devices = yield* DeviceStore
  return Effect.fnUntraced(function* (deviceId: number, role: PortRole) {
    const own = yield* Effect.option(devices.get(deviceId))
    if (Option.isNone(own)) return new Set<string>()
    return portsOfRole(
      own.value.device_type,
      yield* interfaces.ofDevice(deviceId),
      yield* links.neighbours(deviceId),
      role
    )
  })
})

/** Why a device has answered nothing; `type` is that of the failure, where the call has one. */
const problemOf = (error: {
  readonly _tag: string
  readonly message: string
  readonly type?: string
}): StateProblem => ({
  type: error.type ?? error._tag,
  message: error.message
})

/** Gives a device read-only commands over a session of its own, also while its actor does other work. */
const showsOn =
  (actorOf: Effect.Success<typeof DeviceEntity.client>, deviceId: number): Show =>
  (commands) =>
    patiently(actorOf(String(deviceId)).ShowBeside({ commands })).pipe(
      Effect.catch((error) => Effect.succeed(unshown(commands, problemOf(error))))
    )

/** Asks other systems, and plugins, about a device; the answers are in the order of the questions. `limit` in milliseconds. */
export const makeAskOutside = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const actorOf = yield* DeviceEntity.client
  const monitoring = yield* MonitoringSystem
  const plugins = yield* PluginChecks
  return Effect.fnUntraced(function* (
    deviceId: number,
    questions: ReadonlyArray<OutsideQuestion>,
    limit: number
  ): Effect.fn.Return<ReadonlyArray<OutsideAnswer>> {
    const device = yield* Effect.result(devices.get(deviceId))
    if (Result.isFailure(device)) {
      const { _tag: type, message } = device.failure
      return questions.map(() => Result.fail({ type, message }))
    }
    const ofSystems = questions.filter((question) => question.reads === "http")
    const ofPlugins = questions.filter((question) => question.reads === "plugin")
    const [systems, functions] = yield* Effect.all(
      [
        monitoring.ask(ofSystems, device.success, limit),
        plugins.ask(ofPlugins, device.success, showsOn(actorOf, deviceId), limit)
      ],
      { concurrency: "unbounded" }
    )
    const answers = new Map<OutsideQuestion, OutsideAnswer | undefined>([
      ...ofSystems.map((question, index) => [question, systems[index]] as const),
      ...ofPlugins.map((question, index) => [question, functions[index]] as const)
    ])
    return questions.map((question) => answers.get(question) ?? Result.fail(NOT_ANSWERED))
  })
})

/** Finds the managed devices at the other ends of the links of a device, each once. */
export const makeNeighbours = Effect.map(NetworkStore, ({ links }) =>
  Effect.fnUntraced(function* (deviceId: number) {
    const found = yield* links.neighbours(deviceId)
    const managed = found.filter(({ id, state }) => state === "MANAGED" && id !== deviceId)
    const targets = new Map(managed.map(({ hostname, id }): [number, CheckTarget] => [id, { id, hostname }]))
    return [...targets.values()].slice(0, MOST_NEIGHBOURS)
  })
)

/** The parts that the actors of all devices share. */
export const make = Effect.gen(function* () {
  const neighbours = yield* makeNeighbours
  const portsOf = yield* makePortsOf
  const actorOf = yield* DeviceEntity.client
  const askOutside = yield* makeAskOutside

  const ask = ({ id }: CheckTarget, questions: ReadonlyArray<Question>): Effect.Effect<ReadonlyArray<StateAnswer>> =>
    patiently(actorOf(String(id)).ReadBeside({ questions })).pipe(
      Effect.catch((error) => Effect.succeed(unanswered(questions, problemOf(error))))
    )

  return { neighbours, portsOf, ask, askOutside }
})

/** The longest time for such a read; its session is closed then. */
const BESIDE_LIMIT = Duration.seconds(60)

/** Reads a device while its actor does other work. Such reads take turns: a device has at most one session of this kind. */
export const makeBeside = () => {
  const one = Semaphore.makeUnsafe(1)
  const bounded = <A, E>(work: Effect.Effect<A, E>, late: () => A) =>
    one.withPermit(Effect.map(Effect.timeoutOption(work, BESIDE_LIMIT), Option.getOrElse(late)))
  return {
    read: (withSession: WithSession, questions: ReadonlyArray<Question>) =>
      bounded(
        withSession((session, hostname) => readState(session, hostname, questions)),
        () => unanswered(questions, answeredLate)
      ),
    show: (withSession: WithSession, commands: ReadonlyArray<string>) =>
      bounded<ReadonlyArray<ShownOutput>, DeviceFailure>(
        withSession((session, hostname) => showAll(session, hostname, commands)),
        () => unshown(commands, answeredLate)
      )
  }
}
