/** All devices that the user may see, and the cables between them, as planned and as seen over LLDP. */
import { inSentence } from "../../../src/domain/words/Word.ts"
import { cableWords } from "../../../src/domain/words/DeviceWords.ts"
import { useMemo } from "react"
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/Calls.ts"

export type NetworkDevice = Data<"GET /topology">["nodes"][number]

const NONE: ReadonlyArray<never> = []

export const useNetwork = () => {
  const { data, error } = useAsk("GET /topology", {}, { kinds: ["device", "linknet", "job", "change", "reachability"] })
  const devices = data?.answer.data.nodes ?? NONE
  const cables = data?.answer.data.edges ?? NONE
  const names = useMemo(() => {
    const nameOf = new Map(devices.map(({ hostname, id }) => [id, hostname]))
    const ends = cables.flatMap((cable) => {
      const { a, a_port, agreement, b, b_port, instead } = cable
      const said = agreement === "agreed" ? "" : `, ${instead ?? inSentence(cableWords[agreement].text)}`
      return [
        { at: a, text: `${nameOf.get(b) ?? "?"} (${a_port})${said}` },
        { at: b, text: `${nameOf.get(a) ?? "?"} (${b_port})${said}` }
      ]
    })
    return new Map([...Map.groupBy(ends, ({ at }) => at)].map(([id, found]) => [id, found.map(({ text }) => text)]))
  }, [devices, cables])
  return { devices, cables, names, isKnown: data !== undefined, error }
}
