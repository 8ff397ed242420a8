/** Job `get_firmware_chksum`: computes the SHA-1 of a stored image (contract engine.md §14.1). It ends FINISHED, also on error. */
import { Effect, Option, Schema } from "effect"
import { Firmware } from "../../firmware/Firmware.ts"
import { fileDone, fileFailed } from "./GetFirmware.ts"
import { decodeArguments, type JobHandler, type RunningJob } from "../engine/JobHandler.ts"
import { untilAborted } from "../engine/UntilAborted.ts"

/** Arguments of the jobs about one stored image. */
export const FileArguments = Schema.Struct({ filename: Schema.String })

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const firmware = yield* Firmware
  const handler: JobHandler = Effect.fn("GetFirmwareChksum")(function* (job: RunningJob) {
    const { filename } = yield* decodeArguments(FileArguments)(job)
    const sum = firmware.sha1(filename).pipe(
      Effect.map(fileDone),
      Effect.catchTags({
        FirmwareRefused: ({ message }) => Effect.succeed(fileFailed(message)),
        FirmwareUnreachable: () => Effect.succeed(fileFailed(`Failed to get checksum for ${filename}`))
      })
    )
    const done = yield* untilAborted(job, sum)
    return Option.getOrElse(done, () => fileFailed("The checksum was aborted"))
  })
  return handler
})
