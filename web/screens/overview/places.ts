/** Where on the page a thing is done that needs attention. Pure. */
import type { Data } from "../../../src/api/Calls.ts"

type Place = Data<"GET /attention">["items"][number]["place"]

/** Addresses of lists that are whole screens. */
const LISTS = { approvals: "/approvals", alerts: "/alerts", new_devices: "/new", repository: "/repository" } as const

/** The part of the query that the API names, as the address of the list. */
const filtersOf = (of: string): string => {
  const words = new URLSearchParams(of)
  return words.size === 0 ? "/devices" : `/devices?${words.toString()}`
}

/** The path behind `/ui`. */
export const pathOf = ({ of, screen }: Place): string => {
  switch (screen) {
    case "device":
      return `/device/${encodeURIComponent(of ?? "")}`
    case "job":
      return `/job/${of ?? ""}`
    case "devices":
      return of === null ? "/devices" : filtersOf(of)
    case "repository":
      return of === null ? LISTS.repository : `${LISTS.repository}?name=${encodeURIComponent(of)}`
    default:
      return LISTS[screen]
  }
}
