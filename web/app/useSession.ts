/** Who is signed on, and what they may do. What a role may not do is not offered; the server refuses it all the same. */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { speaksOf } from "../../src/domain/access/SpeaksOf.ts"
import { onToken, token } from "../api/token.ts"
import { useAsk } from "../api/useAsk.ts"

/** The token of the moment; all answers are forgotten when it is another. */
export const useToken = (): string | null => {
  const client = useQueryClient()
  const known = useSyncExternalStore(onToken, token)
  useEffect(() => onToken(() => void client.invalidateQueries()), [client])
  return known
}

/** The name that jobs and events will keep. */
export const useIdentity = () => useAsk("GET /auth/identity")

/** Whether a role of the caller speaks of a call: `may("POST", "/device_syncto")`. False while it is not known. */
export const useMay = (): ((method: string, path: string) => boolean) => {
  const { data } = useAsk("GET /auth/permissions")
  return (method, path) => data?.answer.some((permission) => speaksOf(permission, method, path)) ?? false
}
