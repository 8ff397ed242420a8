/** Figures in readable units. Pure. */

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const

/** `1.5 GiB`. */
export const sizeOf = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[power] ?? ""}`
}

/** `3 days 4 h`, `12 min`, `8 s`, `31 ms`. */
export const durationOf = (seconds: number): string => {
  if (seconds === 0) return "0 s"
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60
  ]
  if (days > 0) return `${days} ${days === 1 ? "day" : "days"} ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min` : `${Math.round(seconds)} s`
}

/** A setting in the form in which it would be written. */
export const settingOf = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "not set"
  return typeof value === "string" ? value : JSON.stringify(value)
}
