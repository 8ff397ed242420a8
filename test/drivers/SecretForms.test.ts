/** Secrets are hidden by their form on every platform, and nothing else is. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { maskSecrets, replaceSecrets } from "../../src/drivers/SecretMask.ts"
import { FORMS, HARMLESS } from "./SecretForms.ts"

const MASK = "********"
const PLACE = "<secret>"

/** Secrets as people and devices write them: a word, a type 7, a hash, and where lines of a switch have them, in quotes. */
const VALUES = ["Zq7xM4rk-er", "0832494DZq7xM4rk", "$9$abc/Zq7xM4rk.x", "{Zq7x[M4rk]}"]
const QUOTED = '"Zq7x M4rk; er"'

const isProgram = (line: string) => /curl|exec|sshpass|:\/\//.test(line)
const hidden = (line: string) => line.replaceAll(PLACE, MASK).replaceAll("'", "")

const word = Schema.String.check(Schema.isPattern(/^[A-Za-z\d!#%^&*()+,.:<>?@_~$[\]{}|-]{8,24}$/))

describe.each(Object.entries(FORMS))("secrets of %s", (_, lines) => {
  it.each(lines)("%s", (line) => {
    for (const value of isProgram(line) ? VALUES : [...VALUES, QUOTED]) {
      const text = line.replaceAll(PLACE, () => value)
      expect(maskSecrets(text)).toBe(hidden(line))
      expect(maskSecrets(hidden(line))).toBe(hidden(line))
    }
  })

  it("stay hidden after an unknown qualifier or before further words", () => {
    for (const line of lines.filter((one) => !isProgram(one) && !one.includes("SECRET-DATA"))) {
      for (const value of [
        `brandnew ${VALUES[0]}`,
        `brandnew 3 ${VALUES[0]} more words`,
        `${VALUES[0]} and ${VALUES[0]}`
      ]) {
        expect(maskSecrets(line.replaceAll(PLACE, () => value)), line).not.toContain("M4rk")
      }
    }
  })

  it("stay hidden in diffs, behind headings in one line, and in sentences", () => {
    for (const line of lines) {
      const text = line.replaceAll(PLACE, () => String(VALUES[0])).replace(/^[+-]/, "")
      for (const around of [
        `+${text}`,
        `-${text}`,
        `interface Ethernet1 / ${text.trim()}`,
        `line 3 "${text.trim()}": refused`
      ]) {
        expect(maskSecrets(around), around).not.toContain("M4rk")
      }
    }
  })
})

describe("masking by form", () => {
  it.each(HARMLESS)("keeps %s", (line) => {
    expect(maskSecrets(line)).toBe(line)
    expect(maskSecrets(`+${line}`)).toBe(`+${line}`)
  })

  const all = Object.values(FORMS).flat()

  it.prop("hides any word in any form, idempotently", { value: word, at: Schema.Int }, ({ at, value }) => {
    const line = all[Math.abs(at) % all.length] ?? ""
    if (isProgram(line)) return
    const planted = `Zq7x${value}M4rk`
    const once = maskSecrets(`vlan 10\n${line.replaceAll(PLACE, () => planted)}\nend`)
    expect(once).not.toContain("Zq7x")
    expect(once).not.toContain("M4rk")
    expect(maskSecrets(once)).toBe(once)
    expect(once.split("\n")).toHaveLength(3)
  })

  it("gives one mark to each secret, and none to a mark", () => {
    const seen: Array<string> = []
    const mark = (secret: string) => {
      seen.push(secret)
      return "<hidden:ab12>"
    }
    const text = 'snmp-server user u g v3 auth sha ONE priv aes TWO\nset a secret "three four"\n'
    const once = replaceSecrets(text, mark)
    expect(seen).toEqual(["ONE", "TWO", '"three four"'])
    expect(replaceSecrets(once, mark)).toBe(once)
    expect(seen.slice(3).every((secret) => secret === "<hidden:ab12>")).toBe(true)
  })

  const body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7Zq7xM4rkxxxx", "Zq7xM4rkshortend=="]
  const key = (kind: string) => [`-----BEGIN ${kind}PRIVATE KEY-----`, ...body, `-----END ${kind}PRIVATE KEY-----`]

  it.each(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])(
    "hides the lines of a %sprivate key, whole, cut or quoted",
    (kind) => {
      const lines = key(kind)
      for (const indent of ["", "   ", "+", "-   ", " "]) {
        const text = ["before", ...lines, "after"].map((line) => indent + line)
        for (const part of [text, text.slice(0, 4), text.slice(2, 3), text.slice(0, 3)]) {
          const masked = maskSecrets(part.join("\n"))
          expect(masked).not.toContain("M4rk")
          expect(maskSecrets(masked)).toBe(masked)
          expect(masked.split("\n")).toHaveLength(part.length)
        }
        expect(maskSecrets(text.join("\n"))).toContain(`${indent}after`)
      }
      expect(maskSecrets(lines.join(String.raw`\n`))).not.toContain("M4rk")
    }
  )

  it("does not mistake a long word for a part of a key", () => {
    for (const word of ["d".repeat(64), "A".repeat(70), "1f".repeat(32)]) expect(maskSecrets(word)).toBe(word)
  })

  it("leaves certificates unchanged", () => {
    const text = ["-----BEGIN CERTIFICATE-----", ...body, "-----END CERTIFICATE-----"].join("\n")
    expect(maskSecrets(text)).toBe(text)
  })

  it.each([
    "radius-server ",
    "key ",
    "/ username a ",
    "a://b:",
    '"password ',
    "spi 1 md5 ",
    "snmp-server host a ",
    "x-token-",
    "$1$",
    "A"
  ])("takes time in proportion to a long line of %j", (part) => {
    const line = `curl radius key ${part.repeat(200_000 / part.length)}`
    const begin = performance.now()
    maskSecrets(line)
    expect(performance.now() - begin).toBeLessThan(2_000)
  })
})
