import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { ChunkSizes, drive } from "../../support/ScriptedSwitch.ts"
import { loginExchange } from "../../../src/drivers/ssh/LoginExchange.ts"
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
})
