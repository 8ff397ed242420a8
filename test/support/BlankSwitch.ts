/** A blank switch of the lab at its first lease: the report of a site's DHCP hook to the server. */
import { Effect, Option } from "effect"
import { normalizeMac } from "../../src/domain/Network.ts"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"

/** Boots the switch until it has a lease and its first configuration; yields its DHCP_BOOT row and the arguments of `discover_device`. */
export const booted = Effect.fnUntraced(function* (blank: LabSwitch) {
  yield* blank.boot
  const ztp_mac = Option.getOrThrow(normalizeMac(blank.hardware().mac))
  const dhcp_ip = blank.lease() ?? ""
  const row = yield* (yield* DeviceStore).insert({
    hostname: `mac-${ztp_mac}`,
    ztp_mac,
    dhcp_ip,
    platform: "eos",
    state: "DHCP_BOOT",
    device_type: "UNKNOWN"
  })
  return { row, discovery: { ztp_mac, dhcp_ip, iteration: 1 } }
})
