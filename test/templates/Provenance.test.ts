/** Secrets in templates' output stay hidden after any transformation (docs/security.md#what-is-stored). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Environment, memoryLoader } from "../../src/jinja/Jinja.ts"
import { hideDerived } from "../../src/templates/TemplateSecrets.ts"
import { commonMessage, derivedIn, otherTask } from "../../src/templates/Provenance.ts"
import type { RenderTask } from "../../src/templates/Rendering.ts"
import { templateFilters } from "../../src/templates/TemplateFilters.ts"

const SECRET = "Tr0ub4dor-Horse"

const platformOf = (text: string) => {
  const files = new Map([["managed.j2", text]])
  const environment = new Environment({ loader: memoryLoader(files), filters: templateFilters })
  return { name: "eos", directory: "eos", files, refused: new Map(), mapping: Result.succeed(new Map()), environment }
}

/** The rendered text as stored, and as pushed. */
const stored = (template: string, secret = SECRET) => {
  const variables = new Map<string, unknown>([
    ["host", "sw1"],
    ["TEMPLATE_SECRET_KEY", secret],
    ["TEMPLATE_SECRET", new Map([["KEY", secret]])]
  ])
  const task: RenderTask = { platform: platformOf(template), file: "managed.j2", variables }
  const render = (given: RenderTask) => {
    const result = given.platform.environment.renderFile(given.file, given.variables)
    return result.ok ? result.value.text : assert.fail(result.failure.message)
  }
  const other = otherTask(task)
  const pushed = render(task)
  const derived = other === undefined ? { values: [], lines: [] } : derivedIn(pushed, render(other))
  return { pushed, derived, shown: hideDerived(pushed, derived, () => "<hidden>") }
}

const REVERSED = [...SECRET].toReversed().join("")

describe("Secrets in rendered configurations", () => {
  it("stay hidden through filters, slices and concatenations, and nothing else is hidden", () => {
    const { shown } = stored(`hostname {{ host }}
interface Ethernet1
   description {{ TEMPLATE_SECRET_KEY | lower }} uplink
   description {{ TEMPLATE_SECRET_KEY[::-1] }}
banner {{ TEMPLATE_SECRET.KEY[:6] | upper }}-x
pin {{ TEMPLATE_SECRET_KEY[3:5] }}
no shutdown
`)
    assert.strictEqual(
      shown,
      `hostname sw1
interface Ethernet1
   description <hidden> uplink
   description <hidden>
banner <hidden>-x
pin <hidden>
no shutdown
`
    )
  })

  it("are recognised in diffs and when the switch shows the line elsewhere", () => {
    const { derived } = stored("snmp contact {{ TEMPLATE_SECRET_KEY[::-1] }}\npin {{ TEMPLATE_SECRET_KEY[3:5] }}\n")
    const diff = `@@ -1 +1,2 @@\n-snmp contact nobody\n+snmp contact ${REVERSED}\n+  pin ub\n+rub\n+x "${REVERSED}" y`
    const hidden = hideDerived(diff, derived, () => "<hidden>")
    assert.strictEqual(
      hidden,
      '@@ -1 +1,2 @@\n-snmp contact nobody\n+snmp contact <hidden>\n+  pin <hidden>\n+rub\n+x "<hidden>" y'
    )
  })

  it("are hidden with the whole line if a template writes other lines for other secrets", () => {
    const { shown } = stored(
      "a\n{% if TEMPLATE_SECRET_KEY.startswith('Tr0ub') %}\nspecial line\n{% endif %}\nb {{ TEMPLATE_SECRET_KEY }}\nc\n"
    )
    assert.notInclude(shown, "special line")
    assert.notInclude(shown, SECRET)
    assert.match(shown, /^a\n/)
    assert.match(shown, /\nc\n/)
  })

  it("cost nothing if no template names one", () => {
    const task = {
      platform: platformOf("hostname {{ host }}\n"),
      file: "managed.j2",
      variables: new Map([["TEMPLATE_SECRET_KEY", "x"]])
    }
    assert.isUndefined(otherTask(task))
  })

  it("do not stand in the messages of failures", () => {
    assert.strictEqual(commonMessage("no number: 'esroh'", "no number: 'rfebu'"), "no number: '<hidden>'")
    assert.strictEqual(commonMessage("no filter x", "no filter x"), "no filter x")
  })
})
