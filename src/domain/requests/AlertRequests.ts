/** Bodies of requests about alerts (docs/alerts.md#mutes). */
import { Schema } from "effect"
import { isGlob } from "../access/Glob.ts"
import * as Body from "../fields/Body.ts"
import { optional, required } from "../fields/Field.ts"
import { accept, boundedInteger } from "../fields/Rules.ts"
import { lengthOf } from "../fields/Values.ts"
import { isText } from "../Text.ts"

const MAX_NAME = 255
const MAX_MINUTES = 43_200

const isName = (sent: unknown): sent is string =>
  typeof sent === "string" && isText(sent, "line") && sent.trim() !== "" && lengthOf(sent) <= MAX_NAME
const isHostnameGlob = (sent: unknown): sent is string => isName(sent) && isGlob(sent)

/** A time as it is written, without a zone: UTC. */
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?Z?$/

/** Epoch milliseconds of such a time; NaN when there is none. */
export const timeOf = (text: string): number =>
  TIME.test(text) ? Date.parse(`${text.replace(" ", "T").replace(/Z$/, "")}Z`) : Number.NaN

const isTime = (sent: unknown): sent is string => typeof sent === "string" && !Number.isNaN(timeOf(sent))

const REASON_RULE = `reason: expected 1 to ${MAX_NAME} characters`
const MINUTES_RULE = `minutes: expected a number from 1 to ${MAX_MINUTES}`
const unknownKey = (key: string) => `${key}: there is no such field`

const name = (field: string) =>
  optional(
    Schema.String,
    accept(isName, () => `${field}: expected 1 to ${MAX_NAME} characters`)
  )

/** For which devices, groups and rules no alerts are made, for how long. What is not given is any. */
export const MuteRequest = Body.make(
  {
    device: optional(
      Schema.String,
      accept(isHostnameGlob, () => "device: expected a hostname, or a glob such as lhv-*")
    ),
    group: name("group"),
    rule: name("rule"),
    reason: required(
      Schema.String,
      () => REASON_RULE,
      accept(isName, () => REASON_RULE)
    ),
    minutes: required(
      Schema.Int,
      () => MINUTES_RULE,
      boundedInteger({ min: 1, max: MAX_MINUTES }, () => MINUTES_RULE)
    ),
    from: optional(
      Schema.String,
      accept(isTime, () => "from: expected a time such as 2026-12-24 18:00, UTC")
    )
  },
  {
    message: Body.firstOf,
    unknownKey,
    together: ({ device, group, rule }) =>
      device === undefined && group === undefined && rule === undefined
        ? ["Which alerts? Expected device, group or rule"]
        : []
  }
)
export type MuteRequest = typeof MuteRequest.schema.Type

/** All dead messages, or those to one receiver. */
export const ReplayRequest = Body.make({ receiver: name("receiver") }, { message: Body.firstOf, unknownKey })
export type ReplayRequest = typeof ReplayRequest.schema.Type
