/** The table of the commands that an account on a switch needs, from where the driver has them. */
import { neededCommands } from "../../src/drivers/eos/Dialect.ts"
import { table } from "./Marked.ts"

/** The rows as Markdown. */
export const commandTable = (): string =>
  table(
    ["Command begins with", "Needed for", "Without it"],
    neededCommands.map(({ command, use, without }) => [`\`${command}\``, use, without])
  )
