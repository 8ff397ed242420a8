/** The manual of this release: its contents, its chapters, and a search over their headings. */
import "./manual.css"
import { Card, List } from "@mantine/core"
import { useRouterState } from "@tanstack/react-router"
import { useEffect } from "react"
import { usePart, useWords } from "../../app/useAddress.ts"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SearchField } from "../../parts/SearchField.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import type { MarkedToken } from "marked"
import { anchorOf, idOf } from "./anchors.ts"
import { headingsOf, plainOf } from "./chapter.ts"
import { CONTENTS, found, usePage, usePlaces } from "./pages.ts"
import { Rendered } from "./Rendered.tsx"

const MOST = 40

const Found = ({ text }: { readonly text: string }) => {
  const { data } = usePlaces(true)
  if (data === undefined) return <Skeleton what="the chapters" />
  const places = found(data, text)
  if (places.length === 0)
    return <Empty>No heading contains these words. Fewer or shorter words find more; the contents are below.</Empty>
  return (
    <List aria-label="Found in the manual" my="sm">
      {places.slice(0, MOST).map(({ anchor, heading, page, title }) => (
        <List.Item key={`${page}#${anchor}`}>
          <PlainLink to={`/manual/${page}${anchor === "" ? "" : `#${anchor}`}`}>
            {anchor === "" ? title : `${title}: ${heading}`}
          </PlainLink>
        </List.Item>
      ))}
    </List>
  )
}

const Sections = ({ page, tokens }: { readonly tokens: ReadonlyArray<MarkedToken>; readonly page: string }) => {
  const sections = headingsOf(tokens).flatMap(({ depth, tokens: words }) => (depth === 2 ? [plainOf(words)] : []))
  if (sections.length < 3) return null
  return (
    <Card withBorder component="nav" aria-label="Sections" my="sm" p="xs">
      <List size="sm" className="manual-sections">
        {sections.map((text) => (
          <List.Item key={text}>
            <PlainLink to={`/manual/${page}#${anchorOf(text)}`}>{text}</PlainLink>
          </List.Item>
        ))}
      </List>
    </Card>
  )
}

/** Scrolls to the place that the address names as soon as the chapter is shown. */
const useAnchor = (isThere: boolean, page: string) => {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  useEffect(() => {
    if (!isThere || hash === "") return
    const place = document.getElementById(idOf(hash))
    place?.scrollIntoView({ behavior: "auto", block: "start" })
    place?.focus({ preventScroll: true })
  }, [hash, isThere, page])
}

export default function Manual() {
  const page = usePart("page") || CONTENTS
  const [{ search = "" }, change] = useWords()
  const { data, error } = usePage(page)
  const [title] = headingsOf(data ?? [])
  useAnchor(data !== undefined && data !== null, page)
  useEffect(() => {
    document.title = `${title === undefined ? "Manual" : plainOf(title.tokens)} · Switchyard`
  }, [title])
  const [first, ...rest] = data ?? []
  return (
    <div className="manual">
      {page !== CONTENTS && <PlainLink to="/manual">The manual</PlainLink>}
      <SearchField label="Search the manual" text={search} change={(text) => change({ search: text })} />
      {search !== "" && <Found text={search} />}
      {error !== null && <Problem error={error} title="The chapter could not be read" />}
      {data === undefined && error === null && <Skeleton what="the chapter" />}
      {data === null && (
        <Empty>
          The manual has no chapter of this name. <PlainLink to="/manual">The contents</PlainLink> have all of them.
        </Empty>
      )}
      {first !== undefined && (
        <>
          <Rendered tokens={[first]} page={page} />
          {page !== CONTENTS && <Sections tokens={rest} page={page} />}
          <Rendered tokens={rest} page={page} />
        </>
      )}
    </div>
  )
}
