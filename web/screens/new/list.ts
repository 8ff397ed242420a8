/** A pasted list of switches: the meaning of each line, and its mistakes. Pure. */
import { typeChoices } from "../../../src/domain/words/DeviceWords.ts"

type Type = (typeof typeChoices)[number]["value"]

export interface Line {
  /** Counted from 1. */
  readonly line: number
  /** The text that names the switch. */
  readonly word: string
  readonly hostname: string
  /** Undefined if the line has another word. */
  readonly type: Type | undefined
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

const bare = (word: string): string => word.toLowerCase().replaceAll(/[^0-9a-z]/g, "")

const isMeant = (word: string, { hostname, serial, ztp_mac }: Discovered): boolean =>
  [hostname, serial, ztp_mac].some((known) => known !== null && bare(known) === bare(word))

/** The type that is called so, by its word on the page or by its name in the API; an empty cell is an access switch. */
const typeCalled = (sent: string): Type | undefined =>
  sent === ""
    ? "ACCESS"
    : typeChoices.find(({ label, value }) => [value, label].some((name) => name.toLowerCase() === sent.toLowerCase()))
        ?.value

const WORDS = typeChoices.map(({ label }) => label.toLowerCase())

interface Typed {
  readonly hostname: string
  readonly sent: string
  readonly type: Type | undefined
  readonly isDouble: boolean
  readonly found: number
}

const problemOf = ({ found, hostname, isDouble, sent, type }: Typed): string | undefined => {
  if (hostname === "") return "the name is missing"
  if (isDouble) return `the name ${hostname} stands twice in the list`
  if (type === undefined) return `${sent} is no type: ${WORDS.join(", ")}`
  if (found === 0) return "no discovered switch is this one"
  return found === 1 ? undefined : "more than one switch is this one"
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line.split(/[,;\t]/).map((cell) => cell.trim().replaceAll(/^"|"$/g, ""))

type Column = "word" | "hostname" | "type"

/** The columns by what a header may call them. */
const HEADERS: Readonly<Record<string, Column>> = {
  switch: "word",
  serial: "word",
  serialnumber: "word",
  mac: "word",
  macaddress: "word",
  presentname: "word",
  name: "hostname",
  hostname: "hostname",
  newname: "hostname",
  type: "type",
  devicetype: "type"
}

const ORDER: ReadonlyArray<Column> = ["word", "hostname", "type"]

/** The columns that a line names; undefined if it is no header. Other columns of a header are not read. */
const headerOf = (cells: ReadonlyArray<string>): ReadonlyArray<Column | undefined> | undefined => {
  const columns = cells.map((cell) => HEADERS[bare(cell)])
  return columns.includes("word") && columns.includes("hostname") ? columns : undefined
}

/** The lines that are not empty. The first may be a header, which may put the columns into any order. */
export const linesIn = (text: string, devices: ReadonlyArray<Discovered>): ReadonlyArray<Line> => {
  const [first = [], ...others] = text
    .split(/\r?\n/)
    .map(cellsOf)
    .filter((cells) => cells.some((cell) => cell !== ""))
  const header = headerOf(first)
  const columns = header ?? ORDER
  const seen = new Set<string>()
  return (header === undefined && first.length > 0 ? [first, ...others] : others).map((cells, index) => {
    const cell = (column: Column): string => cells[columns.indexOf(column)] ?? ""
    const [word, hostname, sent] = [cell("word"), cell("hostname"), columns.includes("type") ? cell("type") : ""]
    const meant = devices.filter((device) => isMeant(word, device))
    const type = typeCalled(sent)
    const problem = problemOf({ hostname, sent, type, isDouble: seen.has(hostname), found: meant.length })
    seen.add(hostname)
    return { line: index + 1, word, hostname, type, id: problem === undefined ? meant[0]?.id : undefined, problem }
  })
}
