/**
 * Plugin `show`: the check `lines` compares the lines that a read-only command shows (docs/plugins.md#show). The command is the argument
 * with the name of the device's platform, or `command`. `matching` is a regular expression: lines that it does not match are left out, its
 * group `name`, or its first group, names the item, and its other named groups are fields.
 */
import type { CheckedDevice, CheckItem, MakePlugin, PluginCheck } from "../PluginModule.ts"

type Given = Readonly<Record<string, boolean | number | string>>

const textIn = (given: Given, name: string): string | undefined => {
  const value = given[name]
  if (value === undefined || typeof value === "string") return value
  throw new Error(`${name} must be a text`)
}

const commandFor = ({ platform }: CheckedDevice, given: Given): string => {
  const command = (platform === null ? undefined : textIn(given, platform)) ?? textIn(given, "command")
  if (command !== undefined) return command
  throw new Error(`with names no command for the platform ${platform ?? "None"}`)
}

const isNumber = (text: string): boolean => /^[+-]?\d+(?:\.\d+)?$/.test(text)

/** The item of a line, whose name may stand for several lines. */
const itemOf = (line: string, [, first]: RegExpExecArray, groups: Readonly<Record<string, string | undefined>>) => {
  const { name = first ?? line, ...others } = groups
  const fields = Object.entries(others).map(([field, text]) => [
    field,
    text === undefined ? null : isNumber(text) ? Number(text) : text
  ])
  return { ...Object.fromEntries(fields), line, name: name.trim() } satisfies CheckItem
}

/** The items of lines; the second one of a name is `NAME (2)`. */
export const itemsIn = (output: string, matching: RegExp): ReadonlyArray<CheckItem> => {
  const seen = new Map<string, number>()
  const items: Array<CheckItem> = []
  for (const whole of output.split("\n")) {
    const line = whole.trim()
    const found = line === "" ? null : matching.exec(line)
    if (found === null) continue
    const item = itemOf(line, found, found.groups ?? {})
    const count = (seen.get(item.name) ?? 0) + 1
    seen.set(item.name, count)
    items.push(count === 1 ? item : { ...item, name: `${item.name} (${count})` })
  }
  return items
}

const lines: PluginCheck = {
  commands: ({ arguments: given, device }) => [commandFor(device, given)],
  items: ({ arguments: given, outputs: [output = ""] }) => itemsIn(output, new RegExp(textIn(given, "matching") ?? ""))
}

const make: MakePlugin = () => ({ checks: { lines } })

export default make
