/**
 * Loaded before the program (`node --import`): each file of `src` and `machines` reports once when one of its functions gets an argument that holds
 * the value that is followed, or passes it on, and which file passed it before. Reports go to WALK_FOLDER, one file per process and
 * thread. `scripts/walks.ts` makes the walks from them.
 */
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs"
import { registerHooks } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { threadId } from "node:worker_threads"
import { parseAst } from "rolldown/parseAst"

const root = path.resolve(import.meta.dirname, "..")
const folder = process.env["WALK_FOLDER"] ?? ""
const FOLLOWED = /^(?:machines|src)\//
/** Simulated switches and the storyteller are not the product. */
const LEFT_OUT = /^src\/(?:lab|fabric|demo)\//

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string"

const childrenOf = (node: Node): ReadonlyArray<Node> =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))

/** The names that a parameter binds. */
const namesOf = (pattern: Node): ReadonlyArray<string> => {
  switch (pattern.type) {
    case "Identifier":
      return pattern["name"] === "this" ? [] : [String(pattern["name"])]
    case "AssignmentPattern":
      return isNode(pattern["left"]) ? namesOf(pattern["left"]) : []
    case "RestElement":
      return isNode(pattern["argument"]) ? namesOf(pattern["argument"]) : []
    case "TSParameterProperty":
      return isNode(pattern["parameter"]) ? namesOf(pattern["parameter"]) : []
    case "Property":
      return isNode(pattern["value"]) ? namesOf(pattern["value"]) : []
    default:
      return childrenOf(pattern).flatMap((child) => (child.type === "TSTypeAnnotation" ? [] : namesOf(child)))
  }
}

const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"])

interface Insertion {
  readonly at: number
  readonly text: string
}

/** The recorder sees the arguments of each call. */
const passing = (node: Node, file: string, source: string): ReadonlyArray<Insertion> => {
  const { arguments: args, callee } = node
  const isCall = node.type === "CallExpression" || node.type === "NewExpression"
  if (!isCall || !isNode(callee) || callee.type === "Super" || !Array.isArray(args)) return []
  const types = node["typeArguments"]
  const open = source.indexOf("(", isNode(types) ? types.end : callee.end)
  if (args.length === 0 || open === -1) return []
  return [
    { at: open + 1, text: `...globalThis.__pass(${JSON.stringify(file)}, [` },
    { at: node.end - 1, text: "])" }
  ]
}

/** The recorder sees the parameters of each function. */
const receiving = (node: Node, file: string): ReadonlyArray<Insertion> => {
  const { body, params } = node
  if (!FUNCTIONS.has(node.type) || !isNode(body) || !Array.isArray(params)) return []
  const names = params.filter(isNode).flatMap(namesOf)
  if (names.length === 0) return []
  const call = `globalThis.__receive(${JSON.stringify(file)}, [${names.join(", ")}])`
  if (body.type === "BlockStatement" || body.type === "FunctionBody") return [{ at: body.start + 1, text: ` ${call};` }]
  return [
    { at: body.start, text: `(${call}, ` },
    { at: body.end, text: ")" }
  ]
}

/** From the outermost node to the innermost: what begins at one place begins in this order, and ends in the other. */
const insertionsOf = (node: Node, file: string, source: string): ReadonlyArray<Insertion> => {
  const own = [...passing(node, file, source), ...receiving(node, file)]
  const [before, after] = [
    own.filter(({ text }) => !text.startsWith("]") && text !== ")"),
    own.filter(({ text }) => text.startsWith("]") || text === ")")
  ]
  return [...before, ...childrenOf(node).flatMap((child) => insertionsOf(child, file, source)), ...after]
}

const instrumented = (source: string, file: string): string => {
  const program: unknown = parseAst(source, { lang: "ts" })
  if (!isNode(program)) return source
  const insertions = insertionsOf(program, file, source)
    .map((insertion, index) => ({ ...insertion, index }))
    .toSorted((a, b) => b.at - a.at || b.index - a.index)
  return insertions.reduce((text, { at, text: more }) => text.slice(0, at) + more + text.slice(at), source)
}

// --- What is recorded

const MARKERS = path.join(folder, "markers.json")
const LOOK_EVERY_MS = 20
const DEEPEST = 4
const MOST_PARTS = 300

let markers: ReadonlyArray<string> = []
let lookedAt = 0
let readAt = 0

/** The values that are followed now; `scripts/walks.ts` writes them. */
const current = (): ReadonlyArray<string> => {
  const now = Date.now()
  if (now - lookedAt < LOOK_EVERY_MS) return markers
  lookedAt = now
  if (!existsSync(MARKERS)) return (markers = [])
  const { mtimeMs } = statSync(MARKERS)
  if (mtimeMs !== readAt) {
    readAt = mtimeMs
    const read: unknown = JSON.parse(readFileSync(MARKERS, "utf8"))
    if (!Array.isArray(read)) return markers
    if (read.join() !== markers.join()) {
      seen.clear()
      passer = "-"
    }
    markers = read.map(String)
  }
  return markers
}

const holds = (value: unknown, wanted: ReadonlyArray<string>): boolean => {
  let parts = 0
  const known = new Set<unknown>()
  const look = (part: unknown, depth: number): boolean => {
    if (typeof part === "string") return wanted.some((marker) => part.includes(marker))
    if (typeof part !== "object" || part === null || known.has(part)) return false
    known.add(part)
    if (part instanceof Uint8Array) {
      const text = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
      return wanted.some((marker) => text.includes(marker))
    }
    if (depth === 0 || (parts += 1) > MOST_PARTS) return false
    if (part instanceof Map) return look([...part.keys()], depth - 1) || look([...part.values()], depth - 1)
    if (part instanceof Set) return look([...part], depth - 1)
    return Object.values(Object.getOwnPropertyDescriptors(part)).some(
      ({ enumerable, value: inner }) => enumerable === true && look(inner, depth - 1)
    )
  }
  return look(value, DEEPEST)
}

const seen = new Set<string>()
const report = path.join(folder, `${process.pid}-${threadId}.txt`)
/** The file that passed the value last. */
let passer = "-"

const note = (file: string, args: ReadonlyArray<unknown>, passes: boolean) => {
  const wanted = current()
  if (wanted.length === 0 || (seen.has(file) && (!passes || passer === file)) || !holds(args, wanted)) return
  if (!seen.has(file)) {
    seen.add(file)
    const time = performance.timeOrigin + performance.now()
    appendFileSync(report, `${JSON.stringify({ marker: wanted[0], time, file, from: passer })}\n`)
  }
  if (passes) passer = file
}

Reflect.set(globalThis, "__receive", (file: string, args: ReadonlyArray<unknown>) => note(file, args, false))
Reflect.set(globalThis, "__pass", (file: string, args: ReadonlyArray<unknown>) => {
  note(file, args, true)
  return args
})

if (folder !== "") {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context)
      if (!url.startsWith("file:")) return loaded
      const file = path.relative(root, fileURLToPath(url))
      if (!FOLLOWED.test(file) || LEFT_OUT.test(file) || !file.endsWith(".ts")) return loaded
      return { ...loaded, source: instrumented(String(loaded.source), file) }
    }
  })
}
