/** The settings that the server was started with, without secrets. */
import { sortedBy } from "../../../src/domain/Natural.ts"
import { Code } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { type Column, DataTable } from "../../parts/DataTable.tsx"

/** A setting in the form in which it would be written. */
const settingOf = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "not set"
  return typeof value === "string" ? value : JSON.stringify(value)
}

const COLUMNS: ReadonlyArray<Column<readonly [name: string, value: unknown]>> = [
  { key: "name", head: "Setting", width: 320, sort: "name", text: ([name]) => name, cell: ([name]) => name },
  {
    key: "value",
    head: "Value",
    width: 480,
    cell: ([, value]) => <Code title={settingOf(value)}>{settingOf(value)}</Code>
  }
]

export const SettingsInForce = () => {
  const asked = useAsk("GET /settings/server")
  return (
    <Asked of={asked} what="the settings of the server">
      {({ api }) => (
        <>
          <p>
            They are variables of the environment, read at the start.{" "}
            <PlainLink to="/manual/operations">Operations</PlainLink> has all of them with their meaning; secrets are
            never shown.
          </p>
          <DataTable
            label="Settings in force"
            columns={COLUMNS}
            rows={sortedBy(Object.entries(api), ([name]) => name)}
            keyOf={([name]) => name}
          />
        </>
      )}
    </Asked>
  )
}
