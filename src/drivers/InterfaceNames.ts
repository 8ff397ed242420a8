/** Names of interfaces: natural order, and short to long names (contract device-cli §8.3, §8.4). Pure. */

/** Short prefix → long prefix, on every platform unless `only` names some. */
interface ShortName {
  readonly short: string
  readonly long: string
  readonly only?: ReadonlyArray<string>
}

// The first row that fits the platform wins, so the special ones come first.
const shortNames: ReadonlyArray<ShortName> = [
  { short: "Po", long: "port-channel", only: ["nxos", "nxos_ssh"] },
  { short: "Po", long: "Port-channel", only: ["ios"] },
  { short: "Te", long: "TenGigE", only: ["iosxr"] },
  { short: "Mg", long: "MgmtEth", only: ["iosxr"] },
  { short: "Eth", long: "Ethernet", only: ["nxos", "nxos_ssh"] },
  { short: "Et", long: "Ethernet" },
  { short: "Ma", long: "Management" },
  { short: "Po", long: "Port-Channel" },
  { short: "Vl", long: "Vlan" },
  { short: "Lo", long: "Loopback" },
  { short: "Fa", long: "FastEthernet" },
  { short: "Gi", long: "GigabitEthernet" },
  { short: "Te", long: "TenGigabitEthernet" },
  { short: "Twe", long: "TwentyFiveGigE" },
  { short: "Fo", long: "FortyGigabitEthernet" },
  { short: "Hu", long: "HundredGigE" }
]

const shape = /^([A-Za-z]+)(\d[\d/.:]*)$/

/** The long name of an interface, such as `Ethernet51` for `Et51`. Long, Junos and unknown names stay as they are. */
export const longName = (platform: string, name: string): string => {
  const match = shape.exec(name)
  if (match === null) return name
  const [, prefix, numbers] = match
  const row = shortNames.find(({ short, only }) => short === prefix && (only === undefined || only.includes(platform)))
  return row === undefined ? name : `${row.long}${numbers}`
}

/** The short name of an interface, such as `Et51` for `Ethernet51`. Names without a short form stay as they are. */
export const shortName = (platform: string, name: string): string => {
  const match = /^([A-Za-z-]+)(\d[\d/.:]*)$/.exec(name)
  if (match === null) return name
  const [, prefix, numbers] = match
  const row = shortNames.find(({ long, only }) => long === prefix && (only === undefined || only.includes(platform)))
  return row === undefined ? name : `${row.short}${numbers}`
}

const pieces = (name: string): ReadonlyArray<string> => name.match(/\d+|\D+/g) ?? []

const comparePieces = (a: string, b: string): number => {
  const difference = Number(a) - Number(b)
  if (!Number.isNaN(difference)) return difference
  return a < b ? -1 : a > b ? 1 : 0
}

/** Natural order: numbers inside names compare as numbers, so Ethernet2 comes before Ethernet10. For `sort`. */
export const compareNames = (a: string, b: string): number => {
  const left = pieces(a)
  const right = pieces(b)
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = comparePieces(left[index] ?? "", right[index] ?? "")
    if (order !== 0) return order
  }
  return left.length - right.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Whether the name is a subinterface's, such as `Ethernet1.100`. */
export const isSubinterface = (name: string): boolean => name.includes(".")
