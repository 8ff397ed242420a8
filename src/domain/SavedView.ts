/** A view of a list under a name (docs/api.md#saved-views): what the page shows, as the query of its address. */
import { Schema } from "effect"
import * as Body from "./fields/Body.ts"
import { optional, required } from "./fields/Body.ts"
import { accept } from "./fields/Rules.ts"
import { lengthOf } from "./fields/Values.ts"
import { isText } from "./Text.ts"

export const SavedView = Schema.Struct({
  id: Schema.Int,
  owner: Schema.String,
  /** The list: `devices`. */
  list: Schema.String,
  name: Schema.String,
  /** Filters, columns and order: `filter[state]=MANAGED&sort=-last_seen`. */
  query: Schema.String,
  /** Everybody sees it. */
  shared: Schema.Boolean,
  /** ISO 8601 without a zone, UTC. */
  saved_at: Schema.String
}).annotate({ identifier: "SavedView" })
export type SavedView = typeof SavedView.Type

const MAX_LIST = 40
const MAX_NAME = 60
const MAX_QUERY = 2000

const isLine =
  (most: number) =>
  (sent: unknown): sent is string =>
    typeof sent === "string" && isText(sent, "line") && sent.trim() !== "" && lengthOf(sent) <= most

const LIST_RULE = `list: expected 1 to ${MAX_LIST} lower-case letters`
const NAME_RULE = `name: expected 1 to ${MAX_NAME} characters`
const QUERY_RULE = `query: expected at most ${MAX_QUERY} characters`

const isList = (sent: unknown): sent is string => typeof sent === "string" && /^[a-z]{1,40}$/.test(sent)
const isQuery = (sent: unknown): sent is string => sent === "" || isLine(MAX_QUERY)(sent)
const isBoolean = (sent: unknown): sent is boolean => typeof sent === "boolean"

/** The body that saves a view. */
export const SaveViewRequest = Body.make(
  {
    list: required(
      Schema.String,
      () => LIST_RULE,
      accept(isList, () => LIST_RULE)
    ),
    name: required(
      Schema.String,
      () => NAME_RULE,
      accept(isLine(MAX_NAME), () => NAME_RULE)
    ),
    query: required(
      Schema.String,
      () => QUERY_RULE,
      accept(isQuery, () => QUERY_RULE)
    ),
    shared: optional(
      Schema.Boolean,
      accept(isBoolean, () => "shared: expected true or false")
    )
  },
  { message: Body.firstOf }
)
export type SaveViewRequest = typeof SaveViewRequest.schema.Type
