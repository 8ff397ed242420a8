/** The four steps of a switch from its first request to its management, each with when it came there. */
import { IconCheck } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { stateWords } from "../../../src/domain/words/DeviceWords.ts"
import { textOf } from "../../../src/domain/words/Word.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { When } from "../../parts/When.tsx"
import type { TabProps } from "./record.ts"
import { reachedStates } from "./happened.ts"

const STEPS = [
  ["DHCP_BOOT", "Seen"],
  ["DISCOVERED", "Found"],
  ["INIT", "Set up"],
  ["MANAGED", "Managed"]
] as const

export const Life = ({ device: { hostname, model, serial, state } }: TabProps) => {
  const may = useMay()
  const { data } = useAsk(
    "GET /device/:hostname/audit",
    { params: { hostname }, query: { "filter[kind]": "device", per_page: 200, sort: "-id" } },
    { kinds: ["device"], enabled: may("GET", `/device/${hostname}/audit`) }
  )
  const reached = reachedStates(data?.answer.data.events ?? [])
  const place = STEPS.findIndex(([name]) => name === state)
  // a state beside the usual way, such as not managed, has all steps behind it and stands in the last one
  const at = place < 0 ? STEPS.length - 1 : place
  const besides: Readonly<Record<string, ReactNode>> = {
    DISCOVERED: [model, serial].filter((fact) => fact !== null && fact !== "").join(", ")
  }
  return (
    <ol className="life" aria-label="Its life">
      {STEPS.map(([name, word], index) => {
        const when = reached.get(index === at ? state : name)
        return (
          <li
            key={name}
            data-done={index <= at}
            {...(index === at ? { "aria-current": "step" as const } : {})}
            data-quiet={index === at && place < 0}
          >
            <i aria-hidden>{index <= at && <IconCheck size={11} stroke={3} />}</i>
            <b>{index === at && place < 0 ? textOf(stateWords, state) : word}</b>
            <span>
              {when !== undefined && (
                <>
                  {index === at && "since "}
                  <When at={when.at} />
                  {when.by !== null && `, by ${when.by}`}
                </>
              )}{" "}
              {besides[name]}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
