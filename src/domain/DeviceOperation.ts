/**
 * What is done to a switch beside changes of its configuration, and how far it is: taking ports down and up, giving it a
 * certificate, erasing it. Each phase is written before its commands are sent, so that after a crash the next process knows
 * what the switch may have got (promises 1, 3 and 4).
 */
import { Schema } from "effect"

export const OperationKind = Schema.Literals(["bounce", "certificate", "erase"])
export type OperationKind = typeof OperationKind.Type

export const OperationPhase = Schema.Literals([
  /** The ports may be down. */
  "lowering",
  /** The ports are being taken up again. */
  "raising",
  /** Key and certificate are being copied; the switch may have one without the other. */
  "copying",
  /** The startup configuration is being removed. */
  "wiping",
  /** The startup configuration is gone; the switch is being told to restart. */
  "reloading",
  "done"
])
export type OperationPhase = typeof OperationPhase.Type

/** The ports of a bounce, the configuration that takes them up again, and the session that takes them down. */
export const BounceDetail = Schema.Struct({
  ports: Schema.Array(Schema.String),
  up: Schema.String,
  downSession: Schema.String
})
export type BounceDetail = typeof BounceDetail.Type
