/**
 * The few shell commands that drivers send behind `bash`, and a shell that can be entered. Not a shell: each known form is one
 * line of the table. See docs/switch-dialogues.md.
 */
import * as Flash from "../../Flash.ts"
import type { Output, Shell } from "../Shell.ts"
import type { Switch } from "../../Switch.ts"
import { isAtLeast } from "../Hardware.ts"
import { firstWord } from "../Words.ts"
import { type Command, command } from "./Command.ts"

type Form = readonly [RegExp, (device: Switch, match: RegExpExecArray) => string]

const KIB = 1024

const PYTHON = ">>> "

const FORMS: ReadonlyArray<Form> = [
  [
    /^(?:\/bin\/)?df(?: -k)? \/mnt\/flash\/? *\| *awk '\{ *print \$4 *\}'$/,
    (device) => `Available\n${freeKib(device)}\n`
  ],
  [/^(?:\/bin\/)?df(?: -k)?(?: \/mnt\/flash\/?)?$/, df],
  [/^ls -t \/mnt\/flash\/\*\.swi \| tail .*xargs rm -f$/, cleanUp],
  [/^(?:\/bin\/)?ls(?: -\w+)* (\/mnt\/flash\/?[^ ]*)$/, (device, match) => list(device, match[1] ?? "")],
  [/^(?:\/bin\/)?cat (\/mnt\/flash\/\S+)$/, (device, match) => cat(device, match[1] ?? "")],
  [/^md5sum (\/mnt\/flash\/\S+)$/, (device, match) => md5(device, match[1] ?? "")],
  [/^(?:\/bin\/)?rm (?:-f )?(\/mnt\/flash\/\S+)$/, (device, match) => remove(device, match[1] ?? "")],
  [
    /^echo (?:-n )?['"]?([A-Za-z\d+/=]*)['"]? *\| *base64 -d *>(>?) *(\/mnt\/flash\/\S+)$/,
    (device, match) => put(device, match[3] ?? "", Buffer.from(match[1] ?? "", "base64"), match[2] === ">")
  ],
  [
    /^echo (?:-n )?['"]?(.*?)['"]? *>(>?) *(\/mnt\/flash\/\S+)$/,
    (device, match) => put(device, match[3] ?? "", Buffer.from(`${match[1] ?? ""}\n`), match[2] === ">")
  ],
  [/^(?:true|sync|clear)$/, () => ""],
  [/^hostname$/, (device) => `${device.facts.hostname}\n`],
  [/^uptime$/, () => " up\n"]
]

/** Runs one line of the shell, or the words behind `bash`. Sets a reader for `cat > x <<'END'`. */
export const runBash = (shell: Shell, raw: string): Output => {
  const line = raw.trim().replace(/^(?:sudo +)?(?:timeout \d+ +)?/, "")
  if (/^(?:exit(?:\(\))?|logout|quit\(\))$/.test(line) && shell.mode.kind === "bash") {
    shell.mode = shell.mode.behind
    return "logout\n"
  }
  if (shell.mode.kind === "bash" && shell.mode.sign === PYTHON) return ""
  const document = /^cat *> *(\/mnt\/flash\/\S+) *<< *['"]?(\w+)['"]?$/.exec(line)
  if (document !== null) {
    readDocument(shell, document[1] ?? "", document[2] ?? "")
    return ""
  }
  return pasted(shell.device, runForm(shell.device, line))
}

const runForm = (device: Switch, line: string): string => {
  for (const [pattern, run] of FORMS) {
    const match = pattern.exec(line)
    if (match !== null) return run(device, match)
  }
  return `-bash: ${firstWord(line)}: command not found\n`
}

/** EOS 4.32 switches bracketed paste on and off around each answer. */
const pasted = (device: Switch, text: string) =>
  (device.behaviour.bracketedPaste ?? isAtLeast(device, 4, 32)) ? `\u001B[?2004h\u001B[?2004l\n${text}` : text

const readDocument = (shell: Shell, path: string, end: string) => {
  const lines: Array<string> = []
  const finish = () => {
    shell.reader = undefined
    return put(shell.device, path, Buffer.from(lines.map((line) => `${line}\n`).join("")), false)
  }
  shell.reader = {
    echo: true,
    stream: false,
    line: (text) => {
      if (text === end) return finish()
      lines.push(text)
      return ""
    },
    end: finish
  }
}

const freeKib = (device: Switch) => Math.floor(Flash.free(device.flash) / KIB)

function df(device: Switch): string {
  const total = Math.floor(device.flash.size / KIB)
  const used = total - freeKib(device)
  return `Filesystem     1K-blocks    Used Available Use% Mounted on\n/dev/sda1      ${total} ${used} ${freeKib(device)}  ${Math.ceil((used / total) * 100)}% /mnt/flash\n`
}

/** Removes every image but the newest and the one that boots. */
function cleanUp(device: Switch): string {
  const images = [...device.flash.files]
    .filter(([name]) => name.endsWith(".swi"))
    .toSorted(([, a], [, b]) => b.modified - a.modified)
  for (const [name] of images.slice(1)) if (name !== device.bootImage) device.flash.files.delete(name)
  return ""
}

const list = (device: Switch, path: string): string => {
  const name = Flash.nameIn(path.endsWith("/flash") ? `${path}/` : path) ?? ""
  const files = [...device.flash.files].filter(
    ([file]) => name === "" || file === name || (name === "*.swi" && file.endsWith(".swi"))
  )
  if (files.length === 0) return `ls: cannot access '${path}': No such file or directory\n`
  return files
    .map(([file, { size }]) => `-rw-rw-r-- 1 root eosadmin ${size} Mar  4 08:11 /mnt/flash/${file}\n`)
    .join("")
}

const cat = (device: Switch, path: string): string => {
  const name = Flash.nameIn(path) ?? ""
  if (name === "boot-config") return `SWI=flash:/${device.bootImage}\n`
  if (name === "startup-config") return device.startup ?? ""
  return device.flash.files.get(name)?.content?.toString("utf8") ?? `cat: ${path}: No such file or directory\n`
}

const md5 = (device: Switch, path: string): string => {
  const digests = device.flash.files.get(Flash.nameIn(path) ?? "")?.digests
  return digests === undefined ? `md5sum: ${path}: No such file or directory\n` : `${digests.md5}  ${path}\n`
}

const remove = (device: Switch, path: string): string => {
  device.flash.files.delete(Flash.nameIn(path) ?? "")
  return ""
}

const put = (device: Switch, path: string, content: Buffer, append: boolean): string => {
  const name = Flash.nameIn(path) ?? ""
  const before = append ? (device.flash.files.get(name)?.content ?? Buffer.alloc(0)) : Buffer.alloc(0)
  return Flash.writeBytes(device.flash, name, Buffer.concat([before, content]))
    ? ""
    : "-bash: write error: No space left on device\n"
}

const enter = (shell: Shell, sign: string) => {
  shell.mode = { kind: "bash", behind: shell.mode, sign }
}

/** Commands of this file. */
export const commands: ReadonlyArray<Command> = [
  command("bash", "bash", ({ device, shell }) => {
    enter(shell, `[${shell.user}@${device.facts.hostname} ~]$ `)
    return "\nArista Networks EOS shell\n\n"
  }),
  command("python-shell", "bash", ({ shell }) => {
    enter(shell, PYTHON)
    return ""
  }),
  command("bash <line...>", "bash", ({ shell, args }) => runBash(shell, args["line"] ?? ""))
]
