/** The output of `switchyard render` for authors of templates. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path, Sink, Stdio } from "effect"
import { renderCommand, type RenderRequest } from "../../src/templates/RenderCommand.ts"
import { stored } from "../support/Lindhaven.ts"
import { readExample } from "./Campus.ts"

interface Shown {
  readonly out: string
  readonly err: string
  readonly failed: boolean
}

/** Writes the files to a directory, renders, and yields what was printed. */
const render = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  request: Partial<RenderRequest> = {}
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* fs.makeTempDirectoryScoped()
  for (const [name, text] of Object.entries(files)) {
    yield* fs.makeDirectory(path.join(directory, path.dirname(name)), { recursive: true })
    yield* fs.writeFileString(path.join(directory, name), text)
  }
  const printed = { out: "", err: "" }
  const collect = (to: "out" | "err") => () =>
    Sink.forEach((chunk: string | Uint8Array) =>
      Effect.sync(() => {
        printed[to] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()
      })
    )
  const complete = { templates: directory, platform: "eos", template: "access.j2", ...request }
  const variables = path.join(directory, request.variables ?? "variables.json")
  const failed = yield* renderCommand({ ...complete, variables }).pipe(
    Effect.provide(Stdio.layerTest({ stdout: collect("out"), stderr: collect("err") })),
    Effect.match({ onFailure: () => true, onSuccess: () => false })
  )
  return { ...printed, err: printed.err.replaceAll(`${directory}/`, ""), failed } satisfies Shown
})

const examples = Object.fromEntries(readExample("templates"))

layer(Layer.mergeAll(NodeServices.layer))("switchyard render", (it) => {
  it.effect("prints a stored configuration from its stored variables, byte for byte", () =>
    Effect.gen(function* () {
      const shown = yield* render({ ...examples, "variables.json": stored("lhv-acc1.variables.json") })
      assert.deepEqual(shown, { out: stored("lhv-acc1.cfg"), err: "", failed: false })
    })
  )

  it.effect("reads variables from YAML and keeps floats and the order of keys", () =>
    Effect.gen(function* () {
      const shown = yield* render(
        { "eos/access.j2": "{{ a }} {{ b }} {{ c|list }}", "v.yml": "a: 1.0\nb: 1\nc: {10: x, 2: y}\n" },
        { variables: "v.yml" }
      )
      assert.deepEqual(shown, { out: "1.0 1 [10, 2]", err: "", failed: false })
    })
  )

  it.effect("shows an error with the source line and a mark under it", () =>
    Effect.gen(function* () {
      const shown = yield* render({ "eos/access.j2": "one\n{{ host|nothing }}\n", "variables.json": "{}" })
      assert.isTrue(shown.failed)
      assert.strictEqual(shown.out, "")
      const [sentence, where, source, mark] = shown.err.split("\n")
      assert.match(sentence ?? "", /^TemplateAssertionError: No filter named 'nothing'/)
      assert.match(where ?? "", /^ {2}in eos\/access\.j2, line 2, column \d+$/)
      assert.strictEqual(source, "     2 | {{ host|nothing }}")
      assert.match(mark ?? "", /^ {6} \| +\^$/)
    })
  )

  it.effect.each([
    [{ "eos/access.j2": "", "variables.json": "{" }, /^Could not parse variables\.json, line 1, column 2: /],
    [{ "eos/access.j2": "", "variables.json": "[1]" }, /^variables\.json does not contain a mapping of variables\n$/],
    [{ "eos/access.j2": "" }, /variables\.json/],
    [{ "junos/access.j2": "", "variables.json": "{}" }, /^No platform eos in /],
    [{ "eos/other.j2": "", "variables.json": "{}" }, /^TemplateNotFound: template 'access\.j2' was not found\n/]
  ] as const)("reports wrong files, case %#", ([files, message]) =>
    Effect.gen(function* () {
      const shown = yield* render(files)
      assert.isTrue(shown.failed)
      assert.match(shown.err, message)
    })
  )

  it.effect("shows what the template logs on standard error", () =>
    Effect.gen(function* () {
      const shown = yield* render({ "eos/access.j2": "{{ log('look', 'WARNING') }}x", "variables.json": "{}" })
      assert.deepEqual(shown, { out: "x", err: "WARNING: look\n", failed: false })
    })
  )
})
