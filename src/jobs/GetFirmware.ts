/**
 * Job `get_firmware`: downloads an image to the firmware store (contract engine.md §14.1). It ends FINISHED, also on error,
 * and at once when it is aborted; what it has until then is kept for the next download.
 */
import { Duration, Effect, Option } from "effect"
import { Firmware } from "../firmware/Firmware.ts"
import { FirmwareUnreachable } from "../firmware/FirmwareErrors.ts"
import { ServerConfig } from "../ServerConfig.ts"
import type { JobHandler, RunningJob } from "./JobHandler.ts"
import { untilAborted } from "./UntilAborted.ts"

/** The handler of the job. A restart goes on with what had been downloaded. */
export const make = Effect.gen(function* () {
  const firmware = yield* Firmware
  const { FIRMWARE_DOWNLOAD_TIMEOUT } = yield* ServerConfig
  const handler: JobHandler = Effect.fn("GetFirmware")(function* (job: RunningJob) {
    const { sha1, url, verify_tls } = job.args
    const download = firmware.download({ url, sha1, verify_tls }).pipe(
      Effect.timeoutOrElse({
        duration: Duration.seconds(FIRMWARE_DOWNLOAD_TIMEOUT),
        orElse: () => new FirmwareUnreachable({ message: `it took more than ${FIRMWARE_DOWNLOAD_TIMEOUT} seconds` })
      }),
      Effect.as(`File downloaded from: ${String(url)}`),
      Effect.catchTags({
        FirmwareRefused: ({ message }) => Effect.succeed(message),
        FirmwareUnreachable: ({ message }) => Effect.succeed(`Could not download firmware: ${message}`)
      })
    )
    const done = yield* untilAborted(job, download)
    return { result: Option.getOrElse(done, () => "The download was aborted"), change_score: null }
  })
  return handler
})
