/** A table of few rows: heads, and cells in their order. It scrolls sideways on a phone. */
import { Table } from "@mantine/core"
import type { ReactNode } from "react"

interface Props<Row> {
  /** The name of the table, for screen readers. */
  readonly label: string
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string | number
  readonly cells: (row: Row) => ReadonlyArray<ReactNode>
}

interface RowsProps<Row> extends Props<Row> {
  /** Pixels above and below each row. */
  readonly spacing: number
  readonly highlightOnHover?: boolean
}

/** The table itself, for a place that scrolls already. */
export const Rows = <Row,>({ cells, heads, highlightOnHover = false, keyOf, label, rows, spacing }: RowsProps<Row>) => (
  <Table aria-label={label} highlightOnHover={highlightOnHover} verticalSpacing={spacing}>
    <Table.Thead>
      <Table.Tr>
        {heads.map((head) => (
          <Table.Th key={head} scope="col">
            {head}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {rows.map((row) => (
        <Table.Tr key={keyOf(row)}>
          {cells(row).map((cell, index) => (
            <Table.Td key={heads[index]}>{cell}</Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)

export const SmallTable = <Row,>(props: Props<Row>) => (
  <Table.ScrollContainer
    minWidth={420}
    scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": props.label } }}
  >
    <Rows {...props} highlightOnHover spacing={4} />
  </Table.ScrollContainer>
)
