/** Reads a request to synchronize devices (contract api-devices.md §6.1): what to select, and how to run the job. Pure. */
import { Result } from "effect"
import { type DeviceType, deviceTypeOf } from "../../domain/Device.ts"
import { isHostname } from "../../domain/Hostname.ts"
import type { StartArguments } from "../../domain/Job.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { has, MAX_INTEGER, own, parseHostname, shown, textAt } from "../../domain/fields/Values.ts"

/** Which managed devices; `sent` is the selector as the client wrote it. */
export type SyncTarget =
  | { readonly _tag: "Hostname"; readonly hostname: string }
  | { readonly _tag: "Hostnames"; readonly hostnames: ReadonlyArray<string> }
  | { readonly _tag: "DeviceType"; readonly device_type: DeviceType; readonly sent: string }
  | { readonly _tag: "Group"; readonly group: string }
  | { readonly _tag: "All" }

/** The options of the job, and its comment. */
export interface SyncOptions {
  readonly args: StartArguments
  readonly resync: boolean
  readonly comment: string | null
  readonly ticketRef: string | null
}

type Parsed<A> = Result.Result<A, string>

/** The target of a body; the first selector that is there counts. */
export const parseTarget = (body: JsonObject): Parsed<SyncTarget> => {
  if (has(body, "hostname")) {
    return Result.map(parseHostname(body["hostname"]), (hostname) => ({ _tag: "Hostname", hostname }))
  }
  if (has(body, "hostnames")) {
    return Result.map(parseNames("hostnames", body["hostnames"]), (hostnames) => ({ _tag: "Hostnames", hostnames }))
  }
  if (has(body, "device_type")) {
    const sent = shown(body["device_type"])
    const device_type = deviceTypeOf(sent)
    return device_type === undefined
      ? Result.fail(`Invalid device type '${sent}' specified`)
      : Result.succeed({ _tag: "DeviceType", device_type, sent })
  }
  if (has(body, "group")) return Result.succeed({ _tag: "Group", group: shown(body["group"]) })
  return own(body, "all") === true
    ? Result.succeed({ _tag: "All" })
    : Result.fail("No devices to synchronize were specified")
}

/** The longest list of names. */
const MAX_NAMES = 1000

/** A list of hostnames; `key` names it in the error. */
const parseNames = (key: string, value: unknown): Parsed<ReadonlyArray<string>> => {
  const names: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  if (names.length === 0 || names.length > MAX_NAMES) {
    return Result.fail(`${key} must be a list of 1 to ${MAX_NAMES} hostnames`)
  }
  const wrong = names.find((name) => typeof name !== "string" || !isHostname(name))
  if (wrong !== undefined) return Result.fail(`${key}: '${shown(wrong)}' is not a valid hostname`)
  return Result.succeed([...new Set(names.filter((name) => typeof name === "string"))])
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_INTEGER

const parseCanary = (canary: unknown): Parsed<number | ReadonlyArray<string>> => {
  if (isCount(canary)) return Result.succeed(canary)
  return Array.isArray(canary) && canary.length > 0 && canary.length <= MAX_NAMES
    ? parseNames("canary", canary)
    : Result.fail(`canary must be an integer of 1 or more, or a list of 1 to ${MAX_NAMES} hostnames`)
}

/** How the change is rolled out. These keys are new, so a wrong value is an error and not ignored. */
const parseRollout = (body: JsonObject): Parsed<StartArguments> => {
  const args: Record<string, unknown> = {}
  for (const key of ["batch_size", "max_failures"]) {
    const value = own(body, key) ?? null
    if (value === null) continue
    if (!isCount(value)) return Result.fail(`${key} must be an integer of 1 or more`)
    args[key] = value
  }
  const revert = own(body, "revert_on_failure") ?? null
  if (revert !== null && typeof revert !== "boolean") return Result.fail("revert_on_failure must be a boolean")
  if (revert !== null) args["revert_on_failure"] = revert
  const canary = own(body, "canary") ?? null
  return canary === null
    ? Result.succeed(args)
    : Result.map(parseCanary(canary), (parsed) => ({ ...args, canary: parsed }))
}

/** The options of a body; values of another type than expected count as absent. */
export const parseOptions = (body: JsonObject): Parsed<SyncOptions> => {
  const flag = (key: string, fallback: boolean): boolean => {
    const value = own(body, key)
    return typeof value === "boolean" ? value : fallback
  }
  const mode = own(body, "confirm_mode")
  const given = typeof mode === "number" && Number.isInteger(mode)
  if (given && ![0, 1, 2].includes(mode)) return Result.fail("confirm_mode must be 0, 1 or 2")
  const resync = flag("resync", false)
  return Result.map(parseRollout(body), (rollout) => ({
    resync,
    args: {
      dry_run: flag("dry_run", true),
      auto_push: flag("auto_push", false),
      force: flag("force", false),
      resync,
      ...(given ? { confirm_mode_override: mode } : {}),
      ...(flag("abort_on_failure", false) ? { abort_on_failure: true } : {}),
      ...(flag("urgent", false) ? { urgent: true } : {}),
      ...rollout
    },
    comment: textAt(body, "comment"),
    ticketRef: textAt(body, "ticket_ref")
  }))
}
