/** Settings of traces, with the names of OpenTelemetry (docs/monitoring.md#traces). */
import { Config, Redacted, Schema } from "effect"
import { filled } from "./KeyVariables.ts"
import { setting, withDefault } from "./SettingForms.ts"

const readUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const isReceiver = (text: string): boolean => {
  if (text === "") return true
  const url = readUrl(text)
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.search === ""
  )
}

const Receiver = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter(
      (text: string) =>
        isReceiver(text) ||
        "Expected a URL such as http://127.0.0.1:4318, without a login: what is secret goes to OTEL_EXPORTER_OTLP_HEADERS"
    )
  )
)

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const HEADER = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(\S(?:.*\S)?)\s*$/

/** Names and values of `name=value,other=value`, where values may be percent-encoded; null when it has another form. */
export const readHeaders = (text: string): ReadonlyMap<string, string> | null => {
  const found = new Map<string, string>()
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [, name, given] = HEADER.exec(part) ?? []
    const value = given === undefined ? null : decoded(given)
    if (name === undefined || value === null || /[^\t\u0020-\u007e]/.test(value)) return null
    found.set(name.toLowerCase(), value)
  }
  return found
}

/** A wrong value is not repeated in the message. */
const Headers = Schema.RedactedFromValue(
  Schema.String.pipe(
    Schema.check(
      Schema.makeFilter((text: string) => readHeaders(text) !== null || "Expected name=value, separated by commas")
    )
  )
)

/** A share of the whole, from 0 to 1. */
const Share = Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

/** The rows of the table of settings, by name. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    filled(Config.schema(Receiver, "OTEL_EXPORTER_OTLP_ENDPOINT"), (text) => text === ""),
    "",
    "receiver of traces by OTLP over HTTP (`http://127.0.0.1:4318`; `/v1/traces` is added); without it there are none ([traces](monitoring.md#traces))"
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    filled(Config.schema(Headers, "OTEL_EXPORTER_OTLP_HEADERS"), (text) => Redacted.value(text) === ""),
    "",
    "headers for that receiver, such as its token: `name=value`, separated by commas, values percent-encoded"
  ),
  OTEL_SERVICE_NAME: withDefault(
    Config.NonEmptyString("OTEL_SERVICE_NAME"),
    "switchyard",
    "name of this server in traces"
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault(
    Config.schema(Share, "OTEL_TRACES_SAMPLER_ARG"),
    1,
    "share of the traces begun here that is told, from 0 to 1"
  )
}
