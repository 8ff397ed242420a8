/**
 * Plugin `prometheus`: keeps the targets of a Prometheus server in a file of its file discovery (docs/plugins.md#prometheus). Variables:
 * file, port, labels, device_types. The file is replaced whole, so that Prometheus never reads half of it; groups of other writers stay in
 * it.
 */
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { isMissing } from "../../runtime/SystemErrors.ts"
import type { MakePlugin, NewManagedDevice, Plugin } from "../PluginModule.ts"
import { final, isRecord, table, text, texts } from "./HttpJson.ts"

/** The label that marks our groups: Prometheus drops labels that begin with two underscores after its relabeling. */
const OURS = "__meta_switchyard_hostname"
const UPGRADING = "__meta_switchyard_upgrading"

interface Group {
  readonly targets: ReadonlyArray<string>
  readonly labels: Readonly<Record<string, string>>
}

const isLabel = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === "string"

const groupOf = (value: unknown): Group => {
  const targets = isRecord(value) ? value["targets"] : undefined
  if (!isRecord(value) || !Array.isArray(targets))
    throw new Error("the file contains an entry that is no group of targets")
  const labels = isRecord(value["labels"]) ? Object.entries(value["labels"]).filter(isLabel) : []
  return { targets: targets.filter((one) => typeof one === "string"), labels: Object.fromEntries(labels) }
}

const read = async (file: string): Promise<ReadonlyArray<Group>> => {
  const content = await fs.readFile(file, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return "[]"
    throw error
  })
  const groups: unknown = JSON.parse(content.trim() === "" ? "[]" : content)
  if (!Array.isArray(groups)) throw new Error("the file is no list of groups")
  return groups.map(groupOf)
}

/** Written next to the file first, because only a rename within one file system is atomic. */
const replace = async (file: string, groups: ReadonlyArray<Group>): Promise<void> => {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}`)
  try {
    const handle = await fs.open(draft, "wx", 0o644)
    try {
      await handle.writeFile(`${JSON.stringify(groups, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await fs.rename(draft, file)
  } catch (error) {
    await fs.rm(draft, { force: true })
    throw error
  }
}

const isSame = (one: ReadonlyArray<Group>, other: ReadonlyArray<Group>) => JSON.stringify(one) === JSON.stringify(other)

const make: MakePlugin = ({ vars }): Plugin => {
  const file = text(vars, "file")
  if (!file.endsWith(".json")) throw final("the variable file must end with .json, as Prometheus wants it")
  const port = text(vars, "port", "")
  const fixed = table(vars, "labels")
  const types = texts(vars, "device_types", [])
  for (const name of Object.keys(fixed)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw final(`${name} is no name of a label`)
  }

  const targetOf = (address: string) => {
    const host = address.includes(":") && port !== "" ? `[${address}]` : address
    return port === "" ? host : `${host}:${port}`
  }

  const groupFor = (device: NewManagedDevice): Group => ({
    targets: [targetOf(device.management_ip)],
    labels: {
      hostname: device.hostname,
      device_type: device.device_type,
      vendor: device.vendor,
      model: device.model,
      ...fixed,
      [OURS]: device.hostname,
      __meta_switchyard_serial_number: device.serial_number,
      __meta_switchyard_os_version: device.os_version
    }
  })

  /** Calls run one after the other, but a call of an ended thread may still be in progress: the file is read anew each time. */
  const change = async (edit: (groups: ReadonlyArray<Group>) => ReadonlyArray<Group>) => {
    const before = await read(file)
    const after = edit(before)
    if (!isSame(before, after)) await replace(file, after)
  }

  const isOf = (hostname: string, address: string | null) => (group: Group) =>
    OURS in group.labels &&
    (group.labels[OURS] === hostname || (address !== null && group.targets.includes(targetOf(address))))

  const relabel = (hostname: string, edit: (labels: Group["labels"]) => Group["labels"]) =>
    change((groups) =>
      groups.map((group) => (group.labels[OURS] === hostname ? { ...group, labels: edit(group.labels) } : group))
    )

  return {
    selftest: async () => {
      await read(file)
      await fs.access(path.dirname(file), fs.constants.W_OK)
      return true
    },
    new_managed_device: (device) =>
      change((groups) => {
        const others = groups.filter((group) => !isOf(device.hostname, device.management_ip)(group))
        const wanted = types.length === 0 || types.includes(device.device_type)
        return wanted ? [...others, groupFor(device)] : others
      }),
    upgrade_reboot_starting: ({ hostname }) => relabel(hostname, (labels) => ({ ...labels, [UPGRADING]: "true" })),
    upgrade_reboot_completed: ({ hostname }) =>
      relabel(hostname, (labels) => Object.fromEntries(Object.entries(labels).filter(([name]) => name !== UPGRADING))),
    removed_device: ({ hostname, management_ip }) =>
      change((groups) => groups.filter((group) => !isOf(hostname, management_ip)(group)))
  }
}

export default make
