/**
 * The call that renders in a thread of its own. Its arguments and results are values of the engine's kind (ordered maps, integers of any
 * size), which JSON cannot hold; they are sent as one text in Node's own serialization.
 */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { deserialize, serialize } from "node:v8"
import { Environment, type Limits, memoryLoader, type Rendered, type Result } from "../jinja/Jinja.ts"
import { processorTime } from "../jinja/Meter.ts"
import { templateFilters } from "./TemplateFilters.ts"
import type { TemplateVariables } from "./VariableInputs.ts"

export const RenderRpc = RpcGroup.make(
  Rpc.make("Render", { payload: { request: Schema.String }, success: Schema.String })
)

/** One rendering for a thread. */
interface RenderRequest {
  /** Identifies the files: the thread keeps its compiled templates as long as the number stays the same. */
  readonly platform: number
  readonly files: ReadonlyMap<string, string>
  readonly file: string
  readonly variables: TemplateVariables
  readonly limits: Partial<Limits>
}

/** The result, and its processor time. */
export interface RenderAnswer {
  readonly result: Result<Rendered>
  readonly millis: number
}

const pack = (value: RenderRequest | RenderAnswer): string => serialize(value).toString("latin1")

// Both ends are this program, so the decoded value is the encoded one.
const unpack = <A extends RenderRequest | RenderAnswer>(text: string): A => deserialize(Buffer.from(text, "latin1"))

export const packRequest = (request: RenderRequest): string => pack(request)

export const unpackAnswer = (text: string): RenderAnswer => unpack<RenderAnswer>(text)

/** Answers requests one after the other, as packed texts. */
export const makeAnswering = (): ((request: string) => string) => {
  let known: { readonly platform: number; readonly environment: Environment } | undefined
  return (text) => {
    const began = processorTime()
    const { file, files, limits, platform, variables } = unpack<RenderRequest>(text)
    if (known?.platform !== platform) {
      known = { platform, environment: new Environment({ loader: memoryLoader(files), filters: templateFilters }) }
    }
    const result = known.environment.renderFile(file, variables, limits)
    return pack({ result, millis: processorTime() - began })
  }
}
