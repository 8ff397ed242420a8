/**
 * `test/` mirrors the rooms: each folder with tests has its folder in `src/`, `machines/` or `web/`, or lies in `test/scenarios/`, which is
 * for what crosses rooms. Each scenario folder says in a README what it plays. Prints what is misplaced and ends with exit code 1
 * when there is something.
 */
import { existsSync, readdirSync } from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "..")
const SCENARIOS = "scenarios"

const foldersBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(path.join(root, "test", folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [path.join(folder, name), ...foldersBelow(path.join(folder, name))])

const hasTests = (folder: string): boolean =>
  readdirSync(path.join(root, "test", folder)).some((name) => name.endsWith(".test.ts"))

const mistakeOf = (folder: string): string | undefined => {
  const [first] = folder.split(path.sep)
  if (!hasTests(folder)) return undefined
  if (first === SCENARIOS) {
    return existsSync(path.join(root, "test", folder, "README.md")) ? undefined : `test/${folder} has no README.md`
  }
  const room = first === "machines" || first === "web" ? folder : path.join("src", folder)
  return existsSync(path.join(root, room))
    ? undefined
    : `test/${folder} has tests of a room that does not exist: ${room}`
}

const mistakes = ["", ...foldersBelow("")].map(mistakeOf).filter((mistake) => mistake !== undefined)
for (const mistake of mistakes) process.stdout.write(`${mistake}\n`)
process.exit(mistakes.length === 0 ? 0 : 1)
