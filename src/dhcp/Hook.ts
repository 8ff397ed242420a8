/**
 * `dhcp-hook commit MAC IP PLATFORM`: the command that a DHCP server calls for each committed lease (docs/provisioning.md#dhcp-hook). An
 * unknown switch becomes a device in DHCP_BOOT; its next lease starts its discovery. While the API is unreachable, leases wait in a queue
 * on disk and the next call reports them.
 */
import { isIP } from "node:net"
import * as path from "node:path"
import { messageOf } from "../runtime/SystemErrors.ts"
import { type Answer, apiBase, type HookApi, type HookEnvironment, makeHookApi } from "./HookApi.ts"
import { type Claim, type Lease, LeaseQueue } from "./LeaseQueue.ts"

/** Exit codes (docs/provisioning.md#exit-codes). */
const exitCodes = {
  ok: 0,
  argumentsMissing: 1,
  badArguments: 2,
  noToken: 9,
  listNotOk: 10,
  listNotJson: 11,
  listNotSuccess: 12,
  discoverNotOk: 20,
  discoverNotStarted: 21,
  createNotOk: 30,
  createNotAdded: 31
} as const
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The number of other waiting leases that one call reports after its own. */
const FLUSH_AT_ONCE = 50

export interface HookRun {
  /** The words after the program's name: `commit MAC IP PLATFORM`. */
  readonly args: ReadonlyArray<string>
  readonly environment: HookEnvironment
  readonly log: (line: string) => void
}

/** The outcome of reporting a lease; `again` if a later try is worthwhile. */
interface LeaseReport {
  readonly code: ExitCode
  readonly again: boolean
  readonly text: string
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? { ...value } : {})

const parseJson = (body: string): Fields | null => {
  try {
    return fieldsOf(JSON.parse(body))
  } catch {
    return null
  }
}

const failed = (code: ExitCode, answer: Answer, what: string): LeaseReport => {
  if (answer.kind === "noToken") return { code: exitCodes.noToken, again: true, text: `${what}: ${answer.reason}` }
  if (answer.kind === "away") return { code, again: true, text: `${what}: ${answer.reason}` }
  const { message } = parseJson(answer.body) ?? {}
  const detail = message === undefined ? "" : ` ${JSON.stringify(message)}`
  return { code, again: false, text: `${what}: the API answered ${answer.status}${detail}` }
}

const succeeded = (text: string): LeaseReport => ({ code: exitCodes.ok, again: false, text })

const isOk = (answer: Answer): answer is Extract<Answer, { readonly kind: "answered" }> =>
  answer.kind === "answered" && answer.status === 200

/** The device with this MAC address; null without one. */
const find = async (api: HookApi, mac: string): Promise<LeaseReport | Fields | null> => {
  const answer = await api.call("GET", `/devices?filter[ztp_mac]=${mac}`)
  const what = `Looking for ${mac}`
  if (!isOk(answer)) return failed(exitCodes.listNotOk, answer, what)
  const body = parseJson(answer.body)
  if (body === null) return { code: exitCodes.listNotJson, again: false, text: `${what}: the answer is not JSON` }
  const { devices } = fieldsOf(body["data"])
  if (body["status"] !== "success" || !Array.isArray(devices)) {
    return { code: exitCodes.listNotSuccess, again: false, text: `${what}: the answer is not a success` }
  }
  return devices.length === 0 ? null : fieldsOf(devices[0])
}

const isReported = (value: LeaseReport | Fields | null): value is LeaseReport => value !== null && "again" in value

const create = async (api: HookApi, { ip, mac, platform }: Lease): Promise<LeaseReport> => {
  const answer = await api.call("POST", "/device", {
    ztp_mac: mac,
    dhcp_ip: ip,
    hostname: `mac-${mac}`,
    platform,
    state: "DHCP_BOOT",
    device_type: "UNKNOWN"
  })
  const what = `Creating a device for ${mac}`
  if (!isOk(answer)) return failed(exitCodes.createNotOk, answer, what)
  const added = fieldsOf(fieldsOf(parseJson(answer.body)?.["data"])["added_device"])
  return "hostname" in added && "id" in added
    ? succeeded(`New device ${String(added["hostname"])} with id ${String(added["id"])} at ${ip}`)
    : { code: exitCodes.createNotAdded, again: false, text: `${what}: the answer names no device` }
}

const discover = async (api: HookApi, { ip, mac }: Lease): Promise<LeaseReport> => {
  const answer = await api.call("POST", "/device_discover", { ztp_mac: mac, dhcp_ip: ip })
  const what = `Starting the discovery of ${mac}`
  if (!isOk(answer)) return failed(exitCodes.discoverNotOk, answer, what)
  const body = parseJson(answer.body)
  return body !== null && "status" in body && "job_id" in body
    ? succeeded(`Discovery of ${mac} at ${ip} is job ${String(body["job_id"])}`)
    : { code: exitCodes.discoverNotStarted, again: false, text: `${what}: the answer names no job` }
}

const known = async (api: HookApi, lease: Lease, device: Fields): Promise<LeaseReport> => {
  const { ip, mac } = lease
  const { dhcp_ip, id, state } = device
  if (state === "DHCP_BOOT") return discover(api, lease)
  if (state !== "DISCOVERED") return succeeded(`${mac} is in state ${String(state)}: nothing to do`)
  if (dhcp_ip === ip) return succeeded(`${mac} keeps its address ${ip}`)
  const answer = await api.call("PUT", `/device/${String(id)}`, { dhcp_ip: ip })
  if (isOk(answer)) return succeeded(`${mac} has the new address ${ip}`)
  // there is no exit code for this call; a lease that was not accepted still waits in the queue
  return { ...failed(exitCodes.ok, answer, `Storing the new address ${ip} of ${mac}`), code: exitCodes.ok }
}

/** Reports one lease. */
const report = async (api: HookApi, lease: Lease): Promise<LeaseReport> => {
  const device = await find(api, lease.mac)
  if (isReported(device)) return device
  if (device !== null) return known(api, lease, device)
  const created = await create(api, lease)
  if (created.code === exitCodes.ok || created.again) return created
  // two leases of one switch at the same moment: the other call has made the device
  const meanwhile = await find(api, lease.mac)
  return meanwhile === null || isReported(meanwhile) ? created : known(api, lease, meanwhile)
}

/** Neither all zeros nor a group's address; the same rule as in `domain/DeviceIdentity.ts`, which would take longer to load. */
const isMac = (hex: string): boolean => /^[0-9A-F][02468ACE][0-9A-F]{10}$/.test(hex) && !/^0+$/.test(hex)

/** The lease in the arguments, or the exit code for their fault. */
const parseArguments = (args: ReadonlyArray<string>): Lease | ExitCode => {
  const [verb, mac, ip, platform] = args
  if (mac === undefined || ip === undefined || platform === undefined) return exitCodes.argumentsMissing
  const hex = mac
    .split(/[:.-]/)
    // ISC dhcpd prints bytes without leading zeros
    .map((part) => (mac.includes(":") ? part.padStart(2, "0") : part))
    .join("")
    .toUpperCase()
  const sound = verb === "commit" && isMac(hex) && isIP(ip) !== 0 && /^[\w.-]{1,64}$/.test(platform)
  return sound ? { mac: hex, ip, platform } : exitCodes.badArguments
}

const openQueue = (environment: HookEnvironment, log: HookRun["log"]): LeaseQueue | null => {
  try {
    return new LeaseQueue(path.join(environment["DATA_DIR"] ?? "data", "dhcp-queue"))
  } catch (error) {
    log(`There is no queue for leases: ${messageOf(error)}`)
    return null
  }
}

const keep = (queue: LeaseQueue | null, lease: Lease, log: HookRun["log"]): Claim | null => {
  try {
    return queue?.add(lease) ?? null
  } catch (error) {
    log(`The lease of ${lease.mac} could not be kept: ${messageOf(error)}`)
    return null
  }
}

const flush = async (api: HookApi, queue: LeaseQueue, log: HookRun["log"]): Promise<void> => {
  const claims = queue.claim(FLUSH_AT_ONCE)
  let away = false
  for (const claim of claims) {
    const reported = away ? null : await report(api, claim.lease)
    if (reported !== null) log(reported.text)
    if (reported === null || reported.again) {
      away = true
      queue.putBack(claim)
    } else queue.done(claim)
  }
}

const USAGE = "Usage: dhcp-hook commit MAC IP PLATFORM"

/**
 * Reports the lease, then waiting ones, and yields the exit code. Reads SWITCHYARD_URL, VERIFY_TLS, JWT_AUTH_TOKEN or OAUTH_CLIENT_ID,
 * OAUTH_CLIENT_SECRET and OAUTH_TOKEN_ENDPOINT, and DATA_DIR from the environment.
 */
export const runHook = async ({ args, environment, log }: HookRun): Promise<number> => {
  const lease = parseArguments(args)
  const base = apiBase(environment)
  if (typeof lease === "number" || base === null) {
    log(base === null ? "SWITCHYARD_URL is not a URL" : `${USAGE}; MAC is the address of one interface`)
    return typeof lease === "number" ? lease : exitCodes.badArguments
  }
  const api = makeHookApi(environment, base)
  const queue = openQueue(environment, log)
  const claim = keep(queue, lease, log)
  const reported = await report(api, lease)
  log(reported.text)
  if (queue === null || claim === null) return reported.code
  if (reported.again) {
    queue.putBack(claim)
    log(`The lease of ${lease.mac} waits for the next call`)
    return reported.code
  }
  queue.done(claim)
  await flush(api, queue, log)
  return reported.code
}
