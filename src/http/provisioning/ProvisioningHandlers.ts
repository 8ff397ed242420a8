/** Handlers of discovery, initialisation, synchronization and previews. */
import { Effect, Option, Result, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { answered, asCaller, refuseUnrendered } from "../core/HandlerErrors.ts"
import { makeDiscovery, makeInitCheck, makeInitialisation } from "./Initialisation.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { RepositoryStore } from "../../store/RepositoryStore.ts"
import { delayUntil, makeSelectDevices } from "./DeviceTargets.ts"
import { makeDeviceLookup } from "../core/Permits.ts"
import { Previews } from "../../templates/CandidateConfigs.ts"
import { isObject, type JsonObject } from "../../domain/fields/Values.ts"
import { findDryRun } from "../../jobs/requests/DryRun.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { BadRequest, Conflict, enveloped, jobStartedOnDevices } from "../../api/Answers.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { olderRefusal } from "../../domain/Repository.ts"
import { targetOf } from "../../domain/requests/RequestFields.ts"
import { syncArguments, type SyncRequest } from "../../domain/requests/ChangeRequests.ts"

// The mask of the header X-Fields: `a,b{c,d}` keeps key a and of b the keys c and d; `*` keeps all (docs/api.md#surroundings).

/** Keys to keep; null keeps a value whole. */
type FieldMask = ReadonlyMap<string, FieldMask | null>

const TOKEN = /\s*([\w*-]+|[{},])/y
const MAX_DEPTH = 20

/** Reads a mask; undefined if it is invalid. */
const parseMask = (text: string): FieldMask | undefined => {
  const tokens: Array<string> = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) tokens.push(match[1] ?? "")
  let at = 0
  const level = (depth: number): FieldMask | undefined => {
    const fields = new Map<string, FieldMask | null>()
    if (depth === MAX_DEPTH) return undefined
    for (;;) {
      const name = tokens[at++]
      if (name === undefined || /^[{},]$/.test(name)) return undefined
      let inner: FieldMask | null | undefined = null
      if (tokens[at] === "{") {
        at++
        inner = level(depth + 1)
        if (inner === undefined || tokens[at++] !== "}") return undefined
      }
      fields.set(name, inner)
      if (tokens[at] !== ",") return fields
      at++
    }
  }
  const body = tokens[0] === "{" && tokens.at(-1) === "}" ? tokens.slice(1, -1) : tokens
  tokens.splice(0, tokens.length, ...body)
  const mask = level(0)
  return at === tokens.length ? mask : undefined
}

/** The object with only the masked keys. Missing keys are left out, lists are masked element by element. */
const applyMask = (mask: FieldMask, object: JsonObject): JsonObject => {
  if (mask.has("*")) return object
  const masked = (value: unknown, inner: FieldMask | null): unknown => {
    if (inner === null) return value
    if (Array.isArray(value)) return value.map((element) => masked(element, inner))
    return isObject(value) ? applyMask(inner, value) : value
  }
  return Object.fromEntries(
    [...mask].flatMap(([key, inner]) => (Object.hasOwn(object, key) ? [[key, masked(object[key], inner)]] : []))
  )
}

// GET generate_config: the rendered configuration, or parts of it (docs/templates.md#trying-templates).

const Config = Schema.Struct({
  hostname: Schema.optionalKey(Schema.String),
  generated_config: Schema.optionalKey(Schema.String),
  available_variables: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
const isConfig = Schema.is(Config)

/** Renders the configuration of a device. `fields` is the header X-Fields; an invalid one is ignored. */
const makePreview = Effect.gen(function* () {
  const lookup = yield* makeDeviceLookup
  const previews = yield* Previews
  return Effect.fn("PreviewRequest.generate")(function* (hostname: string, fields: string | undefined) {
    const device = yield* lookup.byHostname(hostname)
    const preview = yield* Effect.catchTag(previews.generate(device), "PreviewFailed", refuseUnrendered(hostname))
    const config = { hostname, ...preview }
    const mask = parseMask(fields ?? "*")
    const wanted = mask === undefined ? config : applyMask(mask, config)
    return enveloped({ config: isConfig(wanted) ? wanted : config })
  })
})

// The emergency lane (docs/changes.md#emergencies): a sync of named devices that runs in parallel with the job that holds the lock. It is
// refused, with their names, for devices that another job is changing.

/** Refuses an urgent sync of devices that other jobs are changing. */
export const makeUrgentCheck = Effect.gen(function* () {
  const { live: changes } = yield* ChangeStore
  return Effect.fn("UrgentSync.check")(function* (hostnames: ReadonlyArray<string>) {
    const busy = yield* changes.underWay(hostnames)
    if (busy.length === 0) return
    const named = busy.map(({ function_name, hostname, job_id }) => `${hostname} (job ${job_id}, ${function_name})`)
    return yield* new Conflict({ message: `Devices are being changed by other jobs: ${named.join(", ")}` })
  })
})

// Starts jobs that synchronize devices (docs/changes.md#synchronize).

/** Starts the job of a request for this user, and answers with the number of selected devices. */
const makeSynchronization = Effect.gen(function* () {
  const requests = yield* JobRequests
  const selectDevices = yield* makeSelectDevices
  const configs = yield* ConfigStore
  const checkUrgent = yield* makeUrgentCheck
  const repositories = yield* RepositoryStore

  const checkDryRun = Effect.fnUntraced(function* (id: number | undefined) {
    const found = id === undefined ? null : yield* Effect.provideService(findDryRun(id), ConfigStore, configs)
    if (found === null || Result.isSuccess(found)) return
    return yield* new BadRequest({ message: `dry_run_job must be a dry run that has ended: ${found.failure}` })
  })

  /** With `force` no other check prevents that an older configuration replaces a newer one. */
  const checkOlder = Effect.fnUntraced(function* ({ auto_push, confirm_older, dry_run, force }: SyncRequest) {
    if (!force || confirm_older === true || (dry_run && !auto_push)) return
    const restored = yield* repositories.restored
    if (Option.isSome(restored)) return yield* new Conflict({ message: olderRefusal(restored.value) })
  })

  return Effect.fn("Synchronization.start")(function* (request: SyncRequest, user: string) {
    const selected = yield* selectDevices(targetOf(request), !request.resync)
    if (request.urgent === true) yield* checkUrgent(selected.args.hostnames ?? [])
    const delay = yield* delayUntil(request.start_at)
    yield* checkDryRun(request.dry_run_job)
    yield* checkOlder(request)
    const job = yield* requests.start(
      SyncDevices,
      { ...syncArguments(request), ...selected.args },
      { user, comment: request.comment, ticketRef: request.ticket_ref, ...delay }
    )
    return jobStartedOnDevices(`Scheduled job to synchronize ${selected.what}`, job, selected.count)
  })
})

/** Handlers of `ProvisioningGroup`. */
export const ProvisioningLive = HttpApiBuilder.group(Api, "provisioning", (handlers) =>
  Effect.gen(function* () {
    const discover = yield* makeDiscovery
    const initialise = yield* makeInitialisation
    const check = yield* makeInitCheck
    const synchronize = yield* makeSynchronization
    const preview = yield* makePreview
    return handlers
      .handle("discover", ({ payload }) => asCaller((user) => discover(payload, user)))
      .handle("discoverAlias", ({ payload }) => asCaller((user) => discover(payload, user)))
      .handle("init", ({ params, payload }) => asCaller((user) => initialise(params.id, payload, user)))
      .handle("initCheck", ({ params, payload }) => answered(check(params.id, payload)))
      .handle("syncto", ({ payload }) => asCaller((user) => synchronize(payload, user)))
      .handle("synctoHostname", ({ params, payload }) =>
        asCaller((user) => synchronize({ ...payload, hostname: params.hostname }, user))
      )
      .handle("generateConfig", ({ params, request }) =>
        answered(preview(params.hostname, request.headers["x-fields"]))
      )
  })
)
