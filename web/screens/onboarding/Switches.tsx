/** The switches on their way, by state: those that wait for a person first. Host keys are approved here, and those without a difference managed. */
import { Button, Group, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import type { OnboardingState } from "../../../src/domain/Onboarding.ts"
import { typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { onboardingWords, sourceWords } from "../../../src/domain/words/OnboardingWords.ts"
import { number, switches } from "../../../src/domain/words/Units.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { ask } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Panel, PanelBody } from "../../parts/Panel.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StackedBar } from "../../parts/StackedBar.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import { KeyList } from "../new/HostKeys.tsx"
import { Following, type Started } from "./Following.tsx"
import { type Onboarded, percent } from "./useOnboarding.ts"

type Rows = ReadonlyArray<Onboarded>

/** Rows of a state that are shown at first, and that each press adds. */
const STEP = 100

/** The panels: states in which a person must do something come first. */
const ORDER: ReadonlyArray<OnboardingState> = [
  "host_key",
  "failed",
  "unrendered",
  "ready",
  "differs",
  "waiting",
  "managed"
]

/** The bar: those that have arrived first. */
const ARRIVED: ReadonlyArray<OnboardingState> = [
  "managed",
  "ready",
  "differs",
  "unrendered",
  "waiting",
  "host_key",
  "failed"
]

const Name = ({ row: { hostname } }: { readonly row: Onboarded }) => (
  <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink>
)

/** Where it is on its way, and why. */
const Standing = ({ row: { config_from, message, state } }: { readonly row: Onboarded }) => (
  <>
    <StatusWord of={onboardingWords} value={state} />
    {state === "waiting" && (
      <span className="onboarding-why">
        {config_from === null ? "to be read" : "to be compared with the templates"}
      </span>
    )}
    {message !== null && <span className="onboarding-why">{message}</span>}
  </>
)

const Read = ({ row: { config_at, config_from, origin, shown, source } }: { readonly row: Onboarded }) => (
  <>
    {config_from === null ? (
      "not yet"
    ) : (
      <>
        <When at={config_at} never="at an unknown time" />
        {config_from === "file" && ", from a file"}
      </>
    )}
    <span className="onboarding-why">
      {shown === null ? `${textOf(sourceWords, source)}, ${origin}` : [shown.model, shown.os_version].join(" ")}
    </span>
  </>
)

const DistanceOf = ({ row }: { readonly row: Onboarded }) =>
  row.distance === null ? (
    "–"
  ) : (
    <>
      <PlainLink to={`/onboarding?tab=distance&switch=${encodeURIComponent(row.hostname)}`}>
        {percent(row.distance)}
      </PlainLink>
      <span className="onboarding-why">
        {number(row.extra ?? 0)} only run, {number(row.missing ?? 0)} only generated
      </span>
    </>
  )

const Table = ({ rows, state }: { readonly state: OnboardingState; readonly rows: Rows }) => {
  const [shown, setShown] = useState(STEP)
  const sorted = rows.toSorted((one, other) => inNaturalOrder(one.hostname, other.hostname))
  return (
    <>
      <SmallTable
        label={`Switches: ${inSentence(onboardingWords[state].text)}`}
        heads={["Switch", "Standing", "Distance", "Type", "Address", "Read"]}
        rows={sorted.slice(0, shown)}
        keyOf={({ hostname }) => hostname}
        cells={(row) => [
          <Name key="name" row={row} />,
          <Standing key="standing" row={row} />,
          <DistanceOf key="distance" row={row} />,
          textOf(typeWords, row.device_type),
          row.management_ip ?? "none",
          <Read key="read" row={row} />
        ]}
      />
      {sorted.length > shown && (
        <Button size="xs" variant="subtle" onClick={() => setShown(shown + STEP)}>
          {number(sorted.length - shown)} more
        </Button>
      )}
    </>
  )
}

interface ActionProps {
  readonly rows: Rows
  readonly started: (started: Started) => void
}

const useStart = (started: ActionProps["started"]) => {
  const client = useQueryClient()
  return async (
    call: "POST /onboarding/read" | "POST /onboarding/manage",
    names: ReadonlyArray<string>,
    what: string
  ) => {
    const { answer } = await ask(call, { body: { hostnames: names } })
    started({ id: answer.job_id, what: `${what} ${foldNames(names, 4)}` })
    await client.invalidateQueries({ queryKey: ["GET /onboarding"] })
  }
}

const namesOf = (rows: Rows): ReadonlyArray<string> => rows.map(({ hostname }) => hostname)

const HostKeys = ({ rows, started }: ActionProps) => {
  const may = useMay()
  const start = useStart(started)
  const keys = rows.flatMap(({ hostname, management_ip, refused_fingerprint }) =>
    refused_fingerprint === null
      ? []
      : [{ hostname, address: management_ip, fingerprint: null, refused_fingerprint, since: null }]
  )
  const approved = async (names: ReadonlyArray<string>) => {
    if (may("POST", "/onboarding/read") && names.length > 0) await start("POST /onboarding/read", names, "Reading")
  }
  return (
    <PanelBody>
      <KeyList keys={keys} approved={approved} />
    </PanelBody>
  )
}

const ReadAgain = ({ rows, started }: ActionProps) => {
  const may = useMay()
  const start = useStart(started)
  const { busy, error, run } = useAct()
  const readable = rows.filter(({ config_from }) => config_from !== "file")
  if (readable.length === 0 || !may("POST", "/onboarding/read")) return null
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={busy}
        onClick={() => void run(() => start("POST /onboarding/read", namesOf(readable), "Reading"))}
      >
        Read {switches(readable.length)} again
      </Button>
      {error !== null && <Problem error={error} title="They are not read" />}
    </>
  )
}

const Manage = ({ rows, started }: ActionProps) => {
  const may = useMay()
  const start = useStart(started)
  if (!may("POST", "/onboarding/manage")) return null
  return (
    <Confirm
      size="xs"
      label={`Manage ${switches(rows.length)}…`}
      act={() => start("POST /onboarding/manage", namesOf(rows), "Managing")}
    >
      <Text>
        Each is read once more. One without a difference becomes managed and counts as synchronized; nothing is sent to
        it. The others stay as they are.
      </Text>
    </Confirm>
  )
}

const actionsOf = (state: OnboardingState, props: ActionProps): ReactNode => {
  if (state === "ready") return <Manage {...props} />
  return state === "failed" || state === "differs" || state === "unrendered" ? <ReadAgain {...props} /> : undefined
}

export const Switches = ({ devices }: { readonly devices: Rows }) => {
  const [started, setStarted] = useState<Started | null>(null)
  const groups = Map.groupBy(devices, ({ state }) => state)
  return (
    <>
      <Group className="onboarding-bar">
        <StackedBar
          label="Onboarded switches"
          parts={ARRIVED.map((state) => ({
            key: state,
            count: groups.get(state)?.length ?? 0,
            label: inSentence(onboardingWords[state].text),
            tone: onboardingWords[state].tone
          }))}
        />
      </Group>
      {started !== null && <Following started={started} />}
      {ORDER.map((state) => {
        const rows = groups.get(state) ?? []
        if (rows.length === 0) return null
        const aside = actionsOf(state, { rows, started: setStarted })
        return (
          <Panel
            key={state}
            title={onboardingWords[state].text}
            count={rows.length}
            {...(aside === undefined ? {} : { aside })}
          >
            {state === "host_key" ? (
              <HostKeys rows={rows} started={setStarted} />
            ) : (
              <PanelBody>
                <Table state={state} rows={rows} />
              </PanelBody>
            )}
          </Panel>
        )
      })}
    </>
  )
}
