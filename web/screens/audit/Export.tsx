/** Saves the filtered events as a file, the oldest first, so that new events move no page. */
import { Button, Group, Text } from "@mantine/core"
import { useState } from "react"
import { ask } from "../../api/call.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { useAct } from "../../parts/useAct.ts"

const PAGE = 1000
/** The most that a browser should hold; for more, use `switchyard audit export`. */
const MOST = 50

type Event = Data<"GET /audit">["events"][number]

const COLUMNS = ["id", "at", "kind", "action", "actor", "way", "address", "hostname", "job_id"] as const

/** A field of CSV; a value that a spreadsheet would take for a formula is made a text. */
const field = (value: string | number | null): string => {
  const text = value === null ? "" : String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const FORMS = {
  CSV: {
    type: "text/csv",
    name: "audit.csv",
    write: (events: ReadonlyArray<Event>) =>
      [
        [...COLUMNS, "data"].join(","),
        ...events.map((event) =>
          [...COLUMNS.map((column) => field(event[column])), field(JSON.stringify(event.data))].join(",")
        )
      ].join("\r\n")
  },
  JSON: {
    type: "application/jsonl",
    name: "audit.jsonl",
    write: (events: ReadonlyArray<Event>) => events.map((event) => `${JSON.stringify(event)}\n`).join("")
  }
} as const

export const Export = ({ filters }: { readonly filters: Readonly<Record<string, string>> }) => {
  const { busy, error, run } = useAct()
  const [told, setTold] = useState("")
  const save = (form: keyof typeof FORMS) =>
    run(async () => {
      const events: Array<Event> = []
      let matching = 0
      for (let page = 1; page <= MOST; page += 1) {
        const found = await ask("GET /audit", { query: { ...filters, sort: "id", per_page: PAGE, page } })
        for (const event of found.answer.data.events) events.push(event)
        matching = found.matching ?? events.length
        setTold(`${events.length} of ${matching} events are read.`)
        if (found.answer.data.events.length < PAGE) break
      }
      const { name, type, write } = FORMS[form]
      saveFile(name, write(events), type)
      setTold(
        events.length < matching
          ? `The oldest ${events.length} of ${matching} events are in ${name}; filter, or use switchyard audit export.`
          : `${events.length} events are in ${name}.`
      )
    })
  return (
    <Group gap="xs">
      <Text size="sm" role="status">
        {told}
      </Text>
      {error !== null && <Problem error={error} title="Not exported" />}
      {(["CSV", "JSON"] as const).map((form) => (
        <Button key={form} variant="default" size="xs" loading={busy} onClick={() => void save(form)}>
          Export {form}
        </Button>
      ))}
    </Group>
  )
}
