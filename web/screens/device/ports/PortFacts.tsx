/** What a port is, and what hangs there: the newest machines with their addresses, and the readings of the switch. */
import { light, speed } from "../../../../src/domain/words/Units.ts"
import type { ReactNode } from "react"
import { When } from "../../../parts/When.tsx"
import type { StoredPort } from "./edits.ts"
import { errorsOf, type Readings, useOf } from "./plate.ts"

/** No driver reads these yet; they are said so that nobody takes a missing value for none. */
const NOT_READ = "not read on this platform"

export const PortFacts = ({
  port,
  readings
}: {
  readonly port: StoredPort
  readonly readings: Readings | undefined
}) => {
  const reading = readings?.ports[port.name]
  const machines = readings?.machines.filter((machine) => machine.port === port.name) ?? []
  const facts: ReadonlyArray<readonly [name: string, value: ReactNode]> = [
    ...machines.slice(0, 3).map(
      ({ first_seen, ip, last_seen, mac }) =>
        [
          "Connected",
          <>
            <span className="mono">{mac.toLowerCase()}</span>
            {ip !== null && (
              <>
                {" "}
                <span className="mono">{ip}</span>
              </>
            )}
            <br />
            here since <When at={first_seen} />, heard <When at={last_seen} />
          </>
        ] as const
    ),
    ...(machines.length > 3 ? [["", `and ${machines.length - 3} more`] as const] : []),
    ["VLAN", useOf(port)],
    ...(reading === undefined
      ? []
      : ([
          ["Speed", reading.is_up === true && reading.speed !== null ? speed(reading.speed) : "–"],
          ["Since", reading.last_flapped > 0 ? <When at={reading.last_flapped} /> : "not known"],
          [
            "Traffic",
            reading.errors === undefined
              ? NOT_READ
              : `${errorsOf(reading) === 0 ? "no" : errorsOf(reading).toLocaleString()} errors, ${(
                  reading.errors.in_discards + reading.errors.out_discards
                ).toLocaleString()} discards`
          ],
          ...(reading.light === undefined || reading.light.rx_power === null
            ? []
            : [["Light", light(reading.light.rx_power)] as const])
        ] as const)),
    ["Power", NOT_READ],
    ["Sign-in (802.1X)", NOT_READ]
  ]
  return (
    <dl className="port-facts">
      {facts.map(([name, value], index) => (
        // the same name can stand for several machines
        <Fact key={`${name}${index}`} name={name} value={value} />
      ))}
    </dl>
  )
}

const Fact = ({ name, value }: { readonly name: string; readonly value: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
)
