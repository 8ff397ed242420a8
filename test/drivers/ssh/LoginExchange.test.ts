import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { ChunkSizes, drive } from "../../support/ScriptedSwitch.ts"
import { loginExchange } from "../../../src/drivers/ssh/Cli.ts"
import { dialect } from "../../../src/drivers/eos/Dialect.ts"

const BannerLine = Schema.Literals([
  "Last login: Tue Mar  4 09:12:44 2025 from 10.20.0.5",
  "Authorised users only #",
  "###########",
  "acc-b2-01 >",
  "% this is no error",
  ""
])

describe("a login", () => {
  it.prop(
    "finds the prompt below any banner, however the bytes are cut",
    { banner: Schema.Array(BannerLine), sizes: ChunkSizes },
    ({ banner, sizes }) => {
      const device = { prompt: "acc-b2-01>", echo: () => "", answer: () => ({ text: "", prompt: "acc-b2-01>" }) }
      const greeting = `${banner.map((line) => `${line}\r\n`).join("")}acc-b2-01>`
      expect(drive(loginExchange(dialect.prompt), device, sizes, greeting).value).toBe("acc-b2-01>")
    }
  )

  it.prop(
    "learns a prompt of another form that is repeated for empty lines",
    {
      banner: Schema.Array(BannerLine),
      sizes: ChunkSizes,
      name: Schema.Literals([
        "[acc1]",
        "*** acc1 50% ***",
        "Zürich, Ø acc1 ✓",
        `acc1-${"long-".repeat(70)}`,
        "{acc1}(a)"
      ])
    },
    ({ banner, name, sizes }) => {
      const prompt = `${name}#`
      const device = { prompt, echo: () => "", answer: () => ({ text: "", prompt }) }
      const greeting = `${banner.map((line) => `${line}\r\n`).join("")}${prompt}`
      expect(drive(loginExchange(dialect.prompt), device, sizes, greeting).value).toBe(prompt)
    }
  )

  it("recognises a prompt after its clock has changed", () => {
    let second = 0
    const prompt = () => `[14:02:${String(second++).padStart(2, "0")}] acc1#`
    const device = { prompt: prompt(), echo: () => "", answer: () => ({ text: "", prompt: prompt() }) }
    expect(drive(loginExchange(dialect.prompt), device, [100], device.prompt).value).toMatch(/^\[14:02:\d\d\] acc1#$/)
  })

  it("mistakes neither a question nor the last line of a banner for a prompt", () => {
    const asking = { prompt: "Username: ", echo: () => "", answer: () => ({ text: "", prompt: "Username: " }) }
    expect(() => drive(loginExchange(dialect.prompt), asking, [100], asking.prompt)).toThrow("waits for ever")
    const banner = { prompt: "* keep out! *#", echo: () => "", answer: () => ({ text: "", prompt: "acc1#" }) }
    expect(drive(loginExchange(dialect.prompt), banner, [100], banner.prompt).value).toBe("acc1#")
  })
})
