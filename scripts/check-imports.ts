/**
 * The import rules of the house (ARCHITECTURE.md): which room may import from which. Prints every import that breaks a rule
 * and ends with exit code 1 when there is one.
 */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

/** Rooms by their level: a file may import from its own level's rooms and from lower ones. */
const levels: ReadonlyArray<ReadonlyArray<string>> = [
  ["machines", "jinja"],
  ["domain"],
  ["runtime", "ServerConfig", "SettingsDocumentation"],
  [
    "api",
    "store",
    "git",
    "settings",
    "templates",
    "drivers",
    "provisioning",
    "plugins",
    "firmware",
    "dhcp",
    "certificates",
    "access"
  ],
  ["access", "devices", "events"],
  ["jobs", "backup"],
  ["http"],
  ["lab", "fabric"],
  ["Engine", "Server", "demo", "cli", "main"]
]

/**
 * Rules that are stricter than the levels: these rooms import nothing of ours but what is listed. The lab and the drivers
 * share the SSH library and nothing else, so that one cannot excuse the other.
 */
const only: Readonly<Record<string, ReadonlyArray<string>>> = {
  machines: ["machines"],
  jinja: ["jinja"],
  domain: ["domain", "machines"],
  runtime: ["runtime", "domain", "ServerConfig"],
  api: ["api", "domain"],
  lab: ["lab", "src/drivers/ssh/Ssh2.ts"],
  fabric: ["fabric"],
  provisioning: ["provisioning", "domain", "machines"],
  drivers: ["drivers", "domain", "runtime"]
}

/** Folders of a room that only these rooms may look into: what is behind a driver is nobody else's matter. */
const inner: ReadonlyArray<readonly [folder: RegExp, rooms: ReadonlyArray<string>]> = [
  [/^src\/drivers\/\w+\//, ["drivers", "lab", "Engine"]]
]

/** The rooms that may import the lab. */
const aboveTheLab: ReadonlyArray<string> = ["demo", "cli"]

/** Indexes of packages that bring much which nobody here uses; what is needed of them is named: `PACKAGE/Module`. */
const indexes: ReadonlyArray<string> = ["@effect/platform-node"]

const root = path.resolve(import.meta.dirname, "..")

const roomOf = (file: string): string => {
  const [first = "", second = "", third] = file.split("/")
  if (first === "machines") return "machines"
  return third === undefined ? second.replace(/\.ts$/, "") : second
}

const levelOf = (room: string): number => levels.findIndex((rooms) => rooms.includes(room))

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.posix.join(folder, file.replaceAll("\\", "/")))

const importsOf = (file: string): ReadonlyArray<string> =>
  [
    ...readFileSync(path.join(root, file), "utf8").matchAll(
      /(?:^\s*(?:import|export)\b[^"]*?from |\bimport\()"(\.[^"]+\.ts)"/gm
    )
  ].map(([, target = ""]) => path.posix.normalize(path.posix.join(path.posix.dirname(file), target)))

const problemOf = (file: string, target: string): string | null => {
  const [from, to] = [roomOf(file), roomOf(target)]
  if (from === to) return null
  if (levelOf(from) < 0) return `${file}: the room ${from} is not in scripts/check-imports.ts`
  const closed = inner.find(([folder, rooms]) => folder.test(target) && !rooms.includes(from))
  if (closed !== undefined) return `${file} may not import ${target}: only ${closed[1].join(", ")} look in there`
  const listed = only[from]
  if (listed !== undefined && ![to, target].some((place) => listed.includes(place)))
    return `${file} may not import ${target}: ${from} imports ${listed.join(", ")} only`
  if (listed !== undefined) return null
  if (to === "lab" && !aboveTheLab.includes(from)) return `${file} may not import ${target}: nothing imports the lab`
  return levelOf(to) > levelOf(from) ? `${file} may not import ${target}: imports go one way` : null
}

const indexProblemsOf = (file: string): ReadonlyArray<string> => {
  const text = readFileSync(path.join(root, file), "utf8")
  return indexes
    .filter((name) => text.includes(`from "${name}"`) || text.includes(`import("${name}")`))
    .map((name) => `${file} may not import the index of ${name}, which is slow to load: import ${name}/MODULE`)
}

const ours = [...filesBelow("src"), ...filesBelow("machines")]
const problems = [
  ...ours.flatMap((file) => importsOf(file).flatMap((target) => problemOf(file, target) ?? [])),
  ...[...ours, ...filesBelow("test"), ...filesBelow("bench")].flatMap(indexProblemsOf)
]
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`Import rules: ${problems.length} problems\n`)
process.exitCode = problems.length === 0 ? 0 : 1
