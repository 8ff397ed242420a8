/**
 * Writes the generated halves of the clients in `clients/` from the OpenAPI document of the server. What is written by hand lies beside
 * them: `transport`, `client` and `errors`.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { readDocument } from "./clients/Calls.ts"
import { pythonFiles } from "./clients/Python.ts"
import { typeScriptFiles } from "./clients/TypeScript.ts"

const root = path.resolve(import.meta.dirname, "..")

/** The texts as the formatter of this repository has them. */
const formatted = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const folder = mkdtempSync(path.join(tmpdir(), "switchyard-clients-"))
  try {
    const config = path.join(root, ".oxfmtrc.json")
    writeFileSync(path.join(folder, ".oxfmtrc.json"), readFileSync(config))
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
    execFileSync(path.join(root, "node_modules/.bin/oxfmt"), ["."], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"]
    })
    return Object.fromEntries(Object.keys(files).map((name) => [name, readFileSync(path.join(folder, name), "utf8")]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Every generated file of the clients, with its text. */
export const clientFiles = (): ReadonlyArray<{ readonly file: string; readonly text: string }> => {
  const document = readDocument()
  return [
    ...Object.entries(formatted(typeScriptFiles(document))).map(([name, text]) => ({
      file: path.join(root, "clients/typescript/src", name),
      text
    })),
    ...Object.entries(pythonFiles(document)).map(([name, text]) => ({
      file: path.join(root, "clients/python/src/switchyard_client", name),
      text
    }))
  ]
}

if (import.meta.main) for (const { file, text } of clientFiles()) writeFileSync(file, text)
