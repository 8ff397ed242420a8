/**
 * Many ports at once by a list: pasted, from a file, or begun with the ports as they are. Every mistake has its line; the difference is one, the
 * list is saved whole or not at all, and pushed fenced.
 */
import { Button, FileButton, Group, Stack, Text, Textarea, TextInput, Title } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useRef, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { ask, CallFailed, request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { isText, useDraft } from "../../app/useDraft.ts"
import { useMay } from "../../app/useSession.ts"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { toast } from "../../parts/Toast.tsx"
import { useAct } from "../../parts/useAct.ts"
import { pushPreview, pushSaved, type Step } from "../device/ports/push.ts"
import { PushStep } from "../device/ports/PushStep.tsx"

import "../device/ports/ports.css"

type Checked = Data<"POST /interfaces/bulk">

/** Milliseconds without a key before the list is checked. */
const TYPING = 600

const EXAMPLE = `switch,port,vlan,description,enabled
lhv-acc1,Ethernet1-12,STUDENT,,yes
lhv-acc1 lhv-acc2,Ethernet20,PRINTER,room 5,`

/** The ports of some switches, in the form of the list. */
const exportOf = async (names: string): Promise<string> => {
  const response = await request("GET /interfaces.csv", { query: { hostnames: names } })
  return response.text()
}

const Begin = ({ start }: { readonly start: (csv: string) => void }) => {
  const [words, change] = useWords()
  const names = words["switches"] ?? ""
  const { busy, error, run } = useAct()
  const options = useAsk(
    "GET /device/:hostname/port_options",
    { params: { hostname: names.split(",")[0]?.trim() ?? "" } },
    { enabled: names !== "", kinds: ["repository"] }
  )
  const profiles = options.data?.answer.data.profiles ?? []
  return (
    <section className="group" aria-label="Begin with">
      <Stack gap="xs" p={6}>
        <Group align="end" gap="xs">
          <TextInput
            label="Switches"
            description="Names, separated by commas: begin with their ports as they are"
            w={320}
            maw="100%"
            value={names}
            onChange={(event) => change({ switches: event.currentTarget.value || undefined })}
          />
          <Button
            variant="default"
            disabled={names === ""}
            loading={busy}
            onClick={() => void run(async () => start(await exportOf(names)))}
          >
            Fill in
          </Button>
          <Button
            variant="default"
            disabled={names === ""}
            loading={busy}
            onClick={() => void run(async () => saveFile("ports.csv", await exportOf(names), "text/csv"))}
          >
            Download CSV
          </Button>
          <FileButton
            accept=".csv,.tsv,text/csv,text/plain"
            onChange={(file) => file !== null && void run(async () => start(await file.text()))}
          >
            {(props) => (
              <Button variant="default" {...props}>
                Open a file…
              </Button>
            )}
          </FileButton>
        </Group>
        {error !== null && <Problem error={error} title="The ports could not be read" />}
        {profiles.length > 0 && (
          <Text size="sm" component="div">
            Profiles for the column <code>profile</code>:{" "}
            {profiles.map(({ description, name }, index) => (
              <span key={name} title={description}>
                {index > 0 && ", "}
                <b>{name}</b>
                {description !== "" && ` (${description})`}
              </span>
            ))}
          </Text>
        )}
      </Stack>
    </section>
  )
}

const Mistakes = ({ errors, go }: { readonly errors: Checked["errors"]; readonly go: (line: number) => void }) => (
  <section aria-label="Mistakes">
    <Title order={2}>{counted(errors.length, "mistake")}; nothing is saved until all are mended</Title>
    <SmallTable
      label="Mistakes"
      heads={["Line", "Column", "What"]}
      rows={errors}
      keyOf={({ column, line, message }) => `${line} ${column} ${message}`}
      cells={({ column, line, message }) => [
        <Button key="go" variant="default" size="xs" onClick={() => go(line)}>
          Line {line}
        </Button>,
        column,
        message
      ]}
    />
  </section>
)

const countOf = ({ updated }: Checked) => {
  const names = Object.keys(updated)
  return { names, ports: names.flatMap((name) => Object.keys(updated[name] ?? {})).length }
}

const Differences = ({ checked }: { readonly checked: Checked }) => {
  const { names, ports } = countOf(checked)
  if (ports === 0) return <Empty>Nothing changes: the ports are so already.</Empty>
  return (
    <section aria-label="Differences">
      <Title order={2}>
        {counted(ports, "port")} of {switches(names.length)} {ports === 1 ? "changes" : "change"}
        {checked.diffs.length > 1 && ` in ${checked.diffs.length} ways`}
      </Title>
      {checked.diffs.map(({ diff, hostnames }) => (
        <section key={hostnames.join(" ")} className="group" aria-label={`Difference of ${foldNames(hostnames)}`}>
          <Text fw={600}>{foldNames(hostnames)}</Text>
          {diff === "" ? (
            <Text size="sm">The configuration does not change.</Text>
          ) : (
            <DiffView diff={diff} label={`Lines of ${foldNames(hostnames)}`} maxHeight={320} />
          )}
        </section>
      ))}
    </section>
  )
}

const useCheck = (csv: string) => {
  const [text] = useDebouncedValue(csv, TYPING)
  const found = useQuery({
    queryKey: ["ports by a list", text],
    queryFn: ({ signal }) => ask("POST /interfaces/bulk", { body: { csv: text, dry_run: true }, signal }),
    enabled: text.trim() !== "",
    retry: false,
    staleTime: 0
  })
  const isCurrent = text === csv && text.trim() !== "" && !found.isFetching
  return {
    checked: isCurrent ? found.data?.answer.data : undefined,
    error: isCurrent ? found.error : null,
    isChecking: csv.trim() !== "" && !isCurrent,
    again: () => found.refetch()
  }
}

export default function BulkPorts() {
  const may = useMay()
  const [csv, setCsv, forget] = useDraft("ports by a list", "", isText, (text) => text !== "")
  const field = useRef<HTMLTextAreaElement>(null)
  const { again, checked, error, isChecking } = useCheck(csv)
  const { busy, error: saveError, run } = useAct()
  const [step, setStep] = useState<Step | null>(null)
  const [pushed, setPushed] = useState<ReadonlyArray<string>>([])
  const type = (text: string) => {
    setStep(null)
    setCsv(text)
  }
  const go = (line: number) => {
    const start = csv
      .split("\n")
      .slice(0, line - 1)
      .reduce((sum, one) => sum + one.length + 1, 0)
    const end = csv.indexOf("\n", start)
    field.current?.focus()
    field.current?.setSelectionRange(start, end < 0 ? csv.length : end)
  }
  const store = async ({ version }: Checked) => {
    setStep({ is: "saving" })
    await ask("POST /interfaces/bulk", { body: { csv, version } })
  }
  const saveOnly = async (list: Checked) => {
    await store(list)
    setStep(null)
    forget()
    toast({ title: `${counted(countOf(list).ports, "port")} saved`, text: "Not pushed yet" })
  }
  const saveAndPush = async (list: Checked) => {
    const { names } = countOf(list)
    setPushed(names)
    await store(list)
    forget()
    await pushSaved(names, list.diffs, setStep)
  }
  const act = async (work: () => Promise<unknown>) => {
    if (!(await run(work))) setStep(null)
  }
  const isReady = checked !== undefined && checked.errors.length === 0 && countOf(checked).ports > 0
  return (
    <>
      <PageHead
        title="Ports by a list"
        crumbs={[{ label: "Devices", to: "/devices" }]}
        facts="A header with the columns in any order, then a line for each port or range of ports. All is saved, or nothing."
      />
      <Begin start={type} />
      <Textarea
        ref={field}
        label="List"
        description="Comma, semicolon or tab. Columns: switch, port, profile, use, vlan, tagged, description, enabled, tags. Ranges: Ethernet1-12. An empty cell changes nothing, - removes."
        placeholder={EXAMPLE}
        classNames={{ input: "mono" }}
        autosize
        minRows={8}
        maxRows={24}
        value={csv}
        spellCheck={false}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <Stack gap="sm" my="sm">
        {isChecking && <Text role="status">Checking…</Text>}
        {error !== null && <Problem error={error} title="This list may not be saved" again={() => void again()} />}
        {saveError !== null && (
          <Problem
            error={saveError}
            title={
              saveError instanceof CallFailed && saveError.status === 412
                ? "Somebody else changed these ports meanwhile; nothing was saved"
                : "Nothing was saved"
            }
            again={() => void again()}
          />
        )}
        {checked !== undefined && checked.errors.length > 0 && <Mistakes errors={checked.errors} go={go} />}
        {checked !== undefined && checked.errors.length === 0 && <Differences checked={checked} />}
        {step !== null && (
          <PushStep
            step={step}
            where={pushed.length === 1 ? (pushed[0] ?? "") : switches(pushed.length)}
            isSeveral={pushed.length !== 1}
            what="the list"
            push={(job) => void act(() => pushPreview(pushed, job, setStep))}
            leave={() => setStep(null)}
          />
        )}
        <Group gap="xs">
          {may("POST", "/device_syncto") && (
            <Button
              disabled={!isReady}
              loading={busy}
              onClick={() => checked !== undefined && void act(() => saveAndPush(checked))}
            >
              Save and push
            </Button>
          )}
          <Button
            variant="default"
            disabled={!isReady}
            loading={busy}
            onClick={() => checked !== undefined && void act(() => saveOnly(checked))}
          >
            Save only
          </Button>
        </Group>
      </Stack>
    </>
  )
}
