/** Every variable that the templates receive for this device, with its value and the line of the settings that it comes from. */
import { textOf } from "../../../src/domain/words/Word.ts"
import { variableWords } from "../../../src/domain/words/ServerWords.ts"
import { Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import type { TabProps } from "./record.ts"

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 1))

export default function Settings({ device: { hostname } }: TabProps) {
  const [word, setWord] = useState("")
  const asked = useAsk("GET /device/:hostname/variables", { params: { hostname } }, { kinds: ["repository", "device"] })
  return (
    <Asked of={asked} what={`the settings of ${hostname}`}>
      {({ data: { group, platform, template, variables } }) => {
        const found = variables.filter(({ name, value }) =>
          `${name} ${shown(value)}`.toLowerCase().includes(word.toLowerCase())
        )
        return (
          <>
            <Text size="sm">
              Group {group}, platform {platform ?? "none"}, template {template ?? "none"}.
            </Text>
            <TextInput
              type="search"
              label="Search settings"
              w={280}
              value={word}
              onChange={(event) => setWord(event.currentTarget.value)}
            />
            {found.length === 0 ? (
              <Empty>No setting contains this word.</Empty>
            ) : (
              <SmallTable
                label="Settings"
                heads={["Name", "Value", "From", "Level"]}
                rows={found}
                keyOf={({ name }) => name}
                cells={({ level, name, places, source, value }) => [
                  name,
                  <code className="value">{shown(value)}</code>,
                  places.length === 0
                    ? textOf(variableWords, source)
                    : places.map(({ file, line }) => (
                        <div key={`${file}:${line}`}>{`${file}${line === null ? "" : `:${line}`}`}</div>
                      )),
                  level ?? ""
                ]}
              />
            )}
          </>
        )
      }}
    </Asked>
  )
}
