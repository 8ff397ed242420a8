/** The filters that every template has beyond Jinja2's own, with what the platforms' configurations look like. */
import { platforms } from "../domain/platforms/Platforms.ts"
import { sectionFilters, siteFilters } from "../jinja/Jinja.ts"

const notations = new Map(platforms.map(({ configuration, name }) => [name, configuration]))

/** For the `filters` of an environment. */
export const templateFilters = [siteFilters, sectionFilters(notations)]
