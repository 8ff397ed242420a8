/** Who is signed on, and what they may do. What a role may not do is not offered; the server refuses it all the same. */
import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { coversCall, includes } from "../../src/domain/access/Glob.ts"
import { ask, CallFailed } from "../api/call.ts"
import { onToken, token } from "../api/token.ts"
import { retry, useAsk } from "../api/useAsk.ts"

/** The token of the moment; all answers are forgotten when it is another. */
export const useToken = (): string | null => {
  const client = useQueryClient()
  const known = useSyncExternalStore(onToken, token)
  useEffect(() => onToken(() => void client.invalidateQueries()), [client])
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
 * The name that jobs and events will keep; null for nobody. To be nobody is an answer: an error would be forgotten while the same is
 * asked again, and the sign-on, with what somebody types into it, be taken away meanwhile.
 */
export const useIdentity = (): UseQueryResult<string | null> =>
  useQuery({ queryKey: ["identity"], queryFn: ({ signal }) => identity(signal), retry })

/** Whether a role of the caller speaks of a call: `may("POST", "/device_syncto")`. False while it is not known. */
export const useMay = (): ((method: string, path: string) => boolean) => {
  const { data } = useAsk("GET /auth/permissions")
  return (method, path) => data?.answer.some((permission) => coversCall(permission, method, path)) ?? false
}

/** Whether a role of the caller speaks of a call with a right of its own, such as `free_lines`. False while it is not known. */
export const useHasRight = (): ((right: string, method: string, path: string) => boolean) => {
  const { data } = useAsk("GET /auth/permissions")
  return (right, method, path) =>
    data?.answer.some(
      (permission) => coversCall(permission, method, path) && includes(permission.rights ?? [], right)
    ) ?? false
}
