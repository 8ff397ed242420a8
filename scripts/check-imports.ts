/**
 * The import rules of the house (ARCHITECTURE.md): which room may import from which, which room within a room, and that no files import
 * each other in a circle. Prints every import that breaks a rule and ends with exit code 1 when there is one.
 */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

/** Rooms by their level: a file may import from its own level's rooms and from lower ones. */
const levels: ReadonlyArray<ReadonlyArray<string>> = [
  ["machines", "jinja"],
  ["domain"],
  ["runtime", "ServerConfig", "SettingsTable", "JobSettings"],
  [
    "api",
    "store",
    "git",
    "settings",
    "templates",
    "drivers",
    "provisioning",
    "onboarding",
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
  fabric: ["fabric", "src/runtime/OwnModule.ts", "src/runtime/SystemErrors.ts"],
  provisioning: ["provisioning", "domain", "machines"],
  onboarding: ["onboarding", "domain", "drivers", "settings"],
  drivers: ["drivers", "domain", "runtime"]
}

/** Folders of a room that only these rooms may look into: what is behind a driver is nobody else's matter. */
const inner: ReadonlyArray<readonly [folder: RegExp, rooms: ReadonlyArray<string>]> = [
  [/^src\/drivers\/\w+\//, ["drivers", "lab", "Engine"]]
]

/** The rooms that may import the lab. */
const aboveTheLab: ReadonlyArray<string> = ["demo", "cli"]

/**
 * Rooms that have rooms, by level: a sub-room imports from lower levels only, and none from beside it. `.` are the files of the room
 * itself. The families of jobs stand beside each other above the engine that runs them; each group of endpoints stands for itself.
 */
const subRooms: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
  jobs: [["engine"], ["requests"], ["init", "onboarding", "repositories", "sync", "upgrade", "upkeep"], ["."]],
  http: [
    ["core"],
    ["listing"],
    [
      "auth",
      "changes",
      "devices",
      "events",
      "jobs",
      "oidc",
      "operations",
      "page",
      "provisioning",
      "settings",
      "setup",
      "socket",
      "system"
    ],
    ["."]
  ],
  domain: [
    ["fields"],
    ["."],
    ["checks"],
    ["access", "findings", "jobs", "platforms"],
    ["events", "requests"],
    ["words"]
  ]
}

/** Imports between sub-rooms that break this and are known, by their number, which may only become smaller. */
const knownUpwards: Readonly<Record<string, number>> = {
  "domain/. → domain/jobs": 1,
  "domain/. → domain/platforms": 7,
  "domain/. → domain/requests": 2,
  "domain/fields → domain/.": 2,
  "http/auth → http/oidc": 4,
  "http/auth → http/page": 1,
  "http/changes → http/provisioning": 1,
  "http/core → http/oidc": 1,
  "http/core → http/page": 1,
  "http/operations → http/provisioning": 1,
  "http/setup → http/page": 1
}

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

/** Where a file is within its room: its folder there, or `.`. */
const placeOf = (file: string): string => {
  const [, , place = "", deeper] = file.split("/")
  return deeper === undefined ? "." : place
}

/** `jobs/engine → jobs/sync` when a file imports what is not below its sub-room. */
const upwardsOf = (file: string, target: string): string | null => {
  const [room, from, to] = [roomOf(file), placeOf(file), placeOf(target)]
  const rooms = subRooms[room]
  if (rooms === undefined || room !== roomOf(target) || from === to) return null
  const [own, other] = [from, to].map((place) => rooms.findIndex((level) => level.includes(place)))
  if (own === -1 || other === -1)
    return `${room}/${own === -1 ? from : to} is not in subRooms of scripts/check-imports.ts`
  return Number(other) < Number(own) ? null : `${room}/${from} → ${room}/${to}`
}

/** Imports of values, which are there when a module runs; one that is called for later makes no circle. */
const valuesOf = (file: string): ReadonlyArray<string> =>
  [
    ...readFileSync(path.join(root, file), "utf8").matchAll(
      /^\s*(?:import|export)\b(?! type\b)(?!\s*\{(?:\s*type [^,}]*,?)*\s*\} from)[^"]*?from "(\.[^"]+\.ts)"/gm
    )
  ].map(([, target = ""]) => path.posix.normalize(path.posix.join(path.posix.dirname(file), target)))

/** Circles of files, each as the way from a file back to itself. */
const circlesOf = (files: ReadonlyArray<string>): ReadonlyArray<string> => {
  const imports = new Map(files.map((file) => [file, valuesOf(file)]))
  const done = new Set<string>()
  const found: Array<string> = []
  const walk = (file: string, way: ReadonlyArray<string>): void => {
    const at = way.indexOf(file)
    if (at !== -1) return void found.push([...way.slice(at), file].join(" → "))
    if (done.has(file)) return
    for (const target of imports.get(file) ?? []) walk(target, [...way, file])
    done.add(file)
  }
  for (const file of files) walk(file, [])
  return found
}

const ours = [...filesBelow("src"), ...filesBelow("machines")]
const upwards: Record<string, Array<string>> = {}
for (const file of ours) {
  for (const target of importsOf(file)) {
    const between = upwardsOf(file, target)
    if (between !== null) (upwards[between] ??= []).push(`  ${file} imports ${target}`)
  }
}

const problems = [
  ...ours.flatMap((file) => importsOf(file).flatMap((target) => problemOf(file, target) ?? [])),
  ...[...ours, ...filesBelow("test"), ...filesBelow("bench")].flatMap(indexProblemsOf),
  ...circlesOf(ours).map((circle) => `Files import each other in a circle: ${circle}`),
  ...Object.entries(upwards).flatMap(([between, imports]) => {
    const known = knownUpwards[between] ?? 0
    return imports.length > known ? [`${between}: ${imports.length} imports, ${known} are known`, ...imports] : []
  })
]
for (const [between, known] of Object.entries(knownUpwards)) {
  const count = upwards[between]?.length ?? 0
  if (count < known) process.stdout.write(`${between}: only ${count} are left; write that into knownUpwards\n`)
}
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stdout.write(`Import rules: ${problems.length} problems\n`)
process.exitCode = problems.length === 0 ? 0 : 1
