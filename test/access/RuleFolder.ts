/** A folder with a file of rules, in place of DATA_DIR. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem } from "effect"

/** A folder and its file. */
export interface RuleFolder {
  readonly DATA_DIR: string
  /** Puts a text into the file; null takes the file away. */
  readonly write: (text: string | null) => Effect.Effect<void>
}

/** Runs with a folder in which the file has this text; null: it is not there. */
export const withRuleFile = <A, E, R>(
  name: string,
  first: string | null,
  run: (folder: RuleFolder) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const DATA_DIR = yield* files.makeTempDirectoryScoped()
    const file = `${DATA_DIR}/${name}`
    const write = (text: string | null) =>
      Effect.orDie(text === null ? files.remove(file) : files.writeFileString(file, text))
    if (first !== null) yield* write(first)
    return yield* run({ DATA_DIR, write })
  }).pipe(Effect.provide(NodeServices.layer))
