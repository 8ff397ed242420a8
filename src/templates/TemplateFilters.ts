/** The filters that templates have in addition to Jinja2's, which know the configurations of the platforms. */
import { platforms } from "../domain/platforms/Platforms.ts"
import { sectionFilters, siteFilters } from "../jinja/Jinja.ts"

const notations = new Map(platforms.map(({ configuration, name }) => [name, configuration]))

/** For the `filters` of an environment. */
export const templateFilters = [siteFilters, sectionFilters(notations)]
