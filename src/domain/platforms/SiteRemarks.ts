/**
 * Lines that devices of a site print for information although they look like refusals (`DEVICE_REMARKS`), beside those that the
 * platforms' records have (docs/switch-dialogues.md#remarks-and-refusals).
 */
import { Schema } from "effect"
import type { DeviceRemark } from "./Platform.ts"
import { platformOf } from "./Platforms.ts"

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text).source !== ""
  } catch {
    return false
  }
}

const Pattern = Schema.NonEmptyString.pipe(
  Schema.check(Schema.makeFilter((text: string) => isPattern(text) || "Expected a regular expression"))
)

const SiteRemark = Schema.Struct({
  /** Left out: all platforms. */
  platform: Schema.optionalKey(Schema.String),
  /** How the releases begin that say it, such as `4.32`; left out: all. */
  release: Schema.optionalKey(Schema.String),
  /** The line, as a regular expression. */
  line: Pattern,
  meaning: Schema.String
})

/** A JSON list of remarks. */
export const SiteRemarks = Schema.fromJsonString(Schema.Array(SiteRemark))
export type SiteRemarks = typeof SiteRemarks.Type

/** What a device is. */
interface OfRelease {
  readonly platform: string | null
  readonly os_version: string | null
}

/** Remarks that only some devices make, as far as this one does. One whose release is not known may make any. */
export const remarksOf = (site: SiteRemarks, { os_version, platform }: OfRelease): ReadonlyArray<DeviceRemark> => {
  const release = os_version ?? ""
  const built = platformOf(platform)?.remarks ?? []
  const own = built.filter(({ releases }) => releases !== undefined && (release === "" || releases.test(release)))
  const given = site.filter(
    (remark) =>
      (remark.platform === undefined || remark.platform === platform) &&
      (remark.release === undefined || release === "" || release.startsWith(remark.release))
  )
  return [...own, ...given.map(({ line, meaning }) => ({ line: new RegExp(line), meaning }))]
}
