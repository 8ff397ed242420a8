/**
 * The signed-on user and their permissions. The page does not offer an action that the role does not permit; the server refuses it in any
 * case.
 */
import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { offersCall } from "../../src/domain/access/CallSubjects.ts"
import { includes } from "../../src/domain/access/Glob.ts"
import { ask, CallFailed } from "../api/call.ts"
import { onToken, token } from "../api/token.ts"
import { retry, useAsk } from "../api/useAsk.ts"

/**
 * The present token. All answers are asked again for another one; when it ends only the identity, because the screens below the sign-in
 * keep what they show.
 */
export const useToken = (): string | null => {
  const client = useQueryClient()
  const known = useSyncExternalStore(onToken, token)
  useEffect(
    () => onToken(() => void client.invalidateQueries(token() === null ? { queryKey: ["identity"] } : {})),
    [client]
  )
  return known
}

const identity = async (signal: AbortSignal): Promise<string | null> => {
  try {
    return (await ask("GET /auth/identity", { signal })).answer
  } catch (cause) {
    if (cause instanceof CallFailed && cause.status === 401) return null
    throw cause
  }
}

/**
 * The name that jobs and events will record; null if no user is signed on. Null is an answer and not an error: an error would be forgotten
 * while the query runs again, which would remove the sign-on form and the text that the user has typed into it.
 */
export const useIdentity = (): UseQueryResult<string | null> =>
  useQuery({ queryKey: ["identity"], queryFn: ({ signal }) => identity(signal), retry })

/**
 * Whether a role of the caller permits a call, for some of its subjects at least: `may("POST", "/device_syncto")`. False while this is
 * unknown.
 */
export const useMay = (): ((method: string, path: string) => boolean) => {
  const { data } = useAsk("GET /auth/permissions")
  return (method, path) => data?.answer.some((permission) => offersCall(permission, method, path)) ?? false
}

/** Whether a role of the caller permits a call that needs a right of its own, such as `free_lines`. False while this is unknown. */
export const useHasRight = (): ((right: string, method: string, path: string) => boolean) => {
  const { data } = useAsk("GET /auth/permissions")
  return (right, method, path) =>
    data?.answer.some(
      (permission) => offersCall(permission, method, path) && includes(permission.rights ?? [], right)
    ) ?? false
}
