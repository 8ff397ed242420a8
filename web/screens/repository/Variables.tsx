/** Every variable that the templates of a device receive, with the lines that define it. */
import { variableWords } from "../../../src/domain/words/ServerWords.ts"
import { Code, Group, Stack, Text } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { DeviceField } from "./DeviceField.tsx"
import { SearchField } from "../../parts/SearchField.tsx"

type Answer = Data<"GET /device/:hostname/variables">
type Variable = Answer["variables"][number]

const HEADS = ["Variable", "Value", "From"]

/** One line for a short value, a block for a long one. */
const Value = ({ value }: { readonly value: unknown }) => {
  const line = JSON.stringify(value) ?? ""
  if (line.length <= 60) return <Code>{line}</Code>
  const block = JSON.stringify(value, null, 2)
  return (
    <details>
      <summary>
        <Code>{line.slice(0, 60)} …</Code>
      </summary>
      <pre tabIndex={0}>{block}</pre>
    </details>
  )
}

const From = ({ level, places, source }: Variable) => (
  <Stack gap={0}>
    <Text size="sm">{level ?? variableWords[source].text}</Text>
    {places.map(({ file, line }) => (
      <PlainLink
        key={file}
        to={`/repository?tab=files&name=settings&path=${encodeURIComponent(file)}${line === null ? "" : `&line=${line}`}`}
      >
        {line === null ? file : `${file}:${line}`}
      </PlainLink>
    ))}
  </Stack>
)

const Listed = ({ answer }: { readonly answer: Answer }) => {
  const [{ search = "" }, change] = useWords()
  const wanted = search.toLowerCase()
  const rows = answer.variables.filter(({ name, value }) =>
    `${name} ${JSON.stringify(value)}`.toLowerCase().includes(wanted)
  )
  return (
    <>
      <Group gap="md">
        <Text size="sm">group {answer.group}</Text>
        {answer.branch !== null && <Text size="sm">branch {answer.branch}</Text>}
        {answer.template !== null && <Text size="sm">rendered from {answer.template}</Text>}
      </Group>
      <SearchField label="Search names and values" text={search} change={(text) => change({ search: text })} />
      {rows.length === 0 ? (
        <Empty>No variables match. Use fewer words.</Empty>
      ) : (
        <SmallTable
          label="Variables"
          heads={HEADS}
          rows={rows}
          keyOf={({ name }) => name}
          cells={(variable) => [<Code>{variable.name}</Code>, <Value value={variable.value} />, <From {...variable} />]}
        />
      )}
    </>
  )
}

const OfDevice = ({ device }: { readonly device: string }) => {
  const asked = useAsk(
    "GET /device/:hostname/variables",
    { params: { hostname: device } },
    { kinds: ["repository", "device", "interface", "linknet"] }
  )
  return (
    <Asked of={asked} what={`the variables of ${device}`}>
      {({ data }) => <Listed answer={data} />}
    </Asked>
  )
}

export const Variables = () => {
  const [{ device = "" }] = useWords()
  return (
    <Stack gap="sm">
      <DeviceField />
      {device === "" ? (
        <Empty>Name a device to see the variables of its templates, and the file and line that define each.</Empty>
      ) : (
        <OfDevice device={device} />
      )}
    </Stack>
  )
}
