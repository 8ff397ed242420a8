/** Job `get_firmware`: downloads an image to the firmware store (contract engine.md §14.1). It ends FINISHED, also on error. */
import { Effect } from "effect"
import { Firmware } from "../firmware/Firmware.ts"
import type { JobHandler, RunningJob } from "./JobHandler.ts"

/** The handler of the job. A restart goes on with what had been downloaded. */
export const make = Effect.gen(function* () {
  const firmware = yield* Firmware
  const handler: JobHandler = Effect.fn("GetFirmware")(function* (job: RunningJob) {
    const { sha1, url, verify_tls } = job.args
    const result = yield* firmware.download({ url, sha1, verify_tls }).pipe(
      Effect.as(`File downloaded from: ${String(url)}`),
      Effect.catchTags({
        FirmwareRefused: ({ message }) => Effect.succeed(message),
        FirmwareUnreachable: ({ message }) => Effect.succeed(`Could not download firmware: ${message}`)
      })
    )
    return { result, change_score: null }
  })
  return handler
})
