/**
 * Every file with tests belongs to exactly one run (`test/support/TestLists.ts`), and every pattern there matches a file: nothing is lost
 * when files move. Prints what is wrong and ends with exit code 1 when there is something.
 */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { projects } from "../test/support/TestLists.ts"

const root = path.resolve(import.meta.dirname, "..")

const files = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(ts|tsx)$/.test(file))
  .map((file) => path.posix.join("test", file.replaceAll("\\", "/")))
const tests = files.filter((file) => file.endsWith(".test.ts"))

const matches = (file: string, patterns: ReadonlyArray<string>) =>
  patterns.some((pattern) => path.matchesGlob(file, pattern))

const TEST = /^(?:describe|it|test)(?:\.\w+)*\(/m

const mistakes = [
  ...tests.flatMap((file) => {
    const found = Object.entries(projects).filter(
      ([, { exclude, include }]) => matches(file, include) && !matches(file, exclude)
    )
    if (found.length === 1) return []
    return found.length === 0
      ? [`${file} belongs to no list of test/support/TestLists.ts`]
      : [`${file} belongs to several lists: ${found.map(([name]) => name).join(", ")}`]
  }),
  ...Object.values(projects)
    .flatMap(({ exclude, include }) => [...include, ...exclude])
    .filter((pattern) => !tests.some((file) => path.matchesGlob(file, pattern)))
    .map((pattern) => `test/support/TestLists.ts: no file is ${pattern}`),
  ...files
    .filter((file) => !file.endsWith(".test.ts") && TEST.test(readFileSync(path.join(root, file), "utf8")))
    .map((file) => `${file} has tests, but its name does not end with .test.ts, so that nothing runs them`)
]
for (const mistake of new Set(mistakes)) process.stdout.write(`${mistake}\n`)
process.stdout.write(`Lists of tests: ${tests.length} files, ${new Set(mistakes).size} problems\n`)
process.exitCode = mistakes.length === 0 ? 0 : 1
