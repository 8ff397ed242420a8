/**
 * Downloads one image into a partial file, in constant memory. An earlier part is kept and only the rest is fetched, so a download continues
 * after a broken connection or a restart; the checksum of the whole file decides. Switches see no partial file.
 */
import { Effect, Schedule, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { codeOf, isMissing, messageOf, ownFault, reasonOf } from "../runtime/SystemErrors.ts"
import * as OutboundFetch from "../runtime/OutboundFetch.ts"
import type { OutboundError } from "../runtime/OutboundFetch.ts"
import type { OutboundGuard } from "../runtime/OutboundHosts.ts"
import { createHash, type Hash } from "node:crypto"
import { createReadStream } from "node:fs"

// Checksums of image files: SHA-1 for operators, SHA-512 and MD5 for switches to verify. Files are read as streams.

/** Size in bytes and checksums in lower-case hexadecimal. */
export const ImageDigests = Schema.Struct({
  size: Schema.Int,
  sha1: Schema.String,
  sha512: Schema.String,
  md5: Schema.String
})
export type ImageDigests = typeof ImageDigests.Type

/** Checksums of a growing file. */
interface RunningDigests {
  readonly add: (chunk: Buffer) => void
  readonly size: () => number
  /** The checksums of all added bytes; no bytes may be added afterwards. */
  readonly end: () => ImageDigests
}

/** Checksums of an empty file. */
export const begin = (): RunningDigests => {
  const sums: ReadonlyArray<Hash> = [createHash("sha1"), createHash("sha512"), createHash("md5")]
  let size = 0
  return {
    add: (chunk) => {
      size += chunk.length
      for (const sum of sums) sum.update(chunk)
    },
    size: () => size,
    end: () => {
      const [sha1 = "", sha512 = "", md5 = ""] = sums.map((sum) => sum.digest("hex"))
      return { size, sha1, sha512, md5 }
    }
  }
}

/** Adds a file's content to running checksums; a missing file adds nothing. */
export const addFile = (digests: RunningDigests, file: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      try {
        for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024, signal })) digests.add(chunk)
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },
    catch: (error) => error
  }).pipe(
    Effect.catch((error) => orOurs(error)(new FirmwareRefused({ message: `Could not read file: ${reasonOf(error)}` })))
  )

// Errors of firmware images. Clients rely on the texts (docs/jobs.md#get_firmware).

/** The image service refuses the request or cannot carry it out; `message` is its answer. A retry does not help. */
export class FirmwareRefused extends Schema.TaggedError<FirmwareRefused>()("FirmwareRefused", {
  message: Schema.String
}) {}

/** The image service, or the server of the image, is unreachable or answers wrongly. */
export class FirmwareUnreachable extends Schema.TaggedError<FirmwareUnreachable>()("FirmwareUnreachable", {
  message: Schema.String
}) {}

export type FirmwareError = FirmwareRefused | FirmwareUnreachable

/** The error of a request to another server. If this machine lacks a resource, such as a name server, the job waits (`JobRunner.ts`). */
export const ofOutbound = (error: OutboundError): Effect.Effect<never, FirmwareError> => {
  switch (error._tag) {
    case "OwnFault":
      return Effect.die(error)
    case "OutboundRefused":
      return Effect.fail(new FirmwareRefused({ message: `Could not download firmware: ${error.message}` }))
    case "OutboundAway":
      return Effect.fail(new FirmwareUnreachable({ message: error.message }))
  }
}

/** A resource that the server's machine lacks is no fault of the image service: the job waits for it, and a request is answered with 503. */
const orOurs =
  (error: unknown) =>
  <E>(failure: E): Effect.Effect<never, E> => {
    const fault = ownFault(error, "file", "Images cannot be stored")
    return fault === undefined ? Effect.fail(failure) : Effect.die(fault)
  }

/** Works on the disk. Fails with FirmwareRefused and this message, which clients rely on, for any fault of the file. */
export const disk = <A>(message: string, run: () => Promise<A>) =>
  Effect.catch(Effect.tryPromise({ try: run, catch: (error) => error }), (error) =>
    orOurs(error)(new FirmwareRefused({ message }))
  )

/** Receives the number of downloaded bytes from time to time, and the total if known. */
export type TellProgress = (bytes: number, total: number | null) => void

/** A download and its limits. `sha1` in lower-case hexadecimal, `maxBytes` the largest image. */
export interface Download {
  readonly url: string
  readonly sha1: string
  readonly verifyTls: boolean
  readonly guard: OutboundGuard
  readonly maxBytes: number
  readonly part: string
  readonly tell?: TellProgress
}

/** Disk space that a download keeps free for other uses. */
const RESERVE_BYTES = 128 * 1024 * 1024
const NO_SPACE = "No space left for firmware on the server"

const IDLE_SECONDS = 60
const PARTIAL = 206
const NOT_SATISFIABLE = 416
const BUSY: ReadonlySet<number> = new Set([408, 425, 429])

/** The schedule of retries after a broken connection, with growing pauses. */
const AGAIN = Schedule.exponential("500 millis").pipe(Schedule.upTo({ times: 5 }))

const refused = (message: string) => new FirmwareRefused({ message })
const onDisk = <A>(run: () => Promise<A>) =>
  Effect.catch(Effect.tryPromise({ try: run, catch: (error) => error }), (error) =>
    codeOf(error) === "ENOSPC"
      ? Effect.fail(refused(NO_SPACE))
      : orOurs(error)(refused(`Could not store firmware: ${reasonOf(error)}`))
  )

const startOf = (response: IncomingMessage): number | undefined => {
  const match = /^bytes (\d+)-/.exec(response.headers["content-range"] ?? "")
  return match === null ? undefined : Number(match[1])
}

/** Fails if the rest of an image would fill the disk, which other parts need as well. */
const checkRoom = Effect.fnUntraced(function* (part: string, bytes: number) {
  const { bavail, bsize } = yield* onDisk(() => fs.statfs(path.dirname(part)))
  if (bavail * bsize - bytes < RESERVE_BYTES) return yield* refused(NO_SPACE)
})

const tooLarge = ({ maxBytes }: Download) => refused(`The image is larger than ${maxBytes} bytes`)

/** Appends the body to the file from `position` on. */
const receive = (download: Download, response: IncomingMessage, sums: RunningDigests, total: number | null) =>
  Effect.acquireUseRelease(
    onDisk(() => fs.open(download.part, sums.size() === 0 ? "w" : "r+", 0o600)),
    (file) =>
      Effect.tryPromise({
        try: async (signal) => {
          // the loop below ends with the answer, so nothing writes to the closed file
          signal.addEventListener("abort", () => response.destroy(), { once: true })
          for await (const chunk of response) {
            if (!Buffer.isBuffer(chunk)) continue
            if (sums.size() + chunk.length > download.maxBytes) throw tooLarge(download)
            await file.write(chunk, 0, chunk.length, sums.size())
            sums.add(chunk)
            download.tell?.(sums.size(), total)
          }
          await file.datasync()
        },
        catch: (error) => error
      }).pipe(
        Effect.catch((error): Effect.Effect<never, FirmwareError> => {
          if (error instanceof FirmwareRefused) return Effect.fail(error)
          if (codeOf(error) === "ENOSPC") return Effect.fail(refused(NO_SPACE))
          return orOurs(error)(new FirmwareUnreachable({ message: messageOf(error) }))
        })
      ),
    (file) => Effect.promise(() => file.close())
  )

const sumsOfPart = Effect.fnUntraced(function* (part: string) {
  const sums = begin()
  yield* addFile(sums, part)
  return sums
})

const once = Effect.fnUntraced(function* (download: Download) {
  const known = yield* sumsOfPart(download.part)
  const from = known.size()
  const response = yield* OutboundFetch.open(download.url, {
    verifyTls: download.verifyTls,
    guard: download.guard,
    idleSeconds: IDLE_SECONDS,
    headers: { accept: "*/*", "accept-encoding": "identity", ...(from > 0 ? { range: `bytes=${from}-` } : {}) }
  }).pipe(Effect.catch(ofOutbound))
  const status = response.statusCode ?? 0
  if (status === NOT_SATISFIABLE && from > 0) return known.end()
  if (status >= 500 || BUSY.has(status))
    return yield* new FirmwareUnreachable({ message: `the server answers ${status}` })
  if (status !== 200 && status !== PARTIAL)
    return yield* refused(`Could not download firmware: the server answers ${status}`)
  const continues = status === PARTIAL && startOf(response) === from
  if (status === PARTIAL && !continues) return yield* refused("The server answers with another part than was asked for")
  const sums = continues ? known : begin()
  const rest = Number(response.headers["content-length"] ?? 0)
  if (sums.size() + rest > download.maxBytes) return yield* tooLarge(download)
  yield* checkRoom(download.part, rest)
  yield* receive(download, response, sums, rest > 0 ? sums.size() + rest : null)
  return sums.end()
}, Effect.scoped)

const discard = ({ part }: Download) => onDisk(() => fs.rm(part, { force: true }))

const checked = (download: Download) =>
  Effect.flatMap(
    once(download).pipe(Effect.retry({ while: (error) => error._tag === "FirmwareUnreachable", schedule: AGAIN })),
    (digests) =>
      digests.sha1 === download.sha1
        ? Effect.succeed(digests)
        : Effect.andThen(discard(download), refused("Checksum mismatch, file corrupt"))
  )

const sizeOf = (file: string) =>
  Effect.promise(() =>
    fs.stat(file).then(
      ({ size }) => size,
      () => 0
    )
  )

/**
 * Downloads into `part` and yields the checksums. Fails with FirmwareRefused if it can never succeed (then the partial file is
 * removed), or with FirmwareUnreachable after several attempts (then the part is kept for the next download).
 */
export const download = Effect.fn("ImageDownload.download")(function* (wanted: Download) {
  const resumes = (yield* sizeOf(wanted.part)) > 0
  return yield* checked(wanted).pipe(
    // the earlier part may belong to another file: download again from the start
    Effect.catchIf(
      (error) => resumes && error._tag === "FirmwareRefused" && error.message.startsWith("Checksum mismatch"),
      () => checked(wanted)
    ),
    Effect.tapErrorTag("FirmwareRefused", () => discard(wanted))
  )
})
