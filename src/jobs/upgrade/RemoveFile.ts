/** Job `remove_file`: removes a stored image (docs/jobs.md#remove_file). It ends FINISHED, also on error. */
import { Effect, Option } from "effect"
import { RemoveFile } from "../../domain/jobs/FirmwareJobs.ts"
import { Firmware } from "../../firmware/Firmware.ts"
import { fileDone, fileFailed } from "./GetFirmware.ts"
import { handle, type JobHandler } from "../engine/JobHandler.ts"

/** After a restart a file that is gone was removed by the run before. */
const make = Effect.gen(function* () {
  const firmware = yield* Firmware
  const handler: JobHandler<typeof RemoveFile> = Effect.fn("RemoveFile")(function* (job) {
    const { filename } = job.args
    const memo = yield* job.memo.read
    yield* job.memo.write({ begun: true })
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

export const job = handle(RemoveFile, make)
