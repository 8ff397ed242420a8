/**
 * Handlers of files of ports (docs/api.md#several-ports-at-once): everything is checked together, shown as one difference, and stored in one
 * transaction or not at all.
 */
import { DateTime, Effect, Result } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { createHash } from "node:crypto"
import { CallerDevices } from "../access/CallerDevices.ts"
import { permittedCall, type Subject } from "../access/Permit.ts"
import { BadRequest, enveloped, Forbidden, InternalError, PreconditionFailed } from "../api/Answers.ts"
import { Api } from "../api/Api.ts"
import { type PortFileRequest } from "../api/PortFileApi.ts"
import { type AskedDevice, unknownDevice } from "../domain/access/PermissionRule.ts"
import type { Device } from "../domain/Device.ts"
import { isObject } from "../domain/fields/Values.ts"
import {
  changePort,
  freeFields,
  type Interface,
  type PortContext,
  portRefusals,
  PortChanges
} from "../domain/Interface.ts"
import { foldNames } from "../domain/NameRanges.ts"
import {
  columnOfKey,
  namesMeant,
  namesOfRange,
  type PortFile,
  type PortFileError,
  portFileErrorText,
  portFileOf,
  type PortRow,
  portValues,
  type PortValues,
  readPortFile,
  refusalBetweenSwitches
} from "../domain/PortFile.ts"
import { diff } from "../drivers/UnifiedDiff.ts"
import { requiringSettings, SettingsView } from "../settings/SettingsView.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { SecretTexts } from "../store/SecretStore.ts"
import { answered, asCaller, refuseUnrendered, transaction } from "./core/HandlerErrors.ts"
import { makeNeighbours } from "./devices/LinkedDevices.ts"
import {
  hiddenPorts,
  makePortStoring,
  makePrepared,
  numbered,
  RolledBack,
  type UpdatedPort,
  versionOf,
  vlansOf,
  withStoredSecrets
} from "./InterfaceHandlers.ts"

type Request = typeof PortFileRequest.schema.Type

/** More switches than one change should touch; their configurations are rendered for the difference. */
const MAX_SWITCHES = 100

/** A row for one of its switches. */
interface Placed {
  readonly row: PortRow
  readonly device: Device
}

const callOn = (method: "GET" | "PUT", hostname: string) => ({ method, path: `/device/${hostname}/interfaces` })

/** Finds the switches that a file names, and checks that the caller may change their ports. */
const makePlaces = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const askedDevices = yield* CallerDevices

  /** As the caller of one switch would be asked; undefined if it is allowed, else the sentence of the refusal. */
  const refusalOf = Effect.fnUntraced(function* (method: "GET" | "PUT", hostname: string, subject: Subject) {
    const judged = yield* Effect.result(permittedCall(callOn(method, hostname), subject))
    return Result.isFailure(judged) ? judged.failure.message : undefined
  })

  const asked = Effect.fnUntraced(function* (found: ReadonlyArray<Device>, names: ReadonlyArray<string>) {
    const known = new Map((yield* requiringSettings(askedDevices.of(found))).map((one) => [one.hostname, one]))
    return new Map(names.map((name): [string, AskedDevice] => [name, known.get(name) ?? unknownDevice(name)]))
  })

  const find = Effect.fn("PortFile.find")(function* ({ errors, rows }: PortFile) {
    const words = rows.flatMap(({ switches }) => switches)
    const found = yield* devices.byHostnames([...new Set([...words, ...words.flatMap(namesOfRange)])])
    const byName = new Map(found.map((device) => [device.hostname, device]))
    const all = [...errors]
    const refused: Array<PortFileError> = []
    const meant = rows.map((row) => ({ row, ...namesMeant(row.switches, (name) => byName.has(name)) }))
    const names = [...new Set(meant.flatMap(({ known, unknown }) => [...known, ...unknown]))]
    if (names.length > MAX_SWITCHES)
      return yield* new BadRequest({
        message: { errors: [`the file names ${names.length} switches; at most ${MAX_SWITCHES} are changed at once`] }
      })
    const judged = yield* asked(found, names)
    const placed: Array<Placed> = []
    for (const { known, row, unknown } of meant) {
      for (const hostname of [...known, ...unknown]) {
        const ports = row.ports.flatMap(namesOfRange).map((port) => ({ hostname, port }))
        const device = judged.get(hostname)
        const message = yield* refusalOf("PUT", hostname, { devices: device === undefined ? [] : [device], ports })
        if (message !== undefined) refused.push({ line: row.line, column: "switch", message })
      }
      if (unknown.length > 0)
        all.push({ line: row.line, column: "switch", message: `there is no switch ${foldNames(unknown)}` })
      for (const hostname of known) {
        const device = byName.get(hostname)
        if (device !== undefined) placed.push({ row, device })
      }
    }
    if (refused.length > 0)
      return yield* new Forbidden({ message: { errors: [...refused, ...all].map(portFileErrorText) } })
    return { placed, errors: all, asked: judged }
  })

  return { find, asked, refusalOf }
})

/** Columns whose cells refer to the settings. */
const FROM_SETTINGS = new Set(["vlan", "tagged", "vxlan", "profile"])

interface Known {
  readonly context: PortContext
  readonly profiles: Readonly<Record<string, unknown>>
}

const makeKnown = Effect.map(Effect.service(SettingsView), (settings) =>
  Effect.fnUntraced(function* (device: Device, rows: ReadonlyArray<PortRow>) {
    const { hostname, platform } = device
    const effective = yield* Effect.result(settings.effective({ _tag: "Device", device }))
    if (Result.isFailure(effective)) {
      if (effective.failure._tag === "SqlError") return yield* effective.failure
      const isNeeded = rows.some(({ cells }) => [...cells.keys()].some((column) => FROM_SETTINGS.has(column)))
      if (isNeeded) return yield* new InternalError({ message: effective.failure.refusal })
      const context = { hostname, platform, vlanNames: new Set<string>(), vxlans: new Set<string>() }
      return { context, profiles: {} } satisfies Known
    }
    const values = effective.success.settings
    const profiles = isObject(values["port_profiles"]) ? values["port_profiles"] : {}
    return { context: { hostname, platform, ...vlansOf(values) }, profiles } satisfies Known
  })
)

/** Checks a change of one port and applies it; yields the new port if it differs. */
const makePortChange = Effect.gen(function* () {
  const secrets = yield* SecretTexts
  const store = yield* makePortStoring
  const hide = hiddenPorts(secrets)

  return Effect.fnUntraced(function* (
    port: Interface,
    { errors: mistakes, sent }: PortValues,
    { cells, line }: PortRow,
    { context }: Known,
    asked: AskedDevice | undefined
  ) {
    const [shown = port] = hide([port])
    const isStored = (key: string, value: unknown) =>
      JSON.stringify(shown.data?.[key] ?? null) === JSON.stringify(value ?? null)
    const between = refusalBetweenSwitches(port, sent, isStored)
    const change = PortChanges.check({ interfaces: { [port.name]: sent } }).fields.interfaces?.[port.name]
    if (between !== undefined || change === undefined || change === null)
      return { errors: [...mistakes, ...(between === undefined ? [] : [{ line, ...between }])], updated: undefined }
    const free = freeFields(change, shown.data).map((key) => `${port.name}.data${key}`)
    if (free.length > 0)
      yield* permittedCall(callOn("PUT", context.hostname), {
        devices: asked === undefined ? [] : [asked],
        free,
        whole: true
      })
    const columnOf = (key: string) => {
      const column = columnOfKey(key)
      return cells.has(column) || !cells.has("profile") ? column : "profile"
    }
    const refusals = [...portRefusals(change, context)].flatMap(([key, sentences]) =>
      sentences.map((message): PortFileError => ({ line, column: columnOf(key), message }))
    )
    const outcome = withStoredSecrets(port, changePort(port, change, context), secrets)
    const others = outcome.errors
      .filter((message) => !refusals.some((one) => one.message === message))
      .map((message): PortFileError => ({ line, column: "", message }))
    const errors = [...mistakes, ...refusals, ...others]
    if (errors.length > 0 || (!outcome.configtypeChanged && !outcome.dataChanged)) return { errors, updated: undefined }
    return { errors, updated: yield* store(port, outcome) }
  })
})

type Updated = Readonly<Record<string, UpdatedPort>>

const makeBulk = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const ports = yield* InterfaceStore
  const prepared = yield* makePrepared
  const places = yield* makePlaces
  const knownOf = yield* makeKnown
  const changed = yield* makePortChange
  const hide = hiddenPorts(yield* SecretTexts)
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  /** Changes the ports of one switch, whose row is locked. */
  const changeDevice = Effect.fnUntraced(function* (device: Device, rows: ReadonlyArray<PortRow>, asked?: AskedDevice) {
    const stored = yield* ports.ofDevice(device.id)
    const byName = new Map(stored.map((port) => [port.name, port]))
    const known = yield* knownOf(device, rows)
    const errors: Array<PortFileError> = []
    const updated: Array<readonly [string, UpdatedPort]> = []
    const lineOf = new Map<string, number>()
    for (const row of rows) {
      const { line } = row
      const meant = namesMeant(row.ports, (name) => byName.has(name))
      if (meant.unknown.length > 0) {
        const message =
          stored.length === 0
            ? `${device.hostname} has no ports here: those of other than access switches are in the settings`
            : `${device.hostname} has no port ${foldNames(meant.unknown)}`
        errors.push({ line, column: "port", message })
      }
      const values = portValues(row, known.profiles)
      // a mistake in a cell is one mistake, whatever the number of ports
      const mistakes = [...values.errors]
      for (const name of meant.known) {
        const before = lineOf.get(name)
        const port = byName.get(name)
        if (before !== undefined) {
          const where = before === line ? "twice in this line" : `in line ${before} too`
          errors.push({ line, column: "port", message: `${name} of ${device.hostname} is ${where}` })
        }
        lineOf.set(name, line)
        if (port === undefined || before !== undefined) continue
        const one = yield* changed(port, { ...values, errors: mistakes.splice(0) }, row, known, asked)
        errors.push(...one.errors)
        if (one.updated !== undefined) updated.push([name, one.updated])
      }
      errors.push(...mistakes)
    }
    const version = versionOf(hide(stored))
    return { errors, updated: Object.fromEntries(updated) satisfies Updated, version }
  })

  /** Changes all ports of a file; the transaction must be rolled back if there are errors. */
  const changeAll = Effect.fnUntraced(function* (
    placed: ReadonlyArray<Placed>,
    asked: ReadonlyMap<string, AskedDevice>
  ) {
    const errors: Array<PortFileError> = []
    const versions: Array<string> = []
    const updated: Array<readonly [Device, Updated]> = []
    // in the order of their ids, so that two files never wait for each other
    const byId = [...Map.groupBy(placed, ({ device }) => device.id)].toSorted(([one], [other]) => one - other)
    for (const [id, those] of byId) {
      const device = yield* devices.lock(id)
      const rows = those.map(({ row }) => row)
      const one = yield* changeDevice(device, rows, asked.get(device.hostname))
      errors.push(...one.errors)
      versions.push(`${device.hostname} ${one.version}`)
      if (Object.keys(one.updated).length > 0) updated.push([device, one.updated])
    }
    const version = createHash("sha256").update(versions.join("\n")).digest("hex").slice(0, 16)
    return { errors, updated, version }
  })

  type Changes = Effect.Success<ReturnType<typeof changeAll>>

  /** The errors of rows for several switches once, in the order of the file. */
  const inOrder = (errors: ReadonlyArray<PortFileError>): ReadonlyArray<PortFileError> =>
    [...new Map(errors.map((error) => [portFileErrorText(error), error])).values()].toSorted(
      (one, other) => one.line - other.line
    )

  const answerOf = (changes: Changes, stored: boolean, diffs: ReadonlyArray<{ hostnames: string[]; diff: string }>) =>
    enveloped({
      stored,
      errors: [],
      updated: Object.fromEntries(changes.updated.map(([{ hostname }, one]) => [hostname, one])),
      diffs,
      version: changes.version
    })

  /** Applies the change, reads the inputs of the renderings, and rolls the change back. */
  const tried = (placed: ReadonlyArray<Placed>, asked: ReadonlyMap<string, AskedDevice>) => {
    const changing = Effect.gen(function* () {
      const changes = yield* changeAll(placed, asked)
      const renders = yield* Effect.forEach(changes.errors.length > 0 ? [] : changes.updated, ([device]) =>
        prepared(device)
      )
      return yield* Effect.fail(new RolledBack({ changes, renders }))
    })
    return Effect.catchTag(inTransaction(changing), "RolledBack", ({ found }) => Effect.succeed(found))
  }

  const tryOut = Effect.fnUntraced(function* (
    placed: ReadonlyArray<Placed>,
    errors: ReadonlyArray<PortFileError>,
    asked: ReadonlyMap<string, AskedDevice>
  ) {
    const { changes, renders } = yield* tried(placed, asked)
    const all = inOrder([...errors, ...changes.errors])
    if (all.length > 0)
      return enveloped({ stored: false, errors: all, updated: {}, diffs: [], version: changes.version })
    const compared: Array<{ readonly hostname: string; readonly text: string }> = []
    for (const [index, [device]] of changes.updated.entries()) {
      const [now, then] = yield* Effect.all([
        Effect.flatten(prepared(device)),
        renders[index] ?? Effect.die("no rendering")
      ]).pipe(Effect.catchTag("PreviewFailed", refuseUnrendered(device.hostname)))
      compared.push({ hostname: device.hostname, text: diff(now.generated_config, then.generated_config) })
    }
    const diffs = [...Map.groupBy(compared, ({ text }) => text)].map(([text, same]) => ({
      hostnames: same.map(({ hostname }) => hostname),
      diff: text
    }))
    return answerOf(changes, false, diffs)
  })

  const store = Effect.fnUntraced(function* (
    placed: ReadonlyArray<Placed>,
    asked: ReadonlyMap<string, AskedDevice>,
    { version }: Request,
    by: string
  ) {
    const changes = yield* changeAll(placed, asked)
    if (version !== undefined && version !== changes.version)
      return yield* new PreconditionFailed({
        message: "The ports have changed since the dry run: nothing was stored. Try it again"
      })
    if (changes.errors.length > 0)
      return yield* new BadRequest({ message: { errors: inOrder(changes.errors).map(portFileErrorText) } })
    if (changes.updated.length > 0) {
      const ids = changes.updated.map(([{ id }]) => id)
      yield* unsynchronize(ids, "interface_updated", by)
    }
    return answerOf(changes, true, [])
  })

  return Effect.fn("PortFile.change")(function* (request: Request, by: string) {
    const { asked, errors, placed } = yield* places.find(readPortFile(request.csv))
    if (request.dry_run) return yield* tryOut(placed, errors, asked)
    if (errors.length > 0) {
      // all mistakes together, also those of the ports
      const { changes } = yield* tried(placed, asked)
      const all = inOrder([...errors, ...changes.errors])
      return yield* new BadRequest({ message: { errors: all.map(portFileErrorText) } })
    }
    return yield* inTransaction(store(placed, asked, request, by))
  })
})

const makeExport = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const places = yield* makePlaces
  const hide = hiddenPorts(yield* SecretTexts)
  return Effect.fn("PortFile.export")(function* (sent: string | undefined) {
    const names = [...new Set((sent ?? "").split(",").map((name) => name.trim()))].filter((name) => name !== "")
    if (names.length === 0) return yield* new BadRequest({ message: "hostnames must name at least one switch" })
    const found = yield* devices.byHostnames(names)
    const asked = yield* places.asked(found, names)
    for (const name of names) {
      const device = asked.get(name)
      const message = yield* places.refusalOf("GET", name, { devices: device === undefined ? [] : [device] })
      if (message !== undefined) return yield* new Forbidden({ message })
    }
    const byName = new Map(found.map((device) => [device.hostname, device]))
    const unknown = names.filter((name) => !byName.has(name))
    if (unknown.length > 0) return yield* new BadRequest({ message: `there is no switch ${foldNames(unknown)}` })
    const ports = Map.groupBy(yield* interfaces.ofDevices(found.map(({ id }) => id)), ({ device_id }) => device_id)
    const rows = names.flatMap((hostname) =>
      numbered(hide(ports.get(byName.get(hostname)?.id ?? 0) ?? [])).map((port) => ({ hostname, port }))
    )
    const now = DateTime.formatIso(yield* DateTime.now).slice(0, 19)
    return HttpApiSchema.withHeaders({
      body: portFileOf(rows),
      headers: { "content-disposition": `attachment; filename=interfaces-${now}.csv` }
    })
  })
})

/** Handlers of `PortFileGroup`. */
export const PortFileLive = HttpApiBuilder.group(Api, "ports", (handlers) =>
  Effect.gen(function* () {
    const change = yield* makeBulk
    const read = yield* makeExport
    return handlers
      .handle("bulk", ({ payload }) => asCaller((user) => change(payload, user)))
      .handle("file", ({ query }) => answered(read(query.hostnames)))
  })
)
