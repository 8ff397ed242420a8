/**
 * Job `get_firmware`: downloads an image to the firmware store (docs/jobs.md#get_firmware). It ends FINISHED, also on error, and at
 * once after an abort; the bytes so far are kept for the next download.
 */
import { Duration, Effect, Option } from "effect"
import { GetFirmware, GetFirmwareChksum, RemoveFile } from "../../domain/jobs/UpkeepJobs.ts"
import { Firmware } from "../../firmware/Firmware.ts"
import { FirmwareUnreachable, type TellProgress } from "../../firmware/ImageDownload.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { MemoOf } from "../../domain/jobs/JobDefinition.ts"
import { handle, type JobOutcome, type JobRun, untilAborted } from "../engine/JobHandler.ts"

/** The end of a job about an image, whose result is a sentence. */
const fileDone = (result: string): JobOutcome => ({ result, change_score: null })

/** The same for a failure. */
const fileFailed = (result: string): JobOutcome => ({ ...fileDone(result), failure: result })

/** How often a job writes its progress. */
const EVERY = "2 seconds"

/** Writes the progress of a download regularly, for users who wait for it. */
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

/** A restart continues the download. */
const downloadImage = Effect.fn("GetFirmware")(function* (job: JobRun<typeof GetFirmware>) {
  const firmware = yield* Firmware
  const { FIRMWARE_DOWNLOAD_TIMEOUT } = yield* ServerConfig
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

export const job = handle(GetFirmware, downloadImage)

// Job `get_firmware_chksum`: computes the SHA-1 of a stored image (docs/jobs.md#get_firmware_chksum). It ends FINISHED, also on
// error.

const computeChecksum = Effect.fn("GetFirmwareChksum")(function* (job: JobRun<typeof GetFirmwareChksum>) {
  const firmware = yield* Firmware
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

export const getFirmwareChksum = handle(GetFirmwareChksum, computeChecksum)

// Job `remove_file`: removes a stored image (docs/jobs.md#remove_file). It ends FINISHED, also on error.

/** After a restart, a missing file was removed by the previous run. */
const removeImage = Effect.fn("RemoveFile")(function* (job: JobRun<typeof RemoveFile>) {
  const firmware = yield* Firmware
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

export const removeFile = handle(RemoveFile, removeImage)
