import { describe, expect, it } from "@effect/vitest"
import { configHash } from "../../../src/drivers/eos/RunningConfig.ts"

describe("the hash of a configuration", () => {
  const body = "!\nhostname a\n!\nend\n"
  it("does not depend on header lines, line ends and blank lines at the end", () => {
    const header = "! Command: show running-config\n! device: a (X, EOS-4.31.4M)\n! Time: Tue Mar  4\n"
    expect(configHash(header + body)).toBe(configHash(body))
    expect(configHash(body.replaceAll("\n", "\r\n"))).toBe(configHash(body))
    expect(configHash(`${body}\n\n`)).toBe(configHash(body))
    expect(configHash(body)).toMatch(/^[0-9a-f]{64}$/)
  })

  it("depends on every line of the configuration, comments too", () => {
    expect(configHash(body.replace("hostname a", "hostname b"))).not.toBe(configHash(body))
    expect(configHash(`! boot system flash:/x.swi\n${body}`)).not.toBe(configHash(body))
  })
})
