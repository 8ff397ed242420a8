/**
 * A plugin, and a driver with its server, as a site writes them against the tarball of a release: in an empty folder, with the types of the
 * package alone. Both are checked by the compiler, and then run.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import * as path from "node:path"
import { serve as serveJson } from "../../plugins/JsonServer.ts"
import { DEVICE, FIRST, started } from "../../plugins/PluginFolder.ts"
import * as PluginRegistry from "../../../src/plugins/PluginRegistry.ts"
import { ask, background, must, root, run, untilReady, write } from "./Release.ts"
import { installed } from "./InstalledPackage.ts"

class Site extends Context.Service<Site, Effect.Success<typeof installed>>()("test/OutsideSite") {
  static readonly layer = Layer.effect(
    Site,
    Effect.tap(installed, ({ site }) =>
      Effect.all([
        Effect.sync(() => {
          const types = path.join(site, "node_modules/@types")
          if (!existsSync(types)) symlinkSync(path.join(root, "node_modules/@types"), types)
        }),
        write(path.join(site, "package.json"), `{ "private": true, "type": "module" }\n`),
        // libraries are checked as well: each import in a declaration must be found
        write(
          path.join(site, "tsconfig.json"),
          JSON.stringify({
            compilerOptions: {
              strict: true,
              noEmit: true,
              target: "esnext",
              lib: ["esnext", "dom"],
              module: "nodenext",
              erasableSyntaxOnly: true,
              verbatimModuleSyntax: true,
              allowImportingTsExtensions: true,
              exactOptionalPropertyTypes: true,
              types: ["node"]
            }
          })
        )
      ])
    )
  )
}

const typeCheck = (site: string) => run(path.join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: site })

describe("Outside the repository", () => {
  layer(Site.layer, { excludeTestServices: true })((it) => {
    it.effect("a plugin is written with the types of the package, and runs without it", () =>
      Effect.gen(function* () {
        const { own, site } = yield* Site
        const folder = path.join(site, "plugins")
        mkdirSync(folder)
        const template = readFileSync(path.join(own, "examples/plugins/template.ts"), "utf8")
        yield* write(path.join(folder, "inventory.ts"), template)
        const good = typeCheck(site)
        assert.strictEqual(good.status, 0, good.said)
        yield* write(path.join(folder, "wrong.ts"), template.replace("new_managed_device: (event", "newDevice: (event"))
        assert.include(typeCheck(site).said, "'newDevice' does not exist in type 'Plugin'")
        must("rm", [path.join(folder, "wrong.ts")])

        const receiver = yield* serveJson(() => ({ status: 200 }))
        const file = yield* PluginRegistry.findModule("inventory", folder)
        const vars = { url: receiver.url, apitoken: "t0ken" }
        const plugin = yield* started("", { file, name: "inventory", vars })
        yield* plugin.call("new_managed_device", DEVICE, FIRST)
        assert.strictEqual(receiver.asked.length, 1)
      }).pipe(Effect.scoped)
    )

    it.effect("a driver with a platform of its own is checked and manages a switch", () =>
      Effect.gen(function* () {
        const { folder, own, site } = yield* Site
        must("cp", [path.join(own, "examples/drivers/folder.ts"), path.join(own, "examples/drivers/server.ts"), site])
        const checked = typeCheck(site)
        assert.strictEqual(checked.status, 0, checked.said)

        const old = "hostname lab-f1\nvlan 10\n"
        const wanted = "hostname lab-f1\nvlan 20\n"
        const place = path.join(folder, "switches/lab-f1")
        mkdirSync(place, { recursive: true })
        yield* write(path.join(place, "running.conf"), old)
        const server = yield* background(process.execPath, ["server.ts"], {
          cwd: site,
          env: {
            DATA_DIR: path.join(folder, "data"),
            SWITCH_FOLDERS: path.join(folder, "switches"),
            ALLOW_APPLY_CONFIG_LIVERUN: "true",
            MANAGEMENT_NETWORKS: "10.0.0.0/8",
            USERNAME_MANAGED: "none",
            PASSWORD_MANAGED: "none",
            JWT_ENABLED: "false",
            PORT: "0"
          }
        })
        const url = yield* server.until(/Listening on (http:\/\/[\d.]+:\d+)/)
        const api = `${url}/api/v1.0`
        yield* untilReady(`${url}/api/health/live`)
        const device = { hostname: "lab-f1", platform: "folder", device_type: "ACCESS", management_ip: "10.0.6.10" }
        const made = yield* ask(`${api}/device`, { ...device, state: "MANAGED" })
        assert.strictEqual(made.status, 200, made.text)

        const push = Effect.fnUntraced(function* (dry_run: boolean) {
          const { text } = yield* ask(`${api}/device/lab-f1/apply_config`, { full_config: wanted, dry_run })
          const { job_id } = JSON.parse(text)
          assert.isNumber(job_id, text)
          for (;;) {
            const said = (yield* ask(`${api}/job/${job_id}`)).text
            const [job] = JSON.parse(said).data.jobs
            if (job.status === "FINISHED" || job.status === "EXCEPTION") return said
            yield* Effect.sleep("50 millis")
          }
        })
        const shown = yield* push(true)
        assert.include(shown, "+vlan 20")
        assert.strictEqual(readFileSync(path.join(place, "running.conf"), "utf8"), old)
        const pushed = yield* push(false)
        assert.include(pushed, `"FINISHED"`)
        assert.strictEqual(readFileSync(path.join(place, "running.conf"), "utf8"), wanted, pushed)
        assert.strictEqual(readFileSync(path.join(place, "startup.conf"), "utf8"), wanted, pushed)
      }).pipe(Effect.scoped)
    )
  })
})
