import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { ChunkSizes, drive, type ScriptedSwitch } from "../../support/ScriptedSwitch.ts"
import { configPipeline, type PipelineOptions } from "../../../src/drivers/ssh/ConfigPipeline.ts"
import { configUnit, type ConfigUnit } from "../../../src/drivers/ssh/PromptLedger.ts"
import { TerminalText } from "../../../src/drivers/ssh/TerminalText.ts"
import { dialect } from "../../../src/drivers/eos/Dialect.ts"

const prompt = "acc-b2-01(config-s-job412)#"
const inside = "acc-b2-01(config-s-job412-if-Et1)#"

const options = (units: ReadonlyArray<ConfigUnit>, more: Partial<PipelineOptions> = {}): PipelineOptions => ({
  units,
  window: 2048,
  settled: false,
  prompt: /^acc-b2-01\(config-s-job412[\w.\-@/:+]{0,63}\)#\s?/,
  speech: dialect,
  logLine: dialect.logLine,
  longestEcho: dialect.longestEcho,
  ...more
})

const unit = ([line = "", ...text]: ReadonlyArray<string>, index: number): ConfigUnit =>
  configUnit(index + 1, line, text)

/** Rejects lines with "bad" in them, reads banners, goes into and out of a section. */
const eosLike = (echo?: ScriptedSwitch["echo"]): ScriptedSwitch => {
  let reading = false
  let shown = prompt
  return {
    prompt,
    ...(echo !== undefined && { echo }),
    answer: (line) => {
      if (reading) {
        reading = line !== "EOF"
        return { text: "", prompt: reading ? "" : shown }
      }
      if (line === "banner login" || line.startsWith("code unit ")) {
        reading = true
        return { text: "Enter TEXT message. Type 'EOF' on its own line to end.\n", prompt: "" }
      }
      shown = line.startsWith("interface ") ? inside : line.startsWith("vlan ") ? prompt : shown
      return { text: line.includes("bad") ? `% Invalid input (at token 1: '${line}')\n` : "", prompt: shown }
    }
  }
}

const Line = Schema.Literals([
  "interface Ethernet1",
  "description desk #1 >",
  "vlan 10",
  "bad word",
  "name bad",
  `description ${"long ".repeat(200)}`,
  "description Gerät"
])
const Unit = Schema.Union([
  Schema.Tuple([Line]),
  Schema.Tuple([
    Schema.Literal("banner login"),
    Schema.Literals(["% bad idea", "!", "end", "acc#"]),
    Schema.Literal("EOF")
  ])
])

const rejectedUnits = (units: ReadonlyArray<ConfigUnit>) =>
  units.filter(({ line, text }) => text.length === 0 && line.includes("bad")).slice(0, 20)

const twice = (line: string, shown: string) => `${line}\n${shown}${line}`

/** Echoes all of the input when the first line of it is read, and each line again when its turn comes. */
const aheadToo = (units: ReadonlyArray<ConfigUnit>) => {
  let ahead = units.flatMap(({ line, text }) => [line, ...text]).map((line) => `${line}\n`)
  return (line: string): string => {
    const echoed = [...ahead, line].join("")
    ahead = []
    return echoed
  }
}

describe("the configuration pipeline", () => {
  it.prop(
    "sends every line once and in order, and names exactly the rejected ones",
    { inputs: Schema.Array(Unit), sizes: ChunkSizes, window: Schema.Literals([1, 100, 2048]), settled: Schema.Boolean },
    ({ inputs, sizes, window, settled }) => {
      const units = inputs.map(unit)
      const { value, received } = drive(configPipeline(options(units, { window, settled })), eosLike(), sizes)
      expect(value.desynchronised).toBeUndefined()
      expect(value.rejections.map(({ unit }) => unit)).toEqual(rejectedUnits(units))
      if (value.rejections.length < 20) expect(received).toEqual(units.flatMap(({ line, text }) => [line, ...text]))
    }
  )

  it.prop(
    "takes a message to all users for no answer, and still names the rejected lines",
    { sizes: ChunkSizes, settled: Schema.Boolean, at: Schema.Literals([0, 1, 2, 3]) },
    ({ at, settled, sizes }) => {
      const units = ["vlan 10", "bad word", "vlan 11", "name fine"].map((line, index) => unit([line], index))
      const eos = eosLike()
      let lines = 0
      const told = "\nBroadcast message from root@acc (pts/0) (Thu Nov 26):\n\nAn update has failed\n\nError: 7\n\n"
      const device: ScriptedSwitch = {
        prompt,
        answer: (line) => {
          const { text, prompt: next } = eos.answer(line)
          return { text: lines++ === at ? `${told}${text}` : text, prompt: next }
        }
      }
      const { value } = drive(configPipeline(options(units, { settled })), device, sizes)
      expect(value).toMatchObject({ desynchronised: undefined, remarks: [], prompt })
      expect(value.rejections.map(({ unit: { lineNumber } }) => lineNumber)).toEqual([2])
    }
  )

  it("sends the lines again when a message to all users follows the last prompt", () => {
    const eos = eosLike()
    const told = `${prompt}\n\nBroadcast message from root@acc (pts/0) (Thu Nov 26):\n\nAn update has failed\n\n`
    const device: ScriptedSwitch = {
      prompt,
      answer: (line) => ({ ...eos.answer(line), ...(line === "vlan 11" && { prompt: told }) })
    }
    const units = ["vlan 10", "vlan 11"].map((line, index) => unit([line], index))
    const { value } = drive(configPipeline(options(units)), device, [2_000])
    expect(value).toMatchObject({ rejections: [], remarks: [], prompt })
    expect(value.desynchronised).toBeDefined()
  })

  it.prop(
    "never has more unanswered input in flight than its window",
    { sizes: ChunkSizes, window: Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 4096 })) },
    ({ sizes, window }) => {
      const units = Array.from({ length: 500 }, (_, index) => unit([`vlan ${index + 2}`], index))
      const { value, mostUnread } = drive(configPipeline(options(units, { window })), eosLike(), sizes)
      expect(value.rejections).toEqual([])
      expect(mostUnread).toBeLessThanOrEqual(window)
    }
  )

  it.prop("detects that it cannot trust the answers when EOS echoes twice", { sizes: ChunkSizes }, ({ sizes }) => {
    const units = ["vlan 10", "bad word", "vlan 11", "name bad"].map((line, index) => unit([line], index))
    expect(drive(configPipeline(options(units)), eosLike(twice), sizes).value.desynchronised).toBeDefined()
    const settled = drive(configPipeline(options(units, { settled: true })), eosLike(twice), sizes).value
    expect(settled.rejections.map(({ unit }) => unit.lineNumber)).toEqual([2, 4])
  })

  it.prop(
    "delays a text whose answers it cannot trust, and sends it once it can",
    { sizes: ChunkSizes },
    ({ sizes }) => {
      const units = [["vlan 10"], ["banner login", "hello", "EOF"], ["vlan 11"]].map(unit)
      const first = drive(configPipeline(options(units)), eosLike(twice), sizes)
      expect(first.value).toMatchObject({ rejections: [], prompt })
      expect(first.value.desynchronised).toBeDefined()
      const settled = drive(configPipeline(options(units, { settled: true })), eosLike(twice), sizes)
      expect(settled.value).toMatchObject({ rejections: [], prompt })
      expect(settled.received).toEqual(units.flatMap(({ line, text }) => [line, ...text]))
    }
  )

  it("detects lost characters", () => {
    const units = Array.from({ length: 50 }, (_, index) => unit([`vlan ${index + 2}`], index))
    const device = eosLike()
    const lossy = { ...device, echo: (line: string) => line.replace("vlan 40", "vla40") }
    expect(drive(configPipeline(options(units)), lossy, [100]).value.desynchronised).toContain("line 39")
  })

  it("accepts input that the terminal echoes ahead of the prompts", () => {
    const units = ["vlan 10", "bad word", "vlan 11"].map((line, index) => unit([line], index))
    const { value } = drive(configPipeline(options(units)), eosLike(aheadToo(units)), [7])
    expect(value.desynchronised).toBeUndefined()
    expect(value.rejections.map(({ unit }) => unit.lineNumber)).toEqual([2])
  })

  it("sends the command of a text together with the lines before it, and nothing after it before the answer", () => {
    const units = [["vlan 10"], ["banner login", "hello", "EOF"], ["vlan 11"]].map(unit)
    const step = configPipeline(options(units)).begin(new TerminalText())
    expect(step).toMatchObject({ write: "vlan 10\nbanner login\n" })
  })

  it.prop(
    "sends no line of a text to a switch that refuses its command",
    { sizes: ChunkSizes, window: Schema.Literals([1, 100, 2048]), settled: Schema.Boolean },
    ({ sizes, ...pace }) => {
      const inputs = [["vlan 10"], ["banner bad", "reload now", "EOF"], ["vlan 11"]]
      const { value, received } = drive(configPipeline(options(inputs.map(unit), pace)), eosLike(), sizes)
      expect(received).toEqual(["vlan 10", "banner bad", "vlan 11"])
      expect(value.desynchronised).toBeUndefined()
      expect(value.rejections).toMatchObject([
        { unit: { lineNumber: 2 }, answer: "% Invalid input (at token 1: 'banner bad')" }
      ])
    }
  )

  it.prop(
    "sends no line of a text to a switch that accepts its command and asks for none",
    { sizes: ChunkSizes, settled: Schema.Boolean },
    ({ sizes, settled }) => {
      const inputs = [["vlan 10"], ["banner motd", "reload now", "EOF"], ["vlan 11"]]
      const { value, received } = drive(configPipeline(options(inputs.map(unit), { settled })), eosLike(), sizes)
      expect(received).toEqual(["vlan 10", "banner motd", "vlan 11"])
      expect(value.rejections).toMatchObject([
        { unit: { lineNumber: 2 }, answer: '% the switch did not ask for the text of "banner motd"' }
      ])
    }
  )

  it("ends a text at once that a switch reads without asking for it", () => {
    let reading = false
    const device: ScriptedSwitch = {
      prompt,
      answer: (line) => {
        reading = reading ? line !== "EOF" : line === "banner login"
        return { text: "", prompt: reading ? "" : prompt }
      }
    }
    const units = [["banner login", "hello", "EOF"], ["vlan 10"]].map(unit)
    const { value, received } = drive(configPipeline(options(units)), device, [7])
    expect(received).toEqual(["banner login", "EOF"])
    expect(value.rejections).toMatchObject([{ answer: '% the switch did not ask for the text of "banner login"' }])
  })

  it("does not mistake the text of a banner for an error when its command is echoed ahead", () => {
    const units = [["vlan 10"], ["banner login", "% keep out", "EOF"], ["bad word"]].map(unit)
    const sent = [["vlan 10"], ["banner login"]].map(unit)
    const { value } = drive(configPipeline(options(units)), eosLike(aheadToo(sent)), [7])
    expect(value.desynchronised).toBeUndefined()
    expect(value.rejections.map(({ unit }) => unit.lineNumber)).toEqual([3])
  })

  it("recognises an error although the following banner contains the same words", () => {
    const error = "% Invalid input (at token 1: 'bad word')"
    const units = [["bad word"], ["banner login", error, "EOF"]].map(unit)
    const { value } = drive(configPipeline(options(units)), eosLike(), [7])
    expect(value.rejections.map(({ unit }) => unit.lineNumber)).toEqual([1])
  })

  it("sends a long text in pieces and treats it as one input", () => {
    const text = Array.from({ length: 200 }, (_, index) => `line ${index} of a long banner with % and # and !`)
    const units = [unit(["banner login", ...text, "EOF"], 0), unit(["vlan 10"], 202)]
    const { value, received, mostUnread } = drive(configPipeline(options(units)), eosLike(), [64])
    expect(value.rejections).toEqual([])
    expect(received).toEqual(["banner login", ...text, "EOF", "vlan 10"])
    expect(mostUnread).toBeLessThanOrEqual(2048)
  })

  it("needs no answer for an empty candidate", () => {
    expect(drive(configPipeline(options([])), eosLike(), []).value.rejections).toEqual([])
  })

  describe("when an unknown command asks for a text", () => {
    const lines = ["vlan 10", "bad word", "code unit a", "  bad() {", "!", "}", "EOF", "vlan 11", "vlan 12"]
    const units = lines.flatMap((line, index) => (line === "!" ? [] : [unit([line.trim()], index)]))
    const openTexts = [{ firstLine: 1, lastLine: 7 }]

    it.prop("sends the following lines verbatim", { sizes: ChunkSizes, settled: Schema.Boolean }, (run) => {
      const pipeline = configPipeline(options(units, { openTexts, lines, settled: run.settled }))
      const { value, received } = drive(pipeline, eosLike(), run.sizes)
      expect(value.desynchronised).toBeUndefined()
      expect(value.rejections.map(({ unit }) => unit.line)).toEqual(["bad word"])
      expect(received).toEqual(lines)
    })

    it.prop("refuses the command when its text has no end", { sizes: ChunkSizes, settled: Schema.Boolean }, (run) => {
      const endless = lines.flatMap((line, index) => (line === "EOF" || line === "!" ? [] : [unit([line], index)]))
      const pipeline = configPipeline(options(endless, { lines, settled: run.settled }))
      const { value } = drive(pipeline, eosLike(), run.sizes)
      expect(value.desynchronised).toBeUndefined()
      expect(value.rejections.at(-1)).toMatchObject({
        unit: { lineNumber: 3 },
        answer: '% no line EOF ends the text of "code unit a"'
      })
    })
  })
})
