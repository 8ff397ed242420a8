/** The pages of the list that are in sight. The server filters and sorts; pages that were left stay known for a while. */
import { keepPreviousData, useQueries } from "@tanstack/react-query"
import { useState } from "react"
import { ask } from "../../api/call.ts"
import type { DeviceRow } from "./columns.tsx"

const PAGE = 200
const KINDS = ["device", "sync", "drift", "reachability"]

type Words = Readonly<Record<string, string | undefined>>

/** The question for one page. */
const pageOf = (words: Words, page: number) => {
  const { search, sort = "hostname", ...filters } = words
  const query = { ...filters, "filter[hostname][contains]": search, sort, page: page + 1, per_page: PAGE }
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
  const [first] = asked
  const rows = new Map(
    asked.flatMap(({ data }, index) => (data === undefined ? [] : [[pages[index], data.answer.data.devices]]))
  )
  return {
    count: first?.data?.matching ?? 0,
    isKnown: first?.data !== undefined,
    error: asked.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => void Promise.all(asked.map(({ refetch }) => refetch())),
    rowAt: (index: number): DeviceRow | undefined => rows.get(Math.floor(index / PAGE))?.[index % PAGE],
    see: (begin: number, end: number) => see({ first: begin, last: end })
  }
}
