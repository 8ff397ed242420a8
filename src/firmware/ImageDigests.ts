/** Checksums of image files: SHA-1 for operators, SHA-512 and MD5 for what switches can verify. Files are read as streams. */
import { Effect, Schema } from "effect"
import { createHash, type Hash } from "node:crypto"
import { createReadStream } from "node:fs"
import { isMissing, reasonOf } from "../runtime/SystemErrors.ts"
import { FirmwareRefused, orOurs } from "./FirmwareErrors.ts"

/** Size in bytes and checksums in lower-case hexadecimal. */
export const ImageDigests = Schema.Struct({
  size: Schema.Int,
  sha1: Schema.String,
  sha512: Schema.String,
  md5: Schema.String
})
export type ImageDigests = typeof ImageDigests.Type

/** Checksums that grow with what is added. */
export interface RunningDigests {
  readonly add: (chunk: Buffer) => void
  readonly size: () => number
  /** The sums of everything added; nothing may be added afterwards. */
  readonly end: () => ImageDigests
}

/** Checksums of nothing yet. */
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

/** Adds a file's content to running checksums; a file that is not there adds nothing. */
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
