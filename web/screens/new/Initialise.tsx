/** Gives a switch its name and its place: it checks first, starts the job, and follows it step by step. */
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import { ask } from "../../api/call.ts"
import { isFlag, isText, useDraft } from "../../app/useDraft.ts"
import { useMay } from "../../app/useSession.ts"
import { Problem } from "../../parts/Problem.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import type { NewSwitch } from "./New.tsx"

type Checks = Readonly<Record<string, unknown>>

/** The sentences of a check that give the reason for a refusal, or name what is lost. */
const reasonsIn = (checks: Checks): ReadonlyArray<string> =>
  Object.entries(checks).flatMap(([key, value]) => (key.endsWith("_error") && typeof value === "string" ? [value] : []))

const lostIn = (checks: Checks): string | undefined =>
  checks["replacement_lost"] === undefined || checks["replacement_lost"] === null
    ? undefined
    : JSON.stringify(checks["replacement_lost"])

const Outcome = ({ checks }: { readonly checks: Checks }) => {
  const reasons = reasonsIn(checks)
  const lost = lostIn(checks)
  return (
    <div role="status">
      {checks["compatible"] === true ? (
        <StatusWord tone="good">it can be initialised</StatusWord>
      ) : (
        <StatusWord tone="bad">it cannot be initialised</StatusWord>
      )}
      {reasons.map((reason) => (
        <div key={reason}>{reason}</div>
      ))}
      {lost !== undefined && <div>The new unit does not have: {lost}</div>}
    </div>
  )
}

interface Props {
  readonly device: NewSwitch
  /** The job that initialises it, and the name that it gets. */
  readonly started: (job: number, hostname: string) => void
}

export const Initialise = ({ device: { id, places, replaces: replaced }, started }: Props) => {
  const may = useMay()
  const [hostname, setHostname, forgetHostname] = useDraft(`switch ${id} name`, replaced ?? "", isText)
  const [type, setType, forgetType] = useDraft(`switch ${id} type`, "ACCESS", isText)
  const [isReplacing, setReplacing, forgetReplacing] = useDraft(`switch ${id} replaces`, replaced !== null, isFlag)
  const [checks, setChecks] = useState<Checks | null>(null)
  const { busy, error, run } = useAct()
  const body = { hostname, device_type: type, ...(isReplacing ? { replace_hostname: true } : {}) }
  const check = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const { answer } = await ask("POST /device_initcheck/:id", { params: { id }, body })
      setChecks(answer.data)
    })
  }
  const start = () =>
    run(async () => {
      const { answer } = await ask("POST /device_init/:id", { params: { id }, body })
      for (const forget of [forgetHostname, forgetType, forgetReplacing]) forget()
      started(answer.job_id, hostname)
    })
  if (!may("POST", `/device_init/${id}`)) return null
  return (
    <form onSubmit={check} aria-label="Initialise">
      <Stack gap="xs">
        <Group align="end">
          <TextInput
            label="Name"
            required
            value={hostname}
            onChange={(event) => setHostname(event.currentTarget.value)}
          />
          <NativeSelect
            label="Type"
            data={["ACCESS", "DIST", "CORE"]}
            value={type}
            onChange={(event) => setType(event.currentTarget.value)}
          />
          <Checkbox
            label="It replaces the switch of that name"
            checked={isReplacing}
            onChange={(event) => setReplacing(event.currentTarget.checked)}
          />
          <Button type="submit" variant="default" loading={busy}>
            Check
          </Button>
          <Button disabled={checks?.["compatible"] !== true} loading={busy} onClick={() => void start()}>
            {isReplacing ? "Replace" : "Initialise"}
          </Button>
        </Group>
        {isReplacing && places.some(({ was, was_state }) => was === hostname && was_state !== "UNMANAGED") && (
          <Problem
            error={`Set ${hostname} UNMANAGED first: a managed device cannot be replaced.`}
            title="The switch of that name is still managed"
          />
        )}
        {error !== null && <Problem error={error} title="It was not initialised" />}
        {checks !== null && <Outcome checks={checks} />}
      </Stack>
    </form>
  )
}
