/**
 * Packs the clients of `clients/` for their registries: the npm package, and for Python what pip installs, a source distribution and, where
 * there is a Python to write it, a wheel. All have the version of the repository.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"

const root = path.resolve(import.meta.dirname, "..")
const clients = path.join(root, "clients")
const { license, version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"))

const quiet = { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" }

/** The npm package, with its JavaScript and declarations. */
const packTypeScript = (work, folder) => {
  const made = path.join(work, "typescript")
  cpSync(path.join(clients, "typescript/README.md"), path.join(made, "README.md"))
  cpSync(path.join(root, "LICENSE"), path.join(made, "LICENSE"))
  const manifest = JSON.parse(readFileSync(path.join(clients, "typescript/package.json"), "utf8"))
  writeFileSync(path.join(made, "package.json"), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
  const words = ["-p", path.join(clients, "typescript"), "--outDir", path.join(made, "dist")]
  execFileSync(path.join(root, "node_modules/.bin/tsc"), words, quiet)
  const packed = ["pack", "--json", "--pack-destination", path.resolve(folder), "--loglevel=error"]
  const [{ filename }] = JSON.parse(execFileSync("npm", packed, { ...quiet, cwd: made }))
  return path.join(folder, filename)
}

/** What pip wants to know of a package. */
const metadata = (readme) =>
  [
    "Metadata-Version: 2.1",
    "Name: switchyard-client",
    `Version: ${version}`,
    "Summary: Client for the API of Switchyard, with the standard library alone",
    `License: ${license}`,
    "Requires-Python: >=3.9",
    "Description-Content-Type: text/markdown",
    "",
    readme
  ].join("\n")

const packPython = (work, folder) => {
  const name = `switchyard_client-${version}`
  const made = path.join(work, name)
  const isSource = (file) => !/__pycache__|\.egg-info/.test(file)
  for (const part of ["README.md", "src"]) {
    cpSync(path.join(clients, "python", part), path.join(made, part), { recursive: true, filter: isSource })
  }
  cpSync(path.join(root, "LICENSE"), path.join(made, "LICENSE"))
  const project = readFileSync(path.join(clients, "python/pyproject.toml"), "utf8")
  writeFileSync(path.join(made, "pyproject.toml"), project.replace(/^version = ".*"$/m, `version = "${version}"`))
  writeFileSync(path.join(made, "PKG-INFO"), metadata(readFileSync(path.join(made, "README.md"), "utf8")))
  const source = path.join(folder, `${name}.tar.gz`)
  execFileSync("tar", ["-czf", source, "-C", work, name], quiet)
  const wheel = path.join(folder, `${name}-py3-none-any.whl`)
  const python = spawnSync("python3", [path.join(root, "scripts/python-wheel.py"), made, wheel], quiet)
  if (python.error !== undefined) return [source]
  if (python.status !== 0) throw new Error("the wheel of the Python client cannot be made")
  return [source, wheel]
}

/** Puts the packages into a folder and gives their names. */
export const packClients = (folder) => {
  const work = mkdtempSync(path.join(tmpdir(), "switchyard-pack-"))
  try {
    return [packTypeScript(work, folder), ...packPython(work, folder)]
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
