/** Sizes for people. Pure. */

const UNITS = ["B", "KiB", "MiB", "GiB"] as const

/** `990.0 MiB`; whole bytes below 1024. */
export const bytesText = (bytes: number): string => {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power] ?? ""}`
}

/** The whole percents that have arrived; undefined while the size is unknown. */
export const percentOf = (bytes: number | null, total: number | null): number | undefined =>
  bytes === null || total === null || total === 0 ? undefined : Math.floor((100 * bytes) / total)
