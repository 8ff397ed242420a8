/** A pasted list of switches: the meaning of each line, and its mistakes. Pure. */

export interface Line {
  /** Counted from 1. */
  readonly line: number
  /** The text that names the switch. */
  readonly word: string
  readonly hostname: string
  readonly type: string
  /** The switch that the line names. */
  readonly id: number | undefined
  readonly problem: string | undefined
}

interface Discovered {
  readonly id: number
  readonly hostname: string
  readonly serial: string | null
  readonly ztp_mac: string | null
}

const TYPES = ["ACCESS", "DIST", "CORE"]

const bare = (word: string): string => word.toLowerCase().replaceAll(/[^0-9a-z]/g, "")

const isMeant = (word: string, { hostname, serial, ztp_mac }: Discovered): boolean =>
  [hostname, serial, ztp_mac].some((known) => known !== null && bare(known) === bare(word))

interface Typed {
  readonly word: string
  readonly hostname: string
  readonly sent: string
  readonly isDouble: boolean
  readonly found: number
}

const problemOf = ({ found, hostname, isDouble, sent }: Typed): string | undefined => {
  if (hostname === "") return "the name is missing"
  if (isDouble) return `the name ${hostname} stands twice in the list`
  if (sent !== "" && !TYPES.includes(sent.toUpperCase())) return `${sent} is no type: ${TYPES.join(", ")}`
  if (found === 0) return "no discovered switch is this one"
  return found === 1 ? undefined : "more than one switch is this one"
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line.split(/[,;\t]/).map((cell) => cell.trim().replaceAll(/^"|"$/g, ""))

/** The lines that are not empty; the header line of a file is omitted. */
export const linesIn = (text: string, devices: ReadonlyArray<Discovered>): ReadonlyArray<Line> => {
  const lines = text
    .split(/\r?\n/)
    .map(cellsOf)
    .filter(([word = ""]) => word !== "" && !/^(mac|serial|switch)\b/i.test(word))
  const seen = new Set<string>()
  return lines.map(([word = "", hostname = "", sent = ""], index) => {
    const meant = devices.filter((device) => isMeant(word, device))
    const problem = problemOf({ word, hostname, sent, isDouble: seen.has(hostname), found: meant.length })
    seen.add(hostname)
    const type = sent === "" ? "ACCESS" : sent.toUpperCase()
    return { line: index + 1, word, hostname, type, id: problem === undefined ? meant[0]?.id : undefined, problem }
  })
}
