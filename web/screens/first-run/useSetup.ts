/** How far the installation is. */
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import type { Setup } from "./steps.ts"

/** Undefined while it is unknown, and for users who may not see it. `every`: milliseconds between two looks. */
export const useSetup = (every?: number): Setup | undefined => {
  const may = useMay()
  const { data } = useAsk(
    "GET /setup",
    {},
    { kinds: ["repository"], enabled: may("GET", "/setup"), keep: true, ...(every === undefined ? {} : { every }) }
  )
  return data?.answer.data
}
