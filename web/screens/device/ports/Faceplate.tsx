/**
 * The ports of a switch as they lie on its front: two rows, in the colour of their state. A press selects a port, a second one deselects
 * it.
 */
import { inSentence, textOf } from "../../../../src/domain/words/Word.ts"
import { configTypeWords } from "../../../../src/domain/words/DeviceWords.ts"
import type { ToneName } from "../../../parts/tones.ts"
import { isEditable, isEnabled, type StoredPort, vlanOf } from "./edits.ts"

export interface PortState {
  readonly is_up: boolean | null
  readonly is_enabled: boolean | null
}

interface Props {
  readonly ports: ReadonlyArray<StoredPort>
  readonly states: Readonly<Record<string, PortState>> | undefined
  readonly chosen: ReadonlySet<string>
  readonly choose: (name: string) => void
}

const standing = (port: StoredPort, state: PortState | undefined): readonly [tone: ToneName, word: string] => {
  if (state === undefined) return isEnabled(port) ? ["quiet", "not read"] : ["warn", "disabled"]
  if (state.is_enabled === false) return ["warn", "disabled"]
  if (state.is_up === null) return ["quiet", "unknown"]
  return state.is_up ? ["good", "up"] : ["quiet", "down"]
}

/** `Ethernet12` → `12`, `Ethernet1/3` → `1/3`. */
const shortName = (name: string): string => name.replace(/^[A-Za-z-]+/, "") || name

export const Faceplate = ({ choose, chosen, ports, states }: Props) => (
  <div className="faceplate" role="group" aria-label="Ports">
    {ports.map((port) => {
      const [tone, word] = standing(port, states?.[port.name])
      const use = vlanOf(port) || inSentence(textOf(configTypeWords, port.configtype))
      return (
        <button
          key={port.name}
          type="button"
          className="port"
          data-tone={tone}
          aria-pressed={chosen.has(port.name)}
          aria-label={`${port.name}: ${word}, ${use}`}
          title={`${port.name}: ${word}, ${use}`}
          disabled={!isEditable(port)}
          onClick={() => choose(port.name)}
        >
          {shortName(port.name)}
        </button>
      )
    })}
  </div>
)
