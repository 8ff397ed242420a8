/** Gives a switch its name and its place: what is typed is checked on the switch, and the job begins when nothing speaks against it. */
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent } from "react"
import { typeChoices } from "../../../src/domain/words/DeviceWords.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { isFlag, isText, useDraft } from "../../app/useDraft.ts"
import { Problem } from "../../parts/Problem.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { findingsOf, isReady, nameFault } from "./initChecks.ts"
import type { NewSwitch } from "./New.tsx"

/** Milliseconds after the last key: each check logs in to the switch. */
const PAUSE = 700

interface Asking {
  readonly id: number
  readonly body: { readonly hostname: string; readonly device_type: string; readonly replace_hostname?: boolean }
}

const useChecks = ({ body, id }: Asking, isWanted: boolean) => {
  const [settled] = useDebouncedValue(JSON.stringify(body), PAUSE)
  const isSettled = settled === JSON.stringify(body)
  const asked = useAsk(
    "POST /device_initcheck/:id",
    { params: { id }, body },
    { enabled: isWanted && isSettled, once: true }
  )
  return { asked, checks: isWanted && isSettled ? asked.data?.answer.data : undefined }
}

interface Props {
  readonly device: NewSwitch
  /** The job has begun. */
  readonly started: () => void
}

export const Initialise = ({ device: { id, places, replaces: replaced }, started }: Props) => {
  const client = useQueryClient()
  const [hostname, setHostname, forgetHostname] = useDraft(`switch ${id} name`, replaced ?? "", isText)
  const [type, setType, forgetType] = useDraft(`switch ${id} type`, "ACCESS", isText)
  const [isReplacing, setReplacing, forgetReplacing] = useDraft(`switch ${id} replaces`, replaced !== null, isFlag)
  const { busy, error, run } = useAct()
  const name = hostname.trim()
  const fault = nameFault(name)
  const body = { hostname: name, device_type: type, ...(isReplacing ? { replace_hostname: true } : {}) }
  const isWanted = name !== "" && fault === undefined
  const { asked, checks } = useChecks({ id, body }, isWanted)
  const canBegin = checks !== undefined && isReady(checks)
  const start = (event: FormEvent) => {
    event.preventDefault()
    if (!canBegin) return
    void run(async () => {
      await ask("POST /device_init/:id", { params: { id }, body })
      for (const forget of [forgetHostname, forgetType, forgetReplacing]) forget()
      await client.invalidateQueries({ queryKey: ["GET /new_devices"] })
      started()
    })
  }
  const isManaged = places.some(({ was, was_state }) => was === name && was_state !== "UNMANAGED")
  return (
    <form onSubmit={start} aria-label={isReplacing ? "Replace a switch" : "Set up"}>
      <Stack gap="xs">
        <Group align="flex-start">
          <TextInput
            label="Name"
            required
            withAsterisk={false}
            autoComplete="off"
            value={hostname}
            error={fault}
            onChange={(event) => setHostname(event.currentTarget.value)}
          />
          <NativeSelect
            label="Type"
            data={typeChoices}
            value={type}
            onChange={(event) => setType(event.currentTarget.value)}
          />
        </Group>
        <Checkbox
          label="Replace an existing switch of that name"
          checked={isReplacing}
          onChange={(event) => setReplacing(event.currentTarget.checked)}
        />
        {isReplacing && isManaged && (
          <Problem error={`Take ${name} out of management first.`} title={`${name} is still managed`} />
        )}
        <div role="status" className="init-checks">
          {name === "" && <Text size="sm">Type its name: the switch is checked while you type.</Text>}
          {isWanted && checks === undefined && asked.error === null && (
            <StatusWord tone="info">Asking the switch and its neighbours</StatusWord>
          )}
          {checks !== undefined &&
            findingsOf(checks, name, isReplacing).map(({ isGood, key, text }) => (
              <div key={key}>
                <StatusWord tone={isGood ? "good" : key === "lost" ? "warn" : "bad"}>{text}</StatusWord>
              </div>
            ))}
        </div>
        {isWanted && asked.error !== null && (
          <Problem error={asked.error} title="It could not be checked" again={() => void asked.refetch()} />
        )}
        {error !== null && <Problem error={error} title="It was not set up" />}
        <Group>
          <Button type="submit" disabled={!canBegin} loading={busy}>
            {isReplacing ? `Replace ${name}` : "Set it up"}
          </Button>
          {checks !== undefined && !canBegin && (
            <Button variant="default" loading={asked.isFetching} onClick={() => void asked.refetch()}>
              Check again
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
