/** Questions of commands to whoever sits there. */
import { Effect } from "effect"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"

const isYes = (text: string): boolean => /^y(es)?$/i.test(text.trim())

/** Asks, line by line, whether something is to be done; on standard error, so that what is printed can go to a file. No answer is no. */
export const makeAsking = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => createInterface({ input: process.stdin })),
    (lines) => Effect.sync(() => lines.close())
  ),
  (lines) => {
    const answers = lines[Symbol.asyncIterator]()
    return (question: string) =>
      Effect.promise(async () => {
        process.stderr.write(`${question} [y/N] `)
        const answer = await answers.next()
        if (answer.done === true) process.stderr.write("\n")
        return answer.done !== true && isYes(answer.value)
      })
  }
)

/** All of standard input without the end of its line: what is in a command line can be seen by everybody on the machine. */
export const readInput = Effect.map(
  Effect.promise(() => text(process.stdin)),
  (sent) => sent.replace(/\r?\n$/, "")
)

export type Asking = Effect.Success<typeof makeAsking>
