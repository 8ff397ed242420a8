/** The lines of one interface in a running configuration (docs/api.md#live-reads). Pure. */
import { indented } from "../../domain/platforms/Platform.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"

const depthOf = (line: string): number => line.length - line.trimStart().length

/**
 * The lines below the heading of the interface, without the indentation of the first one, joined by newlines. Empty text
 * when there is no such interface or nothing stands below it.
 */
export const interfaceLines = (config: string, name: string, platform: string): string => {
  const { interfaceHeading } = platformOf(platform)?.configuration ?? indented
  const heading = interfaceHeading.replace("{name}", () => name)
  const lines = config.split("\n")
  const start = lines.indexOf(heading)
  if (start < 0) return ""
  const below = lines.slice(start + 1)
  const end = below.findIndex((line) => depthOf(line) <= depthOf(heading))
  const section = end < 0 ? below : below.slice(0, end)
  const indentation = depthOf(section[0] ?? "")
  return section.map((line) => line.slice(Math.min(indentation, depthOf(line)))).join("\n")
}
