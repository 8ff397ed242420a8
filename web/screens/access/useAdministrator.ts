/** Whether the caller may do everything, as users and the tokens of others require; the server decides in any case. */
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"

type Permission = Data<"GET /auth/permissions">[number]

const NARROWS = ["groups", "device_types", "interfaces", "jobs", "live", "max_devices", "approval"] as const

const isEverything = (permission: Permission): boolean =>
  permission.methods?.includes("*") === true &&
  permission.endpoints?.includes("*") === true &&
  NARROWS.every((key) => permission[key] === undefined)

/** Undefined while this is unknown. */
export const useAdministrator = (): boolean | undefined =>
  useAsk("GET /auth/permissions").data?.answer.some(isEverything)
