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

// A template that renders configurations of 50,000 lines.

/** So many lines, and a few more. */
export const LINES = 50_000

const PER_LIST = 500
const LISTS = LINES / PER_LIST

/** Text of a template: access lists, in the middle of which stands `rule`. */
export const accessLists = (rule: string): string =>
  [
    `{% for list in range(1, ${LISTS + 1}) %}`,
    "ip access-list SITE-{{ list }}",
    `{% for line in range(1, ${PER_LIST}) %}`,
    "   {{ line * 10 }} permit tcp 10.{{ list }}.{{ line // 250 }}.{{ line % 250 }}/32 any eq 443",
    "{% endfor %}",
    `{% if list == ${LISTS / 2} %}   ${PER_LIST * 10} ${rule}\n{% endif %}`,
    "{% endfor %}"
  ].join("\n")

/** How many lines a text has. */
export const linesOf = (text: unknown): number => String(text).split("\n").length
