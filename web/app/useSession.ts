/** The signed-on user. */
import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { ask, CallFailed } from "../api/call.ts"
import { onToken, token } from "../api/token.ts"
import { retry } from "../api/rights.ts"

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

export { useHasRight, useMay, useMayChangePorts } from "../api/rights.ts"
