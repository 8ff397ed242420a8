/** The program of a thread of `ThreadPool`: it answers the calls of its group until it is asked to end. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Layer } from "effect"
import { type Rpc, type RpcGroup, RpcServer } from "effect/rpc"
import { setPriority } from "node:os"

/**
 * Lowers the thread's priority, so that the API goes first if processor time is short. Only on Linux, because elsewhere this would slow the
 * whole process.
 */
const giveWay = (): void => {
  if (process.platform !== "linux") return
  try {
    setPriority(0, 5)
  } catch {
    // a sandbox may forbid it, and it is not essential
  }
}

/** Answers calls with these handlers. A defect fails its own call and no other. */
export const serve = <Rpcs extends Rpc.Any, E>(
  group: RpcGroup.RpcGroup<Rpcs>,
  handlers: Layer.Layer<Rpc.ToHandler<Rpcs> | Rpc.Middleware<Rpcs> | Rpc.ServicesServer<Rpcs>, E>
): void => {
  giveWay()
  RpcServer.layer(group, { disableFatalDefects: true }).pipe(
    Layer.provide(handlers),
    Layer.provide(RpcServer.layerProtocolWorkerRunner),
    Layer.provide(NodeWorkerRunner.layer),
    Layer.launch,
    NodeRuntime.runMain
  )
}
