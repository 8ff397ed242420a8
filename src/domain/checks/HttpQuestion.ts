/**
 * A question to a monitoring system (docs/checks.md#a-question-to-a-monitoring-system): a GET whose address is made from facts of the
 * device. Variables stand in the path and the query alone, so that a fact never decides which host is asked. Pure.
 */
import { Result, Schema } from "effect"

/** What a check asks. `name`: the fields that name an item; `numbers`: texts that are numbers count as numbers. */
export const HttpQuestion = Schema.Struct({
  reads: Schema.Literal("http"),
  url: Schema.String,
  query: Schema.Record(Schema.String, Schema.String),
  path: Schema.String,
  name: Schema.Array(Schema.String),
  numbers: Schema.Boolean
})
export type HttpQuestion = typeof HttpQuestion.Type

/** The facts of a device that a question may have. */
export const deviceVariables = ["hostname", "management_ip", "device_type", "platform", "model", "serial"] as const
export type DeviceVariable = (typeof deviceVariables)[number]
export type DeviceFacts = Readonly<Record<DeviceVariable, string | null>>

/** An origin that the server may ask, and the name of the secret that it gets; null for none. */
export interface CheckHost {
  readonly origin: string
  readonly secret: string | null
}

const LONGEST_URL = 2_000

const VARIABLE = /\{\{\s*([\w.]*)\s*\}\}/g

const BEGINNING = /^(https?):\/\/([^/?#{}\s]+)(?=[/?]|$)/

/** What is wrong with the variables of a text; null if nothing is. */
const variableFault = (text: string): string | null => {
  const unknown = [...text.matchAll(VARIABLE)].find(([, name]) => !deviceVariables.some((known) => known === name))
  if (unknown !== undefined) return `has {{ ${unknown[1]} }}, known are ${deviceVariables.join(", ")}`
  return text.replaceAll(VARIABLE, "").includes("{{") ? "has a {{ that does not end" : null
}

/** What is wrong with the address of a question; null if nothing is. */
export const urlFault = (text: string): string | null => {
  const [, , host = ""] = BEGINNING.exec(text) ?? []
  if (host === "" || text.length > LONGEST_URL || !URL.canParse(text)) {
    return "must be an address such as https://prometheus.example.org/api/v1/query, without variables in its host"
  }
  if (host.includes("@")) return "must not have a login; the secret of a host is named in CHECK_HOSTS"
  if (text.includes("#")) return "must not have a #"
  return variableFault(text)
}

/** What is wrong with a value of the query; null if nothing is. */
export const queryFault = (text: string): string | null =>
  text.length > LONGEST_URL ? `is longer than ${LONGEST_URL} characters` : variableFault(text)

/** The origin of an address, as CHECK_HOSTS has it; empty for what is no address. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "")

/** The entry of the host that is asked; undefined if the server may not ask it. */
export const hostOf = (hosts: ReadonlyArray<CheckHost>, url: string): CheckHost | undefined =>
  hosts.find(({ origin }) => origin === originOf(url))

/**
 * Words and addresses. Other characters, such as quotation marks, could end a text within the query language of the other system, which
 * no encoding of the address prevents.
 */
const SENT = /^[\p{L}\p{N}][\p{L}\p{N} ._:/+-]*$/u

const valuesFor = (
  text: string,
  facts: DeviceFacts,
  encode: (value: string) => string
): Result.Result<string, string> =>
  Result.gen(function* () {
    for (const name of deviceVariables) {
      if (![...text.matchAll(VARIABLE)].some(([, found]) => found === name)) continue
      const value = facts[name] ?? ""
      if (value === "") return yield* Result.fail(`the device has no ${name}`)
      if (!SENT.test(value)) return yield* Result.fail(`the ${name} of the device has characters that are not sent`)
    }
    return text.replaceAll(VARIABLE, (_, name: string) => {
      const known = deviceVariables.find((one) => one === name)
      return encode((known === undefined ? null : facts[known]) ?? "")
    })
  })

/** The address for a device. Fails with a sentence if the device lacks a fact that is in it. */
export const addressFor = ({ query, url }: HttpQuestion, facts: DeviceFacts): Result.Result<URL, string> =>
  Result.gen(function* () {
    const filled = yield* valuesFor(url, facts, encodeURIComponent)
    if (!URL.canParse(filled)) return yield* Result.fail("its address cannot be made")
    const address = new URL(filled)
    for (const [name, value] of Object.entries(query)) {
      address.searchParams.append(name, yield* valuesFor(value, facts, (text) => text))
    }
    return address.origin === originOf(url) ? address : yield* Result.fail("its address leads to another host")
  })

/** A header of a request. */
export interface SecretHeader {
  readonly name: string
  readonly value: string
}

/**
 * The header that carries a secret: `TOKEN` is `Authorization: Bearer TOKEN`, `Basic …` is `Authorization: Basic …`, and
 * `X-Auth-Token: TOKEN` is that header. Null if it has other characters than headers may have.
 */
export const secretHeader = (secret: string): SecretHeader | null => {
  const text = secret.trim()
  if (!/^[\x21-\x7e][\x20-\x7e]*$/.test(text)) return null
  const [, name, value] = /^([A-Za-z][A-Za-z\d-]{0,60}): +(.+)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return { name, value }
  return { name: "Authorization", value: text.includes(" ") ? text : `Bearer ${text}` }
}

/** The parts of a secret that no text may repeat. */
export const secretParts = (secret: string): ReadonlyArray<string> => {
  const value = secretHeader(secret)?.value ?? secret.trim()
  return [...new Set([secret.trim(), value, value.slice(value.indexOf(" ") + 1)])]
}
