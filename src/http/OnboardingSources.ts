/**
 * Adds switches that exist already (docs/onboarding.md#adding): reads a list from its source, checks all rows, creates their records in one
 * transaction, and starts the job that reads them.
 */
import { Effect, Option, Redacted, Result } from "effect"
import { SqlError } from "effect/sql"
import { NotPermitted } from "../access/Permit.ts"
import { BadRequest, enveloped, ServiceUnavailable } from "../api/Answers.ts"
import type { OnboardRequest } from "../domain/requests/OnboardingRequests.ts"
import { OnboardDevices } from "../domain/jobs/OnboardingJobs.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import { JobRequests } from "../jobs/requests/JobRequests.ts"
import { portsInText, readConfigFolder } from "../onboarding/ConfigFolder.ts"
import {
  checkInventory,
  type CheckedRow,
  type InventoryError,
  inventoryErrorText,
  type ReadInventory
} from "../onboarding/Inventory.ts"
import { readAnsible, readContainerlab, readCsv } from "../onboarding/InventoryFiles.ts"
import { firstPage, followingPage, readNetbox, readPage } from "../onboarding/Netbox.ts"
import { open, textOf } from "../runtime/OutboundFetch.ts"
import { hostsForCallers, makeOutboundGuard } from "../runtime/OutboundHosts.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { makeOnboarding } from "../store/OnboardingStore.ts"
import { transaction } from "./core/HandlerErrors.ts"
import { makeDeviceCreation } from "./devices/DeviceRecords.ts"
import { RolledBack } from "./InterfaceHandlers.ts"

// NetBox: the server's own settings name it, and its host is allowed as every other one is (docs/security.md#outbound-hosts).

const TOKEN = "PLUGIN_SECRET_NETBOX_TOKEN"
const PAGE_BYTES = 20_000_000
/** NetBox may give smaller pages than it is asked for. */
const MOST_PAGES = 200
const IDLE_SECONDS = 30
/** The longest time for one page, also if its bytes come one by one. */
const PAGE_TIME = "2 minutes"

const refusedBy = (sentence: string) => new BadRequest({ message: { errors: [sentence] } })

/** Tokens of version 2 (NetBox 4.5 and newer) begin with `nbt_` and are sent in another way. */
const authorization = (token: string) => (token.startsWith("nbt_") ? `Bearer ${token}` : `Token ${token}`)

/** Why an answer is no page of the list. */
const statusError = (status: number, hasToken: boolean) => {
  if (status >= 500) return new ServiceUnavailable({ message: `NetBox could not be asked: it answers ${status}` })
  // the token goes to the address of the settings alone
  if (status >= 300 && status < 400)
    return refusedBy(`NetBox answers ${status}: NETBOX_URL must be the address to which it redirects`)
  if (status === 401 || status === 403)
    return refusedBy(`NetBox answers ${status}: ${hasToken ? `it refuses ${TOKEN}` : `${TOKEN} is not set`}`)
  return refusedBy(status === 400 ? "NetBox answers 400: it does not know the filter" : `NetBox answers ${status}`)
}

const makeNetbox = Effect.gen(function* () {
  const { NETBOX_URL, pluginSecrets, ...config } = yield* ServerConfig
  const token = pluginSecrets.get(TOKEN)

  const page = Effect.fnUntraced(function* (url: string, base: string) {
    const host = new URL(base).hostname
    const response = yield* open(url, {
      redirects: 0,
      headers: {
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: authorization(Redacted.value(token)) })
      },
      verifyTls: true,
      guard: makeOutboundGuard({
        hosts: hostsForCallers(config),
        trusted: [host],
        allowOwn: false,
        allowLink: false,
        allowPrivate: false
      }),
      idleSeconds: IDLE_SECONDS
    })
    const { statusCode = 0 } = response
    if (statusCode !== 200) return yield* statusError(statusCode, token !== undefined)
    const read = readPage(yield* textOf(response, PAGE_BYTES))
    if (Option.isNone(read)) return yield* refusedBy("NetBox answers with something that is no list of its API")
    return read.value
  }, Effect.scoped)

  const late = () =>
    Effect.fail(new ServiceUnavailable({ message: `NetBox could not be asked: no whole answer in ${PAGE_TIME}` }))

  return Effect.fnUntraced(function* (filter: string) {
    if (Option.isNone(NETBOX_URL) || !URL.canParse(NETBOX_URL.value))
      return yield* refusedBy("NETBOX_URL is not set, so there is no NetBox to ask")
    const base = NETBOX_URL.value
    const first = firstPage(base, filter)
    const records: Array<unknown> = []
    let next: string | null = first
    for (let pages = 0; next !== null; pages += 1) {
      if (pages === MOST_PAGES)
        return yield* refusedBy(`NetBox lists more than ${records.length} devices: choose a narrower filter`)
      const asked: { next: string | null; results: ReadonlyArray<unknown> } = yield* Effect.timeoutOrElse(
        page(next, base),
        { duration: PAGE_TIME, orElse: late }
      )
      records.push(...asked.results)
      next = asked.next === null ? null : followingPage(first, asked.next)
    }
    return readNetbox(records)
  })
})

const away = (error: { readonly _tag: string; readonly message: string }) =>
  new ServiceUnavailable({ message: `NetBox could not be asked: ${error.message}` })

/** Reads the list of a request. */
const makeReading = Effect.map(makeNetbox, (netbox) =>
  Effect.fnUntraced(function* ({ files = [], filter = "", name, source, text = "" }: OnboardRequest) {
    switch (source) {
      case "csv":
        return readCsv(name ?? "list.csv", text)
      case "containerlab":
        return readContainerlab(name ?? "topology.clab.yml", text)
      case "ansible":
        return readAnsible(name ?? "inventory", text)
      case "configs":
        return readConfigFolder(files)
      default:
        return yield* Effect.catchTags(netbox(filter), {
          OutboundRefused: (error) =>
            Effect.fail(new BadRequest({ message: { errors: [`NetBox: ${error.message}`] } })),
          OutboundAway: (error) => Effect.fail(away(error)),
          OwnFault: (error) => Effect.fail(away(error))
        })
    }
  })
)

/** A record could not be created: a mistake of its row. */
const asError = ({ source }: CheckedRow, message: unknown): ReadonlyArray<InventoryError> => {
  const sentences =
    typeof message === "string" ? [message] : Array.isArray(message) ? message.map(String) : [String(message)]
  return sentences.map((sentence) => ({ file: source.file, line: source.line, field: "", message: sentence }))
}

const refusalOf = (error: { readonly message: unknown }): unknown =>
  "refusal" in error && error.refusal !== undefined ? error.refusal : error.message

interface Adding {
  readonly rows: ReadonlyArray<CheckedRow>
  readonly request: OnboardRequest
  readonly by: string
}

/** The result of creating records; they are kept only if the transaction is. */
interface Created {
  readonly hostnames: ReadonlyArray<string>
  /** Switches without a configuration, which are read. */
  readonly unread: ReadonlyArray<string>
  readonly errors: ReadonlyArray<InventoryError>
}

const makeCreation = Effect.gen(function* () {
  const create = yield* makeDeviceCreation
  const store = yield* makeOnboarding
  const interfaces = yield* InterfaceStore
  const inTransaction = yield* transaction

  const originOf = ({ source }: CheckedRow, { name, source: from }: OnboardRequest): string =>
    from === "configs" || from === "netbox" ? source.file : (name ?? source.file)

  const createOne = Effect.fnUntraced(function* (row: CheckedRow, { by, request }: Adding) {
    const { device } = yield* create(row.device)
    const { config } = row.source
    yield* store.add({
      device_id: device.id,
      source: request.source,
      origin: originOf(row, request),
      added_by: by,
      ...(config === undefined ? {} : { config })
    })
    if (config === undefined || device.device_type !== "ACCESS") return
    const platform = platformOf(device.platform)
    for (const port of platform === undefined ? [] : portsInText(platform, config.text))
      yield* interfaces.put(device.id, port, "ACCESS_AUTO", null)
  })

  return Effect.fnUntraced(function* (adding: Adding) {
    const errors: Array<InventoryError> = []
    const hostnames: Array<string> = []
    const unread: Array<string> = []
    for (const row of adding.rows) {
      // a savepoint of its own, so that one mistake does not end the transaction of the others
      const made = yield* Effect.result(inTransaction(createOne(row, adding)))
      if (Result.isSuccess(made)) {
        hostnames.push(row.hostname)
        if (row.source.config === undefined) unread.push(row.hostname)
      } else if (SqlError.isSqlError(made.failure) || made.failure instanceof NotPermitted) return yield* made.failure
      else errors.push(...asError(row, refusalOf(made.failure)))
    }
    return { hostnames, unread, errors } satisfies Created
  })
})

/** Adds the switches of a request. */
export const makeOnboard = Effect.gen(function* () {
  const read = yield* makeReading
  const create = yield* makeCreation
  const requests = yield* JobRequests
  const inTransaction = yield* transaction

  return Effect.fn("Onboarding.add")(function* (request: OnboardRequest, by: string) {
    const inventory: ReadInventory = yield* read(request)
    const { device_type, dry_run, only_good, platform } = request
    const { errors, rows } = checkInventory(inventory, { platform, device_type })
    const created = Effect.gen(function* () {
      const made = yield* create({ rows, request, by })
      const all = [...errors, ...made.errors]
      if (dry_run || (all.length > 0 && !only_good) || made.hostnames.length === 0)
        return yield* Effect.fail(new RolledBack({ made, all }))
      const job_id =
        made.unread.length === 0
          ? null
          : yield* requests.start(OnboardDevices, { hostnames: made.unread }, { user: by })
      return { stored: true, hostnames: made.hostnames, errors: all, job_id }
    })
    const ended = yield* Effect.catchTag(inTransaction(created), "RolledBack", ({ found: { all, made } }) =>
      dry_run
        ? Effect.succeed({ stored: false, hostnames: made.hostnames, errors: all, job_id: null })
        : Effect.fail(new BadRequest({ message: { errors: all.map(inventoryErrorText) } }))
    )
    return enveloped(ended)
  })
})
