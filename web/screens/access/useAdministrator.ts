/** Whether the caller may do everything, as users and the tokens of others need it; the server decides all the same. */
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"

type Permission = Data<"GET /auth/permissions">[number]

const NARROWS = ["groups", "device_types", "interfaces", "jobs", "live", "max_devices", "approval"] as const

const isEverything = (permission: Permission): boolean =>
  permission.methods?.includes("*") === true &&
  permission.endpoints?.includes("*") === true &&
  NARROWS.every((key) => permission[key] === undefined)

/** Undefined while it is not known. */
export const useAdministrator = (): boolean | undefined =>
  useAsk("GET /auth/permissions").data?.answer.some(isEverything)
