/** Job `remove_file`: removes a stored image (contract engine.md §14.1). It ends FINISHED, also on error. */
import { Effect, Option, Schema } from "effect"
import { Firmware } from "../../firmware/Firmware.ts"
import { JobStore } from "../../store/JobStore.ts"
import { fileDone, fileFailed } from "./GetFirmware.ts"
import { FileArguments } from "./GetFirmwareChksum.ts"
import { decodeArguments, type JobHandler, type RunningJob } from "../engine/JobHandler.ts"

const Memo = Schema.Struct({ begun: Schema.Literal(true) })

/** The handler of the job. After a restart a file that is gone was removed by the run before. */
export const make = Effect.gen(function* () {
  const firmware = yield* Firmware
  const jobs = yield* JobStore
  const handler: JobHandler = Effect.fn("RemoveFile")(function* (job: RunningJob) {
    const { filename } = yield* decodeArguments(FileArguments)(job)
    const memo = Option.flatMap(yield* jobs.memo(job.id), Schema.decodeUnknownOption(Memo))
    yield* jobs.remember(job.id, { begun: true })
    const removed = fileDone(`File ${filename} removed`)
    const gone = Effect.map(firmware.list, ({ files }) => !files.includes(filename))
    return yield* firmware.remove(filename).pipe(
      Effect.as(removed),
      Effect.catchTag("FirmwareRefused", () =>
        Effect.map(Option.isSome(memo) ? gone : Effect.succeed(false), (isGone) =>
          isGone ? removed : fileFailed(`Failed to remove file ${filename}`)
        )
      ),
      Effect.orElseSucceed(() => fileFailed("Failed to remove file"))
    )
  })
  return handler
})
