/** The filters of docs/templates.md#filters, beyond Jinja2's own, that need no knowledge of platforms. */
import type { Library } from "../values/Builtin.ts"
import { addressFilters } from "./AddressFilters.ts"
import { hashFilters } from "./HashFilters.ts"
import { interfaceFilters } from "./InterfaceFilters.ts"
import { macFilters } from "./MacFilters.ts"
import { regexFilters } from "./RegexFilters.ts"
import { templateFilters } from "./TemplateFilter.ts"
import { vlanFilters } from "./VlanFilters.ts"

/** Network, hash and text filters, to be given to an environment as `filters: [siteFilters]`. */
export const siteFilters: Library = new Map([
  ...hashFilters,
  ...macFilters,
  ...addressFilters,
  ...vlanFilters,
  ...interfaceFilters,
  ...regexFilters,
  ...templateFilters
])
