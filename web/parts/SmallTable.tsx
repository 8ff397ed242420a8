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

export const SmallTable = <Row,>({ cells, heads, keyOf, label, rows }: Props<Row>) => (
  <Table.ScrollContainer
    minWidth={420}
    scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": label } }}
  >
    <Table aria-label={label} highlightOnHover verticalSpacing={4}>
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
  </Table.ScrollContainer>
)
