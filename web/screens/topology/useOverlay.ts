/** How devices stand in the overlay of the address: in sync, state, version, a job, or errors. */
import { useMemo } from "react"
import { phaseWords } from "../../../src/domain/words/ChangeWords.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { useAsk } from "../../api/useAsk.ts"
import { type Coloring, colorings, mostFrequent, type Standing, standing, standingOf } from "./coloring.ts"
import type { NetworkCable, NetworkDevice } from "./useNetwork.ts"

const isColoring = (word: string): word is Coloring => colorings.some((one) => one === word)

/** The devices of the job in the address. */
const useJobDevices = (id: string | undefined): ReadonlyMap<string, Standing> => {
  const { data } = useAsk(
    "GET /job/:id/progress",
    { params: { id: id ?? "" } },
    { enabled: id !== undefined && id !== "", kinds: ["change", "job"] }
  )
  return useMemo(
    () =>
      new Map(
        (data?.answer.data.devices ?? []).map(({ failed, hostname, phase }) => {
          if (failed === true) return [hostname, standing("bad", "failed")]
          if (phase === null) return [hostname, standing("quiet", "waiting")]
          const word = phaseWords[phase]
          return [hostname, standing(word.tone, inSentence(textOf(phaseWords, phase)))]
        })
      ),
    [data]
  )
}

export const useOverlay = (
  words: Readonly<Record<string, string | undefined>>,
  devices: ReadonlyArray<NetworkDevice>,
  differing: ReadonlyArray<NetworkCable>
) => {
  const wanted = words["color"] ?? (words["job"] === undefined ? "synchronized" : "job")
  const coloring: Coloring = isColoring(wanted) ? wanted : "synchronized"
  const inJob = useJobDevices(words["job"])
  const usual = useMemo(() => mostFrequent(devices.map(({ os_version }) => os_version)), [devices])
  const counts = useMemo(() => {
    const nameOf = new Map(devices.map(({ hostname, id }) => [id, hostname]))
    const ends = differing.flatMap(({ a, b }) => [nameOf.get(a) ?? "", nameOf.get(b) ?? ""])
    return new Map([...Map.groupBy(ends, (name) => name)].map(([name, found]) => [name, found.length]))
  }, [devices, differing])
  return { coloring, of: (device: NetworkDevice) => standingOf(device, coloring, { usual, inJob, differing: counts }) }
}
