/** Marks of viewed differences: they are kept by the server for each person, and shown at once. */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { request } from "../../api/call.ts"

/** What marks need of a group of differences. */
interface Markable {
  readonly key: string
  readonly viewed: boolean
}

/** Where the marks are kept, and what shows them. */
const subjects = {
  job: {
    keep: (id: number, key: string, viewed: boolean) =>
      request("POST /job/:id/viewed", { params: { id }, body: { groups: [key], viewed } }),
    shownBy: "GET /job/:id/diffs"
  },
  proposal: {
    keep: (id: number, key: string, viewed: boolean) =>
      request("POST /proposals/:id/viewed", { params: { id }, body: { groups: [key], viewed } }),
    shownBy: "GET /proposals/:id"
  }
} as const

/** The marks of the reader at the groups of a job or a proposal. */
export const useViewed = (subject: keyof typeof subjects, id: number, groups: ReadonlyArray<Markable>) => {
  const client = useQueryClient()
  const [own, setOwn] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [error, setError] = useState<unknown>(null)
  const { keep, shownBy } = subjects[subject]
  const isViewed = ({ key, viewed }: Markable) => own.get(key) ?? viewed
  const mark = async (group: Markable) => {
    const viewed = !isViewed(group)
    setError(null)
    setOwn((before) => new Map(before).set(group.key, viewed))
    try {
      await keep(id, group.key, viewed)
      await client.invalidateQueries({ queryKey: [shownBy] })
    } catch (cause) {
      setOwn((before) => new Map(before).set(group.key, !viewed))
      setError(cause)
    }
  }
  return { count: groups.filter(isViewed).length, error, isViewed, mark }
}
