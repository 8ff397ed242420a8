/** Several switches at once: a list is pasted, every line is checked by the server, and all of them are begun or none. */
import { Button, Group, Stack, Text, Textarea } from "@mantine/core"
import { useState } from "react"
import { ask } from "../../api/call.ts"
import { Problem } from "../../parts/Problem.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { useAct } from "../../parts/useAct.ts"
import { pastedLines } from "./pasted.ts"

const EXAMPLE = "hostname,type,mac\nlhv-acc7,ACCESS,08:00:27:5c:09:1f"

export const Several = ({ started }: { readonly started: (jobs: ReadonlyArray<number>) => void }) => {
  const [text, setText] = useState("")
  const { busy, error, run } = useAct()
  const lines = pastedLines(text)
  const begin = () =>
    run(async () => {
      const { answer } = await ask("POST /new_devices", { body: { devices: lines } })
      setText("")
      started(answer.data.started.map(({ job_id }) => job_id))
    })
  return (
    <Stack gap="xs">
      <Text size="sm">
        One line a switch: hostname, type, MAC or serial; a fourth word <code>replace</code> puts it in the place of the
        device with this hostname. A first line may name the columns, as in a CSV file.
      </Text>
      <Textarea
        label="List of switches"
        placeholder={EXAMPLE}
        autosize
        minRows={3}
        maxRows={12}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      {error !== null && <Problem error={error} title="Nothing was begun" />}
      {lines.length > 0 && (
        <>
          <SmallTable
            label="Lines as they were understood"
            heads={["Line", "Hostname", "Type", "Which switch", ""]}
            rows={lines.map((line, index) => ({ ...line, index }))}
            keyOf={({ index }) => index}
            cells={({ device_type, hostname, index, mac, replace_hostname, serial }) => [
              index + 1,
              hostname,
              device_type,
              mac ?? serial ?? "none",
              replace_hostname === true ? "replaces" : ""
            ]}
          />
          <Group>
            <Button loading={busy} onClick={() => void begin()}>
              Initialise {lines.length} {lines.length === 1 ? "switch" : "switches"}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}
