/** Sites of device records: `site_id` has to exist, `site` stands for the only site of that description. */
import { Effect, Option } from "effect"
import { UNKNOWN_SITE } from "../../domain/DeviceFields.ts"
import type { CheckedBody } from "../../domain/fields/Body.ts"
import { SiteStore } from "../../store/NetworkStore.ts"
import { complete } from "../core/Refused.ts"

interface WithSite {
  readonly site_id?: number | null | undefined
  readonly site?: string | null | undefined
}

/** The fields of a body with what the site table says about them. Fails with 400 and everything that is wrong. */
export const makeSiteRule = Effect.map(Effect.service(SiteStore), (sites) =>
  Effect.fnUntraced(function* <A extends WithSite>(checked: CheckedBody<A>) {
    const { site, site_id }: WithSite = checked.fields
    const unknown = typeof site_id === "number" && !(yield* sites.exists(site_id))
    const { site: _site, ...fields } = yield* complete(unknown ? checked.refuse("site_id", UNKNOWN_SITE) : checked)
    const named = typeof site === "string" && site_id === undefined ? yield* sites.named(site) : Option.none<number>()
    return Option.match(named, { onNone: () => fields, onSome: (id) => ({ ...fields, site_id: id }) })
  })
)
