/** A page of the manual as elements; no part of it is ever read as HTML. */
import { Anchor, Code, Table, Title, type TitleOrder } from "@mantine/core"
import type { ReactNode } from "react"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { idOf, targetOf } from "./anchors.ts"
import type { Block } from "./blocks.ts"
import { type Inline, inlineOf } from "./inline.ts"

interface LinkProps {
  readonly link: string
  readonly page: string
  readonly children: ReactNode
}

const Link = ({ children, link, page }: LinkProps) => {
  const target = targetOf(link, page)
  if (target.type === "manual") return <PlainLink to={target.to}>{children}</PlainLink>
  if (target.type === "file") return <span title={`${target.path} in the source of Switchyard`}>{children}</span>
  return (
    <Anchor href={target.to} underline="always" rel="noreferrer">
      {children}
    </Anchor>
  )
}

const Parts = ({ page, parts }: { readonly page: string; readonly parts: ReadonlyArray<Inline> }) =>
  parts.map((part, place) => {
    // parts of a text that never changes: the index distinguishes them
    const key = `${place} ${part.type}`
    switch (part.type) {
      case "text":
        return part.text
      case "code":
        return <Code key={key}>{part.text}</Code>
      case "break":
        return <br key={key} />
      case "link":
        return (
          <Link key={key} link={part.link} page={page}>
            <Parts page={page} parts={part.parts} />
          </Link>
        )
      case "strong":
        return (
          <strong key={key}>
            <Parts page={page} parts={part.parts} />
          </strong>
        )
      case "em":
        return (
          <em key={key}>
            <Parts page={page} parts={part.parts} />
          </em>
        )
    }
  })

const Line = ({ page, text }: { readonly page: string; readonly text: string }) => (
  <Parts page={page} parts={inlineOf(text)} />
)

const ORDERS: ReadonlyArray<TitleOrder> = [1, 2, 3, 4, 5, 6]

interface Props {
  readonly blocks: ReadonlyArray<Block>
  readonly page: string
}

const TableOf = ({
  block: { head, rows },
  page
}: {
  readonly block: Block & { type: "table" }
  readonly page: string
}) => (
  <Table.ScrollContainer
    minWidth={360}
    scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": `Table: ${head.join(", ")}` } }}
  >
    <Table verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          {head.map((cell, place) => (
            <Table.Th key={`${place} ${cell}`} scope="col">
              <Line page={page} text={cell} />
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, line) => (
          <Table.Tr key={`${line} ${row[0]}`}>
            {row.map((cell, place) => (
              <Table.Td key={`${place} ${cell}`}>
                <Line page={page} text={cell} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)

const ListOf = ({
  block: { items, start },
  page
}: {
  readonly block: Block & { type: "list" }
  readonly page: string
}) => {
  const shown = items.map((blocks, place) => (
    <li key={`${place} ${blocks.length}`}>
      <Rendered blocks={blocks} page={page} />
    </li>
  ))
  return start === null ? <ul>{shown}</ul> : <ol start={start}>{shown}</ol>
}

const One = ({ block, page }: { readonly block: Block; readonly page: string }) => {
  switch (block.type) {
    case "heading":
      return (
        <Title order={ORDERS[block.level - 1] ?? 6} id={idOf(block.anchor)} tabIndex={-1} mt="md" mb="xs">
          <Line page={page} text={block.text} />
        </Title>
      )
    case "text":
      return (
        <p>
          <Line page={page} text={block.text} />
        </p>
      )
    case "code":
      return <pre tabIndex={0}>{block.text}</pre>
    case "table":
      return <TableOf block={block} page={page} />
    case "list":
      return <ListOf block={block} page={page} />
  }
}

export const Rendered = ({ blocks, page }: Props) =>
  blocks.map((block, place) => <One key={`${place} ${block.type}`} block={block} page={page} />)
