/** Whether a series of figures grows: a line through them by least squares. */

export interface Trend {
  readonly mean: number
  /** What a day adds. */
  readonly slope: number
  /** What the line adds from the first to the last, as a part of the mean. */
  readonly growth: number
  /** Two standard errors of that: less than it is noise. */
  readonly noise: number
}

/** The line through figures of days that follow each other. */
export const trendOf = (values: ReadonlyArray<number>): Trend => {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const spread = values.reduce((sum, _, day) => sum + (day - middle) ** 2, 0)
  const slope = values.reduce((sum, value, day) => sum + (day - middle) * (value - mean), 0) / spread
  const rest = values.reduce((sum, value, day) => sum + (value - mean - slope * (day - middle)) ** 2, 0)
  const error = Math.sqrt(rest / Math.max(values.length - 2, 1) / spread)
  const part = (perDay: number) => (mean === 0 ? 0 : (perDay * (values.length - 1)) / mean)
  return { mean, slope, growth: part(slope), noise: part(2 * error) }
}
