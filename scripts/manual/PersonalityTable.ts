/** The table of personalities that a switch of the lab can have. */
import { personalities } from "../../src/lab/eos/Quirks.ts"
import { table } from "./Marked.ts"

/** Name, what is peculiar, and whether work on such a switch has to succeed; in the order of the list. */
export const personalityTable = (): string =>
  table(
    ["`personality`", "Such a switch", "Usual"],
    Object.entries(personalities).map(([name, { description, usual }]) => [
      `\`${name}\``,
      description,
      usual ? "yes" : "no"
    ])
  )
