/** Every key that settings may have, searched by name, type or description. */
import { Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useDeferredValue, useMemo } from "react"
import { ask } from "../../api/call.ts"
import { useWords } from "../../app/useAddress.ts"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { type Column, DataTable } from "../../parts/DataTable.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { SearchField } from "../../parts/SearchField.tsx"
import { FILES, matching, type ModelRow, rowsOfFiles } from "./modelRows.ts"

const columns: ReadonlyArray<Column<ModelRow>> = [
  { key: "path", head: "Key", width: 330, cell: ({ path }) => <span title={path}>{path}</span> },
  { key: "file", head: "File", width: 140, cell: ({ file }) => file },
  { key: "type", head: "What it is", width: 210, cell: ({ type }) => <span title={type}>{type}</span> },
  { key: "rules", head: "Rules", width: 300, cell: ({ rules }) => <span title={rules}>{rules}</span> },
  {
    key: "description",
    head: "Meaning",
    width: 420,
    cell: ({ description }) => <span title={description}>{description}</span>
  }
]

const Rows = ({ all }: { readonly all: ReadonlyArray<ModelRow> }) => {
  const [{ search = "" }, change] = useWords()
  const wanted = useDeferredValue(search)
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
        <DataTable
          label="Model of the settings"
          columns={columns}
          count={rows.length}
          rowAt={(index) => rows[index]}
          keyOf={({ file, path }) => `${file} ${path}`}
          height="calc(100dvh - 280px)"
        />
      )}
    </>
  )
}

const readModels = async (): Promise<ReadonlyArray<ModelRow>> => {
  const models = await Promise.all(FILES.map((file) => ask("GET /settings/model/:file", { params: { file } })))
  return rowsOfFiles(models.map(({ answer }, index) => [FILES[index] ?? "", answer]))
}

export const Model = () => {
  const { data, error, refetch } = useQuery({ queryKey: ["models of the settings files"], queryFn: readModels })
  if (error !== null) return <Problem error={error} title="The model could not be read" again={() => void refetch()} />
  return data === undefined ? <Skeleton what="the model of the settings" /> : <Rows all={data} />
}
