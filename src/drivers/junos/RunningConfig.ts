/** The configurations of a device as texts, without what changes although nobody has changed anything. */
import { Effect } from "effect"
import { lacksSecrets, readBraces } from "../../domain/BraceText.ts"
import { findAll } from "../netconf/Xml.ts"
import { type Junos, unexpected } from "./Answers.ts"
import { configuration } from "./Dialect.ts"
import { stableText } from "./ShownText.ts"

/**
 * The committed configuration or the candidate. One whose secrets are hidden is refused: its hash and its difference would be wrong,
 * and loaded again it would put a comment in the place of each secret.
 */
export const readConfiguration = Effect.fnUntraced(function* (junos: Junos, database: "committed" | "candidate") {
  const label = `get-configuration ${database}`
  const answer = yield* junos.ask(label, configuration(database), junos.timeouts.runningConfig)
  const texts = findAll(answer, "configuration-text")
  const [text] = texts
  if (text === undefined || texts.length > 1) return yield* unexpected(junos, label, "it gives no configuration-text")
  if (lacksSecrets(text.text)) {
    return yield* unexpected(
      junos,
      label,
      "the secrets are hidden (SECRET-DATA), because the class of the account lacks the permission secret"
    )
  }
  const shown = stableText(text.text)
  if (shown.trim() === "") return yield* unexpected(junos, label, "the configuration is empty")
  const [fault] = readBraces(shown).faults
  if (fault === undefined) return shown
  return yield* unexpected(junos, label, `line ${fault.lineNumber} of the configuration is broken: it ${fault.rule}`)
})

/** See `DriverSession.runningConfig`. */
export const runningConfig = (junos: Junos) => readConfiguration(junos, "committed")
