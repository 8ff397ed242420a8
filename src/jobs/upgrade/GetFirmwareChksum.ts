/**
 * Job `get_firmware_chksum`: computes the SHA-1 of a stored image (docs/jobs.md#get_firmware_chksum). It ends FINISHED, also on
 * error.
 */
import { Effect, Option } from "effect"
import { GetFirmwareChksum } from "../../domain/jobs/FirmwareJobs.ts"
import { Firmware } from "../../firmware/Firmware.ts"
import { fileDone, fileFailed } from "./GetFirmware.ts"
import { handle, type JobHandler } from "../engine/JobHandler.ts"
import { untilAborted } from "../engine/UntilAborted.ts"

const make = Effect.gen(function* () {
  const firmware = yield* Firmware
  const handler: JobHandler<typeof GetFirmwareChksum> = Effect.fn("GetFirmwareChksum")(function* (job) {
    const { filename } = job.args
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

export const job = handle(GetFirmwareChksum, make)
