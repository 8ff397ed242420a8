/** Finds machines, devices and ports by one field. The question is in the address. */
import { Button, Group, Text, TextInput } from "@mantine/core"
import { type FormEvent, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { When } from "../../parts/When.tsx"
import { Hits } from "./Hits.tsx"
import { ReadTables } from "./ReadTables.tsx"

type Tables = Data<"GET /find">["tables"]

const Question = ({ ask, q }: { readonly q: string; readonly ask: (q: string) => void }) => {
  const [typed, setTyped] = useState(q)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask(typed.trim())
  }
  return (
    <form onSubmit={submit} role="search">
      <Group align="flex-end" gap="sm">
        <TextInput
          type="search"
          label="MAC or IP address, serial number, name, description, VLAN"
          value={typed}
          w={420}
          maw="100%"
          data-autofocus
          onChange={({ currentTarget: { value } }) => setTyped(value)}
        />
        <Button type="submit">Find</Button>
      </Group>
    </form>
  )
}

/** How complete the tables of machines are. */
const Known = ({ devices, newest, read }: Tables) => (
  <Text size="sm" my="xs">
    {read === 0 ? (
      "No switch was asked yet which machines it knows."
    ) : (
      <>
        Machines are known from {read} of {devices} devices, last asked <When at={newest} />.
      </>
    )}
  </Text>
)

const nothingFound = ({ devices, read }: Tables): string => {
  if (read === 0) return "A machine is found once tables were read: do so now, or let MAC_INTERVAL do it regularly."
  if (read < devices)
    return "Tables of some devices were never read: read them now, and look at the job for what fails."
  return "A machine that came after the last reading is found once tables were read again."
}

export default function Find() {
  const [{ q = "" }, change] = useWords()
  const found = useAsk("GET /find", { query: { q } }, { enabled: q !== "", kinds: ["job"] })
  return (
    <>
      <ScreenTitle>Find</ScreenTitle>
      <Question key={q} q={q} ask={(text) => change({ q: text })} />
      <ReadTables />
      {q === "" ? (
        <Empty>
          Type what you have at hand: a MAC address in any spelling or how it begins, an IP address, a serial number, a
          part of a name or description, or a VLAN by id or name.
        </Empty>
      ) : (
        <Asked of={found} what="what was found">
          {({ data: { hits, tables, truncated } }) => (
            <>
              <Known {...tables} />
              {hits.length === 0 ? (
                <Empty>
                  Nothing is known of {q}. {nothingFound(tables)}
                </Empty>
              ) : (
                <Hits hits={hits} />
              )}
              {truncated && <Text>There are more results: narrow the search.</Text>}
            </>
          )}
        </Asked>
      )}
    </>
  )
}
