/**
 * The npm package of a release, tried from its tarball as a site installs it: packed, installed into an empty folder, started by the name that npm gives
 * it, and asked for what starts modules of its own: the page, a plugin, a rendering, the check of settings, the lab.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { freePort } from "../../support/FreePort.ts"
import { installed } from "./InstalledPackage.ts"
import { ask, background, must, PATH, repositories, root, run, untilReady, write } from "./Release.ts"

const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { readonly version: string }

const Named = Schema.Struct({ name: Schema.String, version: Schema.String })
const Bill = Schema.fromJsonString(
  Schema.Struct({
    bomFormat: Schema.String,
    metadata: Schema.Struct({ component: Named }),
    components: Schema.Array(Named)
  })
)

class Site extends Context.Service<Site, Effect.Success<typeof installed>>()("test/Site") {
  static readonly layer = Layer.effect(Site, installed)
}

describe("The package", () => {
  layer(Site.layer, { excludeTestServices: true })((it) => {
    it.effect("has no TypeScript that Node would have to read, and no package for development only", () =>
      Effect.gen(function* () {
        const { site } = yield* Site
        const own = path.join(site, "node_modules/@switchyard/server")
        const files = readdirSync(own, { recursive: true, encoding: "utf8" })
        assert.deepEqual(files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts")).toSorted(), [
          "examples/drivers/folder.ts",
          "examples/drivers/server.ts",
          "examples/plugins/template.ts"
        ])
        const manifest = JSON.parse(readFileSync(path.join(own, "package.json"), "utf8"))
        assert.deepInclude(manifest, { name: "@switchyard/server", version, engines: { node: ">=24" } })
        assert.doesNotHaveAnyKeys(manifest, ["private", "scripts", "devDependencies"])
        const lock = JSON.parse(readFileSync(path.join(own, "npm-shrinkwrap.json"), "utf8"))
        assert.notProperty(lock.packages, "node_modules/vitest")
      })
    )

    it.effect("has its checksum and a list of its contents", () =>
      Effect.gen(function* () {
        const { release } = yield* Site
        const checked = must("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: release })
        assert.match(checked, /^switchyard-server-.*\.tgz: OK$/m)
        const { bomFormat, components, metadata } = Schema.decodeUnknownSync(Bill)(
          readFileSync(path.join(release, `switchyard-${version}.cdx.json`), "utf8")
        )
        assert.strictEqual(bomFormat, "CycloneDX")
        assert.deepInclude(metadata.component, { name: "@switchyard/server", version })
        const names = components.map(({ name }) => name)
        assert.includeMembers(names, ["effect", "ssh2", "node"])
        assert.notInclude(names, "vitest")
      })
    )

    it.effect("prints its version, and on an older Node the missing requirement", () =>
      Effect.gen(function* () {
        const { folder, program } = yield* Site
        assert.strictEqual(must(program, ["--version"]).trim(), `switchyard v${version}`)
        const old = path.join(folder, "node")
        yield* write(old, `#!/bin/sh\nexec ${process.execPath} --import ${path.join(folder, "old.mjs")} "$@"\n`)
        yield* write(
          path.join(folder, "old.mjs"),
          `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })\n`
        )
        chmodSync(old, 0o755)
        const { said, status } = run(program, ["--version"], { env: { SWITCHYARD_NODE: old } })
        assert.strictEqual(status, 1)
        assert.include(said, "Switchyard runs on Node 24, this is 20.1.0")
      })
    )

    it.effect("serves its API, its page, plugins, renderings and checks with its embedded database", () =>
      Effect.gen(function* () {
        const { folder, program, site } = yield* Site
        const own = path.join(site, "node_modules/@switchyard/server")
        const told = path.join(folder, "told.log")
        yield* write(
          path.join(folder, "plugins.yml"),
          `plugins: [{ filename: filewriter.ts, vars: { logfile: ${told} } }]`
        )
        const server = yield* background(program, ["serve"], {
          cwd: site,
          env: {
            ...repositories(path.join(own, "examples"), folder),
            DATA_DIR: path.join(folder, "data"),
            PLUGIN_FILE: path.join(folder, "plugins.yml"),
            JWT_ENABLED: "false",
            PORT: "0"
          }
        })
        const url = yield* server.until(/Listening on (http:\/\/[\d.]+:\d+)/)
        const api = `${url}/api/v1.0`

        yield* untilReady(`${url}/api/health/ready`)
        const asked = yield* ask(`${api}/system/version`)
        assert.include(asked.text, `"version":"${version}"`)
        const page = yield* ask(`${url}/`)
        assert.strictEqual(page.status, 200, page.text)
        assert.include(page.text, "<script")

        assert.include((yield* ask(`${api}/plugins`, { action: "selftest" }, "PUT")).text, "[true]")

        const device = { hostname: "lhv-dist1", state: "UNMANAGED", platform: "eos", device_type: "DIST" }
        const made = yield* ask(`${api}/device`, { ...device, management_ip: "10.0.6.10" })
        assert.strictEqual(made.status, 200, made.text)
        const rendered = yield* ask(`${api}/device/lhv-dist1/render`, { text: "hostname {{ hostname|upper }}" })
        assert.include(rendered.text, "hostname LHV-DIST1")
        const checked = yield* ask(`${api}/settings/model`, { ntp_servers: 5 })
        assert.strictEqual(checked.status, 400, checked.text)
      }).pipe(Effect.scoped)
    )

    it.effect("starts the lab", () =>
      Effect.gen(function* () {
        const { program, site } = yield* Site
        const ports = [yield* freePort, yield* freePort]
        const lab = yield* background(program, ["lab", "--port", `${ports[0]}`, "--control", `${ports[1]}`], {
          cwd: site,
          env: {}
        })
        assert.isNotEmpty(yield* lab.until(/(\d+\.\d+\.\d+\.\d+:\d+)/))
      }).pipe(Effect.scoped)
    )

    it.effect("has its own check of repositories, render and hook", () =>
      Effect.gen(function* () {
        const { program, site } = yield* Site
        const examples = path.join(site, "node_modules/@switchyard/server/examples")
        const words = ["--settings", path.join(examples, "settings"), "--templates", path.join(examples, "templates")]
        const { said, status } = run(program, ["check", ...words], { cwd: site })
        assert.strictEqual(status, 0, said)
        const hook = run(program, ["dhcp-hook"], { cwd: site, env: { PATH } })
        assert.notInclude(hook.said, "ERR_MODULE_NOT_FOUND")
        assert.isTrue(existsSync(path.join(examples, "plugins/template.ts")))
      })
    )
  })
})
