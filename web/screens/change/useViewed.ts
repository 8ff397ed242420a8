/** Marks of viewed differences: they are kept by the server for each person, and shown at once. */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { request } from "../../api/call.ts"
import type { Group } from "./about.ts"

export const useViewed = (job: number, groups: ReadonlyArray<Group>) => {
  const client = useQueryClient()
  const [own, setOwn] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [error, setError] = useState<unknown>(null)
  const isViewed = ({ key, viewed }: Group) => own.get(key) ?? viewed
  const mark = async (group: Group) => {
    const viewed = !isViewed(group)
    setError(null)
    setOwn((before) => new Map(before).set(group.key, viewed))
    try {
      await request("POST /job/:id/viewed", { params: { id: job }, body: { groups: [group.key], viewed } })
      await client.invalidateQueries({ queryKey: ["GET /job/:id/diffs"] })
    } catch (cause) {
      setOwn((before) => new Map(before).set(group.key, !viewed))
      setError(cause)
    }
  }
  return { count: groups.filter(isViewed).length, error, isViewed, mark }
}
