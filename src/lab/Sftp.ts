/** A small sftp server on a switch's flash: enough to put, get, list the size of and remove single files. */
import type { SFTPWrapper } from "ssh2"
import { utils } from "../drivers/ssh/Ssh2.ts"
import * as Flash from "./Flash.ts"
import type { Switch } from "./Switch.ts"

const { STATUS_CODE, OPEN_MODE } = utils.sftp

interface OpenFile {
  readonly name: string
  content: Buffer
  readonly writing: boolean
}

/** Serves one sftp channel. */
export const serve = (device: Switch, sftp: SFTPWrapper): void => {
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
