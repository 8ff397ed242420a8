/** The failures in a few lines at the very end of a run: the logs of a failed test can be longer than the stored part of a run. */
import { stripVTControlCharacters } from "node:util"
import type { Reporter, SerializedError, TestModule } from "vitest/node"

/** Characters of a message, and of the difference between what was expected and what came. */
const MESSAGE = 300
const DIFFERENCE = 700

/** An error in as many lines as say which one it is. */
const told = ({ diff, message }: SerializedError): string => {
  const [first = ""] = stripVTControlCharacters(String(message)).trim().split("\n", 1)
  const difference = typeof diff === "string" ? stripVTControlCharacters(diff).slice(0, DIFFERENCE) : ""
  return [first.slice(0, MESSAGE), ...difference.split("\n")]
    .filter((line) => line.trim() !== "")
    .map((line) => `    ${line}`)
    .join("\n")
}

const failuresOf = (module: TestModule): ReadonlyArray<string> => {
  const name = module.relativeModuleId
  const ofTests = [...module.children.allTests("failed")].map((test) => {
    const errors = test.result().errors ?? []
    return [`  ${name} > ${test.fullName}`, ...errors.map(told)].join("\n")
  })
  return [...ofTests, ...module.errors().map((error) => `  ${name}\n${told(error)}`)]
}

export class FailuresAtLast implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const failures = [...modules.flatMap(failuresOf), ...unhandled.map((error) => `  outside of tests\n${told(error)}`)]
    if (failures.length > 0) process.stdout.write(`\nWhat has failed:\n${failures.join("\n")}\n`)
  }
}
