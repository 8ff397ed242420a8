/** Which columns of a table are shown, and in which order: by the address, which a saved view sets, or as this browser was used last. */
import { useLocalStorage } from "@mantine/hooks"
import { useMemo } from "react"
import { useWords } from "../app/useAddress.ts"
import type { Column } from "./DataTable.tsx"

export interface TableChoice<Row> {
  /** All columns in the chosen order; those that are not shown come last. */
  readonly all: ReadonlyArray<{ readonly column: Column<Row>; readonly isShown: boolean }>
  readonly shown: ReadonlyArray<Column<Row>>
  readonly choose: (keys: ReadonlyArray<string>) => void
  /** As the table comes. */
  readonly reset: () => void
}

/** The columns with these keys in their order, then the others. Unknown keys are ignored; without any known one it is the usual choice. */
const chosenColumns = <Row>(columns: ReadonlyArray<Column<Row>>, keys: ReadonlyArray<string>) => {
  const known = keys.flatMap((key) => columns.find((column) => column.key === key) ?? [])
  const shown = known.length > 0 ? known : columns.filter(({ isExtra }) => isExtra !== true)
  return [
    ...shown.map((column) => ({ column, isShown: true })),
    ...columns.filter((column) => !shown.includes(column)).map((column) => ({ column, isShown: false }))
  ]
}

const keysIn = (text: string): ReadonlyArray<string> => text.split(",").filter((key) => key !== "")

export const useTableChoice = <Row>(name: string, columns: ReadonlyArray<Column<Row>>): TableChoice<Row> => {
  const [words, change] = useWords()
  const [kept, keep] = useLocalStorage<string>({
    key: `table.${name}`,
    defaultValue: "",
    getInitialValueInEffect: false
  })
  const keys = words["columns"] ?? kept
  const all = useMemo(() => chosenColumns(columns, keysIn(keys)), [columns, keys])
  const shown = useMemo(() => all.flatMap(({ column, isShown }) => (isShown ? [column] : [])), [all])
  return {
    all,
    shown,
    choose: (chosen) => {
      keep(chosen.join(","))
      change({ columns: chosen.join(",") })
    },
    reset: () => {
      keep("")
      change({ columns: undefined })
    }
  }
}
