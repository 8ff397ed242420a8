/** The part of `FAULTS.md` about switches of other personalities, from the table that the tests play. */
import { personalities } from "../src/lab/eos/Quirks.ts"
import { type CellEnding, operationNames, operations } from "../test/scenarios/personalities/Operations.ts"
import { endingOf, personalityNames } from "../test/scenarios/personalities/PersonalityTable.ts"

const line = (texts: ReadonlyArray<string>): string =>
  `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`

const cell = ({ done, runs, saved, says }: CellEnding): string => {
  if (done) return "done"
  const keeps = runs === saved ? `runs ${runs}` : `runs ${runs}, ${saved} is saved`
  return `${keeps}: ${says.map((part) => part.trim()).join(" … ")}`
}

/** The lines of the part. */
export const personalityFaults = (): ReadonlyArray<string> => [
  "## Personalities",
  "",
  "Switches that behave otherwise than the documentation says. On those that are usual everything succeeds: the switch runs and",
  "has saved what the job says, and a second dry run finds nothing. On the others a job succeeds when that is true, and",
  "otherwise says what it could not prove and what the switch runs. `done` is a success; `old` and `new` are the configurations before and after.",
  "A sync is undone on a switch that was synchronized in mode 0.",
  "",
  line(["Personality", "Such a switch", "Usual", ...operationNames.map((name) => operations[name])]),
  line(["---", "---", "---", ...operationNames.map(() => "---")]),
  ...personalityNames.map((name) =>
    line([
      `\`${name}\``,
      personalities[name].description,
      personalities[name].usual ? "yes" : "no",
      ...operationNames.map((operation) => cell(endingOf(name, operation)))
    ])
  ),
  "",
  "Any two of them and any fault of the table above together are tried at random (`test/scenarios/personalities/AnyTwo.test.ts`):",
  "whatever becomes of such a switch, what the record says is true, and nothing of ours is left on it.",
  ""
]
