/** Every key that settings may have, found by its name, its type or what is said of it. */
import { Text } from "@mantine/core"
import { useDeferredValue, useMemo } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { type Column, VirtualTable } from "../../parts/VirtualTable.tsx"
import { SearchField } from "./SearchField.tsx"
import { matching, type ModelRow, modelRows } from "./modelRows.ts"

const columns: ReadonlyArray<Column<ModelRow>> = [
  { key: "path", head: "Key", width: 330, cell: ({ path }) => <span title={path}>{path}</span> },
  { key: "type", head: "What it is", width: 210, cell: ({ type }) => <span title={type}>{type}</span> },
  { key: "rules", head: "Rules", width: 300, cell: ({ rules }) => <span title={rules}>{rules}</span> },
  {
    key: "description",
    head: "Meaning",
    width: 420,
    cell: ({ description }) => <span title={description}>{description}</span>
  }
]

const Rows = ({ model }: { readonly model: unknown }) => {
  const [{ search = "" }, change] = useWords()
  const wanted = useDeferredValue(search)
  const all = useMemo(() => modelRows(model), [model])
  const rows = useMemo(() => matching(all, wanted), [all, wanted])
  return (
    <>
      <SearchField label="Search the model" text={search} change={(text) => change({ search: text })} />
      <Text size="sm" role="status" my={4}>
        {rows.length} of {all.length} keys
      </Text>
      {rows.length === 0 ? (
        <Empty>No key is like this. Take words out of the search.</Empty>
      ) : (
        <VirtualTable
          label="Model of the settings"
          columns={columns}
          count={rows.length}
          rowAt={(index) => rows[index]}
          keyOf={({ path }) => path}
          height="calc(100dvh - 280px)"
        />
      )}
    </>
  )
}

export const Model = () => {
  const asked = useAsk("GET /settings/model")
  return (
    <Asked of={asked} what="the model of the settings">
      {(model) => <Rows model={model} />}
    </Asked>
  )
}
