/** The lines to write into the settings to keep what a switch runs. Pure. */

/** The lines that the switch has in addition to the generated configuration. */
export const linesToKeep = (diff: string): string =>
  diff
    .split("\n")
    .filter((line) => line.startsWith("+") && !line.startsWith("+++"))
    .map((line) => line.slice(1))
    .join("\n")
