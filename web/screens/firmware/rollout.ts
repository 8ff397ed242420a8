/** An upgrade as a rollout, in words: its steps of restarts, how far each is, and how long it takes. Pure. */
import type { Data } from "../../../src/api/Calls.ts"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { upgradeWords } from "../../../src/domain/words/JobWords.ts"
import { counted, duration, switches } from "../../../src/domain/words/Units.ts"
import { inSentence } from "../../../src/domain/words/Word.ts"
import type { CellShape } from "../../parts/DeviceGrid.tsx"
import type { ToneName } from "../../parts/tones.ts"

export type Campaign = Data<"GET /job/:id/upgrade">
export type UpgradedSwitch = Campaign["devices"][number]
type State = UpgradedSwitch["state"]

/** All states in the order of the bar, with their shapes. */
const SHAPES = {
  done: "filled",
  returning: "striped",
  working: "striped",
  waiting: "hollow",
  not_begun: "hollow",
  stopped: "crossed",
  failed: "crossed"
} as const satisfies Readonly<Record<State, CellShape>>

const isState = (key: string): key is State => Object.hasOwn(SHAPES, key)
const ORDER = Object.keys(SHAPES).filter(isState)

/** The parts of the bar. */
export const partsOf = (devices: ReadonlyArray<UpgradedSwitch>) =>
  ORDER.map((state) => ({
    key: state,
    count: devices.filter((device) => device.state === state).length,
    label: inSentence(upgradeWords[state].text),
    tone: upgradeWords[state].tone,
    striped: state === "working"
  }))

/** How a switch is drawn. */
export const cellOf = ({ hostname, state }: UpgradedSwitch) => ({
  hostname,
  said: inSentence(upgradeWords[state].text),
  tone: upgradeWords[state].tone,
  shape: SHAPES[state]
})

/** The switches that go together, first to last. */
export const groupsOf = (devices: ReadonlyArray<UpgradedSwitch>) =>
  [...Map.groupBy(devices, ({ group }) => group)]
    .filter(([number]) => number > 0)
    .toSorted(([one], [other]) => one - other)
    .map(([number, here]) => ({
      number,
      devices: here.toSorted((one, other) => inNaturalOrder(one.hostname, other.hostname))
    }))

const END: ReadonlySet<State> = new Set<State>(["done", "failed", "stopped", "not_begun"])

/** Whether the job has ended with a switch. */
export const hasEnded = ({ state }: UpgradedSwitch): boolean => END.has(state)

export interface GroupStanding {
  readonly tone: ToneName
  readonly said: string
  readonly note: string
}

/** How far the switches of a group are, and what they wait for. */
export const standingOf = (number: number, devices: ReadonlyArray<UpgradedSwitch>): GroupStanding => {
  const of = (...states: ReadonlyArray<State>) => devices.filter(({ state }) => states.includes(state)).length
  const note = switches(devices.length)
  const failed = of("failed", "stopped")
  if (of("not_begun") === devices.length) return { tone: "quiet", said: "not begun", note }
  if (of("waiting") === devices.length) {
    const why = number === 1 ? note : `${note}, when all of step ${number - 1} are back`
    return { tone: "quiet", said: "waits", note: why }
  }
  const ended = devices.filter(hasEnded).length
  const said = `${ended} of ${devices.length}`
  if (ended < devices.length) {
    const away = of("returning")
    return {
      tone: "info",
      said,
      note: away === 0 ? note : `${note}, ${counted(away, "restarts", "restart")} now`
    }
  }
  return failed > 0
    ? { tone: "warn", said, note: `${note}, ${failed} failed` }
    : { tone: "good", said, note: `${note}, all back` }
}

const about = (seconds: number): string =>
  seconds < 60 ? "less than a minute" : `about ${duration(Math.round(seconds / 60) * 60)}`

/** What restarts, in which order, who waits, and for how long nothing works on them. */
export const orderSentences = (groups: number, count: number, restartSeconds: number | null): ReadonlyArray<string> => {
  const restart = counted(count, "switch restarts", "switches restart")
  const together =
    groups === 1
      ? count === 1
        ? `${restart}.`
        : `${restart}, as many together as the server allows.`
      : `${restart} in ${groups} steps. A step begins when all switches of the step before are back; after a failure no further step begins.`
  return [
    together,
    ...(groups > 1
      ? ["The two switches of an MLAG pair, and switches that need each other as their way up, are in different steps."]
      : []),
    restartSeconds === null
      ? "How long a switch is away is known after the first upgrade."
      : `Nothing on a switch works for ${about(restartSeconds)} while it restarts: ${about(restartSeconds * groups)} for all restarts.`
  ]
}

/** About how long the rest takes, from the steps that have not ended; undefined when it is not known. */
export const timeLeft = ({ devices, restart_seconds }: Campaign): string | undefined => {
  if (restart_seconds === null) return undefined
  const open = groupsOf(devices).filter((group) => !group.devices.every(hasEnded)).length
  return open === 0 ? undefined : `${about(restart_seconds * open)} left`
}
