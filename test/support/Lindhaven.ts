/**
 * The Lindhaven campus on paper: what the example templates make of three of its switches (`lhv-acc1`, `lhv-dist1`,
 * `lhv-core1`), and the variables that they were given. The configurations come from the reference's Jinja2.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The directory of the example templates that made the configurations. */
export const exampleTemplates = fileURLToPath(new URL("../../examples/templates/eos", import.meta.url))

/** The text of a stored file: `<hostname>.cfg` or `<hostname>.variables.json`. */
export const stored = (name: string): string => readFileSync(new URL(`lindhaven/${name}`, import.meta.url), "utf8")
