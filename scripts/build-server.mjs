/**
 * Bundles the server into `build`, because two thousand modules take two seconds to load and a bundle of them a third of one. Every
 * process and thread begins with a file of its own there: `src/templates/renderMain.ts` is `build/templates-renderMain.js`. Modules go on
 * seeing themselves in `src`, so that what lies beside them is found; `ownModule` alone names files of the bundle.
 * Does nothing where the bundle is of these sources, or where there are none, as in a package.
 */
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"

const root = path.resolve(import.meta.dirname, "..")
const target = path.join(root, "build")
const STAMP = ".made-of"

const filesBelow = (folder) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => path.join(entry.parentPath, entry.name))

/** What the bundle is made of; `bin/start.mjs` compares the times of the same. */
const sources = () => [
  ...filesBelow("src"),
  ...filesBelow("machines"),
  path.join(root, "package-lock.json"),
  import.meta.filename
]

const stampOf = (files) => {
  const hash = createHash("sha256")
  for (const file of files.toSorted()) hash.update(path.relative(root, file)).update(readFileSync(file))
  return hash.digest("hex")
}

/** `src/http/settings/checkMain.ts` → `http-settings-checkMain`: the bundle is one folder, seen from which the root is always the same. */
const entryName = (file) => path.relative(path.join(root, "src"), file).replace(/\.ts$/, "").replaceAll(path.sep, "-")

/** `ownModule("./renderMain", import.meta.url)`, and ``ownModule(`./bundled/${name}`, import.meta.url)`` for all files of a folder. */
const OWN = /\bownModule\(\s*(?:"([^"]+)"|`([^`$]+)\$\{\w+\}`)\s*,\s*import\.meta\.url/g

/** Where processes and threads begin: the program, and whatever is opened through `ownModule`. */
const entries = () => {
  const found = [path.join(root, "src", "main.ts")]
  for (const file of filesBelow("src")) {
    for (const [, name, folder] of readFileSync(file, "utf8").matchAll(OWN)) {
      if (name !== undefined) found.push(path.resolve(path.dirname(file), `${name}.ts`))
      else {
        const below = path.resolve(path.dirname(file), folder)
        found.push(
          ...readdirSync(below)
            .filter((one) => one.endsWith(".ts"))
            .map((one) => path.join(below, one))
        )
      }
    }
  }
  return Object.fromEntries(found.map((file) => [entryName(file), file]))
}

/** The folder of the program, which may have been moved since the bundle was made. */
const ROOT = `new URL("../", import.meta.url)`

const OWN_MODULE = path.join(root, "src", "runtime", "OwnModule.ts")
const ownModuleFrom = (root) => `
const root = ${root}
const src = new URL("src/", root).href
/** The file of the bundle for a module of the source. */
export const ownModule = (name, from) =>
  new URL("build/" + new URL(name, from).href.slice(src.length).replaceAll("/", "-") + ".js", root)
`

const MANIFEST = path.join(root, "package.json")
const readManifest = `
import { readFileSync } from "node:fs"
export default JSON.parse(readFileSync(new URL("package.json", ${ROOT}), "utf8"))
`

/** In front of the first line, so that all others stay where source maps have them. */
const seeing = (place) =>
  `import { dirname as __dirnameOf } from "node:path"; import { fileURLToPath as __pathOf } from "node:url"; ` +
  `const __here = new URL(${JSON.stringify(place)}, ${ROOT}); `

/** Lets each module see itself where its source is. A package has a manifest of its own, which is read when the program runs. */
const asInSource = {
  name: "as-in-source",
  load(id) {
    return id === MANIFEST ? { code: readManifest, moduleType: "js" } : null
  },
  transform(code, id) {
    if (id === OWN_MODULE) return { code: ownModuleFrom(ROOT), map: null }
    if (!id.startsWith(path.join(root, "src") + path.sep) || !code.includes("import.meta.")) return null
    const changed = code
      .replaceAll("import.meta.dirname", "__dirnameOf(__pathOf(__here))")
      .replaceAll("import.meta.filename", "__pathOf(__here)")
      .replaceAll("import.meta.url", "__here.href")
    return { code: seeing(path.relative(root, id).replaceAll(path.sep, "/")) + changed, map: null }
  }
}

/** For tests, which run the modules of the source: threads and processes begin with the bundle, which is ready in a third of the time. */
export const threadsOfBundle = {
  name: "threads-of-bundle",
  load: (id) =>
    id === OWN_MODULE
      ? { code: ownModuleFrom(`new URL(${JSON.stringify(pathToFileURL(`${root}/`).href)})`), map: null }
      : null
}

/** Bundles the server, or other programs of its modules, into a folder. */
export const bundleInto = async (folder, input = entries()) => {
  const { rolldown } = await import("rolldown")
  const bundle = await rolldown({
    input,
    cwd: root,
    platform: "node",
    plugins: [asInSource],
    onLog: (level, log, print) => {
      // packages of others have what these warn of
      if (level === "warn" && log.id?.includes("node_modules")) return
      print(level, log)
    }
  })
  await bundle.write({
    dir: folder,
    format: "esm",
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: "[name].js",
    chunkFileNames: "part-[name]-[hash].js",
    keepNames: true
  })
  await bundle.close()
}

/** Parts of an older bundle stay so long, because a program that runs from it may not have loaded all of it. */
const KEPT_MILLIS = 3_600_000

/** Puts each file in place of the older one at once: first the parts, whose names change with what is in them, then what begins with them. */
const putInPlace = (made, target) => {
  mkdirSync(target, { recursive: true })
  const isPart = (name) => name.startsWith("part-")
  const names = readdirSync(made)
  for (const name of [...names.filter(isPart), ...names.filter((name) => !isPart(name))]) {
    renameSync(path.join(made, name), path.join(target, name))
  }
  for (const name of readdirSync(target).filter((one) => isPart(one) && !names.includes(one))) {
    const file = path.join(target, name)
    if (Date.now() - statSync(file).mtimeMs > KEPT_MILLIS) rmSync(file, { force: true })
  }
}

/** Brings a bundle up to date that is made of these files, with a line that says so. */
const bringUpToDate = async ({ files, input, line, target }) => {
  const stamp = stampOf(files)
  const file = path.join(target, STAMP)
  if (existsSync(file) && readFileSync(file, "utf8") === stamp) return utimesSync(file, new Date(), new Date())
  process.stderr.write(`${line} (a few seconds) ...\n`)
  const made = path.join(root, `build.${process.pid}`)
  try {
    await bundleInto(made, input)
    putInPlace(made, target)
    writeFileSync(file, stamp)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** Brings the bundle of the server up to date. */
export const bringServerUpToDate = async () => {
  if (!existsSync(path.join(root, "src", "main.ts"))) return
  await bringUpToDate({ files: sources(), input: entries(), line: "Bundling the server", target })
}

/** The bundle of a program that tests start. */
export const bundleOfTestProgram = (program) => {
  const name = path.basename(program, ".ts")
  return path.join(root, `build.${name}`, `${name}.js`)
}

/** Brings that bundle up to date. Its threads and processes are those of the server's bundle. */
export const bringTestProgramUpToDate = async (program) => {
  const bundle = bundleOfTestProgram(program)
  const name = path.basename(bundle, ".js")
  const files = [...sources(), ...filesBelow(path.relative(root, path.dirname(program)))]
  await bringUpToDate({ files, input: { [name]: program }, line: `Bundling ${name}`, target: path.dirname(bundle) })
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await bringServerUpToDate()
