/**
 * How plain YAML text becomes a value: exactly as the YAML 1.1 loader that the repositories were written for does it
 * (docs/settings-repository.md#yaml). The library's own 1.1 schema differs in booleans (`y`), floats (`1e3`) and numbers with a
 * leading zero, and a difference there writes another configuration without an error.
 */
import type { ScalarTag } from "yaml"
import { YamlFloat } from "./PythonText.ts"

const BASES: ReadonlyArray<readonly [RegExp, number]> = [
  [/^0b([01_]+)$/, 2],
  [/^0x([0-9a-fA-F_]+)$/, 16],
  [/^0([0-7_]+)$/, 8],
  [/^(0|[1-9][0-9_]*)$/, 10]
]

const sexagesimal = (text: string): number => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0)

const signOf = (text: string): number => (text.startsWith("-") ? -1 : 1)

const unsigned = (text: string): string => text.replace(/^[+-]/, "")

const parseInteger = (text: string): number => {
  const body = unsigned(text)
  for (const [form, base] of BASES) {
    const digits = form.exec(body)?.[1]?.replaceAll("_", "")
    if (digits !== undefined) return signOf(text) * (digits === "" ? 0 : Number.parseInt(digits, base))
  }
  return signOf(text) * sexagesimal(body.replaceAll("_", ""))
}

const parseFloatText = (text: string): number => {
  const body = unsigned(text).replaceAll("_", "").toLowerCase()
  if (body === ".inf") return signOf(text) * Number.POSITIVE_INFINITY
  if (body === ".nan") return Number.NaN
  return signOf(text) * (body.includes(":") ? sexagesimal(body) : Number.parseFloat(body))
}

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const TIMESTAMP =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?$/

/** The tags of plain scalars, in the order in which they are tried; text that none of them takes is a string. */
export const yamlScalars: ReadonlyArray<ScalarTag> = [
  { tag: "tag:yaml.org,2002:null", default: true, test: /^(?:~|null|Null|NULL)?$/, resolve: () => null },
  {
    tag: "tag:yaml.org,2002:bool",
    default: true,
    test: /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
    resolve: (text) => /^(?:y|t|on)/i.test(text)
  },
  {
    tag: "tag:yaml.org,2002:int",
    default: true,
    test: /^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
    resolve: parseInteger
  },
  {
    tag: "tag:yaml.org,2002:float",
    default: true,
    test: /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    resolve: (text) => new YamlFloat(parseFloatText(text))
  },
  {
    tag: "tag:yaml.org,2002:timestamp",
    default: true,
    test: new RegExp(`${DATE.source}|${TIMESTAMP.source}`),
    resolve: (text) => new Date(DATE.test(text) ? `${text}T00:00:00Z` : text)
  }
]
