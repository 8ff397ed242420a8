/**
 * Fails for what points nowhere: a link in a Markdown document, and a citation of the manual (`docs/changes.md#confirm-modes`) in
 * code. A file has to be there, and a heading for the anchor. Also fails for citations of documents that readers do not have.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "..")

/** Where code is that may cite the manual, and where documents are. */
const CODE = ["src", "machines", "test", "scripts", "bench", "bin", "deploy", "examples"]
const DOCUMENTS = ["docs", ...CODE]
const ROOT_DOCUMENTS = ["README.md", "ARCHITECTURE.md", "FAULTS.md", "CHANGELOG.md"]

const CITATION = /\b(?:docs\/(?:decisions\/)?[\w-]+|ARCHITECTURE|FAULTS)\.md(?:#[\w-]+)?/g
const LINK = /\]\(([^)\s]+)\)/g
const FOREIGN = /^[a-z]+:/

/** Documents of the past: their sections say nothing to who has only this repository. */
const PAST =
  /\b(?:engine|device-cli|api-devices|api-rest|settings-and-templates|clients)(?:\.md)?`? ?§|\bDESIGN §|§\d|\bcontract\b/i

/** A line of a file that points nowhere, and what is wrong with it. */
export interface Broken {
  readonly file: string
  readonly line: number
  readonly text: string
}

const filesBelow = (folder: string): ReadonlyArray<string> =>
  existsSync(path.join(root, folder))
    ? readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
        .toSorted()
    : []

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** The lines of a document that are no code. */
const prose = (text: string): ReadonlyArray<string> => {
  let fenced = false
  return text.split("\n").map((line) => {
    const fence = /^\s*(```|~~~)/.test(line)
    if (fence) fenced = !fenced
    return fenced || fence ? "" : line
  })
}

/** The anchors of a document; a heading that comes again gets a number. */
export const anchorsOf = (text: string): ReadonlySet<string> => {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const line of prose(text)) {
    const heading = /^#{1,6} (.+)$/.exec(line)?.[1]
    if (heading === undefined) continue
    const anchor = anchorOf(heading)
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
  }
  return anchors
}

const known = new Map<string, ReadonlySet<string>>()
const anchorsAt = (file: string): ReadonlySet<string> => {
  const found = known.get(file) ?? anchorsOf(readFileSync(path.join(root, file), "utf8"))
  known.set(file, found)
  return found
}

/** Whether a target (`changes.md#undo`, relative to a folder of the repository) leads somewhere. */
const leads = (folder: string, target: string): boolean => {
  const [place = "", anchor] = target.split("#", 2)
  const file = path.normalize(path.join(folder, place))
  const absolute = path.join(root, file)
  if (!existsSync(absolute)) return false
  return anchor === undefined || (statSync(absolute).isFile() && anchorsAt(file).has(anchor))
}

const brokenIn = (
  file: string,
  lines: ReadonlyArray<string>,
  pattern: RegExp,
  isBroken: (found: string) => boolean
): ReadonlyArray<Broken> =>
  lines.flatMap((line, index) =>
    [...line.matchAll(pattern)]
      .map(([whole, group]) => group ?? whole)
      .filter(isBroken)
      .map((target) => ({ file, line: index + 1, text: `${target} leads nowhere` }))
  )

const ownText = (file: string, target: string): string =>
  target.startsWith("#") ? path.basename(file) + target : target

const brokenLinks = (file: string): ReadonlyArray<Broken> =>
  brokenIn(file, prose(readFileSync(path.join(root, file), "utf8")), LINK, (target) => {
    return !FOREIGN.test(target) && !leads(path.dirname(file), ownText(file, decodeURI(target)))
  })

const brokenCitations = (file: string): ReadonlyArray<Broken> => {
  const lines = readFileSync(path.join(root, file), "utf8").split("\n")
  return brokenIn(file, lines, CITATION, (cited) => !leads(".", cited))
}

/** Files whose own subject are these words. */
const SPEAKS_OF_THE_PAST: ReadonlySet<string> = new Set([
  "scripts/check-links.ts",
  "test/scenarios/manual/Links.test.ts"
])

const citationsOfThePast = (file: string): ReadonlyArray<Broken> =>
  SPEAKS_OF_THE_PAST.has(file)
    ? []
    : readFileSync(path.join(root, file), "utf8")
        .split("\n")
        .flatMap((line, index) => {
          const [found] = PAST.exec(line) ?? []
          return found === undefined
            ? []
            : [{ file, line: index + 1, text: `"${found}" is of a document that readers do not have` }]
        })

const SOURCE = /`((?:src|machines|test|scripts|bench|examples|deploy|docs)\/[\w./-]+\.(?:ts|mjs|md|j2|yml))`/g

/** Source files that a document names. */
const missingSources = (file: string): ReadonlyArray<Broken> =>
  brokenIn(file, readFileSync(path.join(root, file), "utf8").split("\n"), SOURCE, (named) => !leads(".", named))

/**
 * Everything that points nowhere. `final`: citations of documents that readers do not have count as well, and source files that
 * the manual names.
 */
export const brokenReferences = ({ final }: { readonly final: boolean }): ReadonlyArray<Broken> => {
  const code = CODE.flatMap(filesBelow).filter((file) => /\.(ts|mjs|js|sh|conf)$/.test(file) || !file.includes("."))
  const documents = [...ROOT_DOCUMENTS, ...DOCUMENTS.flatMap(filesBelow).filter((file) => file.endsWith(".md"))]
  return [
    ...documents.flatMap(brokenLinks),
    ...code.flatMap(brokenCitations),
    ...(final
      ? [
          ...[...code, ...documents.filter((file) => file !== "CHANGELOG.md")].flatMap(citationsOfThePast),
          ...documents.filter((file) => file.startsWith("docs/") || file === "ARCHITECTURE.md").flatMap(missingSources)
        ]
      : [])
  ]
}

/** Switched on when the comments cite the manual. */
const IS_FINAL = true

if (import.meta.main) {
  const broken = brokenReferences({ final: IS_FINAL || process.argv.includes("--final") })
  for (const { file, line, text } of broken) process.stderr.write(`${file}:${line}: ${text}\n`)
  process.stdout.write(`Links: ${broken.length} problems\n`)
  if (broken.length > 0) process.exitCode = 1
}
