/**
 * The flash of a switch: files with sizes that are enforced, and the images that it can boot. Small files keep their
 * bytes; of large ones only length and digests are kept, so firmware for thousands of switches costs nothing.
 */
import { createHash } from "node:crypto"

/** Files up to this size keep their content. */
export const KEEP_BYTES = 256 * 1024

export interface Digests {
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
