/**
 * Python's bytes, as far as templates meet them: something that prints as `b'\n\x00'`.
 */
import { Native } from "./Value.ts"
import type { Value } from "./Value.ts"

const escapes: ReadonlyMap<number, string> = new Map([
  [9, "\\t"],
  [10, "\\n"],
  [13, "\\r"],
  [92, "\\\\"]
])

class Bytes extends Native {
  readonly typeName = "bytes"
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super()
    this.bytes = bytes
  }

  repr(): string {
    const quote = this.bytes.includes(39) && !this.bytes.includes(34) ? '"' : "'"
    const inner = Array.from(this.bytes, (byte) => {
      if (byte === 39 && quote === "'") return "\\'"
      const known = escapes.get(byte)
      if (known !== undefined) return known
      return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`
    })
    return `b${quote}${inner.join("")}${quote}`
  }

  override item(key: Value): Value | undefined {
    return typeof key === "number" ? this.bytes.at(key) : undefined
  }

  override length(): number {
    return this.bytes.length
  }

  override truth(): boolean {
    return this.bytes.length > 0
  }
}

/** Bytes as a value. */
export const bytesValue = (bytes: Uint8Array): Value => new Bytes(bytes)
