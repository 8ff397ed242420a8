/** The part of `FAULTS.md` about switches of other personalities, from the table of the tests. */
import { common, personalities } from "../src/lab/eos/Quirks.ts"
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
  "Switches that do not behave as documented. On the usual ones every job succeeds: the switch runs and has saved the",
  "configuration that the job names, and a second dry run finds no difference. On the others a job succeeds if this is true;",
  "otherwise it says what it could not prove and what the switch runs. `done` is a success; `old` and `new` are the configurations before and after.",
  "The undo of a sync is tested on a switch that was synchronized in mode 0.",
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
  "Random combinations of two of them and a fault of the table above are tested (`test/scenarios/personalities/AnyTwo.test.ts`):",
  "in every case the record is true, and none of our sessions or timers remains on the switch.",
  "",
  "### Sources of the personalities",
  "",
  "Where such behaviour was seen. `constructed` is behaviour that nobody has reported, made because work must survive it.",
  "`owner/repository#number` is a public issue or pull request on GitHub. A personality without a release has any.",
  "",
  line(["Personality", "Release", "Such a switch", "Seen in"]),
  line(["---", "---", "---", "---"]),
  ...common.map(({ description, seen }) => line(["all", "any", description, seen])),
  ...personalityNames.map((name) => {
    const { description, seen, version = "any" } = personalities[name]
    return line([`\`${name}\``, version, description, seen])
  }),
  ""
]
