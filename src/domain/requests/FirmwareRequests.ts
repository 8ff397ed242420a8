/**
 * Bodies of requests about firmware (docs/jobs.md#get_firmware, docs/jobs.md#order-of-a-staggered-upgrade and
 * docs/api.md#upgrades).
 */
import { Option, Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { depending, ignorable, optional, required, type Rule } from "../fields/Field.ts"
import { flag } from "../fields/Rules.ts"
import { has, own } from "../fields/Values.ts"
import { DETECT_ARCHITECTURE, hasCredentials, imageOrder, imageUrl, isImageName } from "../ImageName.ts"
import { groupRule, hostnameRule, notes, startRule, windowFaults, windowFields } from "./RequestFields.ts"

const missing = ({ key }: { readonly key: string }) => `Missing parameter ${key}`
const present = (wire: Schema.Top) => required(Schema.Unknown, missing, Result.succeed, wire)

/** An image to download. */
export const DownloadRequest = Body.make(
  { url: present(Schema.String), sha1: present(Schema.String), verify_tls: present(Schema.Boolean) },
  {
    message: Body.firstOf,
    together: ({ sha1, url }) => {
      if (typeof url === "string" && hasCredentials(url)) return ["url must not hold a user name or a password"]
      return Result.match(imageOrder(url, sha1), { onFailure: (message) => [message], onSuccess: () => [] })
    }
  }
)
export type DownloadRequest = typeof DownloadRequest.schema.Type

const NO_DEVICES = "No devices to upgrade were specified"

const filenameRule: Rule<string> = (sent) => {
  if (typeof sent !== "string") return Result.fail("filename should be a string")
  const name = sent.startsWith(DETECT_ARCHITECTURE) ? sent.slice(DETECT_ARCHITECTURE.length) : sent
  return isImageName(name) ? Result.succeed(sent) : Result.fail(`Invalid filename: ${sent}`)
}

const urlRule: Rule<string> = (sent) => {
  if (typeof sent !== "string") return Result.fail("url should be a string")
  return sent === "" || imageUrl(sent, "image.swi") !== undefined
    ? Result.succeed(sent)
    : Result.fail("url should be an HTTP URL without user name and password")
}

const step = optional(
  Schema.Boolean,
  flag(({ key }) => `${key} should be a boolean`)
)

const preFlight = flag(() => "pre_flight should be a boolean")
const OTHER_SPELLING = "pre-flight"

const waitRule: Rule<number> = (sent) => {
  const seconds = typeof sent === "boolean" ? Number(sent) : sent
  return typeof seconds === "number" && Number.isInteger(seconds)
    ? Result.succeed(seconds)
    : Result.fail("post_waittime should be an integer")
}

const STEPS = ["pre_flight", "download", "activate", "reboot", "post_flight"] as const

const withoutStep = (sent: Readonly<Partial<Record<(typeof STEPS)[number], boolean>>>): ReadonlyArray<string> =>
  STEPS.some((name) => sent[name] === true) ? [] : [`No step was asked for, set one of: ${STEPS.join(", ")}`]

/** What to upgrade, with which image, which steps to take and when (`start_at`, decoded to milliseconds since 1970). */
export const UpgradeRequest = Body.make(
  {
    hostname: ignorable(Schema.String, hostnameRule),
    group: depending(
      Schema.String,
      ({ body }) => (has(body, "hostname") ? Result.succeed(Option.none()) : Result.fail(NO_DEVICES)),
      groupRule
    ),
    filename: depending(
      Schema.String,
      ({ body }) =>
        own(body, "download") === true || own(body, "activate") === true
          ? Result.fail("Missing parameter filename")
          : Result.succeed(Option.none()),
      filenameRule
    ),
    url: optional(Schema.String, urlRule),
    download: step,
    activate: step,
    reboot: step,
    pre_flight: depending(
      Schema.Boolean,
      (place) =>
        has(place.body, OTHER_SPELLING)
          ? Result.map(preFlight(place.body[OTHER_SPELLING], place), Option.some)
          : Result.succeed(Option.none()),
      preFlight
    ),
    [OTHER_SPELLING]: ignorable(Schema.Boolean, () => Result.succeed(undefined)),
    post_flight: step,
    staggered_upgrade: step,
    post_waittime: optional(Schema.Int, waitRule),
    start_at: optional(Schema.Finite, startRule, Schema.String),
    ...windowFields,
    ...notes
  },
  { message: Body.firstOf, together: (sent) => [...withoutStep(sent), ...windowFaults(sent)] }
)
export type UpgradeRequest = typeof UpgradeRequest.schema.Type

/** The group whose order is asked for. */
export const UpgradeCheckRequest = Body.make(
  { group: required(Schema.String, () => NO_DEVICES, groupRule) },
  { message: Body.firstOf }
)
export type UpgradeCheckRequest = typeof UpgradeCheckRequest.schema.Type
