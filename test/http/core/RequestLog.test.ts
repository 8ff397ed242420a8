import { expect, it } from "@effect/vitest"
import { maskBody } from "../../../src/http/core/RequestLog.ts"

it("logs the configtype of a port, and none of the secrets in a body", () => {
  const data = { description: "desk 7 secret 0 hunter2", cli_append_str: "snmp-server community hunter3 ro" }
  const logged = maskBody({ interfaces: { Ethernet1: { configtype: "ACCESS_AUTO", data } }, full_config: "hunter4" })
  expect(logged).toContain('"configtype":"ACCESS_AUTO"')
  expect(logged).toContain("desk 7 secret 0 ********")
  expect(logged).not.toContain("hunter")
})
