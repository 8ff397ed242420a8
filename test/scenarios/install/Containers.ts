/** `docker-compose.yml` and the Dockerfiles as data: what they say, as far as this repository uses it, and nothing else. */
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"

export const root = path.resolve(import.meta.dirname, "../../..")
export const read = (name: string): string => readFileSync(path.join(root, name), "utf8")

const Text = Schema.NonEmptyString
const Scalar = Schema.Union([Text, Schema.Int])
const Duration = Text.check(Schema.isPattern(/^\d+(s|m)$/))
/** `source:target` or `source:target:ro`; a variable with a question in it may hold colons. */
const Mount = Text.check(Schema.isPattern(/^(\$\{[^}]+\}|[\w./-]+):\/[\w./-]+(:ro)?$/))
/** On an address of its own: nothing listens everywhere. */
const PublishedPort = Text.check(
  Schema.isPattern(/^(?:127\.0\.0\.1|\$\{BIND_ADDRESS:-127\.0\.0\.1\}):\d{1,5}:\d{1,5}$/)
)

const Build = Schema.Struct({ context: Text, dockerfile: Text })

const Service = Schema.Struct({
  image: Schema.optionalKey(Text),
  build: Schema.optionalKey(Schema.Union([Text, Build])),
  restart: Schema.Literals(["unless-stopped", "always", "on-failure", "no"]),
  environment: Schema.optionalKey(Schema.Record(Schema.String, Scalar)),
  depends_on: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Struct({
        condition: Schema.Literals(["service_started", "service_healthy", "service_completed_successfully"])
      })
    )
  ),
  healthcheck: Schema.optionalKey(
    Schema.Struct({ test: Schema.Array(Text), interval: Duration, timeout: Duration, retries: Schema.Int })
  ),
  secrets: Schema.optionalKey(Schema.Array(Text)),
  ports: Schema.optionalKey(Schema.Array(PublishedPort)),
  volumes: Schema.optionalKey(Schema.Array(Mount)),
  network_mode: Schema.optionalKey(Schema.Literals(["host", "none", "bridge"])),
  cap_add: Schema.optionalKey(Schema.Array(Text)),
  cap_drop: Schema.optionalKey(Schema.Tuple([Schema.Literal("ALL")])),
  security_opt: Schema.optionalKey(Schema.Tuple([Schema.Literal("no-new-privileges:true")])),
  read_only: Schema.optionalKey(Schema.Boolean),
  tmpfs: Schema.optionalKey(Schema.Array(Text)),
  networks: Schema.optionalKey(Schema.Array(Text)),
  profiles: Schema.optionalKey(Schema.Array(Schema.Literals(["replicas", "dhcp"]))),
  stop_grace_period: Schema.optionalKey(Duration)
})
export type Service = typeof Service.Type

const Compose = Schema.Struct({
  services: Schema.Record(Schema.String, Service),
  secrets: Schema.Record(Schema.String, Schema.Struct({ file: Text })),
  volumes: Schema.Record(Schema.String, Schema.Null),
  networks: Schema.Record(Schema.String, Schema.Unknown),
  "x-server": Schema.Unknown,
  "x-environment": Schema.Unknown
})

/** The file, refused when it has a key that the Compose specification (or this list of what is used of it) does not have. */
export const compose = Schema.decodeUnknownSync(Compose, { onExcessProperty: "error" })(
  parse(read("docker-compose.yml"), { merge: true })
)

export interface Instruction {
  readonly name: string
  readonly words: string
}

/** The instructions of a Dockerfile, continued lines joined. */
export const instructions = (dockerfile: string): ReadonlyArray<Instruction> =>
  read(dockerfile)
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", words = ""] = /^\s*([A-Z]+)\s+(.*)$/.exec(line) ?? []
      return { name, words }
    })

/** The source of a service's image: the Dockerfile, relative to the repository. */
export const dockerfileOf = ({ build }: Service): string | undefined =>
  build === undefined || typeof build === "string" ? build && path.posix.join(build, "Dockerfile") : build.dockerfile

/** The instructions of the last stage, which is what becomes the image. */
const lastStage = (dockerfile: string): ReadonlyArray<Instruction> => {
  const all = instructions(dockerfile)
  return all.slice(all.findLastIndex(({ name }) => name === "FROM"))
}

const FROM_STAGE = /^--from=\w+$/

/**
 * The files that COPY puts into an image: from the repository, to a folder or file of the image. Stages have the repository where the image
 * has it, so files copied from a stage are those that a build creates in the repository.
 */
export const copies = (dockerfile: string): ReadonlyArray<readonly [from: string, to: string]> => {
  let folder = "/"
  return lastStage(dockerfile).flatMap(({ name, words }) => {
    if (name === "WORKDIR") folder = words
    if (name !== "COPY") return []
    const [first = "", ...rest] = words.split(/\s+/)
    const parts = FROM_STAGE.test(first) ? rest : [first, ...rest]
    const target = path.posix.resolve(folder, parts.at(-1) ?? "")
    const isFolder = parts.length > 2 || words.endsWith("/")
    return parts
      .slice(0, -1)
      .map((from) => (FROM_STAGE.test(first) ? path.posix.relative(folder, from) : from))
      .map((from) => [from, isFolder ? path.posix.join(target, path.posix.basename(from)) : target])
  })
}

/** The variables that ENV sets, all in the form NAME=value. */
export const environmentOf = (dockerfile: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    instructions(dockerfile)
      .filter(({ name }) => name === "ENV")
      .flatMap(({ words }) => words.split(/\s+/))
      .map((assignment) => {
        const [name = "", ...value] = assignment.split("=")
        return [name, value.join("=")]
      })
  )
