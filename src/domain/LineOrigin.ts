/** Where a line of a configuration comes from (docs/changes.md#blame). Lines count from 1. */
import { Schema } from "effect"
import { CommitSignature } from "./CommitSignature.ts"

/** The lines that are asked about: those that the newest job gave, or those that the last proof has seen on the device. */
export const LinesOf = Schema.Literals(["given", "running"])
export type LinesOf = typeof LinesOf.Type

/** A setting whose value a line has; `line` is null if the file has no line of its own for it. */
const SettingLine = Schema.Struct({
  name: Schema.String,
  file: Schema.String,
  line: Schema.NullOr(Schema.Int),
  commit: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SettingLine" })
export type SettingOrigin = Omit<typeof SettingLine.Type, "commit">

/** `template` is null for a line that no template writes now: it was on the switch before, or the switch adds it. */
const OriginOfLine = Schema.Struct({
  line: Schema.Int,
  text: Schema.String,
  job_id: Schema.NullOr(Schema.Int),
  template: Schema.NullOr(
    Schema.Struct({
      file: Schema.String,
      line: Schema.Int,
      commit: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "TemplateLine" })
  ),
  settings: Schema.Array(SettingLine),
  /** The port whose data of the inventory the line has. */
  port: Schema.NullOr(Schema.String)
}).annotate({ identifier: "OriginOfLine" })

/** A commit that wrote a line of a template or of settings. `at` is UTC. */
const WritingCommit = Schema.Struct({
  repository: Schema.Literals(["settings", "templates"]),
  commit: Schema.String,
  author: Schema.String,
  at: Schema.String,
  subject: Schema.String,
  signature: Schema.NullOr(CommitSignature)
}).annotate({ identifier: "WritingCommit" })

/** The origins of lines; `Job` is the entry of a stored configuration. */
export const blamedConfig = <Job extends Schema.Top>(job: Job) =>
  Schema.Struct({
    hostname: Schema.String,
    lines: Schema.Array(OriginOfLine),
    commits: Schema.Array(WritingCommit),
    jobs: Schema.Array(job),
    /** More jobs are stored than were read: a line of the oldest may be older. */
    has_older: Schema.Boolean
  }).annotate({ identifier: "LineOrigins" })

/** The same without its jobs. */
export interface BlamedConfig {
  readonly hostname: string
  readonly lines: ReadonlyArray<typeof OriginOfLine.Type>
  readonly commits: ReadonlyArray<typeof WritingCommit.Type>
  readonly has_older: boolean
  readonly jobs: ReadonlyArray<object>
}

/** A line of a device's generated configuration. */
const LineOfDevice = Schema.Struct({ hostname: Schema.String, line: Schema.Int, text: Schema.String }).annotate({
  identifier: "LineOfDevice"
})
export type LineOfDevice = typeof LineOfDevice.Type

/** The lines that come from a line of a repository. `next` continues after this device; null at the end. */
export const LinesFromSource = Schema.Struct({
  searched: Schema.Int,
  lines: Schema.Array(LineOfDevice),
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "LinesFromSource" })
