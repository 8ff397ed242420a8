/** Calls of the threads in `ThreadPool.test.ts`. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"

export class Odd extends Schema.TaggedError<Odd>()("Odd", { number: Schema.Int }) {}

export const CalculationsRpc = RpcGroup.make(
  Rpc.make("Half", { payload: { number: Schema.Int }, success: Schema.Int, error: Odd }),
  Rpc.make("Spin", { payload: { cpuMillis: Schema.Int }, success: Schema.Int }),
  Rpc.make("Fill", { payload: {}, success: Schema.Int }),
  Rpc.make("Die", { payload: {}, success: Schema.Int }),
  Rpc.make("Exit", { payload: {}, success: Schema.Int })
)
