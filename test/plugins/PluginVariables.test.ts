/** Secrets among the variables of plugins: what they are, and that no text has them. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { hiddenVariables, readyVariables } from "../../src/plugins/Plugin.ts"

const secrets = new Map([["PLUGIN_SECRET_NETBOX", Redacted.make("from the vault")]])

describe("Variables of a plugin", () => {
  it("get the values of the secrets that they name", () => {
    const { vars } = readyVariables({ token_secret: "NETBOX", other_secret: "ABSENT", site: "lhv" }, secrets)
    assert.deepStrictEqual(vars, { token: "from the vault", other_secret: "ABSENT", site: "lhv" })
  })

  it("are shown without secret parts, at any depth", () => {
    const shown = hiddenVariables({
      token_secret: "NETBOX",
      apitoken: "a-token",
      url: "https://user:pass@host/",
      details: { community: "public-read", version: 2 },
      list: [{ password: "deep" }, "https://u:p@x"]
    })
    assert.deepStrictEqual(shown, {
      token_secret: "NETBOX",
      apitoken: "<hidden>",
      url: "https://<hidden>@host/",
      details: { community: "<hidden>", version: 2 },
      list: [{ password: "<hidden>" }, "https://<hidden>@x"]
    })
  })

  it("hide the beginning of a secret in a text that was cut in the middle of it", () => {
    const { hide } = readyVariables({ token_secret: "NETBOX" }, secrets)
    assert.strictEqual(hide("status 400: you sent Token from the vaul"), "status 400: you sent Token <hidden>")
    assert.strictEqual(hide("status 400: you sent Token from"), "status 400: you sent Token <hidden>")
    assert.strictEqual(hide("it came from"), "it came <hidden>")
    assert.strictEqual(hide("from here to there"), "from here to there")
  })

  it("hide their secrets in texts, in the spellings of requests", () => {
    const { hide } = readyVariables(
      {
        x_secret: "NETBOX",
        apitoken: 'a"token/+',
        url: "https://user:passw0rd@host/",
        details: { community: ["comm/unity"] },
        pin_key: 123456
      },
      secrets
    )
    for (const text of [
      "from the vault",
      "from%20the%20vault",
      'a"token/+',
      'a\\"token/+',
      encodeURIComponent('a"token/+'),
      Buffer.from('a"token/+').toString("base64"),
      "user:passw0rd",
      "passw0rd",
      "comm/unity",
      "123456"
    ]) {
      assert.strictEqual(hide(`before ${text} after`), "before <hidden> after", text)
    }
  })

  it("do not hide harmless words that are secrets by accident", () => {
    const { hide } = readyVariables({ token: "", key: "abc", community: "x" }, new Map())
    assert.strictEqual(hide("abc x"), "abc x")
  })
})
