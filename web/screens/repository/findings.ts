/** Mistakes and warnings of a repository by file and line. Pure. */
import type { RemarkLike } from "../../parts/Remarks.tsx"

export interface Finding extends RemarkLike {
  readonly tone: "bad" | "warn"
}

/** Mistakes first, then by file and line. */
export const findingsOf = (
  problems: ReadonlyArray<RemarkLike>,
  warnings: ReadonlyArray<RemarkLike>
): ReadonlyArray<Finding> => [
  ...problems.map((one): Finding => ({ ...one, tone: "bad" })),
  ...warnings.map((one): Finding => ({ ...one, tone: "warn" }))
]

interface FileFindings {
  readonly file: string
  readonly tone: "bad" | "warn"
  readonly count: number
}

/** The files that have findings, those with mistakes first. */
export const filesWith = (findings: ReadonlyArray<Finding>): ReadonlyArray<FileFindings> => {
  const byFile = Map.groupBy(
    findings.flatMap((one) => (one.file === null ? [] : [{ file: one.file, tone: one.tone }])),
    ({ file }) => file
  )
  return [...byFile]
    .map(([file, all]): FileFindings => ({
      file,
      tone: all.some(({ tone }) => tone === "bad") ? "bad" : "warn",
      count: all.length
    }))
    .toSorted((one, other) => one.tone.localeCompare(other.tone) || one.file.localeCompare(other.file))
}

/** The key of the model that a path of a finding means: `vxlans->guest->vlan_id` is `vxlans->*->vlan_id`. */
export const isKeyOf = (pattern: string, path: string): boolean => {
  const wanted = pattern.split("->")
  const given = path.split("->")
  return wanted.length === given.length && wanted.every((part, index) => part === "*" || part === given[index])
}
