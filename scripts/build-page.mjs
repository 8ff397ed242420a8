/**
 * Builds the web page when it is missing or older than what it is made of, and writes each file compressed beside it. Does nothing
 * where there is no source of the page, as in a package that has it built.
 */
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

const root = path.resolve(import.meta.dirname, "..")
const web = path.join(root, "web")
const target = path.join(web, "build")
const STAMP = ".made-of"

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

/** What the page is made of: its own files, and those of the server that it shares. */
const sources = () => [
  ...filesBelow(web).filter((file) => !file.startsWith(target + path.sep)),
  ...filesBelow(path.join(root, "src", "domain")),
  ...filesBelow(path.join(root, "machines")),
  ...filesBelow(path.join(root, "docs")).filter((file) => file.endsWith(".md")),
  path.join(root, "package-lock.json"),
  import.meta.filename
]

const stampOf = (files) => {
  const hash = createHash("sha256")
  for (const file of files.toSorted()) hash.update(path.relative(root, file)).update(readFileSync(file))
  return hash.digest("hex")
}

const COMPRESSED = /\.(js|css|html|svg|json|txt)$/

const compress = (folder) => {
  for (const file of filesBelow(folder)) {
    if (!COMPRESSED.test(file) || path.basename(file) === "index.html") continue
    const content = readFileSync(file)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
  }
}

/** The fonts that the page brings; their license wants its text beside them. */
const FONTS = ["inter", "jetbrains-mono"]

const copyLicenses = (folder) => {
  mkdirSync(path.join(folder, "licenses"))
  for (const font of FONTS) {
    const license = path.join(root, "node_modules", "@fontsource-variable", font, "LICENSE")
    copyFileSync(license, path.join(folder, "licenses", `${font}.txt`))
  }
}

const TRIES = 20

/** Another one may put its own in place between the two steps. Whoever serves the page meanwhile has read it already. */
const putInPlace = (made) => {
  for (let count = 1; ; count++) {
    rmSync(target, { recursive: true, force: true, maxRetries: 5 })
    try {
      return renameSync(made, target)
    } catch (error) {
      if (count === TRIES || !["ENOTEMPTY", "EEXIST"].includes(error.code)) throw error
    }
  }
}

const build = async (stamp) => {
  const made = path.join(web, `build.${process.pid}`)
  // whoever runs tests has it otherwise, and would build the slow page of developers, with paths of this machine in it
  const before = process.env["NODE_ENV"]
  process.env["NODE_ENV"] = "production"
  try {
    const { build } = await import("vite")
    await build({
      configFile: path.join(web, "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: made, emptyOutDir: true }
    })
    compress(made)
    copyLicenses(made)
    writeFileSync(path.join(made, STAMP), stamp)
    putInPlace(made)
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"]
    else process.env["NODE_ENV"] = before
    rmSync(made, { recursive: true, force: true })
  }
}

/** Brings the page up to date. Two who do it at once do it twice, and the last one counts. */
export const bringPageUpToDate = async () => {
  if (!existsSync(path.join(web, "index.html"))) return
  const stamp = stampOf(sources())
  const made = path.join(target, STAMP)
  if (existsSync(made) && readFileSync(made, "utf8") === stamp) return
  process.stderr.write("Building the page (a few seconds) ...\n")
  await build(stamp)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await bringPageUpToDate()
