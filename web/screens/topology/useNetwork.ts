/** All devices that the user may see, and the cables between them, as planned and as seen over LLDP. */
import { inSentence } from "../../../src/domain/words/Word.ts"
import { cableWords } from "../../../src/domain/words/DeviceWords.ts"
import { useMemo } from "react"
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { differs } from "./agreement.ts"

type Network = Data<"GET /topology">
export type NetworkDevice = Network["nodes"][number]
export type NetworkCable = Network["edges"][number]

const NONE: ReadonlyArray<never> = []

export const useNetwork = () => {
  const { data, error, refetch } = useAsk(
    "GET /topology",
    {},
    { kinds: ["device", "linknet", "job", "change", "reachability"] }
  )
  const devices = data?.answer.data.nodes ?? NONE
  const cables = data?.answer.data.edges ?? NONE
  const names = useMemo(() => new Map(devices.map(({ hostname, id }) => [id, hostname])), [devices])
  const links = useMemo(() => {
    const ends = cables.flatMap((cable) => {
      const { a, a_port, agreement, b, b_port, instead } = cable
      const said = agreement === "agreed" ? "" : `, ${instead ?? inSentence(cableWords[agreement].text)}`
      return [
        { at: a, text: `${names.get(b) ?? "?"} (${a_port})${said}` },
        { at: b, text: `${names.get(a) ?? "?"} (${b_port})${said}` }
      ]
    })
    return new Map([...Map.groupBy(ends, ({ at }) => at)].map(([id, found]) => [id, found.map(({ text }) => text)]))
  }, [cables, names])
  const differing = useMemo(() => cables.filter(({ agreement }) => differs(agreement)), [cables])
  return {
    devices,
    cables,
    differing,
    links,
    nameOf: (id: number) => names.get(id) ?? "?",
    isKnown: data !== undefined,
    error,
    refetch
  }
}
