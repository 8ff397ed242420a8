/** Cables that differ from the plan, each in a sentence. */
import { cableWords } from "../../../src/domain/words/DeviceWords.ts"
import { StatusWord } from "../../parts/StatusWord.tsx"
import type { NetworkCable } from "./useNetwork.ts"

interface Props {
  readonly cables: ReadonlyArray<NetworkCable>
  readonly nameOf: (id: number) => string
  readonly label: string
}

export const CableList = ({ cables, label, nameOf }: Props) => (
  <ul className="cables" aria-label={label}>
    {cables.map((cable) => {
      const { a, a_port, agreement, b, b_port, instead } = cable
      return (
        <li key={`${a} ${a_port} ${b} ${b_port}`}>
          <StatusWord of={cableWords} value={agreement} />
          <span>
            {nameOf(a)} {a_port} – {nameOf(b)} {b_port}
            {instead !== null && `; ${instead}`}
          </span>
        </li>
      )
    })}
  </ul>
)
