/** Job `discover_device`: logs in to a switch that asked for DHCP and learns what it is (docs/provisioning.md#discovery). */
import { Schema } from "effect"
import { Facts } from "../Facts.ts"
import { defineJob } from "./JobDefinition.ts"

export const DiscoverDevice = defineJob({
  name: "discover_device",
  /** `iteration`: number of the attempt, from 1. */
  Args: Schema.Struct({ ztp_mac: Schema.String, dhcp_ip: Schema.String, iteration: Schema.Int }),
  Memo: Schema.Struct({ facts: Facts }),
  kind: "discovery",
  changesDevices: () => false,
  pinsCommits: true,
  discovers: ({ dhcp_ip, ztp_mac }) => ({ dhcp_ip, ztp_mac })
})
