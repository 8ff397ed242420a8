/** The list of metrics in the manual, from their definitions. */
import { definitions } from "../../src/runtime/metrics/Exposition.ts"
import type { Definition } from "../../src/runtime/metrics/Metrics.ts"

/** The kind that a name says, so that the list need not. */
const kindByName = (name: string): Definition["kind"] => {
  if (name.endsWith("_total")) return "counter"
  return name.endsWith("_duration_seconds") ? "histogram" : "gauge"
}

export const metricTable = (): string =>
  definitions
    .map(({ help, kind, labels, name }) => {
      if (kindByName(name) !== kind) throw new Error(`${name} is a ${kind}, but its name says ${kindByName(name)}`)
      const by = labels.length === 0 ? "" : ` by ${labels.map((label) => `\`${label}\``).join(", ")}`
      return `- \`${name}\`${by}: ${help}`
    })
    .join("\n")
