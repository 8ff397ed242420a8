/** Adds switches from a list: it is checked as a whole, each mistake has its file, line and field, and all of it is added, or nothing. */
import {
  Button,
  Checkbox,
  FileButton,
  Group,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title
} from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { typeChoices } from "../../../src/domain/words/DeviceWords.ts"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { useWords } from "../../app/useAddress.ts"
import { isText, useDraft } from "../../app/useDraft.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { Following } from "./Following.tsx"
import { isSource, pathBelow, type Source, sourceChoices, sourceNamed } from "./source.ts"

type Checked = Data<"POST /onboarding">

interface ConfigFile {
  readonly path: string
  readonly text: string
  readonly modified_at: string
}

const EXAMPLES: Readonly<Partial<Record<Source, string>>> = {
  csv: "hostname,management_ip,device_type,platform\nlhv-a1,10.0.6.6,ACCESS,eos",
  containerlab: "name: fabric\ntopology:\n  nodes:\n    leaf1: { kind: arista_ceos, mgmt-ipv4: 172.20.20.11 }",
  ansible: "[leafs]\nleaf[01:12] ansible_network_os=arista.eos.eos"
}

const ABOUT: Readonly<Record<Source, string>> = {
  csv: "A header with hostname and management_ip, then a line for each switch. Commas, semicolons or tabs.",
  containerlab: "Nodes of EOS and FRR; mgmt-ipv4 is the address.",
  ansible: "YAML or INI: ansible_host and ansible_network_os.",
  configs: "Files as Oxidized keeps them: name, or group/name. No session is opened to any switch.",
  netbox: "A filter of its API, such as site=lhv&status=active. The server asks the NetBox of NETBOX_URL."
}

/** What makes the browser ask for a folder; the types of its fields do not have it. */
const FOLDER: { readonly "aria-label": string } & Readonly<Record<"webkitdirectory", string>> = {
  "aria-label": "Folder of configurations",
  webkitdirectory: ""
}

const readFolder = (files: ReadonlyArray<File>): Promise<ReadonlyArray<ConfigFile>> =>
  Promise.all(
    files.flatMap((file) => {
      const path = pathBelow(file)
      return path === null
        ? []
        : [
            file
              .text()
              .then((text): ConfigFile => ({ path, text, modified_at: new Date(file.lastModified).toISOString() }))
          ]
    })
  )

const Mistakes = ({ errors }: Pick<Checked, "errors">) => (
  <section aria-label="Mistakes">
    <Title order={2}>{counted(errors.length, "mistake")}</Title>
    <SmallTable
      label="Mistakes"
      heads={["File", "Line", "Field", "What"]}
      rows={errors}
      keyOf={({ field, file, line, message }) => `${file} ${line} ${field} ${message}`}
      cells={({ field, file, line, message }) => [file, line ?? "", <code key="field">{field}</code>, message]}
    />
  </section>
)

const Result = ({ checked: { errors, hostnames, job_id, stored } }: { readonly checked: Checked }) => (
  <Stack gap="sm">
    {errors.length > 0 && <Mistakes errors={errors} />}
    <p role="status">
      <StatusWord tone={stored || errors.length === 0 ? "good" : "warn"}>
        {`${switches(hostnames.length)} ${stored ? "added" : "without a mistake"}`}
      </StatusWord>
      {hostnames.length > 0 && `: ${foldNames(hostnames)}`}
    </p>
    {job_id !== null && <Following started={{ id: job_id, what: "They are read" }} />}
    {stored && (
      <p>
        <PlainLink to="/onboarding">Where each is on its way</PlainLink>
      </p>
    )}
  </Stack>
)

interface SourceProps {
  readonly source: Source
  readonly text: string
  readonly write: (text: string, name?: string) => void
  readonly files: ReadonlyArray<ConfigFile>
  readonly take: (files: ReadonlyArray<ConfigFile>) => void
}

const Content = ({ files, source, take, text, write }: SourceProps) => {
  if (source === "netbox")
    return (
      <TextInput
        label="Filter"
        description={ABOUT.netbox}
        placeholder="site=lhv&status=active"
        value={text}
        maw={420}
        onChange={(event) => write(event.currentTarget.value)}
      />
    )
  if (source === "configs")
    return (
      <Stack gap={4} align="start">
        <Text size="sm">{ABOUT.configs}</Text>
        <FileButton multiple inputProps={FOLDER} onChange={(chosen) => void readFolder(chosen).then(take)}>
          {(props) => (
            <Button variant="default" {...props}>
              Choose a folder…
            </Button>
          )}
        </FileButton>
        <span role="status">{files.length > 0 && `${counted(files.length, "file")} chosen`}</span>
      </Stack>
    )
  return (
    <Stack gap="xs" align="start">
      <Textarea
        label="List"
        description={ABOUT[source]}
        placeholder={EXAMPLES[source] ?? ""}
        classNames={{ input: "mono" }}
        w="100%"
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
      />
      <FileButton
        accept=".csv,.tsv,.yml,.yaml,.ini,.txt,text/*"
        inputProps={{ "aria-label": "File with the list" }}
        onChange={(file) => file !== null && void file.text().then((read) => write(read, file.name))}
      >
        {(props) => (
          <Button variant="default" {...props}>
            Open a file…
          </Button>
        )}
      </FileButton>
    </Stack>
  )
}

const useForm = () => {
  const [words, change] = useWords()
  const [text, setText, forget] = useDraft("list of switches", "", isText, (value) => value !== "")
  const [name, setName] = useState<string>()
  const [files, setFiles] = useState<ReadonlyArray<ConfigFile>>([])
  const [platform, setPlatform] = useState("")
  const [type, setType] = useState("")
  const [onlyGood, setOnlyGood] = useState(false)
  const given = words["source"]
  const source = isSource(given) ? given : "csv"
  const content = () => {
    if (source === "netbox") return { filter: text.trim() }
    return source === "configs" ? { files } : { text, ...(name === undefined ? {} : { name }) }
  }
  const body = () => ({
    source,
    ...content(),
    ...(platform.trim() === "" ? {} : { platform: platform.trim() }),
    ...(type === "" ? {} : { device_type: type }),
    only_good: onlyGood
  })
  return {
    source,
    choose: (next: string) => change({ source: next }),
    text,
    write: (next: string, file?: string) => {
      setText(next)
      setName(file)
      const guessed = file === undefined ? undefined : sourceNamed(file)
      if (guessed !== undefined) change({ source: guessed })
    },
    files,
    setFiles,
    platform,
    setPlatform,
    type,
    setType,
    onlyGood,
    setOnlyGood,
    isEmpty: source === "configs" ? files.length === 0 : source !== "netbox" && text.trim() === "",
    body,
    forget: () => {
      forget()
      setFiles([])
      setName(undefined)
    }
  }
}

export const AddList = () => {
  const client = useQueryClient()
  const form = useForm()
  const [checked, setChecked] = useState<Checked | null>(null)
  const { busy, clear, error, run } = useAct()
  const forgetResult = () => {
    setChecked(null)
    clear()
  }
  const send = async (isDry: boolean): Promise<Checked> => {
    const { answer } = await ask("POST /onboarding", { body: { ...form.body(), dry_run: isDry } })
    setChecked(answer.data)
    return answer.data
  }
  const add = () =>
    run(async () => {
      // mistakes are shown by line and field; the list is added only without them, or without their rows
      const found = await send(true)
      if (found.hostnames.length === 0 || (found.errors.length > 0 && !form.onlyGood)) return
      await send(false)
      form.forget()
      await client.invalidateQueries()
    })
  const isRefused = checked !== null && !checked.stored && checked.errors.length > 0 && !form.onlyGood
  return (
    <Stack gap="sm">
      <NativeSelect
        label="What it is"
        maw={280}
        value={form.source}
        data={sourceChoices}
        onChange={(event) => {
          forgetResult()
          form.choose(event.currentTarget.value)
        }}
      />
      <Content
        source={form.source}
        text={form.text}
        write={(text, name) => {
          forgetResult()
          form.write(text, name)
        }}
        files={form.files}
        take={(files) => {
          forgetResult()
          form.setFiles(files)
        }}
      />
      <Group align="end" gap="sm">
        <TextInput
          label="Platform of rows without one"
          placeholder="eos"
          value={form.platform}
          onChange={(event) => form.setPlatform(event.currentTarget.value)}
        />
        <NativeSelect
          label="Type of rows without one"
          value={form.type}
          data={[{ value: "", label: "None" }, ...typeChoices]}
          onChange={(event) => form.setType(event.currentTarget.value)}
        />
      </Group>
      <Checkbox
        label="Leave out rows with a mistake, and add the others"
        checked={form.onlyGood}
        onChange={(event) => form.setOnlyGood(event.currentTarget.checked)}
      />
      <Group gap="xs">
        <Button variant="default" disabled={form.isEmpty} loading={busy} onClick={() => void run(() => send(true))}>
          Check only
        </Button>
        <Button disabled={form.isEmpty} loading={busy} onClick={() => void add()}>
          Add
        </Button>
      </Group>
      {error !== null && <Problem error={error} title="Nothing was added" />}
      {isRefused && <p>Nothing is added until all mistakes are mended.</p>}
      {checked !== null && <Result checked={checked} />}
    </Stack>
  )
}
