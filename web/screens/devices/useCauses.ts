/** The newest cause why each device is not synchronized. */
import { useMemo } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"

export interface Causes {
  /** The newest cause. */
  readonly of: (hostname: string) => string | undefined
  readonly hasDrifted: (hostname: string) => boolean
}

export const useCauses = (): Causes => {
  const may = useMay()
  const { data } = useAsk(
    "GET /device_synchistory",
    {},
    { kinds: ["sync", "device"], enabled: may("GET", "/device_synchistory") }
  )
  const known = data?.answer.data.hostnames
  return useMemo(
    () => ({
      of: (hostname) => known?.[hostname]?.at(-1)?.cause,
      hasDrifted: (hostname) => known?.[hostname]?.some(({ cause }) => cause === "drift") ?? false
    }),
    [known]
  )
}
