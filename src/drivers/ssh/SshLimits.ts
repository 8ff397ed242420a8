/**
 * The bounds that all SSH connections of this process share: how many sessions may be open, how
 * many handshakes may run at once (they cost CPU; beyond 16 the event loop lags), how a refused connection is retried, and how
 * addresses are rewritten when dialling. What switches say is heard in the turns of background work.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import type { AddressMap } from "./AddressMap.ts"

export interface SshLimitsOptions {
  /** Default 1,000. */
  readonly maxSessions?: number
  /** Default 16. */
  readonly maxHandshakes?: number
  /** Port of a target without one. Default 22. */
  readonly port?: number
  /** Default none. */
  readonly addressMap?: AddressMap
  /**
   * Further attempts after a refused TCP connection, and the seconds between. Default 3 and 2
   * (docs/switch-dialogues.md#connection).
   */
  readonly refusedRetries?: number
  readonly refusedDelay?: number
}

export class SshLimits extends Context.Service<
  SshLimits,
  {
    readonly sessions: Semaphore.Semaphore
    readonly handshakes: Semaphore.Semaphore
    readonly port: number
    readonly addressMap: AddressMap
    readonly refusedRetries: number
    readonly refusedDelay: number
    readonly inTurn: BackgroundWork["Service"]["inTurn"]
  }
>()("switchyard/drivers/ssh/SshLimits") {
  static readonly layer = (options: SshLimitsOptions = {}): Layer.Layer<SshLimits> =>
    Layer.effect(
      SshLimits,
      Effect.gen(function* () {
        return SshLimits.of({
          sessions: yield* Semaphore.make(options.maxSessions ?? 1000),
          handshakes: yield* Semaphore.make(options.maxHandshakes ?? 16),
          port: options.port ?? 22,
          addressMap: options.addressMap ?? [],
          refusedRetries: options.refusedRetries ?? 3,
          refusedDelay: options.refusedDelay ?? 2,
          inTurn: (yield* BackgroundWork).inTurn
        })
      })
    ).pipe(Layer.provide(BackgroundWork.layer))
}
