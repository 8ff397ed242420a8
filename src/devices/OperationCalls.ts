/** What operators ask of a device beside changes of its configuration: live states, bouncing ports, certificates, erasing. */
import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { DeviceFailure } from "./DeviceFailure.ts"
import { LearnedTables } from "../domain/DeviceReadings.ts"
import { InterfaceStates, NeighbourDetails, Optics } from "../drivers/Driver.ts"

/** Ports to bounce with the rendered halves of it. */
export const Bounce = Schema.Struct({ ports: Schema.Array(Schema.String), down: Schema.String, up: Schema.String })
export type Bounce = typeof Bounce.Type

/** `refused`: why nothing was sent, or null; `changed`: both halves made a difference. */
export const Bounced = Schema.Struct({ refused: Schema.NullOr(Schema.String), changed: Schema.Boolean })
export type Bounced = typeof Bounced.Type

/** A private key and its certificate, both PEM. */
export const KeyPair = Schema.Struct({ key: Schema.RedactedFromValue(Schema.String), certificate: Schema.String })
export type KeyPair = typeof KeyPair.Type

/** A key pair that a job installs; it is installed once per job. */
export const CertificateOrder = Schema.Struct({ ...KeyPair.fields, jobId: Schema.Int })
export type CertificateOrder = typeof CertificateOrder.Type

/** `reloadSeen`: false when it is not known whether the erased switch has restarted. */
export const Erased = Schema.Struct({ reloadSeen: Schema.Boolean })
export type Erased = typeof Erased.Type

export const ReadInterfaces = Rpc.make("ReadInterfaces", { success: InterfaceStates, error: DeviceFailure })
export const ReadOptics = Rpc.make("ReadOptics", { success: Optics, error: DeviceFailure })
export const ReadNeighbourDetails = Rpc.make("ReadNeighbourDetails", {
  success: NeighbourDetails,
  error: DeviceFailure
})

/** Reads what a switch has learnt of machines around it. */
export const ReadTables = Rpc.make("ReadTables", { success: LearnedTables, error: DeviceFailure })

/** Takes ports down and up again, after a look whether the device has them and they are enabled. */
export const BouncePorts = Rpc.make("BouncePorts", { payload: Bounce, success: Bounced, error: DeviceFailure })

/**
 * Copies a key and its certificate to the device and puts them into its stores. `discoveredAt` is the address of a device
 * that is being initialised, null for a managed one.
 */
export const InstallCertificate = Rpc.make("InstallCertificate", {
  payload: { ...CertificateOrder.fields, discoveredAt: Schema.NullOr(Schema.String) },
  error: DeviceFailure
})

/** Removes the startup configuration and the certificate and reloads; a connection that ends then is no failure. */
export const EraseDevice = Rpc.make("EraseDevice", {
  payload: { jobId: Schema.Int },
  success: Erased,
  error: DeviceFailure
})

/** Raises the ports that an interrupted bounce has left down. */
export const FinishBounce = Rpc.make("FinishBounce", {
  success: Schema.Struct({ ports: Schema.Array(Schema.String) }),
  error: DeviceFailure
})

/** The calls of this file, for the device's entity. */
export const operationCalls = [
  ReadInterfaces,
  ReadOptics,
  ReadNeighbourDetails,
  ReadTables,
  BouncePorts,
  FinishBounce,
  InstallCertificate,
  EraseDevice
] as const
