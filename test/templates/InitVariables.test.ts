/** The variables of a device that is being provisioned (docs/templates.md#variables-during-init). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Device } from "../../src/domain/Device.ts"
import { accessVariables, fabricVariables } from "../../src/provisioning/Addresses.ts"
import { renderDevice } from "./DirectRendering.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"
import type { VariableInputs } from "../../src/templates/VariableInputs.ts"
import { stored } from "../support/Lindhaven.ts"
import { faultOf, inputsOf, readExample, site, variablesOf } from "./Campus.ts"

const templates = buildTemplateSnapshot({ files: readExample("templates"), root: "templates" })

const discovered = (device: Device): Device => ({
  ...device,
  hostname: "mac-0800275C091F",
  state: "DISCOVERED",
  device_type: "UNKNOWN",
  management_ip: null,
  infra_ip: null,
  dhcp_ip: "10.250.0.17"
})

const acc1 = inputsOf("lhv-acc1")
const primary = {
  ip_version: 4,
  ip: "10.196.16.6",
  prefixLength: 24,
  gateway: "10.196.16.1",
  network: "10.196.16.0/24"
} as const
const secondary = {
  ip_version: 6,
  ip: "2001:db8:16::6",
  prefixLength: 64,
  gateway: "2001:db8:16::1",
  network: "2001:db8:16::/64"
} as const

const accessInit: VariableInputs = {
  ...acc1,
  device: discovered(acc1.device),
  init: {
    hostname: "lhv-acc1",
    device_type: "ACCESS",
    addresses: accessVariables({ primary, secondary: null }, { vlan: 3016 })
  }
}

const dist1 = inputsOf("lhv-dist1")
const fabricInit: VariableInputs = {
  ...dist1,
  device: discovered(dist1.device),
  init: {
    hostname: "lhv-dist1",
    device_type: "DIST",
    addresses: fabricVariables({
      management: { ip_version: 4, ip: "10.199.3.11" },
      infra: { ip_version: 4, ip: "10.198.0.11" }
    })
  }
}

describe("an access switch in init", () => {
  it("has its new name under both names, and the addresses chosen for it", () => {
    assert.deepInclude(variablesOf(accessInit), {
      host: "lhv-acc1",
      hostname: "lhv-acc1",
      mgmt_ip: "10.196.16.6",
      mgmt_ipif: "10.196.16.6/24",
      mgmt_prefixlen: 24,
      mgmt_vlan_id: 3016,
      mgmt_gw: "10.196.16.1"
    })
    assert.notProperty(variablesOf(accessInit), "secondary_mgmt_ip")
  })

  it("has the secondary variables on a dual-stack domain", () => {
    const addresses = accessVariables({ primary, secondary }, { vlan: 3016 })
    const init = { hostname: "lhv-acc1", device_type: "ACCESS", addresses } as const
    assert.deepInclude(variablesOf({ ...accessInit, init }), {
      secondary_mgmt_ip: "2001:db8:16::6",
      secondary_mgmt_ipif: "2001:db8:16::6/64",
      secondary_mgmt_prefixlen: 64,
      secondary_mgmt_gw: "2001:db8:16::1"
    })
  })

  it("gets exactly the configuration of the next sync, so that its hash is known", () => {
    const rendered = Result.getOrThrow(renderDevice(templates, accessInit, { ...site, mgmtDomains: [] }))
    assert.strictEqual(rendered.text, stored("lhv-acc1.cfg"))
  })

  it("cannot be configured before an address was chosen", () => {
    const init = { hostname: "lhv-acc1", device_type: "ACCESS", addresses: {} } as const
    assert.strictEqual(faultOf({ ...accessInit, init }), "Could not find management IP for device lhv-acc1")
  })
})

describe("a fabric device in init", () => {
  it("has the addresses chosen for it, and no management domains", () => {
    assert.deepInclude(variablesOf(fabricInit), {
      host: "lhv-dist1",
      hostname: "lhv-dist1",
      mgmt_ip: "10.199.3.11",
      mgmt_ipif: "10.199.3.11/32",
      mgmt_prefixlen: 32,
      infra_ip: "10.198.0.11",
      infra_ipif: "10.198.0.11/32",
      asn: 4_200_000_011,
      mgmtdomains: []
    })
  })

  it("cannot be configured without an infra address", () => {
    const init = { hostname: "lhv-dist1", device_type: "DIST", addresses: { mgmt_ip: "10.199.3.11" } } as const
    assert.strictEqual(faultOf({ ...fabricInit, init }), "Could not find infra IP for device lhv-dist1")
  })
})
