/** The visible pages of the list. The server filters and sorts; pages that were left stay cached for a while. */
import { keepPreviousData, useQueries } from "@tanstack/react-query"
import { useState } from "react"
import { ask } from "../../api/call.ts"
import type { DeviceRow } from "./columns.tsx"

const PAGE = 200
const KINDS = ["device", "sync", "drift", "reachability"]

type Words = Readonly<Record<string, string | undefined>>

/** The query that the address asks for; its other parts concern the page. */
const queryOf = ({ search, sort = "hostname", ...words }: Words) => ({
  ...Object.fromEntries(Object.entries(words).filter(([name]) => name.startsWith("filter["))),
  "filter[search][contains]": search,
  sort
})

const MOST_AT_ONCE = 1000

/** All that match, page by page. */
export const allDevices = async (words: Words): Promise<ReadonlyArray<DeviceRow>> => {
  const rows: Array<DeviceRow> = []
  for (let page = 1; ; page++) {
    const { answer, matching } = await ask("GET /devices", {
      query: { ...queryOf(words), page, per_page: MOST_AT_ONCE }
    })
    for (const device of answer.data.devices) rows.push(device)
    if (answer.data.devices.length < MOST_AT_ONCE || rows.length >= (matching ?? 0)) return rows
  }
}

/** The rows from one place to another, both included. */
export const devicesBetween = async (words: Words, first: number, last: number): Promise<ReadonlyArray<DeviceRow>> => {
  const from = Math.floor(first / MOST_AT_ONCE)
  const pages = Array.from({ length: Math.floor(last / MOST_AT_ONCE) - from + 1 }, (_, step) => from + step)
  const rows: Array<DeviceRow> = []
  for (const page of pages) {
    const query = { ...queryOf(words), page: page + 1, per_page: MOST_AT_ONCE }
    const { answer } = await ask("GET /devices", { query })
    rows.push(...answer.data.devices)
  }
  return rows.slice(first - from * MOST_AT_ONCE, last - from * MOST_AT_ONCE + 1)
}

/** The query for one page. */
const pageOf = (words: Words, page: number) => {
  const query = { ...queryOf(words), page: page + 1, per_page: PAGE }
  return {
    queryKey: ["GET /devices", query],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => ask("GET /devices", { query, signal }),
    meta: { kinds: KINDS },
    placeholderData: keepPreviousData
  }
}

export const useDevicePages = (words: Words) => {
  const [sight, see] = useState({ first: 0, last: 0 })
  const from = Math.floor(sight.first / PAGE)
  const to = Math.max(from, Math.floor(sight.last / PAGE))
  const pages = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const asked = useQueries({ queries: pages.map((page) => pageOf(words, page)) })
  const matching = asked.find(({ data }) => data !== undefined)?.data?.matching ?? undefined
  // a jump to pages that are not loaded does not take the table away, and its place with it
  const [known, setKnown] = useState(matching)
  if (matching !== undefined && matching !== known) setKnown(matching)
  const count = matching ?? known
  const rows = new Map(
    asked.flatMap(({ data }, index) => (data === undefined ? [] : [[pages[index], data.answer.data.devices]]))
  )
  return {
    count: count ?? 0,
    isKnown: count !== undefined,
    /** The question that the rows answer; null while they are those of the last one. */
    answers: asked.some(({ isPlaceholderData }) => isPlaceholderData) ? null : JSON.stringify(queryOf(words)),
    error: asked.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => void Promise.all(asked.map(({ refetch }) => refetch())),
    rowAt: (index: number): DeviceRow | undefined => rows.get(Math.floor(index / PAGE))?.[index % PAGE],
    see: (begin: number, end: number) => see({ first: begin, last: end })
  }
}
