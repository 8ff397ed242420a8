/**
 * Which job a device_init request starts, how far step 1 of an MLAG pair has to go, and when step 2 follows
 * (docs/provisioning.md).
 */
import { Option, Result } from "effect"
import type { Device } from "../domain/Device.ts"
import { accessOnlyFault } from "../domain/requests/InitRequests.ts"
import type { InitArguments } from "./InitArguments.ts"
import { DeviceStateError, InitArgumentError } from "./ProvisioningErrors.ts"

export type InitJob = "init_access_device_step1" | "init_fabric_device_step1" | "init_device_step2"

/** The job of a device_init request: step 2 again for a device that is past step 1, else step 1 of its type. */
export const initJob = (
  device: Pick<Device, "state" | "management_ip" | "device_type">,
  args: InitArguments
): Result.Result<InitJob, InitArgumentError> => {
  const pastStep1 = device.state === "INIT" && device.management_ip !== null && device.device_type !== "UNKNOWN"
  if (pastStep1) return Result.succeed("init_device_step2")
  if (args.device_type === "ACCESS") return Result.succeed("init_access_device_step1")
  if (args.device_type === "UNKNOWN") {
    return Result.fail(new InitArgumentError({ message: "Unsupported 'device_type' provided" }))
  }
  return Option.match(accessOnlyFault(args), {
    onNone: () => Result.succeed("init_fabric_device_step1"),
    onSome: (message) => Result.fail(new InitArgumentError({ message }))
  })
}

const refuse = (message: string) => Result.fail(new DeviceStateError({ message }))

type WithState = Pick<Device, "state">

/**
 * What step 1 has to do for a device and, with MLAG arguments, its peer: everything, or only start the peer when the first
 * switch of the pair is through already. Fails with DeviceStateError.
 */
export const accessStart = (
  device: WithState,
  peer: WithState | null
): Result.Result<"wholeStep1" | "peerOnly", DeviceStateError> => {
  const discovered = "Device must be in state DISCOVERED to begin init"
  if (peer === null) return device.state === "DISCOVERED" ? Result.succeed("wholeStep1") : refuse(discovered)
  if (device.state !== "DISCOVERED" && device.state !== "MANAGED") {
    return refuse("First MLAG device must be in state MANAGED to restart MLAG peer init")
  }
  if (peer.state !== "DISCOVERED") return refuse(discovered)
  return Result.succeed(device.state === "MANAGED" ? "peerOnly" : "wholeStep1")
}

const MLAG_PEER_DELAY_SECONDS = 60

/** Seconds after which the second switch of an MLAG pair starts its own step 1; a site with a shorter step 2 delay waits no longer than that. */
export const mlagPeerDelay = (step2DelaySeconds: number): number => Math.min(MLAG_PEER_DELAY_SECONDS, step2DelaySeconds)

/**
 * Seconds between step 1 and step 2. The first switch of an MLAG pair waits until its peer is through as well, because the
 * peer's step 1 starts late. `mgmtTimeout` is INIT_MGMT_TIMEOUT, `delay` INIT_STEP2_DELAY.
 */
export const step2Delay = (delay: number, mgmtTimeout: number, isFirstOfPair: boolean): number =>
  isFirstOfPair ? Math.max(delay, mlagPeerDelay(delay) + 2 * mgmtTimeout) : delay
