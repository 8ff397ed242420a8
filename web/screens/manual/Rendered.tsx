/** A chapter of the manual as elements; nothing of it is ever read as HTML. */
import { Anchor, Code, Table, Title, type TitleOrder } from "@mantine/core"
import type { MarkedToken, Token, Tokens } from "marked"
import type { ReactNode } from "react"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { anchorOf, idOf, targetOf } from "./anchors.ts"
import { plainOf, shownOf } from "./chapter.ts"

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

const ORDERS: ReadonlyArray<TitleOrder> = [1, 2, 3, 4, 5, 6]

const TableOf = ({ page, table: { header, rows } }: { readonly page: string; readonly table: Tokens.Table }) => (
  <Table.ScrollContainer
    minWidth={360}
    scrollAreaProps={{
      viewportProps: {
        tabIndex: 0,
        role: "region",
        "aria-label": `Table: ${header.map(({ tokens }) => plainOf(tokens)).join(", ")}`
      }
    }}
  >
    <Table verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          {header.map(({ text, tokens }, place) => (
            <Table.Th key={`${place} ${text}`} scope="col">
              <Rendered page={page} tokens={tokens} />
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, line) => (
          <Table.Tr key={`${line} ${row[0]?.text}`}>
            {row.map(({ text, tokens }, place) => (
              <Table.Td key={`${place} ${text}`}>
                <Rendered page={page} tokens={tokens} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)

const ListOf = ({ list: { items, ordered, start }, page }: { readonly list: Tokens.List; readonly page: string }) => {
  const shown = items.map(({ raw, tokens }, place) => (
    <li key={`${place} ${raw}`}>
      <Rendered page={page} tokens={tokens} />
    </li>
  ))
  return ordered ? <ol start={start === "" ? 1 : start}>{shown}</ol> : <ul>{shown}</ul>
}

const One = ({ page, token }: { readonly page: string; readonly token: MarkedToken }) => {
  const within = "tokens" in token && token.tokens !== undefined ? <Rendered page={page} tokens={token.tokens} /> : null
  switch (token.type) {
    case "heading":
      return (
        <Title
          order={ORDERS[token.depth - 1] ?? 6}
          id={idOf(anchorOf(plainOf(token.tokens)))}
          tabIndex={-1}
          mt="md"
          mb="xs"
        >
          {within}
        </Title>
      )
    case "paragraph":
      return <p>{within}</p>
    case "blockquote":
      return <blockquote>{within}</blockquote>
    case "code":
      return <pre tabIndex={0}>{token.text}</pre>
    case "table":
      return <TableOf table={token} page={page} />
    case "list":
      return <ListOf list={token} page={page} />
    case "hr":
      return <hr />
    case "br":
      return <br />
    case "codespan":
      return <Code>{token.text}</Code>
    case "link":
      return (
        <Link link={token.href} page={page}>
          {within}
        </Link>
      )
    case "checkbox":
      return token.checked ? "☑ " : "☐ "
    case "strong":
      return <strong>{within}</strong>
    case "em":
      return <em>{within}</em>
    case "text":
    case "escape":
      return within ?? token.text
    default:
      return within
  }
}

interface Props {
  readonly tokens: ReadonlyArray<Token>
  readonly page: string
}

// parts of a text that never changes: the index distinguishes them
export const Rendered = ({ page, tokens }: Props) =>
  shownOf(tokens).map((token, place) => <One key={`${place} ${token.type}`} token={token} page={page} />)
