/**
 * Declarations for the modules of the package that people write against: plugins, drivers, and servers with drivers of their own. Only what
 * these reach is added, and no test of ours reads it: `test/scenarios/install/Outside.test.ts` writes against the tarball.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"

const root = path.resolve(import.meta.dirname, "..")

const SERVER = "src/cli/OwnServer"
const DECLARED = ["src/plugins/PluginModule", "src/drivers/DriverModule"]

/** What may be imported of the package, each by the module that it is. */
const ENTRIES = { ".": SERVER, "./plugin": DECLARED[0], "./driver": DECLARED[1] }

/** The compiler would declare every module of the server for the one function that is asked for. */
const SERVER_DECLARED = `import type { Serve } from "../drivers/DriverModule.js"
export declare const serve: Serve
`

/** For the manifest. A plugin in a folder of the server may name the file itself, beside which its declaration is. */
export const exported = {
  ...Object.fromEntries(
    Object.entries(ENTRIES).map(([name, module]) => [name, { types: `./${module}.d.ts`, default: `./${module}.js` }])
  ),
  "./package.json": "./package.json"
}

const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)"(\.[^"\n]*)\.ts"/g

const declare = (target) => {
  const project = path.join(target, "tsconfig.json")
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: target,
    rootDir: root,
    typeRoots: [path.join(root, "node_modules/@types")]
  }
  const files = DECLARED.map((module) => path.join(root, `${module}.ts`))
  const extending = path.join(root, "tsconfig.json")
  writeFileSync(project, JSON.stringify({ extends: extending, compilerOptions, include: [], files }))
  execFileSync(path.join(root, "node_modules/.bin/tsc"), ["-p", project], { stdio: ["ignore", "inherit", "inherit"] })
}

/** Adds the declarations to a package. */
export const addDeclarations = (folder) => {
  const made = mkdtempSync(path.join(folder, ".types-"))
  try {
    declare(made)
    const open = [...DECLARED]
    const seen = new Set()
    for (let module = open.pop(); module !== undefined; module = open.pop()) {
      if (seen.has(module)) continue
      seen.add(module)
      const text = readFileSync(path.join(made, `${module}.d.ts`), "utf8")
      const beside = path.posix.dirname(module)
      for (const [, , name] of text.matchAll(IMPORT)) open.push(path.posix.join(beside, name))
      const file = path.join(folder, `${module}.d.ts`)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, text.replaceAll(IMPORT, '$1"$2.js"'))
    }
    mkdirSync(path.join(folder, path.dirname(SERVER)), { recursive: true })
    writeFileSync(path.join(folder, `${SERVER}.d.ts`), SERVER_DECLARED)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}
