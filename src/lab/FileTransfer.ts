/**
 * File transfers to and from a switch's flash: the far end of `scp -t` and `scp -f`, and a small sftp server. See
 * docs/switch-dialogues.md#eos-files-and-certificates.
 */
import type { ServerChannel, SFTPWrapper } from "ssh2"
import * as Faults from "./Faults.ts"
import * as Flash from "./Flash.ts"
import type { Switch } from "./Switch.ts"
import { utils } from "../drivers/ssh/Ssh2.ts"

export interface Transfer {
  readonly direction: "to" | "from"
  readonly path: string
}

/** The transfer of an exec line, if it is an scp. */
export const parse = (line: string): Transfer | undefined => {
  const match = /^scp ((?:-\w+ )*)(?:-- )?['"]?(\S+?)['"]?$/.exec(line.trim())
  if (match === null) return undefined
  const flags = match[1] ?? ""
  return flags.includes("t")
    ? { direction: "to", path: match[2] ?? "" }
    : flags.includes("f")
      ? { direction: "from", path: match[2] ?? "" }
      : undefined
}

/** Serves one transfer and ends the channel. */
export const serve = (device: Switch, transfer: Transfer, channel: ServerChannel): void => {
  if (transfer.direction === "to") receive(device, transfer.path, channel)
  else send(device, transfer.path, channel)
}

const OK = Buffer.from([0])

const fail = (channel: ServerChannel, text: string) => {
  channel.write(Buffer.concat([Buffer.from([1]), Buffer.from(`scp: ${text}\n`)]))
  close(channel, 1)
}

const close = (channel: ServerChannel, code: number) => {
  channel.exit(code)
  channel.end()
}

interface Incoming {
  readonly name: string
  readonly size: number
}

const receive = (device: Switch, path: string, channel: ServerChannel) => {
  let pending = Buffer.alloc(0)
  let file: Incoming | undefined
  const step = (): boolean => {
    if (file === undefined) {
      const end = pending.indexOf("\n")
      if (end < 0) return false
      const header = pending.subarray(0, end).toString("utf8")
      pending = pending.subarray(end + 1)
      file = accept(device, path, channel, header)
      return true
    }
    if (pending.length <= file.size) return false
    store(device, channel, file, pending.subarray(0, file.size))
    pending = pending.subarray(file.size + 1)
    file = undefined
    return pending.length > 0
  }
  channel.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (step());
  })
  channel.on("end", () => close(channel, 0))
  channel.write(OK)
}

const accept = (device: Switch, path: string, channel: ServerChannel, header: string): Incoming | undefined => {
  const match = /^C\d{4} (\d+) (.+)$/.exec(header)
  if (match === null) {
    if (!/^[TDE]/.test(header)) fail(channel, `protocol error: ${header.slice(0, 40)}`)
    else channel.write(OK)
    return undefined
  }
  const target = Flash.nameIn(path.endsWith("/flash") ? `${path}/` : path)
  const size = Number(match[1])
  if (target === undefined) fail(channel, `${path}: Permission denied`)
  else if (
    size > Flash.free(device.flash) ||
    (device.faults.length > 0 && Faults.take(device.faults, "fullFlash") !== undefined)
  ) {
    fail(channel, `${path}: No space left on device`)
  } else {
    channel.write(OK)
    return { name: target === "" ? (match[2] ?? "") : target, size }
  }
  return undefined
}

const store = (device: Switch, channel: ServerChannel, file: Incoming, content: Buffer) => {
  Flash.writeBytes(device.flash, file.name, Buffer.from(content))
  channel.write(OK)
}

const send = (device: Switch, path: string, channel: ServerChannel) => {
  const content = device.flash.files.get(Flash.nameIn(path) ?? "")?.content
  if (content === undefined) return fail(channel, `${path}: No such file or directory`)
  let acknowledged = 0
  channel.on("data", (chunk: Buffer) => {
    acknowledged += chunk.length
    if (acknowledged === 1) channel.write(`C0644 ${content.length} ${Flash.nameIn(path) ?? ""}\n`)
    else if (acknowledged === 2) channel.write(Buffer.concat([content, OK]))
    else close(channel, 0)
  })
}

// A small sftp server on a switch's flash: enough to put, get, list the size of and remove single files.

const { STATUS_CODE, OPEN_MODE } = utils.sftp

interface OpenFile {
  readonly name: string
  content: Buffer
  readonly writing: boolean
}

/** Serves one sftp channel. */
export const serveSftp = (device: Switch, sftp: SFTPWrapper): void => {
  const open = new Map<number, OpenFile>()
  let next = 0
  const fileOf = (handle: Buffer) => (handle.length === 4 ? open.get(handle.readUInt32BE(0)) : undefined)
  sftp.on("OPEN", (id, path, flags) => {
    const name = Flash.nameIn(path)
    const writing = (flags & OPEN_MODE.WRITE) !== 0
    const content = name === undefined ? undefined : writing ? Buffer.alloc(0) : device.flash.files.get(name)?.content
    if (name === undefined || content === undefined) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(next, 0)
    open.set(next, { name, content, writing })
    next += 1
    return sftp.handle(id, handle)
  })
  sftp.on("WRITE", (id, handle, offset, data) => {
    const file = fileOf(handle)
    if (file === undefined || offset + data.length > Flash.free(device.flash))
      return sftp.status(id, STATUS_CODE.FAILURE)
    if (file.content.length < offset + data.length) file.content = Buffer.concat([file.content], offset + data.length)
    data.copy(file.content, offset)
    return sftp.status(id, STATUS_CODE.OK)
  })
  sftp.on("READ", (id, handle, offset, length) => {
    const file = fileOf(handle)
    if (file === undefined) return sftp.status(id, STATUS_CODE.FAILURE)
    if (offset >= file.content.length) return sftp.status(id, STATUS_CODE.EOF)
    return sftp.data(id, file.content.subarray(offset, offset + length))
  })
  sftp.on("CLOSE", (id, handle) => {
    const file = fileOf(handle)
    if (file === undefined) return sftp.status(id, STATUS_CODE.FAILURE)
    open.delete(handle.readUInt32BE(0))
    const stored = !file.writing || Flash.writeBytes(device.flash, file.name, file.content)
    return sftp.status(id, stored ? STATUS_CODE.OK : STATUS_CODE.FAILURE)
  })
  serveNames(device, sftp)
}

const serveNames = (device: Switch, sftp: SFTPWrapper) => {
  const stat = (id: number, path: string) => {
    const file = device.flash.files.get(Flash.nameIn(path) ?? "")
    if (file === undefined) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
    const seconds = Math.floor(file.modified / 1000)
    return sftp.attrs(id, { mode: 0o100644, uid: 0, gid: 0, size: file.size, atime: seconds, mtime: seconds })
  }
  sftp.on("STAT", stat)
  sftp.on("LSTAT", stat)
  sftp.on("FSETSTAT", (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on("SETSTAT", (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on("REMOVE", (id, path) =>
    sftp.status(id, device.flash.files.delete(Flash.nameIn(path) ?? "") ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE)
  )
  sftp.on("REALPATH", (id, path) =>
    sftp.name(id, [
      {
        filename: path === "." ? "/mnt/flash" : path,
        longname: path,
        attrs: { mode: 0o40755, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 }
      }
    ])
  )
}
