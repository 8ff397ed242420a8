/** Job `get_firmware`: downloads an image to the firmware store (contract engine.md §14.1). It ends FINISHED, also on error. */
import { Effect } from "effect"
import { Firmware } from "../firmware/Firmware.ts"
import type { JobHandler, JobOutcome, RunningJob } from "./JobHandler.ts"

/** The end of a job about an image, whose result is a sentence. */
export const fileDone = (result: string): JobOutcome => ({ result, change_score: null })

/** The same when it came to nothing. */
export const fileFailed = (result: string): JobOutcome => ({ ...fileDone(result), failure: result })

/** The handler of the job. A restart goes on with what had been downloaded. */
export const make = Effect.gen(function* () {
  const firmware = yield* Firmware
  const handler: JobHandler = Effect.fn("GetFirmware")(function* (job: RunningJob) {
    const { sha1, url, verify_tls } = job.args
    return yield* firmware.download({ url, sha1, verify_tls }).pipe(
      Effect.as(fileDone(`File downloaded from: ${String(url)}`)),
      Effect.catchTags({
        FirmwareRefused: ({ message }) => Effect.succeed(fileFailed(message)),
        FirmwareUnreachable: ({ message }) => Effect.succeed(fileFailed(`Could not download firmware: ${message}`))
      })
    )
  })
  return handler
})
