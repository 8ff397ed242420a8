/**
 * What is known about the checksums of the images in a folder: noted in a hidden folder beside them with the time of the
 * file, so that a checksum is computed again only when its file has changed.
 */
import { Effect, Option, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { disk } from "./FirmwareErrors.ts"
import * as ImageDigests from "./ImageDigests.ts"

const Note = Schema.fromJsonString(Schema.Struct({ ...ImageDigests.ImageDigests.fields, modified: Schema.Finite }))

/** An image as it is on the disk: `modified` in milliseconds since 1970. */
export interface ImageOnDisk {
  readonly name: string
  readonly modified: number
  readonly size: number
}

/** The notes about the images of this folder. */
export const make = (folder: string) => {
  const notes = path.join(folder, ".digests")
  const noteOf = (name: string) => path.join(notes, `${name}.json`)

  /** Notes the checksums of a file that was last written at this time. */
  const write = (name: string, digests: ImageDigests.ImageDigests, modified: number) =>
    disk(`Could not note the checksum of ${name}`, async () => {
      await fs.mkdir(notes, { recursive: true, mode: 0o700 })
      const draft = `${noteOf(name)}.${process.pid}.part`
      await fs.writeFile(draft, JSON.stringify({ ...digests, modified }), { mode: 0o600 })
      await fs.rename(draft, noteOf(name))
    })

  /** The checksums computed from the file as it is now. */
  const compute = Effect.fnUntraced(function* ({ modified, name }: ImageOnDisk) {
    const running = ImageDigests.begin()
    yield* ImageDigests.addFile(running, path.join(folder, name))
    const digests = running.end()
    yield* write(name, digests, modified)
    return digests
  })

  /** The checksums as they are noted; none when the file has changed since, or nothing is noted. */
  const read = ({ modified, name, size }: ImageOnDisk) =>
    disk("not noted", () => fs.readFile(noteOf(name), "utf8")).pipe(
      Effect.flatMap(Schema.decodeEffect(Note)),
      Effect.option,
      Effect.map(Option.filter((note) => note.modified === modified && note.size === size))
    )

  return { write, compute, read, forget: (name: string) => fs.rm(noteOf(name), { force: true }) }
}
