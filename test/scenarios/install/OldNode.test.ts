/**
 * The programs that the Node of a system runs, with real old ones from the package registry: one sentence with the version that is wanted
 * and the one that was found. Where the registry is not reached, the tests with them are skipped.
 */
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { arch, platform, tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, type TestContext } from "vitest"

const root = path.resolve(import.meta.dirname, "../../..")
const read = (name: string) => fs.readFileSync(path.join(root, name), "utf8")
const OLDEST = 20

/** The Node of Ubuntu 22.04, that of Debian 12, and the one that has no `import.meta.dirname` yet. */
const VERSIONS = ["12.22.12", "18.20.8", "20.9.0"]

const run = (program: string, words: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv = {}) => {
  const { status, stderr, stdout } = spawnSync(program, words, { cwd, encoding: "utf8", env, timeout: 120_000 })
  return { code: status, said: `${stdout ?? ""}${stderr ?? ""}` }
}

let folder = ""
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), "switchyard-old-node-"))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** That Node, which later tests find in its place; skips the test if it cannot be had. */
const nodeOf = (version: string, context: TestContext): string => {
  const home = path.join(folder, version)
  const node = path.join(home, "package/bin/node")
  if (fs.existsSync(node)) return node
  fs.mkdirSync(home, { recursive: true })
  const name = `node-${platform()}-${arch()}`
  const words = ["pack", `${name}@${version}`, "--silent", "--fetch-retries=0", "--fetch-timeout=20000"]
  // the certificates and the proxy by which this machine reaches the registry
  if (run("npm", words, home, process.env).code !== 0)
    context.skip(`${name}@${version} cannot be had from the registry`)
  const unpacked = run("tar", ["-xzf", `${name}-${version}.tgz`, "package/bin/node"], home, process.env)
  assert.strictEqual(unpacked.code, 0, unpacked.said)
  return node
}

/** A clone with packages of its own, of which nothing is missing. */
const clone = () => {
  const made = fs.mkdtempSync(path.join(folder, "clone-"))
  for (const file of ["scripts/ensure-installed.mjs", "bin/start.mjs"]) {
    fs.mkdirSync(path.join(made, path.dirname(file)), { recursive: true })
    fs.copyFileSync(path.join(root, file), path.join(made, file))
  }
  for (const name of ["node_modules/.bin", "node_modules/effect"])
    fs.mkdirSync(path.join(made, name), { recursive: true })
  fs.writeFileSync(path.join(made, "node_modules/.bin/node"), "")
  fs.writeFileSync(path.join(made, "package.json"), '{"type": "module"}')
  return made
}

describe("A Node that is too old", () => {
  for (const version of VERSIONS) {
    const isOldEnough = Number.parseInt(version, 10) >= OLDEST
    it(`${version} ${isOldEnough ? "installs dependencies" : "is told which one installs dependencies"}`, (context) => {
      const { code, said } = run(nodeOf(version, context), ["scripts/ensure-installed.mjs"], clone())
      if (isOldEnough) return assert.deepEqual({ code, said }, { code: 0, said: "" })
      assert.strictEqual(code, 1)
      assert.match(said, /^Switchyard needs Node\.js 20 or newer, and this is Node\.js \d[^\n]*\n$/)
      assert.include(said, `Node.js ${version} (`)
    })

    it(`${version} is told which one runs the program`, (context) => {
      const { code, said } = run(nodeOf(version, context), ["bin/start.mjs", "serve"], clone())
      assert.strictEqual(code, 1)
      assert.match(said, /^Switchyard runs on Node 24, this is \d[^\n]*\n$/)
      assert.include(said, `this is ${version}.`)
    })
  }

  it("installs the compiled parts that npm leaves out on it, by the Node that comes with the dependencies", (context) => {
    const old = nodeOf("20.9.0", context)
    const made = fs.mkdtempSync(path.join(folder, "compiled-"))
    const env = {
      HOME: made,
      PATH: `${path.dirname(old)}:${process.env["PATH"] ?? ""}`,
      npm_config_registry: "http://127.0.0.1:9/"
    }
    const pack = (name: string, more: Readonly<Record<string, unknown>>) => {
      const source = path.join(made, `source-${name}`)
      fs.mkdirSync(source)
      fs.writeFileSync(path.join(source, "package.json"), JSON.stringify({ name, version: "1.0.0", ...more }))
      fs.writeFileSync(path.join(source, "node.sh"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
      assert.strictEqual(run("npm", ["pack", "--pack-destination", made], source, env).code, 0)
      return `file:${name}-1.0.0.tgz`
    }
    const wanted = {
      name: "small",
      version: "1.0.0",
      type: "module",
      devDependencies: { node: pack("node", { bin: { node: "node.sh" } }) },
      optionalDependencies: {
        compiled: pack("compiled", { engines: { node: ">=24" }, os: [platform()], cpu: [arch()] })
      }
    }
    fs.writeFileSync(path.join(made, "package.json"), JSON.stringify(wanted))
    assert.strictEqual(run("npm", ["install", "--package-lock-only", "--force"], made, env).code, 0)
    fs.mkdirSync(path.join(made, "scripts"))
    fs.copyFileSync(path.join(root, "scripts/ensure-installed.mjs"), path.join(made, "scripts/ensure-installed.mjs"))
    const first = run(old, ["scripts/ensure-installed.mjs"], made, env)
    assert.strictEqual(first.code, 0, first.said)
    assert.isTrue(fs.existsSync(path.join(made, "node_modules/compiled/package.json")))
    assert.deepEqual(run(old, ["scripts/ensure-installed.mjs"], made, env), { code: 0, said: "" })
  })

  it("is one version in package.json, in the README and in the program", () => {
    assert.include(read("package.json"), `"node": ">=${OLDEST}"`)
    assert.include(read("README.md"), `Node.js ${OLDEST} or newer`)
    assert.include(read("scripts/ensure-installed.mjs"), `const OLDEST_NODE = ${OLDEST}\n`)
  })
})

describe("The programs that any Node starts", () => {
  it("use nothing that Node 12 cannot read", () => {
    for (const name of ["scripts/ensure-installed.mjs", "bin/start.mjs"]) {
      const code = read(name).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
      assert.notMatch(code, /\?\?|\?\.[a-z[(]|\|\|=|&&=|^await |import\.meta\.(?:dirname|filename|resolve)/m, name)
      // names that later Nodes export would end the program before its first line
      const imports = [...code.matchAll(/^import (?:\w+, )?\{([^}]*)\} from "node:(\w+)"/gm)].map(
        ([, names = ""]) => names
      )
      for (const one of imports.flatMap((names) => names.split(",").map((word) => word.trim())))
        assert.notInclude(["rmSync", "cpSync", "globSync", "enableCompileCache", "styleText"], one, name)
    }
  })
})
