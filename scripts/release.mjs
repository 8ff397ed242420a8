/**
 * Makes what a release consists of: the npm package, the clients, the Debian package of this machine's processor, the bill of materials (CycloneDX) and
 * the checksums of all of them. Version and commit are those of the repository.
 *
 *   node scripts/release.mjs [FOLDER] [--draft]
 *
 * A release is made of what is committed, and CHANGELOG.md has a heading for it; a draft (`npm run release -- --draft`) needs neither. Where there is
 * no dpkg-deb, there is no Debian package.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { makeDebianPackage } from "./debian.mjs"
import { NAME, pack, version } from "./pack.mjs"
import { packClients } from "./pack-clients.mjs"

const root = path.resolve(import.meta.dirname, "..")
const words = process.argv.slice(2)
const dist = path.join(root, "dist")
const folder = path.resolve(words.find((word) => !word.startsWith("--")) ?? dist)

const refuse = (sentence) => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const checkReady = () => {
  const changes = execFileSync("git", ["-C", root, "status", "--porcelain"], { encoding: "utf8" })
  if (changes.trim() !== "")
    refuse("There is something that is not committed: commit it, or make a draft: npm run release -- --draft")
  const headings = readFileSync(path.join(root, "CHANGELOG.md"), "utf8").match(/^## .*$/gm) ?? []
  if (!headings.some((line) => line.split(/\s+/)[1] === version)) {
    refuse(
      `CHANGELOG.md has no heading "## ${version}": write what is new under it, or make a draft: npm run release -- --draft`
    )
  }
}

/** The packages of the page's fonts, from the lock file. */
const fontsOfPage = () => {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"))
  const fonts = Object.entries(packages).filter(([place]) => place.startsWith("node_modules/@fontsource-variable/"))
  return Object.fromEntries(fonts.map(([place, entry]) => [place.replace("node_modules/", ""), entry]))
}

/** Everything that the packages bring, with checksums and licenses: npm's list, and the Node of the Debian package. */
const billOfMaterials = (packageFolder) => {
  const asked = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--loglevel=error"]
  const options = { cwd: packageFolder, encoding: "utf8", maxBuffer: 2 ** 26, stdio: ["ignore", "pipe", "inherit"] }
  // npm calls what the list is of by the name of its folder
  const wrong = `"${path.basename(packageFolder)}@${version}"`
  const bill = JSON.parse(execFileSync("npm", asked, options).replaceAll(wrong, `"${NAME}@${version}"`))
  Object.assign(bill.metadata.component, { name: NAME, purl: `pkg:npm/${NAME.replace("@", "%40")}@${version}` })
  const node = process.versions.node
  const purl = `pkg:generic/node@${node}`
  bill.components.push({ "bom-ref": purl, type: "application", name: "node", version: node, purl, scope: "optional" })
  // fonts are in the built page, which has no packages of its own
  for (const [name, { license, version }] of Object.entries(fontsOfPage())) {
    const font = `pkg:npm/${name.replace("@", "%40")}@${version}`
    bill.components.push({
      "bom-ref": font,
      type: "library",
      name,
      version,
      purl: font,
      licenses: [{ license: { id: license } }]
    })
  }
  return bill
}

const checksum = (file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${path.basename(file)}\n`

if (!words.includes("--draft")) checkReady()
// a folder that somebody names may hold more than releases
if (folder === dist) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const tarball = await pack(folder)
const bill = path.join(folder, `switchyard-${version}.cdx.json`)
writeFileSync(bill, `${JSON.stringify(billOfMaterials(path.join(folder, "package")), null, 2)}\n`)
rmSync(path.join(folder, "package"), { recursive: true })
const files = [tarball, bill, ...packClients(folder)]
if (spawnSync("dpkg-deb", ["--version"]).status === 0) files.push(await makeDebianPackage(folder))
else process.stderr.write("There is no Debian package in it, because this machine has no dpkg-deb.\n")
writeFileSync(path.join(folder, "SHA256SUMS"), files.map(checksum).join(""))
process.stdout.write([...files, path.join(folder, "SHA256SUMS"), ""].join("\n"))
