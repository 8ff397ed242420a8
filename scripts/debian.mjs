/**
 * Makes the Debian package of this repository: the npm package (scripts/pack.mjs) with all packages that it needs and its own Node, below
 * /usr/lib/switchyard, a service of systemd, and the settings of the site. Made of what is installed here, without a network, for
 * the processor of this machine.
 *
 *   node scripts/debian.mjs [FOLDER]     writes FOLDER/switchyard_VERSION_ARCHITECTURE.deb and prints its name
 */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { makePackage, version } from "./pack.mjs"

const root = path.resolve(import.meta.dirname, "..")
const debian = path.join(root, "deploy", "debian")

/** What Debian calls the processors that Node and PostgreSQL are there for. */
const ARCHITECTURES = { x64: "amd64", arm64: "arm64" }

/** A preview comes before its release, which Debian writes with a tilde. */
const debianVersion = version.replace("-", "~")

/** Types and maps, which only development needs. */
const NEEDLESS = /\.(d\.[cm]?ts|map)$/

/** The packages of the lock file that are installed here; a nested one comes with the one that it is in. */
const copyPackages = (target) => {
  const { packages } = JSON.parse(readFileSync(path.join(target, "npm-shrinkwrap.json"), "utf8"))
  const places = Object.keys(packages).filter((place) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(place))
  for (const place of places.filter((name) => existsSync(path.join(root, name)))) {
    cpSync(realpathSync(path.join(root, place)), path.join(target, place), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !NEEDLESS.test(file)
    })
  }
}

const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0)

/** Readable by everybody and writable by nobody but root, whatever the umask here. */
const setModes = (folder) => {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(file, 0o755)
    else if (entry.isFile()) chmodSync(file, (statSync(file).mode & 0o111) === 0 ? 0o644 : 0o755)
  }
}

const FOLDERS = [
  "usr/bin",
  "usr/lib/systemd/system",
  "usr/share/doc/switchyard",
  "etc/logrotate.d",
  "etc/switchyard/secrets",
  "var/log/switchyard",
  "DEBIAN"
]

/** The man page and the completions, where Debian has them: man pages are compressed there. */
const moveShellFiles = (from, to) => {
  cpSync(from, to, { recursive: true })
  rmSync(from, { recursive: true })
  const manPage = path.join(to, "man/man1/switchyard.1")
  writeFileSync(`${manPage}.gz`, gzipSync(readFileSync(manPage), { level: 9 }))
  rmSync(manPage)
}

export const makeDebianPackage = async (folder) => {
  const architecture = ARCHITECTURES[process.arch]
  if (process.platform !== "linux" || architecture === undefined) {
    throw new Error(`There is no Debian package for ${process.platform} on ${process.arch}`)
  }
  const tree = path.join(folder, "debian")
  const at = (...names) => path.join(tree, ...names)
  rmSync(tree, { recursive: true, force: true })

  const program = at("usr/lib/switchyard")
  await makePackage(program)
  copyPackages(program)
  mkdirSync(path.join(program, "node/bin"), { recursive: true })
  const own = path.join(root, "node_modules/node/bin/node")
  cpSync(realpathSync(existsSync(own) ? own : process.execPath), path.join(program, "node/bin/node"))
  for (const name of FOLDERS) mkdirSync(at(name), { recursive: true })
  symlinkSync("../lib/switchyard/bin/switchyard", at("usr/bin/switchyard"))
  cpSync(path.join(root, "deploy/systemd"), at("usr/lib/systemd/system"), { recursive: true })
  moveShellFiles(path.join(program, "share"), at("usr/share"))
  cpSync(path.join(root, "LICENSE"), at("usr/share/doc/switchyard/copyright"))
  cpSync(path.join(root, "deploy/logrotate/switchyard"), at("etc/logrotate.d/switchyard"))
  cpSync(path.join(debian, "switchyard.env"), at("etc/switchyard/switchyard.env"))
  const size = Math.ceil(sizeOf(tree) / 1024)
  setModes(tree)
  chmodSync(at("etc/switchyard/secrets"), 0o700)
  chmodSync(at("var/log/switchyard"), 0o750)
  chmodSync(at("etc/switchyard/switchyard.env"), 0o640)

  const control = readFileSync(path.join(debian, "control"), "utf8")
    .replace("@VERSION@", debianVersion)
    .replace("@ARCHITECTURE@", architecture)
    .replace("@SIZE@", String(size))
  writeFileSync(at("DEBIAN/control"), control)
  cpSync(path.join(debian, "conffiles"), at("DEBIAN/conffiles"))
  cpSync(path.join(debian, "triggers"), at("DEBIAN/triggers"))
  for (const name of ["postinst", "prerm", "postrm"]) {
    cpSync(path.join(debian, name), at("DEBIAN", name))
    chmodSync(at("DEBIAN", name), 0o755)
  }

  const file = path.join(folder, `switchyard_${debianVersion}_${architecture}.deb`)
  // for Debian 12 and Ubuntu 22.04 on: a third larger than with xz, in seconds instead of minutes
  execFileSync("dpkg-deb", ["--root-owner-group", "-Zzstd", "--build", tree, file], { stdio: "ignore" })
  rmSync(tree, { recursive: true })
  return file
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const made = await makeDebianPackage(path.resolve(process.argv[2] ?? path.join(root, "dist")))
  process.stdout.write(`${made}\n`)
}
