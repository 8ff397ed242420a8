/** What the caller may see and change of the access of others; the server decides in any case. */
import type { Data } from "../../../src/api/Calls.ts"
import { showsAccess } from "../../../src/domain/access/CallSubjects.ts"
import { useAsk } from "../../api/useAsk.ts"

type Permission = Data<"GET /auth/permissions">[number]

const NARROWS = ["groups", "device_types", "interfaces", "jobs", "live", "max_devices", "approval"] as const

const isEverything = (permission: Permission): boolean =>
  permission.methods?.includes("*") === true &&
  permission.endpoints?.includes("*") === true &&
  NARROWS.every((key) => permission[key] === undefined)

/** Whether the caller may do everything, as changing users and the tokens of others requires. Undefined while this is unknown. */
export const useAdministrator = (): boolean | undefined =>
  useAsk("GET /auth/permissions").data?.answer.some(isEverything)

/** Whether the caller may see the access of everybody. Undefined while this is unknown. */
export const useSeesEverybody = (): boolean | undefined =>
  useAsk("GET /auth/permissions").data?.answer.some((permission) => isEverything(permission) || showsAccess(permission))
