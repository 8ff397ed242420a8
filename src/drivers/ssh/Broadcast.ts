/**
 * Messages to all users of a switch (`wall`, emergencies of its syslog), which a terminal shows at any time between other lines
 * (docs/switch-dialogues.md#reading-answers): an empty line, a heading, in some forms another empty line, the text, an empty line.
 */

const heading = /^(?:Broadcast [Mm]essage from \S|Message from syslogd@\S+ at )/

/** The second line of a heading in older forms of `wall`. */
const restOfHeading = /^\s+\(\S+\) at \d/

/** Whether a message to all users begins with this line. */
export const isBroadcast = (line: string): boolean => heading.test(line)

/** The lines of an answer without messages to all users. */
export const withoutBroadcasts = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!lines.some(isBroadcast)) return lines
  const kept: Array<string> = []
  let inside: "heading" | "text" | null = null
  for (const line of lines) {
    const isEmpty = line.trim() === ""
    if (isBroadcast(line)) {
      if (inside === null && kept.at(-1)?.trim() === "") kept.pop()
      inside = "heading"
    } else if (inside === null) kept.push(line)
    else if (inside === "text" && isEmpty) inside = null
    else if (!isEmpty && !restOfHeading.test(line)) inside = "text"
  }
  return kept
}
