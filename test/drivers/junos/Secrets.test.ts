/** Secrets of Junos: hidden in whole texts and differences, and compared by what they say although they are shown otherwise. */
import { describe, expect, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { junos } from "../../../src/domain/platforms/junos/Platform.ts"
import { make } from "../../../src/devices/KnownSecrets.ts"
import { reduceDiff, secretLines, withoutSecrets } from "../../../src/drivers/SecretEquivalence.ts"
import { maskSecrets } from "../../../src/drivers/SecretMask.ts"
import * as UnifiedDiff from "../../../src/drivers/UnifiedDiff.ts"
import { obscured } from "./Obscured.ts"

/** A configuration with a secret in each of these places; `nine` gives the form `$9$`, `hash` a hash. */
const configuration = (nine: (name: string) => string, hash: (name: string) => string) => `system {
    root-authentication {
        encrypted-password "${hash("root")}"; ## SECRET-DATA
    }
    login {
        user eve {
            authentication {
                encrypted-password "${hash("eve")}"; ## SECRET-DATA
            }
        }
    }
    radius-server {
        10.20.1.11 {
            port 1812;
            secret "${nine("radius")}"; ## SECRET-DATA
        }
        10.20.1.12 secret "${nine("radius2")}"; ## SECRET-DATA
    }
    ntp {
        authentication-key 1 type md5 value "${nine("ntp")}"; ## SECRET-DATA
    }
}
protocols {
    bgp {
        group UP {
            authentication-key "${nine("bgp")}"; ## SECRET-DATA
        }
    }
    ospf {
        area 0.0.0.0 {
            interface irb.10 {
                authentication {
                    md5 1 key "${nine("ospf")}"; ## SECRET-DATA
                }
            }
        }
    }
    isis {
        level 2 {
            authentication-key "${nine("isis")}"; ## SECRET-DATA
        }
    }
}
security {
    ike {
        policy P {
            pre-shared-key ascii-text "${nine("ike")}"; ## SECRET-DATA
        }
    }
    authentication-key-chains {
        key-chain KC {
            key 1 {
                secret "${nine("chain")}"; ## SECRET-DATA
                start-time "2026-1-1.00:00:00 +0000";
            }
        }
    }
}
`

const HARMLESS = configuration(
  () => "",
  () => ""
).replaceAll(/^.*""; ## SECRET-DATA\n/gm, "")

describe("secrets in a configuration of Junos", () => {
  const shown = configuration(
    (name) => obscured(name, 1),
    (name) => `$6$salt$${name}M4rk`
  )

  it("are all found, with their places", () => {
    const lines = secretLines(junos, shown)
    expect(lines.map(({ value }) => value)).toEqual([
      "$6$salt$rootM4rk",
      "$6$salt$eveM4rk",
      "radius",
      "radius2",
      "ntp",
      "bgp",
      "ospf",
      "isis",
      "ike",
      "chain"
    ])
    expect(lines.map(({ line }) => line)).toContain(
      "protocols ospf area 0.0.0.0 interface irb.10 authentication md5 1 key ********"
    )
    expect(new Set(lines.map(({ line }) => line)).size).toBe(lines.length)
  })

  it("are in the same places whatever the indentation, the quotes and the device's remarks are", () => {
    const given = configuration(
      (name) => name,
      (name) => `$6$salt$${name}M4rk`
    )
      .replaceAll(" ## SECRET-DATA", "")
      .replaceAll(/"([a-z]\w*)"/g, "$1")
      .replaceAll(/^ +/gm, " ")
    expect(secretLines(junos, given)).toEqual(secretLines(junos, shown))
  })

  it("are in the same place in a section of one statement, which the device writes in one line, and in a set line", () => {
    const [, , , inOneLine] = secretLines(junos, shown)
    const inSection = "system {\nradius-server {\n10.20.1.12 {\nsecret radius2;\n}\n}\n}"
    const inSetLine = "set system radius-server 10.20.1.12 secret radius2"
    for (const given of [inSection, inSetLine]) {
      expect(secretLines(junos, given)).toMatchObject([{ line: inOneLine?.line, value: "radius2" }])
    }
  })

  it.each([
    "    key 1 {",
    "    server 10.0.0.1 key 1;",
    "    authentication-key-chain CORE;",
    "    description secret x;",
    "set interfaces ge-0/0/1 description secret x",
    "# secret x;",
    "    password minimum-length 12;",
    "    community public;",
    "    authentication-key 1 type md5;"
  ])("are not in %j", (line) => {
    expect(secretLines(junos, line).map(({ value }) => value)).toEqual([])
  })

  it("stay in the difference only if they say something else", () => {
    const given = configuration(
      (name) => obscured(name === "bgp" ? "another" : name, 2),
      (name) => `$6$salt$${name}M4rk`
    )
    const diff = UnifiedDiff.diff(shown, given)
    const known = make({ candidate: given, deviceId: 1, digest: (text) => text, known: null, platform: junos })
    const rest = reduceDiff(junos, shown, diff, known.isSame)
    const changed = rest.split("\n").filter((line) => /^[+-]/.test(line))
    expect(changed.map((line) => line.replace(/"[^"]*"/, "X").replace(/ {2,}/, " "))).toEqual([
      "- authentication-key X; ## SECRET-DATA",
      "+ authentication-key X; ## SECRET-DATA"
    ])
    expect(Option.isSome(UnifiedDiff.apply(shown, rest))).toBe(true)
  })

  it("are known again in any salt if they were given in clear, and a hash by the digests of the last proof", () => {
    const candidate = configuration(
      (name) => name,
      (name) => name
    )
    const first = make({ candidate, deviceId: 1, digest: (text) => `#${text}`, known: null, platform: junos })
    const hashed = secretLines(junos, shown)[0]
    const obscuredOne = secretLines(junos, shown)[2]
    expect(obscuredOne !== undefined && first.isKnown(obscuredOne.line, obscuredOne.value)).toBe(true)
    expect(hashed !== undefined && first.isKnown(hashed.line, hashed.value)).toBe(false)
    const proved = first.provedBy(shown)
    expect(Object.keys(proved ?? {})).toEqual([
      "system root-authentication encrypted-password ********",
      "system login user eve authentication encrypted-password ********"
    ])
    const second = make({ candidate, deviceId: 1, digest: (text) => `#${text}`, known: proved, platform: junos })
    expect(hashed !== undefined && second.isKnown(hashed.line, hashed.value)).toBe(true)
    expect(hashed !== undefined && second.isKnown(hashed.line, "$6$other$hash")).toBe(false)
  })

  const blob = String.raw`"-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANZq7xM4rk\nZq7xM4rk==\n-----END RSA PRIVATE KEY-----\n"`

  it.each([
    `                ${blob}; ## SECRET-DATA`,
    `                ${blob};`,
    `set security certificates local aos ${blob}`,
    `+        aos ${blob}; ## SECRET-DATA`,
    'keys { key "JUNOS123456 Zq7x qcsbja M4rk okbuqc"; }',
    'set system license keys key "JUNOS123456 Zq7x qcsbja M4rk okbuqc"',
    'secret "$8$aes256-gcm$hmac-sha2-256$100$Zq7x$M4rk$Zq7x$M4rk"; ## SECRET-DATA',
    '[edit system root-authentication]\\n-   encrypted-password "$6$Zq7x$M4rk"; ## SECRET-DATA'
  ])("are hidden in keys and licences, whole and in one line: %s", (line) => {
    const masked = maskSecrets(line)
    expect(masked).not.toContain("Zq7x")
    expect(masked).not.toContain("M4rk")
    expect(maskSecrets(masked)).toBe(masked)
  })

  const Secret = Schema.String.check(Schema.isPattern(/^[A-Za-z\d!#%^&*()+,.:<>?@_~$[\]{}|; -]{4,20}$/))

  it.prop(
    "are hidden in texts, set lines and differences, and nothing else is",
    { secret: Secret, salt: Schema.Int },
    ({ salt, secret }) => {
      const planted = `Zq7x${secret}M4rk`
      const clear = configuration(
        () => planted,
        () => planted
      )
      const coded = configuration(
        () => obscured(planted, salt),
        () => `$6$Zq7xsalt$M4rk${salt}`
      )
      for (const text of [clear, coded, clear.replaceAll(" ## SECRET-DATA", "")]) {
        const diff = UnifiedDiff.diff(HARMLESS, text)
        for (const all of [text, diff]) {
          const masked = maskSecrets(all)
          expect(masked).not.toContain("Zq7x")
          expect(masked).not.toContain("M4rk")
          expect(masked).not.toMatch(/\$[69]\$/)
          expect(maskSecrets(masked)).toBe(masked)
          expect(masked.split("\n")).toHaveLength(all.split("\n").length)
        }
        expect(withoutSecrets(junos, text)).not.toContain("Zq7x")
      }
      expect(maskSecrets(HARMLESS)).toBe(HARMLESS)
    }
  )
})
