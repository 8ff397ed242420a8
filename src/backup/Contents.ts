/** What `backup.json`, behind which there is only its own sum, says of the others (docs/backup-format.md). */
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { Sequence } from "../store/backup/DatabaseDump.ts"

/** The form of the files; it is raised when an older release could not read a newer one. */
export const FORMAT = 1

/** Name of the file. */
export const CONTENTS = "backup.json"

/** Name of the file behind it, which holds its sum. */
export const CONTENTS_SUM = `${CONTENTS}.sha256`

const Part = Schema.Struct({ file: Schema.String, sha256: Schema.String })
export type Part = typeof Part.Type

const BackedUpTable = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.String),
  rows: Schema.Int,
  /** Of the lines of all parts, one after the other, as they are when they are not compressed. */
  sha256: Schema.String,
  parts: Schema.Array(Part)
})
export type BackedUpTable = typeof BackedUpTable.Type

const SiteFile = Schema.Struct({ ...Part.fields, mode: Schema.Int })
export type SiteFile = typeof SiteFile.Type

/** The key under which values are sealed, by names that tell nothing of it. */
export const KeyNames = Schema.Struct({
  name: Schema.String,
  /** Keys that it was replacing: something may still be sealed under them. */
  previous: Schema.Array(Schema.String),
  /** Whether the backup has it. */
  place: Schema.Literals(["environment", "file"])
})
export type KeyNames = typeof KeyNames.Type

export const Contents = Schema.Struct({
  format: Schema.Int,
  release: Schema.String,
  /** Number of the newest migration. */
  schema: Schema.Int,
  /** Time of the snapshot, ISO 8601 with microseconds, UTC. */
  at: Schema.String,
  /** Id of the installation; there is none in a backup of a release before identities. */
  installation: Schema.optionalKey(Schema.String.pipe(Schema.check(Schema.isUUID()))),
  postgres: Schema.String,
  key: KeyNames,
  tables: Schema.Array(BackedUpTable),
  sequences: Schema.Array(Sequence),
  files: Schema.Array(SiteFile)
})
export type Contents = typeof Contents.Type

/** The sum by which a file of a backup is known. */
export const digestOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

/** What the file behind `backup.json` says of it, as `sha256sum --check` reads it. */
export const sumLineOf = (contents: Uint8Array): string => `${digestOf(contents)}  ${CONTENTS}\n`
