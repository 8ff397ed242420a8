/**
 * The permissions of the user. The page does not ask for, and does not offer, what the role does not permit; the server refuses it in any
 * case.
 */
import { useQuery } from "@tanstack/react-query"
import { offersCall } from "../../src/domain/access/CallSubjects.ts"
import { includes, matchesGlob } from "../../src/domain/access/Glob.ts"
import { ask, CallFailed } from "./call.ts"

/** Whether a retry may help: the server was unreachable or overloaded. */
const isPassing = (error: unknown) => error instanceof CallFailed && (error.status === 0 || error.status >= 502)

/** Retries three times if that may help. */
export const retry = (count: number, error: Error): boolean => isPassing(error) && count < 3

/** The permissions of the user; undefined while they are unknown. */
export const usePermissions = () =>
  useQuery({ queryKey: ["permissions"], queryFn: ({ signal }) => ask("GET /auth/permissions", { signal }), retry }).data
    ?.answer

/**
 * Whether a role of the caller permits a call, for some of its subjects at least: `may("POST", "/device_syncto")`. False while this is
 * unknown.
 */
export const useMay = (): ((method: string, path: string) => boolean) => {
  const permissions = usePermissions()
  return (method, path) => permissions?.some((permission) => offersCall(permission, method, path)) ?? false
}

/** Whether a role of the caller permits a call that needs a right of its own, such as `free_lines`. False while this is unknown. */
export const useHasRight = (): ((right: string, method: string, path: string) => boolean) => {
  const permissions = usePermissions()
  return (right, method, path) =>
    permissions?.some(
      (permission) => offersCall(permission, method, path) && includes(permission.rights ?? [], right)
    ) ?? false
}

/** Whether a role of the caller permits changing these ports of a switch. */
export const useMayChangePorts = (): ((hostname: string, ports: ReadonlyArray<string>) => boolean) => {
  const permissions = usePermissions()
  return (hostname, ports) =>
    permissions?.some(
      (permission) =>
        offersCall(permission, "PUT", `/device/${hostname}/interfaces`) &&
        ports.every((port) => permission.interfaces?.some((glob) => matchesGlob(glob, `${hostname}:${port}`)) !== false)
    ) ?? false
}
