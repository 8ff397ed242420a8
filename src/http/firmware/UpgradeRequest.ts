/** Reads a request to upgrade devices (contract api-rest.md §4.7): what to select, when, and which steps. Pure. */
import { Result } from "effect"
import type { StartArguments } from "../../domain/Job.ts"
import { DETECT_ARCHITECTURE, imageUrl, isImageName } from "../../firmware/ImageName.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { has, own, parseHostname, shown, textAt } from "../../domain/fields/Values.ts"

/** Which managed devices. */
export type UpgradeTarget =
  | { readonly _tag: "Hostname"; readonly hostname: string }
  | { readonly _tag: "Group"; readonly group: string }

/** The job of a request, without its selector. */
export interface UpgradeRequest {
  readonly args: StartArguments
  readonly delaySeconds: number | undefined
  readonly comment: string | null
  readonly ticketRef: string | null
}

type Parsed<A> = Result.Result<A, string>

const FLAGS = ["download", "activate", "reboot", "pre_flight", "post_flight"] as const

const START = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/

/** The device or group of a body; a hostname counts before a group. */
export const parseTarget = (body: JsonObject): Parsed<UpgradeTarget> => {
  if (has(body, "hostname")) {
    return Result.map(parseHostname(body["hostname"]), (hostname) => ({ _tag: "Hostname", hostname }))
  }
  return has(body, "group")
    ? Result.succeed({ _tag: "Group", group: shown(body["group"]) })
    : Result.fail("No devices to upgrade were specified")
}

const parseFilename = (body: JsonObject): Parsed<StartArguments> => {
  const needed = own(body, "download") === true || own(body, "activate") === true
  if (!has(body, "filename")) return needed ? Result.fail("Missing parameter filename") : Result.succeed({})
  const { filename } = body
  if (typeof filename !== "string") return Result.fail("filename should be a string")
  const name = filename.startsWith(DETECT_ARCHITECTURE) ? filename.slice(DETECT_ARCHITECTURE.length) : filename
  return isImageName(name) ? Result.succeed({ filename }) : Result.fail(`Invalid filename: ${filename}`)
}

const parseUrl = (body: JsonObject, fallback: string): Parsed<StartArguments> => {
  if (!has(body, "url")) return Result.succeed({ url: fallback })
  const { url } = body
  if (typeof url !== "string") return Result.fail("url should be a string")
  return url === "" || imageUrl(url, "image.swi") !== undefined
    ? Result.succeed({ url })
    : Result.fail("url should be an HTTP URL without user name and password")
}

const parseFlags = (body: JsonObject): Parsed<StartArguments> => {
  const found: Record<string, boolean> = {}
  for (const name of [...FLAGS, "staggered_upgrade"]) {
    const key = name === "pre_flight" && !has(body, name) ? "pre-flight" : name
    if (!has(body, key)) continue
    const value = body[key]
    if (typeof value !== "boolean") return Result.fail(`${name} should be a boolean`)
    found[name] = value
  }
  return Result.succeed(found)
}

const parseWait = (body: JsonObject): Parsed<StartArguments> => {
  if (!has(body, "post_waittime")) return Result.succeed({})
  const value = body["post_waittime"]
  const seconds = typeof value === "boolean" ? Number(value) : value
  return typeof seconds === "number" && Number.isInteger(seconds)
    ? Result.succeed({ post_waittime: seconds })
    : Result.fail("post_waittime should be an integer")
}

/** Seconds from `now` (epoch milliseconds) until the time of the body; undefined when it names none. */
export const parseStart = (body: JsonObject, now: number): Parsed<number | undefined> => {
  if (!has(body, "start_at")) return Result.succeed(undefined)
  const text = body["start_at"]
  const match = typeof text === "string" ? START.exec(text) : null
  const time = match === null ? Number.NaN : Date.parse(`${match[0].replace(" ", "T")}Z`)
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19).replace("T", " ") === text
  if (!isReal) return Result.fail("Invalid date format, should be: %Y-%m-%d %H:%M:%S")
  return time > now ? Result.succeed(Math.ceil((time - now) / 1000)) : Result.fail("start_at must be in the future")
}

/** The job that a body asks for. `fallbackUrl` is where switches fetch images when it names no place. */
export const parseUpgrade = (body: JsonObject, fallbackUrl: string, now: number): Parsed<UpgradeRequest> => {
  const parts = [parseFilename(body), parseUrl(body, fallbackUrl), parseFlags(body), parseWait(body)]
  const args: StartArguments[] = []
  for (const part of parts) {
    if (Result.isFailure(part)) return Result.fail(part.failure)
    args.push(part.success)
  }
  return Result.map(parseStart(body, now), (delaySeconds) => ({
    args: Object.assign({}, ...args),
    delaySeconds,
    comment: textAt(body, "comment"),
    ticketRef: textAt(body, "ticket_ref")
  }))
}
