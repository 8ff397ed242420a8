/** The fleet: how many switches are in sync, what the others are, and how that was in the last days. Each number leads to its list. */
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { outOfSync, stateWords } from "../../../src/domain/words/DeviceWords.ts"
import { number } from "../../../src/domain/words/Units.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Stat } from "../../parts/Stat.tsx"
import { type BarPart, StackedBar } from "../../parts/StackedBar.tsx"
import { History } from "./History.tsx"

type Devices = Data<"GET /overview">["devices"]

/** The list of devices with these filters. */
export const listOf = (...filters: ReadonlyArray<readonly [field: string, value: string]>): string =>
  `/devices?${filters.map(([field, value]) => `${encodeURIComponent(`filter[${field}]`)}=${encodeURIComponent(value)}`).join("&")}`

const inSync = ({ by_state, unsynchronized }: Devices) => (by_state["MANAGED"] ?? 0) - unsynchronized

/** The managed switches in parts; those that do not answer are counted with them, whatever they run. */
const partsOf = (devices: Devices): ReadonlyArray<BarPart> => [
  { key: "sync", count: inSync(devices), label: "in sync", tone: "good" },
  { key: "changing", count: devices.in_change, label: "changing now", tone: "info", to: listOf(["in_change", "true"]) },
  {
    key: "out",
    count: devices.unsynchronized,
    label: "out of sync",
    tone: "warn",
    to: listOf(["synchronized", "false"], ["state", "MANAGED"])
  },
  { key: "drifted", count: devices.drifted, label: "changed by hand", tone: "wait", to: listOf(["drifted", "true"]) },
  {
    key: "silent",
    count: devices.unreachable,
    label: "not answering",
    tone: "bad",
    to: listOf(["unreachable", "true"])
  }
]

interface Detail {
  readonly key: string
  readonly count: number
  readonly words: string
  readonly to: string
}

/** Why switches are out of sync, and the switches that are not managed. */
const detailsOf = ({ by_state, unsynchronized_by }: Devices): ReadonlyArray<Detail> => [
  ...Object.entries(unsynchronized_by)
    .toSorted(([, one], [, other]) => other - one)
    .map(([cause, count]) => ({
      key: cause,
      count,
      words: inSentence(outOfSync(cause)),
      to: listOf(["unsynchronized_by", cause])
    })),
  ...Object.entries(by_state)
    .filter(([state]) => state !== "MANAGED")
    .map(([state, count]) => ({
      key: state,
      count,
      words: inSentence(textOf(stateWords, state)),
      to: listOf(["state", state])
    }))
]

const Details = ({ devices }: { readonly devices: Devices }) => {
  const details = detailsOf(devices)
  if (details.length === 0) return null
  return (
    <ul className="fleet-details">
      {details.map(({ count, key, to, words }) => (
        <li key={key}>
          <PlainLink to={to}>
            <b>{number(count)}</b> {words}
          </PlainLink>
        </li>
      ))}
    </ul>
  )
}

export const Fleet = () => {
  const may = useMay()
  const asked = useAsk(
    "GET /overview",
    {},
    { kinds: ["device", "sync", "drift", "reachability", "job", "change"], enabled: may("GET", "/overview") }
  )
  if (!may("GET", "/overview")) return null
  return (
    <section className="card fleet" aria-label="Fleet">
      <div className="fleet-now">
        <h2>Fleet</h2>
        <Asked of={asked} what="the counts">
          {({ data: { devices } }) =>
            devices.total === 0 ? (
              <p>
                No switches yet. <PlainLink to="/new">New switches</PlainLink> appear when they start up.
              </p>
            ) : (
              <>
                <Stat
                  figure={inSync(devices)}
                  words={`of ${number(devices.by_state["MANAGED"] ?? 0)} in sync`}
                  to={listOf(["synchronized", "true"], ["state", "MANAGED"])}
                />
                <StackedBar label="Managed switches" parts={partsOf(devices)} />
                <Details devices={devices} />
              </>
            )
          }
        </Asked>
      </div>
      <History />
    </section>
  )
}
