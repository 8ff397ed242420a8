/**
 * The images that this server keeps, in a folder of its data directory. An image becomes visible in one step, once it is complete and its
 * checksum is correct. Running downloads and notes about the files are in hidden folders in the same place.
 */
import { Effect, Option, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as ImageDownload from "./ImageDownload.ts"
import { disk, FirmwareRefused, type ImageDigests } from "./ImageDownload.ts"
import type { OutboundGuard } from "../runtime/OutboundHosts.ts"
import { isMissing } from "../runtime/SystemErrors.ts"
import { defaultName, isImageName } from "../domain/Firmware.ts"
import { makeTurns } from "../runtime/FairPlaces.ts"

// Checksums of the images in a folder, stored in a hidden folder with the time of the file, so a checksum is computed again only if its
// file has changed.

const Note = Schema.fromJsonString(Schema.Struct({ ...ImageDownload.ImageDigests.fields, modified: Schema.Finite }))

/** An image on the disk: `modified` in milliseconds since 1970. */
interface ImageOnDisk {
  readonly name: string
  readonly modified: number
  readonly size: number
}

/** The notes about the images of this folder. */
const makeKnownDigests = (folder: string) => {
  const notes = path.join(folder, ".digests")
  const noteOf = (name: string) => path.join(notes, `${name}.json`)

  /** Stores the checksums of a file that was last written at this time. */
  const write = (name: string, digests: ImageDownload.ImageDigests, modified: number) =>
    disk(`Could not note the checksum of ${name}`, async () => {
      await fs.mkdir(notes, { recursive: true, mode: 0o700 })
      const draft = `${noteOf(name)}.${process.pid}.part`
      await fs.writeFile(draft, JSON.stringify({ ...digests, modified }), { mode: 0o600 })
      await fs.rename(draft, noteOf(name))
    })

  /** The checksums computed from the current file. */
  const compute = Effect.fnUntraced(function* ({ modified, name }: ImageOnDisk) {
    const running = ImageDownload.begin()
    yield* ImageDownload.addFile(running, path.join(folder, name))
    const digests = running.end()
    yield* write(name, digests, modified)
    return digests
  })

  /** The stored checksums; `None` if there are none, or if the file has changed since. */
  const read = ({ modified, name, size }: ImageOnDisk) =>
    disk("not noted", () => fs.readFile(noteOf(name), "utf8")).pipe(
      Effect.flatMap(Schema.decodeEffect(Note)),
      Effect.option,
      Effect.map(Option.filter((note) => note.modified === modified && note.size === size))
    )

  return { write, compute, read, forget: (name: string) => fs.rm(noteOf(name), { force: true }) }
}

/** A link by which switches find the current image. */
interface DefaultImage {
  readonly default: string
  readonly file: string
}

export interface ImageList {
  readonly files: ReadonlyArray<string>
  readonly defaults: ReadonlyArray<DefaultImage>
}

export interface ImageStoreOptions {
  /** Folder of the images. */
  readonly folder: string
  readonly maxBytes: number
  readonly guard: OutboundGuard
}

/** The facts about an image that are known without reading it. */
export interface NotedImage {
  readonly size: number
  readonly sha1: string | null
}

/** The source of an image. */
type ImageOrigin = Pick<ImageDownload.Download, "url" | "sha1" | "verifyTls" | "tell">

const STALE_MILLIS = 7 * 24 * 3600 * 1000

const refuse = (message: string) => new FirmwareRefused({ message })

/** Removes partial downloads that no job has continued for a week. */
const dropStale = async (incoming: string) => {
  for (const name of await fs.readdir(incoming)) {
    const file = path.join(incoming, name)
    const { mtimeMs } = await fs.stat(file)
    if (Date.now() - mtimeMs > STALE_MILLIS) await fs.rm(file, { force: true })
  }
}

const linkTo = async (link: string, file: string) => {
  const fresh = `${link}.${process.pid}.part`
  await fs.rm(fresh, { force: true })
  await fs.symlink(file, fresh)
  await fs.rename(fresh, link)
}

const listImages = (folder: string) =>
  disk("Could not get files", async (): Promise<ImageList> => {
    const found = await fs.readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    const entries = found.filter(({ name }) => isImageName(name))
    const named = (test: (entry: (typeof entries)[number]) => boolean) =>
      entries
        .filter(test)
        .map(({ name }) => name)
        .toSorted()
    const files = named((entry) => entry.isFile())
    const links = named((entry) => entry.isSymbolicLink())
    const defaults = await Promise.all(
      links.map(async (link) => ({ default: link, file: await fs.readlink(path.join(folder, link)) }))
    )
    return { files, defaults: defaults.filter(({ file }) => files.includes(file)) }
  })

/** The image of this name, if it exists. */
const lookIn = (folder: string) => (name: string) =>
  isImageName(name)
    ? Effect.option(disk(`Could not find file ${name}`, () => fs.stat(path.join(folder, name)))).pipe(
        Effect.map(Option.filter((found) => found.isFile())),
        Effect.map(Option.map(({ mtimeMs, size }): ImageOnDisk => ({ name, modified: mtimeMs, size })))
      )
    : Effect.succeedNone

/** Downloads into a hidden folder and moves a complete and correct image to its place. */
const makeDownloads = ({ folder, guard, maxBytes }: ImageStoreOptions) => {
  const incoming = path.join(folder, ".incoming")
  const find = lookIn(folder)
  const known = makeKnownDigests(folder)

  const prepare = disk("Could not make the folder of the firmware images", async () => {
    await fs.mkdir(incoming, { recursive: true, mode: 0o700 })
    await dropStale(incoming)
  })

  const publish = Effect.fnUntraced(function* (name: string, part: string, digests: ImageDigests) {
    const { mtimeMs } = yield* disk("Could not store firmware", () => fs.stat(part))
    yield* known.write(name, digests, mtimeMs)
    yield* disk("Could not store firmware", () => fs.rename(part, path.join(folder, name)))
  })

  return Effect.fn("ImageStore.add")(function* (name: string, origin: ImageOrigin) {
    const { sha1 } = origin
    const found = yield* find(name)
    const there = Option.isSome(found) ? yield* known.compute(found.value) : undefined
    if (there?.sha1 === sha1) return
    yield* prepare
    const part = path.join(incoming, `${sha1}-${name}`)
    const digests = yield* ImageDownload.download({ ...origin, guard, maxBytes, part })
    yield* publish(name, part, digests)
  })
}

/** Opens the store. The first download creates its folders. */
export const makeImageStore = (options: ImageStoreOptions) => {
  const { folder } = options
  const inTurn = makeTurns()
  const add = makeDownloads(options)
  const known = makeKnownDigests(folder)
  const find = lookIn(folder)
  const list = listImages(folder)

  const found = Effect.fnUntraced(function* (name: string) {
    return yield* Effect.flatMap(find(name), (image) =>
      Effect.mapError(Effect.fromOption(image), () => refuse(`Could not find file ${name}`))
    )
  })

  const image = Effect.fn("ImageStore.image")(function* (name: string) {
    const there = yield* find(name)
    if (Option.isNone(there)) return Option.none<ImageDigests>()
    const noted = yield* known.read(there.value)
    return Option.some(Option.isSome(noted) ? noted.value : yield* inTurn(name, known.compute(there.value)))
  })

  const noted = Effect.fn("ImageStore.noted")(function* (name: string) {
    const there = yield* find(name)
    if (Option.isNone(there)) return Option.none<NotedImage>()
    const digests = yield* known.read(there.value)
    return Option.some<NotedImage>({
      size: there.value.size,
      sha1: Option.getOrNull(Option.map(digests, ({ sha1 }) => sha1))
    })
  })

  const remove = Effect.fn("ImageStore.remove")(function* (name: string) {
    yield* found(name)
    const { defaults } = yield* list
    yield* disk(`Could not remove file ${name}`, async () => {
      for (const link of defaults) if (link.file === name) await fs.rm(path.join(folder, link.default), { force: true })
      await fs.rm(path.join(folder, name))
      await known.forget(name)
    })
  })

  const setDefault = Effect.fn("ImageStore.setDefault")(function* (name: string) {
    const { files } = yield* list
    const link = defaultName(name)
    if (!files.includes(name)) return yield* refuse(`Could not find file ${name}`)
    if (link === undefined || files.includes(link)) return yield* refuse(`Could not set file ${name} as default`)
    yield* disk(`Could not set file ${name} as default`, () => linkTo(path.join(folder, link), name))
    return { default: link, file: name } satisfies DefaultImage
  })

  return {
    list,
    /** Checksums of an image, from the stored ones if the file has not changed; `None` if the image does not exist. */
    image,
    /** Downloads an image under this name; a second call for the same name waits for the first. */
    add: (name: string, origin: ImageOrigin) => inTurn(name, add(name, origin)),
    noted,
    /** The checksums, computed again from the file. */
    recompute: (name: string) => Effect.flatMap(found(name), (there) => inTurn(name, known.compute(there))),
    /** Removes an image and the default links to it. */
    remove: (name: string) => inTurn(name, remove(name)),
    /** Makes the image the default of its family. */
    setDefault
  }
}

/** The images of this server. */
export type ImageStore = ReturnType<typeof makeImageStore>
