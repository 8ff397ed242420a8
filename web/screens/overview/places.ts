/** Where on the page a thing is done that needs attention. Pure. */
import type { Data } from "../../../src/api/Calls.ts"
import { screens } from "../../app/screens.ts"

type Place = Data<"GET /attention">["items"][number]["place"]

/** Addresses of lists that are whole screens. */
const LISTS = { approvals: "/approvals", alerts: "/alerts", new_devices: "/new", repository: "/repository" } as const
/** Where they stand while they have no screen of their own. */
const INSTEAD: Readonly<Record<string, string>> = {
  "/approvals": "/access?tab=waiting",
  "/alerts": "/server?tab=alerts"
}

const listPath = (path: string): string =>
  screens.some((screen) => screen.path === path) ? path : (INSTEAD[path] ?? path)

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
      return of === null ? listPath(LISTS.repository) : `${LISTS.repository}?name=${encodeURIComponent(of)}`
    default:
      return listPath(LISTS[screen])
  }
}
