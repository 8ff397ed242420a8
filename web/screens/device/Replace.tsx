/**
 * Replaces a switch, beginning at the broken one: a new unit that was found is chosen, checked, and given its name, ports and links. A managed
 * switch is taken out of management before the check; until it is replaced, it can be managed again from here.
 */
import { Button, Group, Modal, Radio, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { ask, request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import { JobSteps } from "../new/JobSteps.tsx"
import type { DeviceRecord, TabProps } from "./record.ts"

type Unit = Data<"GET /new_devices">["devices"][number]

interface Props extends TabProps {
  readonly close: () => void
}

/** How well a unit fits: at the same ports is best, then the same model. */
const fitOf = (unit: Unit, { hostname, model }: DeviceRecord): number =>
  (unit.replaces === hostname ? 2 : 0) + (unit.model !== null && unit.model === model ? 1 : 0)

const nameOf = ({ hostname, serial }: Unit): string => serial ?? hostname

const describe = (unit: Unit, device: DeviceRecord): string =>
  [
    unit.model ?? "model not known",
    ...(unit.replaces === device.hostname
      ? [`at the ports of ${device.hostname}`]
      : unit.places.slice(0, 2).map(({ hostname, port }) => `at ${hostname} ${port}`)),
    ...(unit.model !== null && unit.model === device.model ? ["same model"] : [])
  ].join(", ")

const Units = ({
  chosen,
  choose,
  device,
  units
}: {
  readonly units: ReadonlyArray<Unit>
  readonly device: DeviceRecord
  readonly chosen: number | undefined
  readonly choose: (id: number) => void
}) => (
  <Radio.Group
    label="New unit"
    value={chosen === undefined ? null : String(chosen)}
    onChange={(value) => choose(Number(value))}
  >
    <Stack gap={6} mt={4}>
      {units.map((unit) => (
        <Radio
          key={unit.id}
          value={String(unit.id)}
          label={nameOf(unit)}
          description={
            <>
              {describe(unit, device)}, found <When at={unit.since} never="at an unknown time" />
            </>
          }
        />
      ))}
    </Stack>
  </Radio.Group>
)

/** The sentences of a check that say why it is refused, or what the new unit does not have. */
const saidBy = (checks: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.entries(checks).flatMap(([key, value]) => {
    if (key.endsWith("_error") && typeof value === "string") return [value]
    if (key !== "replacement_lost" || value === null || value === undefined) return []
    return [`The new unit does not have: ${Array.isArray(value) ? value.join(", ") : JSON.stringify(value)}.`]
  })

const Choose = ({
  close,
  device,
  started,
  units
}: Props & {
  readonly units: ReadonlyArray<Unit>
  readonly started: (job: number) => void
}) => {
  const ordered = units.toSorted(
    (one, other) => fitOf(other, device) - fitOf(one, device) || inNaturalOrder(nameOf(one), nameOf(other))
  )
  const [best] = ordered
  const [chosen, setChosen] = useState(() => (best !== undefined && fitOf(best, device) > 0 ? best.id : undefined))
  const [checks, setChecks] = useState<Readonly<Record<string, unknown>> | null>(null)
  const [name, setName] = useState("")
  const [isLeft, setLeft] = useState(false)
  const { busy, error, run } = useAct()
  const { hostname, id, state } = device
  const isManaged = state === "MANAGED"
  const body = { hostname, device_type: "ACCESS", replace_hostname: true }
  const pick = (unit: number) => {
    setChosen(unit)
    setChecks(null)
  }
  /** Only a switch that is out of management can be replaced. */
  const check = () =>
    run(async () => {
      if (isManaged) {
        await request("PUT /device/:id", { params: { id }, body: { state: "UNMANAGED" } })
        setLeft(true)
      }
      const { answer } = await ask("POST /device_initcheck/:id", { params: { id: chosen ?? 0 }, body })
      setChecks(answer.data)
    })
  const replace = () =>
    run(async () => {
      const { answer } = await ask("POST /device_init/:id", { params: { id: chosen ?? 0 }, body })
      started(answer.job_id)
    })
  const manage = () =>
    run(async () => {
      await request("PUT /device/:id", { params: { id }, body: { state: "MANAGED", synchronized: false } })
      setLeft(false)
      setChecks(null)
    })
  return (
    <Stack gap="sm">
      <Text>
        The new unit gets the name, ports, links and configuration of {hostname}.
        {isManaged &&
          ` To be checked, ${hostname} is taken out of management; until it is replaced it can be managed again.`}
      </Text>
      <Units units={ordered} device={device} chosen={chosen} choose={pick} />
      {checks !== null && (
        <div role="status">
          {checks["compatible"] === true ? (
            <StatusWord tone="good">This unit can take its place</StatusWord>
          ) : (
            <StatusWord tone="bad">This unit cannot take its place</StatusWord>
          )}
          {saidBy(checks).map((sentence) => (
            <div key={sentence}>{sentence}</div>
          ))}
        </div>
      )}
      {checks !== null && checks["compatible"] === true && (
        <TextInput
          label={`Type ${hostname} to go on`}
          value={name}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      {error !== null && <Problem error={error} title="It was not replaced" />}
      {isLeft && (
        <Group>
          <Text>{hostname} is out of management now.</Text>
          <Button size="xs" variant="default" onClick={() => void manage()}>
            Manage it again
          </Button>
        </Group>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        {checks === null || checks["compatible"] !== true ? (
          <Button disabled={chosen === undefined} loading={busy} onClick={() => void check()}>
            {isManaged ? "Take it out of management and check" : "Check this unit"}
          </Button>
        ) : (
          <Button disabled={name.trim() !== hostname} loading={busy} color="red" onClick={() => void replace()}>
            Replace {hostname}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

export default function Replace({ close, device }: Props) {
  const [job, setJob] = useState<number | null>(null)
  const asked = useAsk("GET /new_devices", {}, { kinds: ["device", "job", "linknet"] })
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={`Replace ${device.hostname}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {job === null ? (
        <Asked of={asked} what="the new switches">
          {({ data: { devices } }) => {
            const units = devices.filter(({ job_id, state }) => state === "DISCOVERED" && job_id === null)
            return units.length === 0 ? (
              <Empty title="No new unit has been found yet">
                Plug the new unit in where {device.hostname} was. It asks for an address by DHCP, is looked at, and
                appears here by itself.
              </Empty>
            ) : (
              <Choose device={device} close={close} units={units} started={setJob} />
            )
          }}
        </Asked>
      ) : (
        <section aria-label={`Replacement of ${device.hostname}`}>
          <JobSteps id={job} />
          <Group justify="flex-end" mt="sm">
            <Button variant="default" onClick={close}>
              Close
            </Button>
          </Group>
        </section>
      )}
    </Modal>
  )
}
