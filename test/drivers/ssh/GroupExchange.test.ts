import { assert, describe, expect, it } from "@effect/vitest"
import { createDiffieHellmanGroup } from "node:crypto"
import { GroupExchange, type KeyExchange, type KeyExchanges, useGivenGroups } from "../../../src/drivers/ssh/Ssh2.ts"

const number = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString("hex")}`)

describe("the keys of a group exchange", () => {
  it("produce the same secret as those of Node's own groups", () => {
    for (const name of ["modp14", "modp15", "modp16"]) {
      const theirs = createDiffieHellmanGroup(name)
      theirs.generateKeys()
      for (let round = 0; round < 20; round += 1) {
        const ours = new GroupExchange(theirs.getPrime(), theirs.getGenerator())
        const secret = ours.computeSecret(theirs.getPublicKey())
        assert.strictEqual(number(secret), number(theirs.computeSecret(ours.publicNumber)))
      }
    }
  })

  it("are made in groups of 2,048 to 8,192 bits only", () => {
    const small = createDiffieHellmanGroup("modp5")
    expect(() => new GroupExchange(small.getPrime(), small.getGenerator())).toThrow("a group of 1536 bits")
    expect(() => new GroupExchange(Buffer.alloc(1025, 255), Buffer.of(2))).toThrow("a group of 8200 bits")
  })

  it("accept no number that reveals the secret", () => {
    const group = createDiffieHellmanGroup("modp14")
    const ours = new GroupExchange(group.getPrime(), group.getGenerator())
    const prime = number(group.getPrime())
    for (const bad of [0n, 1n, prime - 1n, prime]) {
      const bytes = Buffer.from(bad.toString(16).padStart(512, "0"), "hex")
      expect(() => ours.computeSecret(bytes)).toThrow()
    }
  })

  it("are used by the library for exchanges of this type only", () => {
    const { generator, prime } = { generator: Buffer.of(2), prime: createDiffieHellmanGroup("modp14").getPrime() }
    class Exchange implements KeyExchange {
      readonly type: string
      readonly _prime = prime
      readonly _generator = generator
      _dh: unknown = null
      _public: Buffer | null = null
      constructor(type: string) {
        this.type = type
      }
      generateKeys() {
        this._public = Buffer.from("the library's")
      }
    }
    class GroupOfServer extends Exchange {
      override generateKeys() {
        super.generateKeys()
      }
    }
    const exchanges: KeyExchanges = {
      onKEXPayload() {
        if (this._kex instanceof Exchange) this._kex.generateKeys()
      }
    }
    useGivenGroups(exchanges)
    const fixed = new Exchange("group")
    exchanges.onKEXPayload.call({ _kex: fixed }, {}, Buffer.alloc(0))
    expect(fixed._public?.toString()).toBe("the library's")
    const given = new GroupOfServer("groupex")
    exchanges.onKEXPayload.call({ _kex: given }, {}, Buffer.alloc(0))
    expect(given._dh).toBeInstanceOf(GroupExchange)
    const publicNumber = given._public
    given.generateKeys()
    expect(given._public).toBe(publicNumber)
  })
})
