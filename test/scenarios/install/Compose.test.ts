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
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { documentation } from "../../../src/SettingsTable.ts"
import { makeFolder, waiting } from "../../dhcp/HookProgram.ts"
import { compose, copies, dockerfileOf, environmentOf, instructions, read, root, type Service } from "./Containers.ts"
import { seconds } from "../../support/Patience.ts"

const services = Object.entries(compose.services)
const built = services.flatMap(([name, service]) => {
  const dockerfile = dockerfileOf(service)
  return dockerfile === undefined ? [] : [{ name, service, dockerfile }]
})

/** `${NAME:?why}` and `${NAME:-default}`. */
const VARIABLE = /\$\{(\w+)(:[?-][^}]*)?\}/g
const variables = [...read("docker-compose.yml").matchAll(VARIABLE)].map(([, name = "", refusal]) => ({
  name,
  refusal
}))
const inExample = [...read(".env.example").matchAll(/^(#?)(\w+)=(.*)$/gm)]

const mountsOf = ({ volumes = [] }: Service) =>
  volumes.map((mount) => {
    const [, source = "", target = ""] = /^(\$\{[^}]+\}|[^:]+):([^:]+)/.exec(mount) ?? []
    return { source, target }
  })

/** The variables of a service with the values that a filled-in `.env` would give. */
const filled = ({ environment = {} }: Service): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, String(value).replaceAll(VARIABLE, "10.0.0.0/8")])
  )

describe("docker-compose.yml", () => {
  it("builds from existing Dockerfiles, and every image has one source", () => {
    for (const { dockerfile, name } of built)
      assert.isTrue(existsSync(path.join(root, dockerfile)), `${name}: ${dockerfile}`)
    for (const [name, { build, image }] of services) {
      assert.isTrue(build !== undefined || image !== undefined, name)
      // what is built once is the image of all that name it
      for (const [, other] of services)
        if (build !== undefined && image !== undefined && other.image === image) assert.deepEqual(other.build, build)
    }
  })

  it("waits for existing services, and for health only if a health check exists", () => {
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
    const named = mounted.filter((source) => /^\w+$/.test(source))
    assert.deepEqual([...new Set(named)].toSorted(), Object.keys(compose.volumes).toSorted())
    const secrets = services.flatMap(([, service]) => service.secrets ?? [])
    assert.deepEqual([...new Set(secrets)].toSorted(), Object.keys(compose.secrets).toSorted())
    for (const [name, { file }] of Object.entries(compose.secrets)) {
      assert.strictEqual(file, `./secrets/${name}`)
      assert.include(read("deploy/compose/README.md"), name)
    }
    const networks = services.flatMap(([, service]) => service.networks ?? [])
    assert.deepEqual([...new Set(networks)].toSorted(), Object.keys(compose.networks).toSorted())
  })

  it("listens on loopback only until configured otherwise, and then with TLS", () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    assert.sameDeepMembers(published, [
      ["proxy", "${BIND_ADDRESS:-127.0.0.1}:443:443"],
      ["proxy", "${BIND_ADDRESS:-127.0.0.1}:80:80"],
      ["server", "127.0.0.1:5000:5000"]
    ])
    const proxy = read("deploy/compose/Caddyfile")
    assert.include(proxy, "reverse_proxy server:5000 server2:5000")
    assert.include(proxy, "reverse_proxy server:8080 server2:8080")
    assert.include(["/api/health/live", "/api/health/ready"], /health_uri (\S+)/.exec(proxy)?.[1])
    for (const [, name = ""] of proxy.matchAll(/\/run\/secrets\/(\w+)/g))
      assert.include(compose.services["proxy"]?.secrets ?? [], name)
  })

  it("has no password in an environment, and grants only the required rights", () => {
    for (const [name, service] of services) {
      assert.deepEqual(
        Object.keys(service.environment ?? {}).filter(
          (key) => /PASSWORD|SECRET|TOKEN|_URL$/.test(key) && !key.endsWith("_FILE")
        ),
        name === "dhcp" ? ["SWITCHYARD_URL"] : [],
        name
      )
      if (name !== "dhcp") assert.isDefined(service.security_opt, name)
      if (name !== "database") assert.isDefined(service.cap_drop, name)
      if (name !== "database" && name !== "dhcp") assert.isTrue(service.read_only, name)
    }
  })

  it("uses each variable of .env.example, no other, and refuses to start without a required one", () => {
    assert.deepEqual(
      [...new Set(variables.map(({ name }) => name))].toSorted(),
      inExample.map(([, , name]) => name).toSorted()
    )
    for (const [, optional, name, value] of inExample) {
      assert.strictEqual(value, "", `${name} has a default`)
      for (const one of variables.filter((found) => found.name === name))
        assert.isTrue(optional === "#" ? one.refusal?.startsWith(":-") : one.refusal === `:?set ${name} in .env`, name)
    }
  })

  it("mounts below DATA_DIR only folders that the image has created for its user: an empty volume takes the owner from there", () => {
    const made = read("Dockerfile")
      .split("\n")
      .filter((line) => /install -d -o 999 -g 999/.test(line))
      .join(" ")
    for (const { name, service } of built.filter(({ dockerfile }) => dockerfile === "Dockerfile"))
      for (const { target } of mountsOf(service))
        if (target.startsWith("/var/lib/switchyard/")) assert.include(made, target, name)
  })

  it("keeps persistent data on volumes", () => {
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

const servers = { server, server2: compose.services["server2"]! }

/** The environment of a server with a secret in each file that it names. */
const withSecrets = Effect.fnUntraced(function* (service: Service) {
  const folder = yield* makeFolder
  const environment = Object.entries({ ...environmentOf("Dockerfile"), ...filled(service) })
  for (const name of service.secrets ?? []) {
    const text = name === "database_url" ? "postgres://switchyard:x@database:5432/switchyard" : "s".repeat(64)
    yield* Effect.promise(() => fs.writeFile(path.join(folder, name), `${text}\n`))
  }
  return Object.fromEntries(environment.map(([name, value]) => [name, value.replace(/^\/run\/secrets/, folder)]))
})

describe("The servers' containers", () => {
  it("are given known variables", () => {
    const known = new Set(documentation.map(([name]) => name))
    for (const { environment = {} } of Object.values(servers)) {
      const given = [...Object.keys(environment), ...Object.keys(environmentOf("Dockerfile"))]
      assert.deepEqual(
        given.filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, "")) && !name.startsWith("NODE_")),
        []
      )
    }
  })

  it.effect(
    "are given values that they start with, and the files that these name: their database, keys and ports",
    () =>
      Effect.gen(function* () {
        for (const [name, service] of Object.entries(servers)) {
          const environment = yield* withSecrets(service)
          const config = yield* Effect.provide(ServerConfig, ServerConfig.layerOf(environment))
          assert.strictEqual(config.logins.size, 4)
          assert.isTrue(config.JWT_ENABLED && config.LOCAL_USERS)
          assert.deepEqual([config.HOST_KEY_POLICY, config.MANAGEMENT_NETWORKS], ["approve", "10.0.0.0/8"])
          assert.deepEqual([config.HOST, config.PORT, config.CLUSTER_PORT], ["0.0.0.0", 5000, 5050])
          assert.strictEqual(environment["CLUSTER_HOST"], name)
          assert.deepEqual(config.TRUSTED_PROXIES, ["172.30.40.0/24"])
          const named = Object.values(service.environment ?? {}).flatMap(
            (value) => /^\/run\/secrets\/(.*)$/.exec(String(value))?.[1] ?? []
          )
          assert.deepEqual([...new Set(named)].toSorted(), service.secrets?.toSorted())
        }
      }).pipe(Effect.scoped)
  )

  it("separate the data of each one from the common data", () => {
    const [one = [], two = []] = Object.values(servers).map(({ volumes }) => volumes)
    assert.deepEqual(
      one.filter((mount) => two.includes(mount)).map((mount) => mount.split(":")[0]),
      ["firmware", "shared"]
    )
  })
})

describe("The DHCP server's container", () => {
  const script = read("deploy/dhcp/switchyard-lease")

  it("is given variables that the hook knows", () => {
    const given = [...Object.keys(dhcp.environment ?? {}), ...Object.keys(environmentOf("deploy/dhcp/Dockerfile"))]
    assert.deepEqual(
      given.filter((name) => !script.includes(`\${${name}`)),
      []
    )
  })

  it("reaches the port that the server publishes", () => {
    const url = new URL(String(dhcp.environment?.["SWITCHYARD_URL"]))
    assert.isTrue(server.ports?.includes(`${url.hostname}:${url.port}:${url.port}`))
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
    for (const { source, target } of mountsOf(dhcp).filter(({ source }) => source.startsWith("$"))) {
      assert.include(placed, target)
      assert.isTrue(existsSync(path.join(root, /:-(.*)\}$/.exec(source)?.[1] ?? "nowhere")), source)
    }
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
  if (!existsSync(program)) return { folder, program }
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

describe("From the files of its image only", () => {
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

  it.effect("a lease of dnsmasq is reported, and waits while the server is unreachable", () =>
    Effect.gen(function* () {
      const { folder } = yield* unpack("deploy/dhcp/Dockerfile")
      const env = {
        SWITCHYARD_PLATFORM_OF: path.join(folder, "etc/switchyard/platform-of"),
        SWITCHYARD_URL: "http://127.0.0.1:9",
        SWITCHYARD_HOOK_LOG: path.join(folder, "log"),
        DATA_DIR: folder
      }
      const script = path.join(folder, "usr/lib/switchyard/deploy/dhcp/dnsmasq-lease")
      const { said, status } = run(script, ["add", "00:1c:73:00:0d:01", "10.0.9.20"], env)
      assert.strictEqual(status, 0, said)
      assert.deepEqual(yield* waiting(folder), ["001C73000D01.json"])
    }).pipe(Effect.scoped)
  )
})
