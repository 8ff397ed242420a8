/**
 * The flash of a switch: files with sizes that are enforced, and the images that it can boot. Small files keep their
 * bytes; of large ones only length and digests are kept, so firmware for thousands of switches costs nothing.
 */
import { createHash } from "node:crypto"
import * as http from "node:http"
import * as https from "node:https"

/** Files up to this size keep their content. */
const KEEP_BYTES = 256 * 1024

interface Digests {
  readonly md5: string
  readonly sha1: string
  readonly sha512: string
}

export interface FlashFile {
  readonly size: number
  readonly content: Buffer | undefined
  readonly digests: Digests | undefined
  /** Milliseconds since 1970. */
  readonly modified: number
}

export interface Flash {
  /** Bytes in all. */
  readonly size: number
  readonly files: Map<string, FlashFile>
}

/** An empty flash of `size` bytes. */
export const make = (size: number): Flash => ({ size, files: new Map() })

/** Bytes in use. */
export const used = (flash: Flash): number => [...flash.files.values()].reduce((sum, file) => sum + file.size, 0)

/** Bytes left. */
export const free = (flash: Flash): number => Math.max(0, flash.size - used(flash))

/** The digests of a content. */
export const digests = (content: Buffer): Digests => ({
  md5: createHash("md5").update(content).digest("hex"),
  sha1: createHash("sha1").update(content).digest("hex"),
  sha512: createHash("sha512").update(content).digest("hex")
})

/** Writes a file; false when there is no room (then nothing changes). */
export const write = (flash: Flash, name: string, file: Omit<FlashFile, "modified">): boolean => {
  const old = flash.files.get(name)?.size ?? 0
  if (file.size > free(flash) + old) return false
  flash.files.delete(name)
  flash.files.set(name, { ...file, modified: Date.now() })
  return true
}

/** Writes a file from bytes; false when there is no room. */
export const writeBytes = (flash: Flash, name: string, content: Buffer): boolean =>
  write(flash, name, {
    size: content.length,
    content: content.length <= KEEP_BYTES ? content : undefined,
    digests: digests(content)
  })

/** The file name in `flash:x`, `flash:/x`, `/mnt/flash/x` or `file:/mnt/flash/x`; undefined for other places. */
export const nameIn = (path: string): string | undefined => {
  const match = /^(?:flash:\/?|(?:file:)?\/mnt\/flash\/)(.*)$/.exec(path)
  return match?.[1] === undefined ? undefined : match[1].replace(/^\/+/, "")
}

// `copy http://…`: really fetches the file, counts it against the free flash while it comes, and keeps the content of
// small files only.

const TIMEOUT_MS = 500_000

/** The file behind a URL, or the error line that the switch prints. `room` is the most bytes that fit. */
export const download = (url: string, room: number): Promise<Omit<FlashFile, "modified"> | string> =>
  new Promise((resolve) => {
    if (!URL.canParse(url)) return resolve(`% Error copying ${url} (Invalid URL)`)
    const request = (url.startsWith("https:") ? https : http).get(url, { timeout: TIMEOUT_MS }, (response) => {
      if (response.statusCode === 200) return resolve(receive(response, room))
      response.resume()
      return resolve(
        `get: Access failed: ${response.statusCode} ${response.statusMessage ?? ""} (${new URL(url).pathname})`
      )
    })
    request.on("timeout", () => request.destroy(new Error("Connection timed out")))
    request.on("error", (error) => resolve(`get: Fatal error: ${error.message}`))
    return undefined
  })

const receive = (response: http.IncomingMessage, room: number): Promise<Omit<FlashFile, "modified"> | string> =>
  new Promise((resolve) => {
    const [md5, sha1, sha512] = [createHash("md5"), createHash("sha1"), createHash("sha512")]
    const kept: Array<Buffer> = []
    let size = 0
    response.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > room) {
        resolve("% Error copying to flash: (No space left on device)")
        response.destroy()
        return
      }
      for (const hash of [md5, sha1, sha512]) hash.update(chunk)
      if (size <= KEEP_BYTES) kept.push(chunk)
    })
    response.on("error", (error) => resolve(`get: Fatal error: ${error.message}`))
    response.on("end", () =>
      resolve({
        size,
        content: size <= KEEP_BYTES ? Buffer.concat(kept) : undefined,
        digests: { md5: md5.digest("hex"), sha1: sha1.digest("hex"), sha512: sha512.digest("hex") }
      })
    )
  })
