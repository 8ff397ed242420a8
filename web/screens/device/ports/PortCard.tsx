/**
 * The card of one port, or of several: what hangs there, what happened, and the form that changes it. The difference is shown while one types;
 * the change is saved and pushed from here.
 */
import { ActionIcon, Button, Group, NativeSelect, Stack, Switch, Text, Textarea, TextInput, Title } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { IconPlugConnected, IconX } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { counted } from "../../../../src/domain/words/Units.ts"
import { ask, CallFailed } from "../../../api/call.ts"
import { useAsk } from "../../../api/useAsk.ts"
import { useHasRight, useMay, useMayChangePorts } from "../../../app/useSession.ts"
import { Confirm } from "../../../parts/Confirm.tsx"
import { DiffView } from "../../../parts/DiffView.tsx"
import { Problem } from "../../../parts/Problem.tsx"
import { StatusBadge } from "../../../parts/StatusBadge.tsx"
import { toast } from "../../../parts/Toast.tsx"
import { useAct } from "../../../parts/useAct.ts"
import { When } from "../../../parts/When.tsx"
import {
  bodyOf,
  common,
  descriptionOf,
  type Edits,
  hasEdits,
  isEditable,
  isEnabled,
  linesOf,
  NO_EDITS,
  type StoredPort,
  vlanOf
} from "./edits.ts"
import { historyOf } from "./history.ts"
import { errorsOf, type PortReading, type Readings, stateOf } from "./plate.ts"
import { PortFacts } from "./PortFacts.tsx"
import { pushPreview, pushSaved, save, type Step } from "./push.ts"
import { PushStep } from "./PushStep.tsx"
import { useVlans } from "./usePorts.ts"

interface FormProps {
  readonly hostname: string
  /** The version of the ports as they were read. */
  readonly version: string
  readonly ports: ReadonlyArray<StoredPort>
  readonly reread: () => Promise<unknown>
  readonly edits: Edits
  /** The version that the user saw when they began to type. */
  readonly pinned: string | null
  readonly type: (typed: Pick<FormProps, "edits" | "pinned">) => void
}

interface Props extends FormProps {
  readonly readings: Readings | undefined
  readonly close?: () => void
}

/** Milliseconds without a key before the difference is asked for. */
const TYPING = 400
const EVENTS = 50

const nameOf = (ports: ReadonlyArray<StoredPort>): string =>
  ports.length === 1 ? (ports[0]?.name ?? "") : counted(ports.length, "port")

const State = ({ port, reading }: { readonly port: StoredPort; readonly reading: PortReading | undefined }) => {
  const text = stateOf(port, reading)
  if (errorsOf(reading) > 0)
    return <StatusBadge tone="warn">{`${text}, ${counted(errorsOf(reading), "error")}`}</StatusBadge>
  return <StatusBadge tone={reading?.is_up === true ? "good" : "quiet"}>{text}</StatusBadge>
}

/** What happened at one port. */
export const PortHistory = ({ hostname, port }: { readonly hostname: string; readonly port: string }) => {
  const asked = useAsk(
    "GET /device/:hostname/audit",
    { params: { hostname }, query: { "filter[kind]": "interface", per_page: EVENTS, sort: "-id" } },
    { kinds: ["interface"] }
  )
  const happened = historyOf(asked.data?.answer.data.events ?? [], port).slice(0, 5)
  if (happened.length === 0) return null
  return (
    <section aria-label="What happened here">
      <Title order={3}>What happened here</Title>
      <ul className="port-events">
        {happened.map(({ actor, at, id, sentence }) => (
          <li key={id}>
            {sentence}
            <Text size="xs">
              by {actor}, <When at={at} />
            </Text>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Asks before it takes ports down and up again. */
export const RestartPort = ({
  hostname,
  names,
  reread
}: { readonly names: ReadonlyArray<string> } & Pick<Props, "hostname" | "reread">) => {
  const what = names.length === 1 ? (names[0] ?? "") : counted(names.length, "port")
  const restart = async () => {
    await ask("PUT /device/:hostname/interface_status", {
      params: { hostname },
      body: { bounce_interfaces: [...names] }
    })
    toast({ title: `${what} was restarted`, text: hostname })
    await reread()
  }
  return (
    <Confirm
      label="Restart port…"
      question={`Restart ${what} of ${hostname}?`}
      verb={names.length === 1 ? "Restart port" : "Restart ports"}
      icon={<IconPlugConnected size={14} stroke={1.75} />}
      act={restart}
    >
      <Text>
        What is plugged in there loses its connection for some seconds. A telephone or an access point that gets its
        power from the port starts anew, which takes some minutes. The configuration stays as it is.
      </Text>
    </Confirm>
  )
}

/** The difference of the edits in the configuration, asked for when the user pauses. */
const usePreview = (hostname: string, body: ReturnType<typeof bodyOf>, isAsked: boolean) => {
  const [text] = useDebouncedValue(JSON.stringify(body), TYPING)
  const isCurrent = text === JSON.stringify(body)
  const found = useQuery({
    queryKey: ["port preview", hostname, text],
    queryFn: ({ signal }) =>
      ask("POST /device/:hostname/interfaces/preview", { params: { hostname }, body: JSON.parse(text), signal }),
    enabled: isAsked && isCurrent,
    retry: false,
    staleTime: 0
  })
  const isReady = isAsked && isCurrent && !found.isFetching
  return { preview: isReady ? found.data?.answer.data : undefined, error: isReady ? found.error : null }
}

/** The form that changes ports; the difference follows what is typed. */
export const PortForm = ({ edits, hostname, pinned, ports, reread, type, version }: FormProps) => {
  const may = useMay()
  const hasRight = useHasRight()
  const vlans = useVlans(hostname)
  const names = ports.map(({ name }) => name)
  const { busy, clear, error, run } = useAct()
  const [step, setStep] = useState<Step | null>(null)
  const vlan = edits.vlan ?? common(ports, vlanOf) ?? ""
  const enabled = edits.enabled ?? common(ports, isEnabled)
  const body = bodyOf(names, edits)
  const isChanged = hasEdits(edits)
  const { error: previewError, preview } = usePreview(hostname, body, isChanged)
  const edit = (changes: Partial<Edits>) => {
    setStep(null)
    type({ edits: { ...edits, ...changes }, pinned: pinned ?? version })
  }
  const mayWriteLines = hasRight("free_lines", "PUT", `/device/${hostname}/interfaces`)
  const lines = edits.lines ?? common(ports, linesOf)
  const put = async () => {
    setStep({ is: "saving" })
    await save(hostname, body, pinned ?? version)
    type({ edits: NO_EDITS, pinned: null })
    await reread()
  }
  const saveOnly = async () => {
    await put()
    setStep(null)
    toast({ title: `${nameOf(ports)} is saved`, text: `Not pushed to ${hostname} yet` })
  }
  const saveAndPush = async () => {
    const expected = preview?.diff ?? ""
    await put()
    await pushSaved([hostname], [{ hostnames: [hostname], diff: expected }], setStep)
  }
  const act = (work: () => Promise<unknown>) =>
    run(work).then((isDone) => {
      if (!isDone) setStep(null)
    })
  const isStale = error instanceof CallFailed && error.status === 412
  const isOther = pinned !== null && pinned !== version && !isStale
  const takeOver = async () => {
    await reread()
    type({ edits, pinned: null })
    clear()
  }
  const isRefused = (preview?.errors.length ?? 0) > 0
  const isPossible = isChanged && preview !== undefined && !isRefused
  return (
    <form onSubmit={(event) => event.preventDefault()} aria-label="Change ports">
      <Stack gap="sm">
        <Title order={3}>{ports.length === 1 ? "Change this port" : `Change ${counted(ports.length, "port")}`}</Title>
        <NativeSelect
          label="VLAN"
          value={vlan}
          data={[
            { value: "", label: "as the network decides" },
            ...vlans.map(({ id, name }) => ({ value: name, label: `${name} ${id}` })),
            ...(vlan === "" || vlans.some(({ name }) => name === vlan) ? [] : [vlan])
          ]}
          onChange={(event) => edit({ vlan: event.currentTarget.value })}
        />
        <TextInput
          label="Description"
          maxLength={64}
          value={edits.description ?? common(ports, descriptionOf) ?? ""}
          onChange={(event) => edit({ description: event.currentTarget.value })}
        />
        <Switch
          label={enabled === null ? "Port is on (they differ now)" : "Port is on"}
          labelPosition="left"
          checked={enabled ?? false}
          onChange={(event) => edit({ enabled: event.currentTarget.checked })}
        />
        {(mayWriteLines || ports.some((port) => linesOf(port) !== "")) && (
          <Textarea
            label="Lines of its own"
            description={
              mayWriteLines
                ? "They stand at the end of the port's configuration."
                : "They stand at the end of the port's configuration. To change them needs the right free_lines."
            }
            autosize
            readOnly={!mayWriteLines}
            value={lines ?? (mayWriteLines ? "" : ports.map((port) => `! ${port.name}\n${linesOf(port)}`).join("\n"))}
            placeholder={lines === null ? "the ports have different ones" : ""}
            onChange={(event) => edit({ lines: event.currentTarget.value })}
          />
        )}
        {isOther && (
          <Problem
            error="The values above are theirs where you typed nothing; review them before you save."
            title="Somebody else changed these ports. Review both."
          />
        )}
        {previewError !== null && isChanged && <Problem error={previewError} title="The difference cannot be shown" />}
        {isRefused && <Problem error={preview?.errors.join(" ")} title="This would be refused" />}
        {error !== null && (
          <Problem
            error={error}
            title={isStale ? "Somebody else saved first; nothing was saved" : "This was not saved"}
          />
        )}
        {(isStale || isOther) && (
          <Button variant="default" onClick={() => void takeOver()}>
            Reviewed: keep my edits
          </Button>
        )}
        {isChanged &&
          preview !== undefined &&
          !isRefused &&
          (preview.diff === "" ? (
            <Text size="sm">The configuration of the switch does not change.</Text>
          ) : (
            <DiffView diff={preview.diff} label="What changes on the switch" maxHeight={260} />
          ))}
        {step !== null && (
          <PushStep
            step={step}
            where={hostname}
            what={nameOf(ports)}
            push={(job) => void act(() => pushPreview([hostname], job, setStep))}
            leave={() => setStep(null)}
          />
        )}
        <Group gap="xs">
          {may("POST", "/device_syncto") && (
            <Button disabled={!isPossible} loading={busy} onClick={() => void act(saveAndPush)}>
              Save and push
            </Button>
          )}
          <Button variant="default" disabled={!isPossible} loading={busy} onClick={() => void act(saveOnly)}>
            Save only
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

export const PortCard = (props: Props) => {
  const { close, hostname, ports, readings, reread } = props
  const may = useMay()
  const mayChangePorts = useMayChangePorts()
  const [port] = ports
  if (port === undefined) return null
  const isOne = ports.length === 1
  const names = ports.map(({ name }) => name)
  const isPermitted = ports.every(isEditable) && mayChangePorts(hostname, names)
  return (
    <section className="group port-card" aria-label={nameOf(ports)}>
      <Stack gap="md" p={6}>
        <Group justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Title order={2}>{nameOf(ports)}</Title>
            {isOne && <State port={port} reading={readings?.ports[port.name]} />}
          </Group>
          {close !== undefined && (
            <ActionIcon variant="subtle" color="gray" aria-label="Close" onClick={close}>
              <IconX size={16} stroke={1.75} />
            </ActionIcon>
          )}
        </Group>
        {isOne ? (
          <PortFacts port={port} readings={readings} />
        ) : (
          <Text size="sm">{ports.map(({ name }) => name).join(", ")}</Text>
        )}
        {isPermitted && <PortForm key={names.join(" ")} {...props} />}
        {!ports.every(isEditable) && (
          <Text size="sm">A cable to another switch: it is changed with the settings and the topology.</Text>
        )}
        {isPermitted && may("PUT", `/device/${hostname}/interface_status`) && (
          <div>
            <RestartPort hostname={hostname} names={names} reread={reread} />
          </div>
        )}
        {isOne && <PortHistory hostname={hostname} port={port.name} />}
      </Stack>
    </section>
  )
}
