/**
 * Job `get_firmware`: downloads an image to the firmware store (docs/jobs.md#get_firmware). It ends FINISHED, also on error,
 * and at once when it is aborted; what it has until then is kept for the next download.
 */
import { Duration, Effect, Option } from "effect"
import { GetFirmware } from "../../domain/jobs/FirmwareJobs.ts"
import { Firmware } from "../../firmware/Firmware.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { MemoOf } from "../../domain/jobs/JobDefinition.ts"
import { FirmwareUnreachable, type TellProgress } from "../../firmware/ImageDownload.ts"
import { handle, type JobHandler, type JobOutcome, type JobRun } from "../engine/JobHandler.ts"
import { untilAborted } from "../engine/UntilAborted.ts"

/** The end of a job about an image, whose result is a sentence. */
export const fileDone = (result: string): JobOutcome => ({ result, change_score: null })

/** The same when it came to nothing. */
export const fileFailed = (result: string): JobOutcome => ({ ...fileDone(result), failure: result })

/** How often a job writes how far it is. */
const EVERY = "2 seconds"

/** What a download tells is written now and then, for those who wait for it. */
const makeProgress = (memo: JobRun<typeof GetFirmware>["memo"]) => {
  let newest: MemoOf<typeof GetFirmware> | undefined
  const tell: TellProgress = (bytes, total) => {
    newest = { bytes, total }
  }
  const write = Effect.suspend(() => {
    const progress = newest
    newest = undefined
    if (progress === undefined) return Effect.void
    return Effect.catch(memo.write(progress), (error) =>
      Effect.logWarning(`How far the download is could not be noted: ${error.message}`)
    )
  })
  return { tell, writing: Effect.forever(Effect.delay(write, EVERY)) }
}

/** A restart goes on with what had been downloaded. */
const make = Effect.gen(function* () {
  const firmware = yield* Firmware
  const { FIRMWARE_DOWNLOAD_TIMEOUT } = yield* ServerConfig
  const handler: JobHandler<typeof GetFirmware> = Effect.fn("GetFirmware")(function* (job) {
    const { sha1, url, verify_tls } = job.args
    const { tell, writing } = makeProgress(job.memo)
    const download = firmware.download({ url, sha1, verify_tls }, tell).pipe(
      Effect.raceFirst(writing),
      Effect.timeoutOrElse({
        duration: Duration.seconds(FIRMWARE_DOWNLOAD_TIMEOUT),
        orElse: () => new FirmwareUnreachable({ message: `it took more than ${FIRMWARE_DOWNLOAD_TIMEOUT} seconds` })
      }),
      Effect.as(fileDone(`File downloaded from: ${String(url)}`)),
      Effect.catchTags({
        FirmwareRefused: ({ message }) => Effect.succeed(fileFailed(message)),
        FirmwareUnreachable: ({ message }) => Effect.succeed(fileFailed(`Could not download firmware: ${message}`))
      })
    )
    const done = yield* untilAborted(job, download)
    return Option.getOrElse(done, () => fileFailed("The download was aborted"))
  })
  return handler
})

export const job = handle(GetFirmware, make)
