/**
 * The containers, as far as they can be checked without Docker: what `docker-compose.yml` names exists, the server and the
 * hook know the variables that they are given, and the programs start from nothing but the files that the images have.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { hookVariables } from "../../../src/dhcp/HookApi.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { documentation } from "../../../src/SettingsDocumentation.ts"
import { makeFolder } from "../../dhcp/HookProgram.ts"
import { compose, copies, dockerfileOf, environmentOf, instructions, read, root, type Service } from "./Containers.ts"
import { seconds } from "../../support/Patience.ts"

const services = Object.entries(compose.services)
const built = services.flatMap(([name, service]) => {
  const dockerfile = dockerfileOf(service)
  return dockerfile === undefined ? [] : [{ name, service, dockerfile }]
})

/** `${NAME:?why}` and `${NAME}`. */
const VARIABLE = /\$\{(\w+)(:\?[^}]*)?\}/g
const variables = [...read("docker-compose.yml").matchAll(VARIABLE)].map(([, name = "", refusal]) => ({
  name,
  refusal
}))
const inExample = [...read(".env.example").matchAll(/^(\w+)=(.*)$/gm)]

const mountsOf = ({ volumes = [] }: Service) =>
  volumes.map((mount) => {
    const [, source = "", target = ""] = /^(\$\{[^}]+\}|[^:]+):([^:]+)/.exec(mount) ?? []
    return { source, target }
  })

/** The variables of a service with the values that a filled-in `.env` would give. */
const filled = ({ environment }: Service): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, String(value).replaceAll(VARIABLE, "chosen")])
  )

describe("docker-compose.yml", () => {
  it("builds from Dockerfiles that exist, and every image has one source", () => {
    for (const { dockerfile, name } of built)
      assert.isTrue(existsSync(path.join(root, dockerfile)), `${name}: ${dockerfile}`)
    for (const [name, { build, image }] of services)
      assert.notStrictEqual(build === undefined, image === undefined, name)
  })

  it("waits for services that exist, and for health only where something tells it", () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        const service = compose.services[needed]
        assert.isDefined(service, `${name} depends on ${needed}`)
        const dockerfile = dockerfileOf(service!)
        const tells =
          service?.healthcheck !== undefined ||
          (dockerfile !== undefined && instructions(dockerfile).some((line) => line.name === "HEALTHCHECK"))
        assert.isTrue(condition !== "service_healthy" || tells, `${needed} does not tell its health`)
      }
    }
  })

  it("names volumes and secrets that it declares, and declares none in vain", () => {
    const mounted = services.flatMap(([, service]) => mountsOf(service).map(({ source }) => source))
    const named = mounted.filter((source) => !source.startsWith("$"))
    assert.deepEqual(named.toSorted(), Object.keys(compose.volumes).toSorted())
    const secrets = services.flatMap(([, service]) => service.secrets ?? [])
    assert.deepEqual(secrets, Object.keys(compose.secrets))
  })

  it("asks for each variable of .env.example, for no other, and refuses to start without it", () => {
    assert.deepEqual(
      [...new Set(variables.map(({ name }) => name))].toSorted(),
      inExample.map(([, name]) => name).toSorted()
    )
    for (const [, name, value] of inExample) {
      assert.strictEqual(value, "", `${name} has a default`)
      assert.isTrue(
        variables.some((one) => one.name === name && one.refusal === `:?set ${name} in .env`),
        name
      )
    }
  })

  it("keeps what has to outlast a container on a volume", () => {
    for (const { dockerfile, name, service } of built) {
      const kept = instructions(dockerfile).filter((line) => line.name === "VOLUME")
      const targets = mountsOf(service).map(({ target }) => target)
      assert.isNotEmpty(kept, name)
      for (const { words } of kept) assert.include(targets, words, name)
      assert.include(targets, environmentOf(dockerfile)["DATA_DIR"], name)
    }
  })
})

const server = compose.services["server"]!
const dhcp = compose.services["dhcp"]!

describe("The server's container", () => {
  it("is given variables that the server knows", () => {
    const known = new Set(documentation.map(([name]) => name))
    const given = [...Object.keys(server.environment), ...Object.keys(environmentOf("Dockerfile"))]
    assert.deepEqual(
      given.filter((name) => !known.has(name) && !name.startsWith("NODE_")),
      []
    )
  })

  it.effect("is given values that the server starts with: its database, its key, its ports", () =>
    Effect.gen(function* () {
      const environment = { ...environmentOf("Dockerfile"), ...filled(server) }
      const config = yield* Effect.provide(ServerConfig, ServerConfig.layerOf(environment))
      assert.strictEqual(config.logins.size, 4)
      assert.isTrue(config.JWT_ENABLED)
      assert.strictEqual(config.JWT_CERT, `/run/secrets/${server.secrets?.[0]}`)
      const url = new URL(environment["DATABASE_URL"] ?? "")
      const database = compose.services[url.hostname]
      assert.deepEqual(
        [url.username, url.pathname],
        [database?.environment["POSTGRES_USER"], `/${database?.environment["POSTGRES_DB"]}`]
      )
      const published = server.ports?.map((port) => Number(port.split(":")[1]))
      assert.deepEqual(published, [config.PORT, Number(environment["ZTP_HTTP_PORT"])])
      assert.strictEqual(config.HOST, "0.0.0.0")
    })
  )
})

describe("The DHCP server's container", () => {
  const script = read("deploy/dhcp/switchyard-lease")

  it("is given variables that the hook or its script knows", () => {
    const given = [...Object.keys(dhcp.environment), ...Object.keys(environmentOf("deploy/dhcp/Dockerfile"))]
    const known: ReadonlyArray<string> = hookVariables
    assert.deepEqual(
      given.filter((name) => !known.includes(name) && !script.includes(`\${${name}:-`)),
      []
    )
  })

  it("reaches the port that the server publishes", () => {
    const url = new URL(String(dhcp.environment["SWITCHYARD_URL"]))
    assert.isTrue(server.ports?.some((port) => port.startsWith(`${url.port}:`)))
  })

  it("has every file that dnsmasq.conf names, at its place, or a volume for it", () => {
    const conf = read("deploy/dhcp/dnsmasq.conf")
    const named = [...conf.matchAll(/^dhcp-(?:script|leasefile)=(.*)$/gm)].map(([, file = ""]) => file)
    const placed = copies("deploy/dhcp/Dockerfile").map(([, to]) => to)
    const volumes = mountsOf(dhcp).map(({ target }) => target)
    assert.strictEqual(named.length, 2)
    for (const file of named) {
      assert.isTrue(placed.includes(file) || volumes.some((folder) => file.startsWith(`${folder}/`)), file)
    }
    for (const { target } of mountsOf(dhcp).filter(({ source }) => source.startsWith("$")))
      assert.include(placed, target)
  })
})

/** The files of an image in a folder, with the installed packages of this repository. */
const unpack = Effect.fnUntraced(function* (dockerfile: string) {
  const folder = yield* makeFolder
  const ignored = read(".dockerignore").trim().split("\n")
  for (const [from, to] of copies(dockerfile)) {
    assert.isTrue(existsSync(path.join(root, from)), `${dockerfile} copies ${from}`)
    assert.isFalse(
      ignored.some((name) => from === name || from.startsWith(`${name}/`)),
      `.dockerignore hides ${from}`
    )
    yield* Effect.promise(() => fs.cp(path.join(root, from), path.join(folder, to), { recursive: true }))
  }
  const program = path.join(folder, "opt/switchyard")
  const packages = yield* Effect.promise(() => fs.realpath(path.join(root, "node_modules")))
  yield* Effect.promise(() => fs.symlink(packages, path.join(program, "node_modules")))
  return { folder, program }
})

const run = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const { status, stderr, stdout } = spawnSync(program, [...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", ...env },
    timeout: seconds(60)
  })
  return { status, said: `${stdout}${stderr}` }
}

describe("From the files of its image alone", () => {
  it.effect("the server's program starts", () =>
    Effect.gen(function* () {
      const { program } = yield* unpack("Dockerfile")
      const [entry] = instructions("Dockerfile").filter(({ name }) => name === "ENTRYPOINT")
      assert.include(entry?.words, '"bin/switchyard"')
      const { said, status } = run(path.join(program, "bin/switchyard"), ["--help"], {})
      assert.strictEqual(status, 0, said)
      assert.include(said, "serve")
    })
  )

  it.effect("a lease of dnsmasq is reported, and waits while the server is away", () =>
    Effect.gen(function* () {
      const { folder, program } = yield* unpack("deploy/dhcp/Dockerfile")
      const log = path.join(folder, "log")
      const env = {
        SWITCHYARD: program,
        SWITCHYARD_URL: "http://127.0.0.1:9",
        SWITCHYARD_HOOK_LOG: log,
        DATA_DIR: folder
      }
      const script = path.join(folder, "etc/switchyard/dnsmasq-lease")
      const { said, status } = run(script, ["add", "00:1c:73:00:0d:01", "10.0.9.20"], env)
      assert.strictEqual(status, 0, said)
      // the script returns at once, the hook goes on behind it
      const queue = path.join(folder, "dhcp-queue")
      while (!existsSync(queue) || (yield* Effect.promise(() => fs.readdir(queue))).length === 0) {
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
      }
    }).pipe(Effect.scoped)
  )
})
