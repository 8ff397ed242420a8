/** The ports of a device: selected on its front, changed together, with the effect on the configuration before they are saved. */
import { speed } from "../../../../src/domain/words/Units.ts"
import { textOf } from "../../../../src/domain/words/Word.ts"
import { configTypeWords } from "../../../../src/domain/words/DeviceWords.ts"
import { Button, Group, Text } from "@mantine/core"
import type { PortOptics } from "../../../../src/domain/DeviceReadings.ts"
import { useAsk } from "../../../api/useAsk.ts"
import { useMay } from "../../../app/useSession.ts"
import { Asked } from "../../../parts/Asked.tsx"
import { Empty } from "../../../parts/Empty.tsx"
import { Problem } from "../../../parts/Problem.tsx"
import { SmallTable } from "../../../parts/SmallTable.tsx"
import { Tone } from "../../../parts/Tone.tsx"
import type { ToneName } from "../../../parts/tones.ts"
import type { TabProps } from "../Device.tsx"
import { descriptionOf, hasEdits, isEnabled, isTyped, UNTOUCHED, vlanOf } from "./edits.ts"
import { Faceplate } from "./Faceplate.tsx"
import { PortForm } from "./PortForm.tsx"
import { useDraft } from "../../../app/useDraft.ts"

const toggled = (names: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  names.includes(name) ? names.filter((other) => other !== name) : [...names, name]

const dbm = (power: number | null): string => (power === null ? "–" : power.toFixed(1))

const lightOf = (optics: PortOptics | undefined): string => {
  if (optics === undefined || (optics.rx_power === null && optics.tx_power === null)) return ""
  return `${dbm(optics.rx_power)}, ${dbm(optics.tx_power)} dBm`
}

const wordOf = (isUp: boolean | null | undefined): string => {
  if (isUp === undefined) return ""
  if (isUp === null) return "unknown"
  return isUp ? "up" : "down"
}

/** Counts that should be zero; nothing if they were not read. */
const Counted = ({ counts, tone }: { readonly counts: ReadonlyArray<number | undefined>; readonly tone: ToneName }) => {
  if (counts.every((count) => count === undefined)) return null
  const words = counts.map((count) => (count ?? 0).toLocaleString()).join(", ")
  return counts.some((count) => (count ?? 0) > 0) ? <Tone tone={tone}>{words}</Tone> : <span>{words}</span>
}

export default function Ports({ device: { hostname, state } }: TabProps) {
  const may = useMay()
  const [typed, setTyped] = useDraft("ports", UNTOUCHED, isTyped, ({ edits }) => hasEdits(edits))
  const { edits, names, pinned } = typed
  const chosen = new Set(names)
  const asked = useAsk("GET /device/:hostname/interfaces", { params: { hostname } }, { kinds: ["interface"] })
  const read = useAsk(
    "GET /device/:hostname/interface_status",
    { params: { hostname } },
    { once: true, enabled: state === "MANAGED" }
  )
  const states = read.data?.answer.data.interface_status
  const light = useAsk(
    "GET /device/:hostname/optics",
    { params: { hostname } },
    { once: true, enabled: state === "MANAGED" && states !== undefined }
  )
  const optics = light.data?.answer.data.optics
  return (
    <Asked of={asked} what={`the ports of ${hostname}`}>
      {({ data: { interfaces, version } }) => (
        <>
          <Group mb="xs">
            <Text role="status" size="sm">
              {states === undefined
                ? "Not read yet."
                : `${Object.values(states).filter(({ is_up }) => is_up === true).length} ports are up.`}{" "}
              {chosen.size > 0 && `${chosen.size} chosen.`}
            </Text>
            {state === "MANAGED" && (
              <Button
                size="compact-sm"
                variant="default"
                loading={read.isFetching}
                onClick={() => void Promise.all([read.refetch(), light.refetch()])}
              >
                Read again
              </Button>
            )}
            {chosen.size > 0 && (
              <Button size="compact-sm" variant="default" onClick={() => setTyped(UNTOUCHED)}>
                Clear selection
              </Button>
            )}
          </Group>
          {read.error !== null && <Problem error={read.error} title="The states of the ports could not be read" />}
          {interfaces.length === 0 ? (
            <Empty>This device has no ports here: those of distribution and core switches are in the settings.</Empty>
          ) : (
            <Faceplate
              ports={interfaces}
              states={states}
              chosen={chosen}
              choose={(name) => setTyped({ ...UNTOUCHED, names: toggled(names, name) })}
            />
          )}
          {chosen.size > 0 && may("PUT", `/device/${hostname}/interfaces`) && (
            <PortForm
              key={names.join(" ")}
              hostname={hostname}
              version={version}
              ports={interfaces.filter(({ name }) => chosen.has(name))}
              reread={() => asked.refetch()}
              edits={edits}
              pinned={pinned}
              type={(changes) => setTyped({ ...typed, ...changes })}
            />
          )}
          {interfaces.length > 0 && (
            <SmallTable
              label="Ports in words"
              heads={[
                "Port",
                "Use",
                "VLAN",
                "Description",
                "Enabled",
                "State",
                "Speed",
                "Errors in, out",
                "Discarded in, out",
                "Light in, out"
              ]}
              rows={interfaces}
              keyOf={({ name }) => name}
              cells={(port) => {
                const shown = states?.[port.name]
                return [
                  port.name,
                  <span title={port.configtype}>{textOf(configTypeWords, port.configtype)}</span>,
                  vlanOf(port),
                  descriptionOf(port),
                  isEnabled(port) ? "yes" : "no",
                  wordOf(shown?.is_up),
                  shown === undefined ? "" : speed(shown.speed),
                  <Counted counts={[shown?.errors?.in, shown?.errors?.out]} tone="bad" />,
                  <Counted counts={[shown?.errors?.in_discards, shown?.errors?.out_discards]} tone="warn" />,
                  lightOf(optics?.[port.name])
                ]
              }}
            />
          )}
        </>
      )}
    </Asked>
  )
}
