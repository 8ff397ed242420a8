/** Configurations with the lines that EOS prints around them. */
import type { Switch } from "../Switch.ts"

/** The running configuration as `show running-config` prints it. */
export const showRunning = (device: Switch): string => withHeader(device, "running-config", device.running)

/** The startup configuration as printed, or undefined after an erase. */
export const showStartup = (device: Switch): string | undefined =>
  device.startup === undefined ? undefined : withHeader(device, "startup-config", device.startup)

/** A printed configuration with the lines around it. */
export const withHeader = (device: Switch, what: string, printed: string): string =>
  device.behaviour.quirks.bareConfig ? printed || "!\n" : withLines(device, what, printed)

const withLines = (device: Switch, what: string, printed: string): string =>
  `! Command: show ${what}\n! device: ${device.facts.hostname} (${device.hardware.model}, EOS-${device.version})\n!\n` +
  `! boot system flash:/${device.bootImage}\n${printed === "" ? "!\n" : printed}end\n`
