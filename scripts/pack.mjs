/**
 * Makes the npm package `@switchyard/server` of this repository: a folder with the types stripped from every module, because Node refuses
 * TypeScript below `node_modules`, with the bundle of the server and the page built, with man page and completions, and with exactly the packages of the lock file; then its tarball.
 *
 *   node scripts/pack.mjs [FOLDER]     writes FOLDER/switchyard-server-VERSION.tgz (FOLDER is dist by default) and prints its name
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { bringPageUpToDate } from "./build-page.mjs"
import { bundleInto } from "./build-server.mjs"
import { shellFiles } from "./manual/ShellFiles.ts"
import { addDeclarations, exported } from "./pack-types.mjs"

const root = path.resolve(import.meta.dirname, "..")
export const NAME = "@switchyard/server"

/** What the program runs from. Examples stay as they are: people copy them to where Node reads TypeScript. */
const COPIED = [
  "bin",
  "deploy",
  "docs",
  "examples",
  "machines",
  "src",
  "web/build",
  "CHANGELOG.md",
  "FAULTS.md",
  "LICENSE",
  "README.md"
]
const STRIPPED = ["machines", "src"]

/** `from "./x.ts"`, `import("./x.ts")` and `import "./x.ts"`. */
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"\n]*)\.ts"/g

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

const stripBelow = (folder) => {
  for (const file of filesBelow(folder).filter((name) => name.endsWith(".ts"))) {
    // every character keeps its line and column, so that traces point to the source
    const text = stripTypeScriptTypes(readFileSync(file, "utf8"), { mode: "strip" })
    writeFileSync(file.replace(/\.ts$/, ".js"), text.replaceAll(SPECIFIER, '$1"$2.js"'))
    rmSync(file)
  }
}

const readJson = (name) => JSON.parse(readFileSync(path.join(root, name), "utf8"))

export const version = readJson("package.json").version

const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)

const commit = () => {
  const asked = spawnSync("git", ["-C", root, "rev-parse", "HEAD"], { encoding: "utf8" })
  return asked.status === 0 ? asked.stdout.trim() : undefined
}

const manifest = () => {
  const { allowScripts, bin, dependencies, description, license, optionalDependencies, type } = readJson("package.json")
  const scripts = Object.fromEntries(Object.entries(allowScripts).filter(([name]) => name !== "node"))
  return {
    name: NAME,
    version,
    description,
    license,
    type,
    bin,
    man: ["share/man/man1/switchyard.1"],
    exports: exported,
    gitHead: commit(),
    engines: { node: ">=24" },
    publishConfig: { access: "public" },
    allowScripts: scripts,
    dependencies,
    optionalDependencies
  }
}

/** The lock file without what only development needs. */
const shrinkwrap = ({ bin, dependencies, engines, license, optionalDependencies }) => {
  const lock = readJson("package-lock.json")
  const kept = Object.entries(lock.packages).filter(([place, { dev }]) => place !== "" && dev !== true)
  const own = { name: NAME, version, license, bin, dependencies, optionalDependencies, engines }
  return { ...lock, name: NAME, version, packages: { "": own, ...Object.fromEntries(kept) } }
}

/** Fills a folder with the package. */
export const makePackage = async (folder) => {
  await bringPageUpToDate()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of COPIED) cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  for (const name of STRIPPED) stripBelow(path.join(folder, name))
  addDeclarations(folder)
  await bundleInto(path.join(folder, "build"))
  for (const [name, text] of await shellFiles()) {
    mkdirSync(path.dirname(path.join(folder, "share", name)), { recursive: true })
    writeFileSync(path.join(folder, "share", name), text)
  }
  const made = manifest()
  writeJson(path.join(folder, "package.json"), made)
  writeJson(path.join(folder, "npm-shrinkwrap.json"), shrinkwrap(made))
}

/** Makes the tarball in a folder and gives its name. */
export const pack = async (target) => {
  const folder = path.join(target, "package")
  await makePackage(folder)
  const words = ["pack", "--json", "--pack-destination", path.resolve(target), "--loglevel=error"]
  const [{ filename }] = JSON.parse(execFileSync("npm", words, { cwd: folder, encoding: "utf8" }))
  return path.join(target, filename)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const target = path.resolve(process.argv[2] ?? path.join(root, "dist"))
  process.stdout.write(`${await pack(target)}\n`)
}
