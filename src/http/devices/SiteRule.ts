/** Sites of device records: `site_id` has to exist, `site` stands for the only site of that description. */
import { Effect, Option } from "effect"
import { SiteStore } from "../../store/SiteStore.ts"
import { type ParsedFields, UNKNOWN_SITE } from "./DeviceFields.ts"

/** Completes parsed fields with what the site table says about them; an unknown site is one more error. */
export const withSite = Effect.map(Effect.service(SiteStore), (sites) =>
  Effect.fnUntraced(function* (parsed: ParsedFields) {
    const { errors, fields, site } = parsed
    if (typeof fields.site_id === "number" && !(yield* sites.exists(fields.site_id))) {
      return { ...parsed, errors: [UNKNOWN_SITE, ...errors] }
    }
    const named = site === undefined ? Option.none<number>() : yield* sites.named(site)
    return Option.match(named, {
      onNone: () => parsed,
      onSome: (site_id): ParsedFields => ({ ...parsed, fields: { ...fields, site_id } })
    })
  })
)
