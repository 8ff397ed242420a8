/** Writes one file over an SSH channel that runs `scp -t` (docs/switch-dialogues.md#eos-files-and-certificates). */
import { basename } from "node:path"
import { Effect } from "effect"
import type { ClientChannel } from "ssh2"

const quietMillis = 30_000
const longestError = 500

/**
 * Sends the bytes to a channel on which `scp -t {path}` was started. Fails with the other side's words, or with what
 * happened to the channel; the caller makes its own error of it.
 */
export const sendFile = (channel: ClientChannel, path: string, bytes: Uint8Array): Effect.Effect<void, string> =>
  Effect.callback<void, string>((resume) => {
    const steps = [
      () => channel.write(`C0644 ${bytes.length} ${basename(path)}\n`),
      () => {
        // ssh2 keeps what the peer's window does not take yet, and the file is in memory anyway.
        channel.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
        channel.write(Buffer.from([0]))
      }
    ]
    let complaint = ""
    const end = (result: Effect.Effect<void, string>) => {
      clearTimeout(timer)
      channel.destroy()
      resume(result)
    }
    const timer = setTimeout(() => end(Effect.fail(`scp was silent for ${quietMillis / 1000} s`)), quietMillis)
    channel.on("data", (chunk: Buffer) => {
      timer.refresh()
      for (const byte of chunk) {
        if (complaint !== "" || byte !== 0) {
          complaint += byte === 1 || byte === 2 ? " " : String.fromCharCode(byte)
          if (byte === 10 || complaint.length > longestError) return end(Effect.fail(complaint.trim()))
          continue
        }
        const step = steps.shift()
        if (step === undefined) return end(Effect.void)
        step()
      }
    })
    channel.stderr.on("data", () => timer.refresh())
    channel.on("error", (error: Error) => end(Effect.fail(error.message)))
    channel.on("close", () => end(Effect.fail(complaint.trim() || "the switch closed the file transfer")))
    return Effect.sync(() => {
      clearTimeout(timer)
      channel.destroy()
    })
  })
