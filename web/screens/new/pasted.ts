/** Lines that somebody pastes, as the list that the server takes: `hostname, type, mac or serial`, by commas, semicolons or tabs. Pure. */

export interface PastedLine {
  readonly hostname: string
  readonly device_type: string
  readonly mac?: string
  readonly serial?: string
  readonly replace_hostname?: true
}

const COLUMNS = ["hostname", "device_type", "mac", "serial", "replace"] as const
type Column = (typeof COLUMNS)[number]

const SPELLINGS: Readonly<Record<string, Column>> = {
  hostname: "hostname",
  name: "hostname",
  device_type: "device_type",
  type: "device_type",
  mac: "mac",
  ztp_mac: "mac",
  serial: "serial",
  replace: "replace",
  replace_hostname: "replace"
}

const isMac = (text: string) => /^[0-9a-f]{12}$/i.test(text.replaceAll(/[:.-]/g, ""))
const isYes = (text: string) => /^(yes|true|1|replace)$/i.test(text)

const cellsOf = (line: string): ReadonlyArray<string> =>
  line.split(/[,;\t]/).map((cell) => cell.trim().replaceAll(/^"|"$/g, ""))

const headOf = (line: string): ReadonlyArray<Column | undefined> | undefined => {
  const found = cellsOf(line).map((cell) => SPELLINGS[cell.toLowerCase()])
  return found.includes("hostname") ? found : undefined
}

const lineOf = (cells: ReadonlyArray<string>, columns: ReadonlyArray<Column | undefined> | undefined): PastedLine => {
  const at = (column: Column) => cells[columns?.indexOf(column) ?? -1] ?? ""
  const [hostname = "", device_type = "", which = "", replace = ""] = cells
  if (columns === undefined) {
    return {
      hostname,
      device_type,
      ...(which === "" ? {} : isMac(which) ? { mac: which } : { serial: which }),
      ...(isYes(replace) ? { replace_hostname: true } : {})
    }
  }
  return {
    hostname: at("hostname"),
    device_type: at("device_type"),
    ...(at("mac") === "" ? {} : { mac: at("mac") }),
    ...(at("serial") === "" ? {} : { serial: at("serial") }),
    ...(isYes(at("replace")) ? { replace_hostname: true } : {})
  }
}

/** The lines of a text; empty ones and those that begin with # are left out, and a first line may name the columns. */
export const pastedLines = (text: string): ReadonlyArray<PastedLine> => {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
  const [first = ""] = lines
  const head = headOf(first)
  return (head === undefined ? lines : lines.slice(1)).map((line) => lineOf(cellsOf(line), head))
}
