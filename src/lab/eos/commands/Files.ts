/**
 * Files: copy, dir, delete, verify, saving. See docs/switch-dialogues.md#eos-files-and-certificates and
 * docs/switch-dialogues.md#eos-firmware-and-reload.
 */
import * as Faults from "../../Faults.ts"
import * as Flash from "../../Flash.ts"
import * as Loader from "../ConfigLoader.ts"
import { render } from "../ConfigTree.ts"
import type { Output } from "../Shell.ts"
import { showRunning, showStartup } from "../Wording.ts"
import * as Switch from "../../Switch.ts"
import { type Call, type Command, command } from "./Command.ts"

const DONE = "Copy completed successfully.\n"

const save = ({ device }: Call): Output => {
  if (device.faults.length > 0 && Faults.take(device.faults, "fullFlash") !== undefined)
    return noSpace("startup-config")
  if (!device.behaviour.quirks.saveLies) device.startup = device.running
  return DONE
}

const noSpace = (name: string) => `% Error copying to ${name} (No space left on device)\n`

const copy = (call: Call): Output => {
  const { device, args } = call
  const from = args["from"] ?? ""
  const to = args["to"] ?? ""
  if (/^https?:/.test(from)) return download(device, from, to)
  if (/^startup-config$/.test(to) && from === "running-config") return save(call)
  const source = read(device, from)
  if (source === undefined) return `% Error copying ${from} (No such file or directory)\n`
  return write(device, from, to, source)
}

const read = (device: Switch.Switch, from: string): Buffer | undefined => {
  if (from === "running-config") return Buffer.from(showRunning(device))
  if (from === "startup-config") return Buffer.from(showStartup(device) ?? "")
  const name = Flash.nameIn(from)
  return name === undefined ? undefined : device.flash.files.get(name)?.content
}

const write = (device: Switch.Switch, from: string, to: string, content: Buffer): Output => {
  const base = Flash.nameIn(from) ?? from
  const store = /^(certificate|sslkey):(.*)$/.exec(to)
  if (store !== null) {
    ;(store[1] === "sslkey" ? device.keys : device.certificates).set(
      store[2] === "" || store[2] === undefined ? base : store[2],
      content
    )
    return DONE
  }
  if (to === "startup-config") {
    device.startup = printed(content)
    return DONE
  }
  if (to === "running-config") {
    Switch.setRunning(device, merged(device.running, content))
    Switch.pushCommit(device.history, { session: "", kind: "direct", at: Date.now() })
    return DONE
  }
  const name = Flash.nameIn(to)
  if (name === undefined) return "% Invalid input\n"
  const full = device.faults.length > 0 && Faults.take(device.faults, "fullFlash") !== undefined
  return !full && Flash.writeBytes(device.flash, name === "" ? base : name, content) ? DONE : noSpace(to)
}

const printed = (content: Buffer) => render(Loader.parse(content.toString("utf8")))

const merged = (running: string, content: Buffer) => {
  const root = Loader.parse(running)
  const loader = Loader.make(root, Loader.LENIENT)
  for (const line of content.toString("utf8").split("\n")) Loader.feed(loader, line)
  Loader.finish(loader)
  return render(root)
}

const download = async (device: Switch.Switch, url: string, to: string): Promise<string> => {
  const target = Flash.nameIn(to)
  if (target === undefined) return "% Invalid input\n"
  const name = target === "" ? decodeURIComponent(url.split("/").at(-1) ?? "") : target
  const old = device.flash.files.get(name)?.size ?? 0
  const full = device.faults.length > 0 && Faults.take(device.faults, "fullFlash") !== undefined
  const fetched = await Flash.download(url, full ? 0 : Flash.free(device.flash) + old)
  if (typeof fetched === "string") return `${fetched}\n`
  return Flash.write(device.flash, name, fetched) ? DONE : noSpace(to)
}

const dir = ({ device }: Call): Output => {
  const lines = [...device.flash.files].map(
    ([name, file]) => `       -rw-  ${String(file.size).padStart(10)}           ${date(file.modified)}  ${name}\n`
  )
  const { size } = device.flash
  return `Directory of flash:/\n\n${lines.join("")}\n${size} bytes total (${Flash.free(device.flash)} bytes free)\n`
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const date = (at: number) => {
  const when = new Date(at)
  return `${MONTHS[when.getUTCMonth()]} ${String(when.getUTCDate()).padStart(2)} ${when.toISOString().slice(11, 16)}`
}

const remove = ({ device, args }: Call): Output => {
  const path = args["path"] ?? ""
  const store = /^(certificate|sslkey):(.+)$/.exec(path)
  const name = store?.[2] ?? Flash.nameIn(path) ?? ""
  const removed =
    store === null
      ? device.flash.files.delete(name)
      : (store[1] === "sslkey" ? device.keys : device.certificates).delete(name)
  return removed ? "" : `% Error deleting ${path} (No such file or directory)\n`
}

const rename = ({ device, args }: Call): Output => {
  const from = Flash.nameIn(args["from"] ?? "") ?? ""
  const file = device.flash.files.get(from)
  if (file === undefined) return `% Error renaming ${args["from"]} (No such file or directory)\n`
  device.flash.files.delete(from)
  device.flash.files.set(Flash.nameIn(args["to"] ?? "") ?? from, file)
  return ""
}

const format = ({ device }: Call): Output => {
  device.flash.files.clear()
  return ""
}

const install = ({ device, args }: Call): Output => {
  const name = Flash.nameIn(args["path"] ?? "")
  if (name === undefined || !device.flash.files.has(name)) return "% No such file or directory\n"
  device.bootImage = name
  return ""
}

const verify = ({ device, args }: Call): Output => {
  const path = args["path"] ?? ""
  const kind = args["digest"]?.replace("/", "") ?? "md5"
  const file = device.flash.files.get(Flash.nameIn(path) ?? "")
  if (file?.digests === undefined) return `% Error verifying ${path} (No such file or directory)\n`
  const value =
    kind === "md5"
      ? file.digests.md5
      : kind === "sha1"
        ? file.digests.sha1
        : kind === "sha512"
          ? file.digests.sha512
          : undefined
  return value === undefined
    ? "% Invalid input (at token 1: '/" + kind + "')\n"
    : `verify /${kind} (${path}) = ${value}\n`
}

/** Commands of this file. */
export const commands: ReadonlyArray<Command> = [
  command("write", "write", save),
  command("write memory", "write", save),
  command("copy <from> <to>", (_, args) => (args["to"] === "startup-config" ? "write" : "copy"), copy),
  command("copy <from> vrf <vrf> <to>", "copy", copy),
  command("dir", "show", dir),
  command("dir <path>", "show", dir),
  command("delete <path>", "delete", remove),
  command("delete <flag> <path>", "delete", remove),
  command("rename <from> <to>", "delete", rename),
  command("format <path>", "delete", format),
  command("install source <path>", "boot", install),
  command("more <path>", "show", ({ device, args }) => read(device, args["path"] ?? "")?.toString("utf8") ?? ""),
  command("write terminal", "show", ({ device }) => showRunning(device)),
  command("verify <digest> <path>", "show", verify)
]
