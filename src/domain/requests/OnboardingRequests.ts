/** Bodies of requests about switches that exist already (docs/onboarding.md). */
import { Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import * as Rules from "../fields/Rules.ts"
import { isObject } from "../fields/Values.ts"
import { isHostname } from "../Network.ts"
import { isText } from "../Text.ts"

/** The sources of a list of switches. */
export const onboardingSources = ["csv", "netbox", "containerlab", "ansible", "configs"] as const

/** A name of one line. */
const nameRule = (name: string) =>
  Rules.accept(
    (sent): sent is string => typeof sent === "string" && sent.length <= MOST_NAME && isText(sent, "line"),
    () => `${name} must be a text of one line and at most ${MOST_NAME} characters`
  )

const text = (name: string, most: number) =>
  Rules.accept(
    (sent): sent is string => typeof sent === "string" && sent.length <= most,
    () => `${name} must be a text of at most ${most} characters`
  )

const flag = (name: string) =>
  Body.otherwise(
    Schema.Boolean,
    false,
    Rules.flag(() => `${name} must be a boolean`)
  )

const MOST_TEXT = 4_000_000
const MOST_NAME = 255

const ConfigFile = Schema.Struct({
  path: Schema.String,
  text: Schema.String,
  modified_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "OnboardingFile" })

const isTime = (sent: unknown) => sent === undefined || (typeof sent === "string" && !Number.isNaN(Date.parse(sent)))

const isFile = (sent: unknown): sent is typeof ConfigFile.Type =>
  isObject(sent) &&
  typeof sent["path"] === "string" &&
  sent["path"].length <= MOST_NAME &&
  isText(sent["path"], "line") &&
  typeof sent["text"] === "string" &&
  isTime(sent["modified_at"])

const source: Body.Rule<(typeof onboardingSources)[number]> = (sent) => {
  const found = onboardingSources.find((one) => one === sent)
  return found === undefined
    ? Result.fail(`source must be one of ${onboardingSources.join(", ")}`)
    : Result.succeed(found)
}

/** A list of switches: the text of a file, files of configurations, or a filter of NetBox. */
export const OnboardRequest = Body.make(
  {
    source: Body.required(
      Schema.Literals(onboardingSources),
      () => `source must be one of ${onboardingSources.join(", ")}`,
      source
    ),
    name: Body.optional(Schema.String, nameRule("name")),
    text: Body.optional(Schema.String, text("text", MOST_TEXT)),
    files: Body.optional(
      Schema.Array(ConfigFile),
      Rules.accept(
        (sent): sent is ReadonlyArray<typeof ConfigFile.Type> => Array.isArray(sent) && sent.every(isFile),
        () => "files must be a list of objects with path, text and, if it is known, modified_at (ISO 8601)"
      )
    ),
    filter: Body.optional(Schema.String, text("filter", 1_000)),
    platform: Body.optional(Schema.String, nameRule("platform")),
    device_type: Body.optional(Schema.String, nameRule("device_type")),
    only_good: flag("only_good"),
    dry_run: flag("dry_run")
  },
  {
    message: (errors) => ({ errors }),
    together: ({ files, source: from, text: given }) => {
      if (from === "configs") return files === undefined ? ["files must be given for configs"] : []
      return from !== "netbox" && given === undefined ? [`text must be given for ${from}`] : []
    }
  }
)
export type OnboardRequest = typeof OnboardRequest.schema.Type

const hostnames = Body.optional(
  Schema.Array(Schema.String),
  Rules.accept(
    (sent): sent is ReadonlyArray<string> => Array.isArray(sent) && sent.length > 0 && sent.every(isHostname),
    () => "hostnames must be a list of one hostname or more"
  )
)

/** Onboarded switches; without names all to which it applies. */
export const OnboardedRequest = Body.make({ hostnames }, { message: Body.firstOf })
export type OnboardedRequest = typeof OnboardedRequest.schema.Type

const Link = Schema.Struct({
  device_a: Schema.String,
  device_a_port: Schema.String,
  device_b: Schema.String,
  device_b_port: Schema.String
}).annotate({ identifier: "AcceptedLink" })

/** Proposed links that a person accepts: these, or all that both ends report. */
export const AcceptLinksRequest = Body.make(
  {
    links: Body.optional(
      Schema.Array(Link),
      Rules.accept(
        Schema.is(Schema.Array(Link)),
        () => "links must be a list of objects with device_a, device_a_port, device_b and device_b_port"
      )
    ),
    both: flag("both")
  },
  {
    message: Body.firstOf,
    together: ({ both, links }) =>
      both === (links !== undefined) ? ["give links, or both: true for all that both ends report"] : []
  }
)
export type AcceptLinksRequest = typeof AcceptLinksRequest.schema.Type
