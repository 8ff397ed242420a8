/** The npm package of a release, packed from this repository and installed into an empty folder. */
import { Effect } from "effect"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { killLeftover } from "../../support/PostgresProcesses.ts"
import { must, root, run } from "./Release.ts"

const MODULES = path.join(root, "node_modules")

/** npm's handling of a tarball, with the packages of this repository. */
const linkPackages = (tarball: string, site: string) => {
  const own = path.join(site, "node_modules/@switchyard/server")
  mkdirSync(own, { recursive: true })
  mkdirSync(path.join(site, "node_modules/.bin"))
  must("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"])
  symlinkSync("../@switchyard/server/bin/switchyard", path.join(site, "node_modules/.bin/switchyard"))
  for (const name of readdirSync(MODULES).filter((found) => !found.startsWith(".") && found !== "node")) {
    symlinkSync(path.join(MODULES, name), path.join(site, "node_modules", name))
  }
}

/** A folder with the package installed: by npm if all dependencies were fetched before, else as npm would leave it. */
export const installed = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = mkdtempSync(path.join(tmpdir(), "switchyard-package-"))
      chmodSync(made, 0o711)
      return made
    }),
    (made) =>
      Effect.sync(() => {
        killLeftover(made)
        rmSync(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      })
  )
  const release = path.join(folder, "release")
  const made = must(process.execPath, ["scripts/release.mjs", release, "--draft"])
  const tarball = made.split("\n")[0] ?? ""
  const site = path.join(folder, "site")
  mkdirSync(site)
  const words = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", tarball]
  if (run("npm", words, { cwd: site }).status !== 0) linkPackages(tarball, site)
  const own = path.join(site, "node_modules/@switchyard/server")
  return { folder, site, own, release, program: path.join(site, "node_modules/.bin/switchyard") }
})
