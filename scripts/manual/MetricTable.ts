/** The table of metrics in the manual, from their definitions. */
import { definitions } from "../../src/runtime/metrics/Exposition.ts"

export const metricTable = (): string =>
  [
    "| Metric | Kind | Labels | Says |",
    "| --- | --- | --- | --- |",
    ...definitions.map(({ help, kind, labels, name }) => {
      const named = labels.map((label) => `\`${label}\``).join(", ")
      return `| \`${name}\` | ${kind} | ${named === "" ? "–" : named} | ${help} |`
    })
  ].join("\n")
