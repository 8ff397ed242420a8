/**
 * Firmware images: the allowed names (they become part of a path, a URL and a command on a switch), the version in a name, the
 * URL for a switch, the views of images and upgrades, and the bodies of requests about them. Pure. See
 * docs/api.md#firmware-images and docs/jobs.md#device_upgrade.
 */
import { Option, Result, Schema } from "effect"
import type { FirmwareNames } from "./platforms/Platform.ts"
import * as Body from "./fields/Body.ts"
import { depending, ignorable, optional, required, type Rule } from "./fields/Body.ts"
import { flag } from "./fields/Rules.ts"
import { has, own } from "./fields/Values.ts"
import {
  groupRule,
  hostnameRule,
  namesRule,
  notes,
  startRule,
  windowFaults,
  skipField,
  windowFields
} from "./requests/RequestFields.ts"

const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$/

/** Characters that a URL may have when it is typed into a switch's command line: no space, quote, pipe or redirection. */
const TYPEABLE_URL = /^https?:\/\/[\w.~:/?#@!$&*+,;=%[\]-]{1,1000}$/

/** Marker by which a file name asks for the build that fits the switch (docs/jobs.md#device_upgrade). */
export const DETECT_ARCHITECTURE = "detect_arch-"

/** True for a file name that can be stored, served and typed: letters, digits and `._+-`, at most 128 characters. */
export const isImageName = (name: string): boolean => NAME.test(name) && !name.endsWith(".part")

/** The last part of a URL's path, decoded; undefined when it is no image name or the text is no HTTP URL. */
export const nameInUrl = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined
  const { pathname, protocol } = new URL(url)
  if (protocol !== "http:" && protocol !== "https:") return undefined
  const last = pathname.split("/").at(-1) ?? ""
  if (!/^[^%]*$/.test(last) && !/^(?:[^%]|%[\da-fA-F]{2})*$/.test(last)) return undefined
  const name = decodeURIComponent(last)
  return isImageName(name) ? name : undefined
}

const SHA1 = /^[\da-f]{40}$/

/** A valid download: `sha1` in lower case. */
interface CheckedOrder {
  readonly name: string
  readonly url: string
  readonly sha1: string
}

/** The requested download, or why it is impossible. */
export const imageOrder = (url: unknown, sha1: unknown): Result.Result<CheckedOrder, string> => {
  if (typeof url !== "string" || url === "") return Result.fail("URL must be specified")
  if (typeof sha1 !== "string" || sha1 === "") return Result.fail("Checksum must be specified")
  const name = nameInUrl(url)
  if (name === undefined) return Result.fail("Invalid URL, could not parse filename")
  const sum = sha1.trim().toLowerCase()
  if (!SHA1.test(sum)) return Result.fail("Invalid checksum, must be 40 hexadecimal digits")
  return Result.succeed({ name, url, sha1: sum })
}

/** True when the URL contains a user or a password, which records and logs would show. */
const hasCredentials = (url: string): boolean =>
  URL.canParse(url) && (new URL(url).username !== "" || new URL(url).password !== "")

/**
 * The URL from which a switch fetches the file, with exactly one slash between the two parts. Undefined for a URL that cannot
 * be typed safely.
 */
export const imageUrl = (url: string, file: string): string | undefined => {
  const whole = `${url.replace(/\/+$/, "")}/${file}`
  return TYPEABLE_URL.test(whole) && URL.canParse(whole) && !hasCredentials(whole) ? whole : undefined
}

/** The link by which an image becomes the default: the part up to `-`, then `stable`; undefined without a `-`. */
export const defaultName = (file: string): string | undefined => {
  const dash = file.indexOf("-")
  if (dash < 1) return undefined
  const dot = file.lastIndexOf(".")
  return `${file.slice(0, dash)}-stable${dot > dash ? file.slice(dot) : ""}`
}

/** The version in the file name (such as `4.32.2F`); undefined when it has none. */
export const versionIn = (names: FirmwareNames | null | undefined, file: string): string | undefined =>
  names?.version.exec(file)?.[1]

// Firmware for people: versions by device, images, and the progress of an upgrade (docs/api.md#firmware-images).

/** Managed devices of a group by version; null is an unknown version. */
export const VersionsOfGroup = Schema.Struct({
  group: Schema.String,
  devices: Schema.Int,
  versions: Schema.Array(
    Schema.Struct({ os_version: Schema.NullOr(Schema.String), count: Schema.Int }).annotate({
      identifier: "CountedVersion"
    })
  )
}).annotate({ identifier: "VersionsOfGroup" })
export type VersionsOfGroup = typeof VersionsOfGroup.Type

/** An image. `size` in bytes and `sha1` are null while unknown; `defaults` are the links that lead to it. */
const ImageView = Schema.Struct({
  file: Schema.String,
  size: Schema.NullOr(Schema.Int),
  sha1: Schema.NullOr(Schema.String),
  defaults: Schema.Array(Schema.String)
}).annotate({ identifier: "FirmwareImage" })
type ImageView = typeof ImageView.Type

/** A running download: bytes received so far, and bytes in total; null while unknown. */
export const DownloadView = Schema.Struct({
  job_id: Schema.Int,
  status: Schema.String,
  by: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  file: Schema.NullOr(Schema.String),
  bytes: Schema.NullOr(Schema.Int),
  total: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "FirmwareDownload" })
export type DownloadView = typeof DownloadView.Type

export const ImagesAndDownloads = Schema.Struct({
  images: Schema.Array(ImageView),
  downloads: Schema.Array(DownloadView)
}).annotate({ identifier: "FirmwareImages" })

const Step = Schema.Literals(["pre_flight", "download", "activate", "reboot", "post_flight"]).annotate({
  identifier: "UpgradeStep"
})

/**
 * A device of an upgrade. `waiting`: not begun; `working` on `step`; `returning`: it reboots, and the job waits for it; `done`;
 * `failed`, with the last sentence in `message`; `stopped`: an abort came before all of its steps; `not_begun`: the job ended or was stopped
 * before its turn, so that nothing happened to it.
 */
export const UpgradeOfDevice = Schema.Struct({
  hostname: Schema.String,
  /** Its group in the order of the upgrade, from 1. */
  group: Schema.Int,
  state: Schema.Literals(["waiting", "working", "returning", "done", "failed", "stopped", "not_begun"]),
  step: Schema.NullOr(Step),
  steps_done: Schema.Array(Step),
  file: Schema.NullOr(Schema.String),
  version_before: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  /** Earlier messages, such as the switch's own words; the last thousand characters. */
  said: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DeviceUpgrade" })
export type UpgradeOfDevice = typeof UpgradeOfDevice.Type

export const UpgradeCampaign = Schema.Struct({
  job_id: Schema.Int,
  status: Schema.String,
  /** The requested steps, in their order. */
  steps: Schema.Array(Step),
  devices: Schema.Array(UpgradeOfDevice),
  /** Seconds for which a switch was usually away in the last year; null before the first restart. */
  restart_seconds: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "UpgradeProgress" })
export type UpgradeCampaign = typeof UpgradeCampaign.Type

// Bodies of requests about firmware (docs/jobs.md#get_firmware, docs/jobs.md#order-of-a-staggered-upgrade and
// docs/api.md#upgrades).

const missing = ({ key }: { readonly key: string }) => `Missing parameter ${key}`
const present = (wire: Schema.Top) => required(Schema.Unknown, missing, Result.succeed, wire)

/** An image to download. */
export const DownloadRequest = Body.make(
  { url: present(Schema.String), sha1: present(Schema.String), verify_tls: present(Schema.Boolean) },
  {
    message: Body.firstOf,
    // the last part of the URL names the image
    ignored: ["filename"],
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

/** A requested upgrade: the devices, the image, the steps and the start (`start_at`, decoded to milliseconds since 1970). */
export const UpgradeRequest = Body.make(
  {
    hostname: ignorable(Schema.String, hostnameRule),
    hostnames: ignorable(Schema.Array(Schema.String), (sent, place) =>
      has(place.body, "hostname") ? Result.succeed(undefined) : namesRule(sent, place)
    ),
    group: depending(
      Schema.String,
      ({ body }) =>
        has(body, "hostname") || has(body, "hostnames") ? Result.succeed(Option.none()) : Result.fail(NO_DEVICES),
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
    ...skipField,
    ...windowFields,
    ...notes
  },
  {
    message: Body.firstOf,
    together: (sent) => [...withoutStep(sent), ...windowFaults(sent)],
    // the misspelling of an API document from which clients were made
    ignored: ["post_wattime"]
  }
)
export type UpgradeRequest = typeof UpgradeRequest.schema.Type

/** The group whose order the caller asks for. */
export const UpgradeCheckRequest = Body.make(
  { group: required(Schema.String, () => NO_DEVICES, groupRule) },
  { message: Body.firstOf, isLenient: true }
)
export type UpgradeCheckRequest = typeof UpgradeCheckRequest.schema.Type
