/**
 * Names of firmware images: which are allowed (they become part of a path, a URL and a command on a switch), which version they
 * announce, and where a switch finds them. Pure. See docs/api.md#firmware-images and docs/jobs.md#device_upgrade.
 */
import { Result } from "effect"
import type { FirmwareNames } from "./platforms/Platform.ts"

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

/** A download that can be tried: `sha1` in lower case. */
export interface CheckedOrder {
  readonly name: string
  readonly url: string
  readonly sha1: string
}

/** The download that is asked for, or why there can be none. */
export const imageOrder = (url: unknown, sha1: unknown): Result.Result<CheckedOrder, string> => {
  if (typeof url !== "string" || url === "") return Result.fail("URL must be specified")
  if (typeof sha1 !== "string" || sha1 === "") return Result.fail("Checksum must be specified")
  const name = nameInUrl(url)
  if (name === undefined) return Result.fail("Invalid URL, could not parse filename")
  const sum = sha1.trim().toLowerCase()
  if (!SHA1.test(sum)) return Result.fail("Invalid checksum, must be 40 hexadecimal digits")
  return Result.succeed({ name, url, sha1: sum })
}

/** True when the URL names a user or a password, which records and logs would show. */
export const hasCredentials = (url: string): boolean =>
  URL.canParse(url) && (new URL(url).username !== "" || new URL(url).password !== "")

/** Where a switch fetches the file: no slash between the two is doubled. Undefined for a URL that cannot be typed safely. */
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

/** The version that the file name announces (such as `4.32.2F`); undefined when it announces none. */
export const versionIn = (names: FirmwareNames | null | undefined, file: string): string | undefined =>
  names?.version.exec(file)?.[1]
