/** The clients as a release packs them, installed by npm and pip as a site does. */
import { assert, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { must, root } from "../install/Release.ts"
import { packClients } from "../../../scripts/pack-clients.mjs"
import { clients, python, WITHOUT_PYTHON } from "./Clients.ts"

const versionIn = (file: string): string | undefined =>
  /^ *"?version"?(?:: | = )"([^"]+)"/m.exec(readFileSync(file, "utf8"))?.[1]

it("packs the clients with the version of the release, and they can be installed", (context) => {
  const version = versionIn(path.join(root, "package.json"))
  for (const file of ["typescript/package.json", "python/pyproject.toml"]) {
    assert.strictEqual(versionIn(path.join(clients, file)), version, file)
  }
  const folder = mkdtempSync(path.join(tmpdir(), "switchyard-packed-"))
  try {
    const [tarball = "", source = "", wheel] = packClients(folder)
    const site = path.join(folder, "site")
    mkdirSync(site)
    writeFileSync(path.join(site, "package.json"), `{ "type": "module" }`)
    must("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", tarball], { cwd: site })
    const program = path.join(site, "program.ts")
    writeFileSync(
      program,
      `import { type Device, Switchyard } from "@switchyard/client"
const network = new Switchyard({ url: "http://127.0.0.1:1" })
export const names = async (): Promise<ReadonlyArray<string>> => {
  const { devices } = await network.listDevices()
  return devices.map((device: Device) => device.hostname)
}
console.log(typeof network.wait)
`
    )
    const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom"]
    must(path.join(root, "node_modules/.bin/tsc"), [...options, "--types", "", program], { cwd: site })
    assert.strictEqual(must(process.execPath, [program], { cwd: site }).trim(), "function")

    assert.include(must("tar", ["-tzf", source]), `switchyard_client-${version}/src/switchyard_client/py.typed`)
    if (python === undefined) return context.skip(WITHOUT_PYTHON)
    const environment = path.join(folder, "venv")
    must(python, ["-m", "venv", environment])
    const pip = ["-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "-q", String(wheel)]
    must(path.join(environment, "bin/python"), pip)
    const imported = `import switchyard_client, importlib.metadata as m; print(m.version("switchyard-client"), switchyard_client.__file__)`
    const said = must(path.join(environment, "bin/python"), ["-c", imported])
    assert.match(said, new RegExp(`^${version} ${environment}`))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
