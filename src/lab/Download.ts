/**
 * `copy http://…`: really fetches the file, counts it against the free flash while it comes, and keeps the content of
 * small files only.
 */
import { createHash } from "node:crypto"
import * as http from "node:http"
import * as https from "node:https"
import { type FlashFile, KEEP_BYTES } from "./Flash.ts"

const TIMEOUT_MS = 500_000

/** The file behind a URL, or the error line that the switch prints. `room` is the most bytes that fit. */
export const fetch = (url: string, room: number): Promise<Omit<FlashFile, "modified"> | string> =>
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
