import { describe, expect, it } from "@effect/vitest"
import { maskAnswer, maskSecrets } from "../../src/drivers/SecretMask.ts"

const masked: ReadonlyArray<readonly [string, string]> = [
  ["enable secret sha512 $6$x$SECRET", "enable secret sha512 ********"],
  ["enable password SECRET", "enable password ********"],
  ["enable secret 5 SECRET", "enable secret 5 ********"],
  [
    "username admin privilege 15 role network-admin secret SECRET",
    "username admin privilege 15 role network-admin secret ********"
  ],
  ["username admin secret 0 SECRET", "username admin secret 0 ********"],
  ["username admin secret sha512 $6$SECRET", "username admin secret sha512 ********"],
  ["   neighbor 10.0.0.1 password 7 SECRET", "   neighbor 10.0.0.1 password 7 ********"],
  ["password SECRET", "password ********"],
  ["snmp-server community SECRET ro", "snmp-server community ******** ro"],
  ["snmp-server host 10.0.0.9 SECRET", "snmp-server host 10.0.0.9 ********"],
  ["snmp-server host 10.0.0.9 version 2c SECRET", "snmp-server host 10.0.0.9 version 2c ********"],
  ["snmp-server host 10.0.0.9 vrf MGMT version 2c SECRET", "snmp-server host 10.0.0.9 vrf MGMT version 2c ********"],
  ["snmp-server host 10.0.0.9 traps version 2c SECRET", "snmp-server host 10.0.0.9 traps version 2c ********"],
  ["snmp-server host 10.0.0.9 version 3 priv SECRET", "snmp-server host 10.0.0.9 version 3 priv ********"],
  ["tacacs-server key 7 SECRET", "tacacs-server key 7 ********"],
  ["tacacs-server host 10.0.0.9 key SECRET", "tacacs-server host 10.0.0.9 key ********"],
  ["radius-server host 10.0.0.9 vrf MGMT key 7 SECRET", "radius-server host 10.0.0.9 vrf MGMT key 7 ********"],
  ["   message-digest-key 1 md5 7 SECRET", "   message-digest-key 1 md5 7 ********"],
  ["   ntp authentication-key 1 sha1 7 SECRET", "   ntp authentication-key 1 sha1 7 ********"],
  [
    "snmp-server user u g v3 auth sha SECRET priv aes SECRET2",
    "snmp-server user u g v3 auth sha ******** priv aes ********"
  ],
  [
    "snmp-server user u g v3 localized f5717f auth sha512 SECRET priv aes256 SECRET2",
    "snmp-server user u g v3 localized ******** auth sha512 ******** priv aes256 ********"
  ],
  [
    'set system root-authentication encrypted-password "$6$SECRET SECRET"',
    "set system root-authentication encrypted-password ********"
  ],
  ["   key 7 SECRET", "   key 7 ********"],
  ["   key 0abc 7 SECRET", "   key 0abc 7 ********"],
  ["   ip ospf authentication-key 7 SECRET", "   ip ospf authentication-key 7 ********"],
  ["   isis authentication key 7 SECRET", "   isis authentication key 7 ********"],
  ["   shared-key 7 SECRET", "   shared-key 7 ********"],
  ["   passphrase SECRET", "   passphrase ********"],
  ["   key-string 7 SECRET", "   key-string 7 ********"],
  ["line one\nsecret 5 SECRET\nline three", "line one\nsecret 5 ********\nline three"]
]

const kept: ReadonlyArray<string> = [
  "   neighbor 10.0.0.1 send-community extended",
  "   set community 65000:1 additive",
  "interface Ethernet1",
  "% Invalid input (at token 1: 'foo')",
  "aaa authentication login default group tacacs+ local",
  "   switchport access vlan 10",
  "ip ssh pubkey-chain",
  "   service password-encryption",
  "tacacs-server host 10.0.0.9"
]

describe("masking of secrets", () => {
  it.each(masked)("%s", (text, expected) => {
    expect(maskSecrets(text)).toBe(expected)
    expect(maskSecrets(maskSecrets(text))).toBe(expected)
  })

  it("masks a secret that the switch quotes", () => {
    const line = "username bob secret sha512 hunter2"
    expect(maskAnswer(line, "% Invalid input (at token 4: 'hunter2')")).toBe("% Invalid input (at token 4: '********')")
  })

  it.each(kept)("keeps %s", (text) => {
    expect(maskSecrets(text)).toBe(text)
  })
})
